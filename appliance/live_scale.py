"""The scale's raw samples, live, for the commands that weigh and calibrate without a game."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from hardware.load_cell import ReadFailure, Sample
from hardware.scale_model import COUNTS_MAX, COUNTS_MIN
from hardware.weighing import ScaleReading, Weigher

LiveSample = Sample | ReadFailure

_ASK_AGAIN_S = 1.0


def live_samples() -> Iterator[LiveSample]:
    """Yield fresh conversions and failures of the real load cell until closed.

    Refuses while a game is open, and ends when one opens: a scale that answers would be a gauge (SM-26, DESIGN §5).

    :raises click.ClickException: a game is open.
    :raises LoadCellError: there is no cell to read.
    """
    from appliance import bootstrap

    bootstrap.refuse_if_game_open()
    asked_s: float | None = None
    for sample in bootstrap.scale_samples():
        asked_s = sample.t_s if asked_s is None else asked_s
        if sample.t_s - asked_s >= _ASK_AGAIN_S:
            bootstrap.refuse_if_game_open()
            asked_s = sample.t_s
        yield sample


def scale_path() -> Path:
    """Return where the table keeps its scale's calibration, by its settings."""
    from appliance import bootstrap

    return bootstrap.read_settings(None).scale_path


def follow(weigher: Weigher, samples: Iterable[LiveSample]) -> Iterator[tuple[LiveSample, list[ScaleReading]]]:
    """Yield every sample with what became known by it."""
    for sample in samples:
        if isinstance(sample, Sample):
            yield sample, weigher.feed(sample.t_s, sample.counts)
        elif sample.reason == "saturated_high":
            yield sample, weigher.feed(sample.t_s, COUNTS_MAX)
        elif sample.reason == "saturated_low":
            yield sample, weigher.feed(sample.t_s, COUNTS_MIN)
        else:
            yield sample, weigher.tick(sample.t_s)
