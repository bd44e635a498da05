"""A sphere that comes back: the back beam breaks alone and the front one soon after, whatever was told in between."""

from __future__ import annotations

import pytest

from hardware.beams.beam_monitor import BeamEdge, BeamLimits
from hardware.beams.passage_detector import PassageDetector

LIMITS = BeamLimits()


def outcomes(front_s: float, forgotten: str | None = None) -> list[str]:
    """The outcomes of a break of the front beam, after one of the back beam at 1 s."""
    detector = PassageDetector(LIMITS, lambda _: True)
    assert detector.change(BeamEdge(1.0, "back", True), 1.0) == []
    if forgotten is not None:
        detector.forget(forgotten)
    return [passage.outcome for passage in detector.change(BeamEdge(front_s, "front", True), front_s)]


def test_it_comes_back_in_the_time_that_a_sphere_needs_between_the_beams() -> None:
    assert outcomes(1.0 + LIMITS.transit_s - 0.01) == ["reversed"]
    assert outcomes(1.0 + LIMITS.transit_s + 0.01) == [], "another sphere, also before the next tick"


@pytest.mark.parametrize("beam", ["front", "back"])
def test_a_beam_that_became_faulty_in_between_tells_of_no_sphere_that_comes_back(beam: str) -> None:
    assert outcomes(1.3, forgotten=beam) == []
