"""Estimates the time at which a sphere's centre crossed the fence's plane, to a fraction of a frame.

The fence hides the crossing itself. The approach, a ball accelerating on the ramp, is extrapolated to y = 0: a hole
brakes a ball only once it is inside. Where too few points of the approach were seen, the crossing is interpolated on
the straight line from the last of them to the first one beyond, which needs no speed. No ball is faster beyond the
fence than before it, so the place where it is first seen whole beyond gives a latest time. A ball that a tight hole
holds up is seen uphill after it should have crossed. In that case its path beyond the fence is extrapolated backwards
instead. A timestamp is that of the middle of the exposure, where a blurred ball's centre of area lies, so the shutter
adds no bias. `tests/bench/passage.py` measures the error against traced clips, `tests/bench/rolls.py` against drawn
rolls.
"""

from __future__ import annotations

import numpy as np

from vision.passages.spheres.track_points import TrackPoint
from vision.passages.spheres.tracked_sphere import ROLLING_MM_S2, TrackedSphere

RAMP_EDGE_MM = 10.0
"""Distance below the ramp's top from which on a sphere certainly rolls on the ramp, not on the platform."""
APPROACH_POINTS, LEAST_POINTS = 6, 3
"""Most and fewest points for the fit of the approach: the most that lie on the lower ramp at 28 fps, and the fewest
that show a slope."""
HELD_UP_FRAMES = 0.7
"""A sphere that is seen uphill more than this many frames after the expected crossing was held up. Timestamps err by at
most half a frame."""
RESTED_S = 0.3
"""A sphere that was held up for longer rested in its hole. The fence hides the speed at which it went on."""
HIDDEN_MOST_S = 0.2
"""The fence hides a sphere of 45 mm for 0.13 s at the speed of the ramp's end. Where it was not seen whole for longer,
the approach would be extrapolated too far, and no time is stated."""
CONFIDENCE_EXIT_ONLY, CONFIDENCE_STRAIGHT, CONFIDENCE_HELD_UP, CONFIDENCE_FITTED = 0.4, 0.7, 0.9, 0.97


def crossing_s(sphere: TrackedSphere) -> tuple[float | None, float]:
    """Return the second at which the centre crossed y = 0, and a confidence 0–1.

    None: it rested first, or was not seen whole for too long.

    :param sphere: a sphere with at least one point beyond the fence (`exits`).
    """
    beyond = [point for point in sphere.exits if point.whole] or sphere.exits
    after = beyond[0]
    clear = [point for point in sphere.points if point.whole and point.t_s < after.t_s]
    before = [point for point in clear if 0.0 < point.y_mm < sphere.ramp_top_y_mm - RAMP_EDGE_MM]
    if not before:
        return after.t_s, CONFIDENCE_EXIT_ONLY
    last = before[-1]
    straight_s = last.t_s + (after.t_s - last.t_s) * last.y_mm / (last.y_mm - after.y_mm)
    run = before[-APPROACH_POINTS:]
    if len(run) < LEAST_POINTS:
        return straight_s, CONFIDENCE_STRAIGHT
    t = np.array([point.t_s - last.t_s for point in run])
    y = np.array([point.y_mm for point in run]) + ROLLING_MM_S2 * t * t / 2
    slope, level = np.polyfit(t, y, 1)
    under = slope * slope + 2 * ROLLING_MM_S2 * level  # the square of the speed at the fence
    extrapolated_s = last.t_s + (slope + np.sqrt(under)) / ROLLING_MM_S2 if under > 0 else straight_s
    frame_s = float(np.median(np.diff(t)))
    uphill = [point for point in sphere.points if point.y_mm > 0.0 and point.t_s < after.t_s][-1]
    if uphill.t_s > extrapolated_s + RESTED_S:
        return None, CONFIDENCE_HELD_UP
    if uphill.t_s > extrapolated_s + HELD_UP_FRAMES * frame_s:
        return _extrapolated_back(sphere, uphill, after), CONFIDENCE_HELD_UP
    if after.t_s - last.t_s > HIDDEN_MOST_S:
        return None, CONFIDENCE_STRAIGHT
    latest_s = after.t_s + after.y_mm / np.sqrt(under) if under > 0 and after.whole else after.t_s
    return float(np.clip(extrapolated_s, last.t_s, max(latest_s, last.t_s))), CONFIDENCE_FITTED


def _extrapolated_back(sphere: TrackedSphere, uphill: TrackPoint, after: TrackPoint) -> float:
    """Extrapolate the crossing from the first two points beyond the fence, but not before the last point uphill."""
    far = [point for point in sphere.points if point.y_mm < 0.0 and point.t_s > uphill.t_s]
    whole = [point for point in far if point.whole]
    out = whole[:2] if len(whole) > 1 else far[:2]
    if len(out) < 2 or out[1].y_mm >= out[0].y_mm:
        return (uphill.t_s + after.t_s) / 2
    pace = (out[1].y_mm - out[0].y_mm) / (out[1].t_s - out[0].t_s)
    return max(uphill.t_s, out[0].t_s - out[0].y_mm / pace)
