"""Ground that a waiting sphere's shadow coloured in the first picture, and that shows once the sphere has gone."""

from __future__ import annotations

import numpy as np
import pytest

from hardware.rig import Rig
from vision.colour import DEFAULT
from vision.linear_light import linear
from vision.observations import Colour
from vision.passages.roll_events import RollEnded, RollEvent
from vision.passages.sheet.track_blobs import SheetBlobs, TrackBlob
from vision.passages.track_monitor import TrackMonitor

FPS, RAMP_MM_S2 = 56.0, 1500.0
PINK, GREY = (40.0, 28.0, 78.0), (90.0, 93.0, 97.0)
BARE_Y_MM, RADIUS_MM = 176.0, 11.2


def named(bgr: tuple[float, float, float]) -> tuple[Colour, float]:
    light = linear(np.array([[bgr]]).round().astype(np.uint8)).reshape(3).astype(np.float64)
    return DEFAULT.name(light, np.full(3, 0.12))


def blob(y_mm: float, radius_mm: float, bgr: tuple[float, float, float], x_mm: float = 0.0) -> TrackBlob:
    row = round((242.0 - y_mm) / 2.5)
    box = (row - 5, row + 5, 60, 70)
    return TrackBlob(x_mm, y_mm, y_mm + radius_mm, radius_mm, bgr, 0.0, True, box)


def seen(y_mm: float) -> tuple[TrackBlob, ...]:
    """What shows while the sphere is at `y_mm`: the bare ground, too, which joins it as it rolls over."""
    mixed = (48.0, 36.0, 81.0)
    if y_mm > BARE_Y_MM + 6.0:
        return (blob(y_mm, RADIUS_MM, PINK),)
    if y_mm > BARE_Y_MM - 30.0:
        return (blob((y_mm + BARE_Y_MM) / 2, 12.0 + 0.16 * (BARE_Y_MM + 6.0 - y_mm), mixed, 3.0),)
    return (blob(BARE_Y_MM, 13.0, GREY, 6.5), blob(y_mm, RADIUS_MM, PINK))


def test_bare_ground_is_not_taken_for_the_sphere_that_rolled_over_it() -> None:
    monitor = TrackMonitor(Rig(), named)
    events: list[RollEvent] = []
    y_mm, pace_mm_s = 216.0, 0.0
    for frame in range(110):
        if frame > 30:
            pace_mm_s += 1400.0 / FPS if y_mm < 200.0 else 400.0 / FPS
            y_mm -= pace_mm_s / FPS
        shown = seen(y_mm) if y_mm > -90.0 else seen(-200.0)[:1]
        events += monitor.step(frame / FPS, SheetBlobs(shown, ()))
    [end] = [each for each in events if isinstance(each, RollEnded)]
    assert (end.outcome, end.lane, end.colour) == ("passed", 4, "pink")


@pytest.mark.parametrize("aside_mm", [-10.0, 10.0])
def test_bare_ground_that_joins_a_rolling_sphere_does_not_move_its_crossing(aside_mm: float) -> None:
    """For three frames both are one blob, a fourth larger: its middle lags behind the sphere's."""
    monitor = TrackMonitor(Rig(), named)
    events: list[RollEvent] = []
    for frame in range(75):
        rolls_s = max(frame / FPS - 0.5, 0.0)
        y_mm = 200.0 - 100.0 * rolls_s - RAMP_MM_S2 * rolls_s**2 / 2
        joined = BARE_Y_MM - 136.0 < y_mm < BARE_Y_MM - 100.0
        middle_mm = 0.6 * y_mm + 0.4 * (BARE_Y_MM - 100.0)
        sphere = blob(middle_mm, 14.0, (58.0, 50.0, 84.0), aside_mm) if joined else blob(y_mm, RADIUS_MM, PINK)
        if abs(y_mm) < RADIUS_MM + 10.0:
            sphere = blob(y_mm, 0.7 * RADIUS_MM, PINK)  # the fence hides a part of it
        events += monitor.step(frame / FPS, SheetBlobs((sphere,) if y_mm > -90.0 else (), ()))
    [end] = [each for each in events if isinstance(each, RollEnded)]
    assert (end.outcome, end.lane, end.colour) == ("passed", 4, "pink")
    truth_s = 0.5 + (-100.0 + (100.0**2 + 2 * RAMP_MM_S2 * 200.0) ** 0.5) / RAMP_MM_S2
    assert end.crossed_s == pytest.approx(truth_s, abs=0.3 / FPS)
