"""The load cell of the settings, and its live raw samples for weighing and calibrating without a game."""

from __future__ import annotations

import contextlib
from collections.abc import Generator, Iterable, Iterator
from functools import partial

from appliance.journal.open_game_check import refuse_if_game_open
from appliance.settings import Settings
from calibration.scale.points import scale_silent
from hardware.clock import MonotonicClock
from hardware.scale.chip.driver_in_kernel import open_kernel
from hardware.scale.chip.driver_on_bus import SpiDevice
from hardware.scale.load_cell import LoadCell, ReadFailure, Sample
from hardware.scale.process.child import OpenCell
from hardware.scale.scale_model import COUNTS_MAX, COUNTS_MIN
from hardware.scale.weighing import ScaleReading, Weigher

LiveSample = Sample | ReadFailure

_ASK_AGAIN_S = 1.0


def load_cell_opener(settings: Settings) -> OpenCell:
    """Return a function that opens the load cell as the settings wire it, here or in the scale's own process."""
    return partial(
        LoadCell,
        dout_pin=settings.pin_scale_dout,
        sck_pin=settings.pin_scale_sck,
        rate_sps=settings.scale_rate_sps,
        open_bus=SpiDevice if settings.scale_wiring == "spi" else None,
        open_kernel=open_kernel if settings.scale_wiring == "iio" else None,
    )


def live_samples(settings: Settings) -> Generator[LiveSample]:
    """Yield fresh conversions and failures of the real load cell until closed.

    It refuses while a game is open, and ends when one opens: players could measure on a live scale (SM-26, DESIGN §5).

    :raises GameOpenError: a game is open, or one was opened.
    :raises LoadCellError: there is no cell to read.
    """
    refuse_if_game_open(settings)
    asked_s: float | None = None
    for sample in conversions(settings):
        asked_s = sample.t_s if asked_s is None else asked_s
        if sample.t_s - asked_s >= _ASK_AGAIN_S:
            refuse_if_game_open(settings)
            asked_s = sample.t_s
        yield sample


def conversions(settings: Settings) -> Generator[LiveSample]:
    """Yield conversions and failures of the real load cell until closed, even while a game is open."""
    cell = load_cell_opener(settings)(MonotonicClock())
    try:
        while True:
            yield cell.sample()
    finally:
        cell.close()


def must_answer(samples: Generator[LiveSample]) -> None:
    """Take one sample and close `samples`, so that nobody is asked to lay a mass on a missing scale.

    :raises LoadCellError: there is no cell to read.
    :raises FitError: `scale_silent`: the cell does not answer. A cell at its end stop does; the guide handles that.
    """
    with contextlib.closing(samples):
        sample = next(samples, None)
    if sample is None or (isinstance(sample, ReadFailure) and not sample.saturated):
        raise scale_silent()


def follow(weigher: Weigher, samples: Iterable[LiveSample]) -> Iterator[tuple[LiveSample, list[ScaleReading]]]:
    """Yield every sample with the readings that it caused."""
    for sample in samples:
        if isinstance(sample, Sample):
            yield sample, weigher.feed(sample.t_s, sample.counts)
        elif sample.reason == "saturated_high":
            yield sample, weigher.feed(sample.t_s, COUNTS_MAX)
        elif sample.reason == "saturated_low":
            yield sample, weigher.feed(sample.t_s, COUNTS_MIN)
        else:
            yield sample, weigher.tick(sample.t_s)
