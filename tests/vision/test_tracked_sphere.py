"""One sphere's points: when it rests, however its outline flickers."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from hardware.rig import Rig
from vision.passages.track_blobs import TrackBlob
from vision.passages.track_monitor import REST_MM, REST_S
from vision.passages.tracked_sphere import TrackedSphere

FPS = 28.0


def followed(place: Callable[[int], tuple[float, float]], frames: int = 60) -> TrackedSphere:
    """Return a roll seen in `frames` frames, each at `place(number)` → (y of its middle, y of its uphill rim), mm."""

    def seen(number: int) -> TrackBlob:
        y_mm, uphill_y_mm = place(number)
        return TrackBlob(
            x_mm=0.4 * (number % 2),
            y_mm=y_mm,
            uphill_y_mm=uphill_y_mm,
            radius_mm=7.4,
            bgr=(60.0, 190.0, 200.0),
            face_cover=0.0,
            compact=False,
            box=(100, 106, 60, 66),
        )

    roll = TrackedSphere(Rig(), 0.0, seen(0))
    roll.stage, roll.started_s = "rolling", 0.0
    for number in range(1, frames):
        roll.add(number / FPS, seen(number))
    return roll


@pytest.mark.parametrize(
    "place",
    [lambda n: (20.4, 26.6 if n % 3 else 24.0), lambda n: (20.4 if n % 4 else 17.6, 26.6)],
    ids=["its rim flickers by a row of cells", "its middle moves with what hides it"],
)
def test_a_wedged_sphere_rests_though_its_outline_flickers(place: Callable[[int], tuple[float, float]]) -> None:
    roll = followed(place)
    assert roll.rested(roll.last.t_s, REST_S, REST_MM)


def test_a_sphere_that_creeps_does_not_rest() -> None:
    roll = followed(lambda n: (20.4 - 0.2 * n, 26.6 - 0.2 * n))
    assert not roll.rested(roll.last.t_s, REST_S, REST_MM)
