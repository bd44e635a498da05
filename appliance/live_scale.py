"""The scale's raw samples, live, for the commands that weigh and calibrate without a game."""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Iterator

from hardware.load_cell import ReadFailure, Sample
from hardware.scale_model import COUNTS_MAX, COUNTS_MIN
from hardware.weighing import ScaleReading, Weigher

LiveSample = Sample | ReadFailure


def live_samples() -> Iterator[LiveSample]:
    """Yield fresh conversions and failures of the real load cell until closed.

    Refuses while a game is open: a scale that answers would be a gauge (RULES SM-26, DESIGN §5).
    """
    bootstrap = importlib.import_module("appliance.bootstrap")
    bootstrap.refuse_if_game_open()
    yield from bootstrap.scale_samples()


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
