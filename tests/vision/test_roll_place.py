"""What is told of a rolling sphere: where it is, the same for every size."""

from __future__ import annotations

import pytest

from hardware.readings import AT_HOLE, BEYOND_FENCE
from hardware.rig import Rig
from vision.passages.roll_place import told_place
from vision.passages.sheet.track_blobs import SheetBlobs, TrackBlob
from vision.passages.track_monitor import TrackMonitor

FPS = 56.0
WAY_MM = [219.0 - 1.2 * n * n / 9 for n in range(41)]
"""Down the ramp as a ball rolls, to 5 mm before the fence: there every sphere has touched it."""


def places(radius_mm: float) -> list[tuple[int | None, int]]:
    """Return what is told of a sphere of this size whose centre takes the same way down lane 4 into its hole."""
    monitor = TrackMonitor(Rig(), lambda _: ("yellow", 0.9))
    told = []
    for number, y_mm in enumerate([219.0] * 20 + WAY_MM + [WAY_MM[-1]] * 50):
        # Near the fence the middle of what is seen of a large sphere stays farther uphill, where it wedges.
        seen_mm = max(y_mm, 0.7 * radius_mm)
        box = (60, 66, 60, 66)
        blob = TrackBlob(0.0, seen_mm, seen_mm + radius_mm, radius_mm, (60.0, 190.0, 200.0), 0.0, True, box)
        monitor.step(number / FPS, SheetBlobs((blob,), ()))
        seen = monitor.seen(number / FPS)
        if seen is not None:
            told.append((seen.lane, seen.place))
    return told


@pytest.mark.parametrize("radius_mm", [8.0, 22.0])
def test_a_sphere_of_any_size_is_followed_to_its_hole(radius_mm: float) -> None:
    told = places(radius_mm)
    assert {lane for lane, _ in told} == {4}
    along = [place for _, place in told]
    assert along == sorted(along), "it never turns back"
    assert along[0] < 150
    assert along[-1] == AT_HOLE


def test_where_they_stick_and_what_is_told_before_does_not_tell_large_from_small() -> None:
    small, large = set(places(8.0)), set(places(22.0))
    assert {place for _, place in small} == {place for _, place in large}


@pytest.mark.parametrize("y_mm", [32.0, 20.0, 9.0, 4.0])
def test_so_near_to_the_fence_that_sizes_would_part_them_no_place_is_told(y_mm: float) -> None:
    assert told_place(Rig(), y_mm, touched=False, beyond=False) is None
    assert told_place(Rig(), y_mm, touched=True, beyond=False) == AT_HOLE
    assert told_place(Rig(), -y_mm, touched=True, beyond=True) == BEYOND_FENCE
