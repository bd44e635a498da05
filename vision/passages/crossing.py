"""When a sphere's centre crossed the fence's plane, to a fraction of a frame.

The fence hides the crossing itself. The approach, a ball gaining speed on the ramp, is carried on to y = 0; the line
from the last whole sighting before to the first beyond gives a second opinion that needs no speed. A ball that a tight
hole holds up is seen uphill after it should have crossed: then its way out is carried back instead. A stamp is that of
the middle of the exposure, where a blurred ball's centre of area lies, so the shutter adds no bias.
"""

from __future__ import annotations

import numpy as np

from vision.passages.tracked_sphere import ROLLING_MM_S2, TrackedSphere, TrackPoint

_HELD_UP_FRAMES = 0.7


def crossing_s(roll: TrackedSphere) -> tuple[float, float]:
    """Return the stamp at which the centre crossed y = 0, and a confidence 0–1.

    The roll has at least one sample beyond the fence (`exits`).
    """
    beyond = [sample for sample in roll.exits if sample.whole] or roll.exits
    after = beyond[0]
    clear = [sample for sample in roll.samples if sample.whole and sample.t_s < after.t_s]
    before = [sample for sample in clear if 0.0 < sample.y_mm < 190.0]
    if not before:
        return after.t_s, 0.4
    last = before[-1]
    straight_s = last.t_s + (after.t_s - last.t_s) * last.y_mm / (last.y_mm - after.y_mm)
    run = before[-6:]
    if len(run) < 3:
        return straight_s, 0.7
    t = np.array([sample.t_s - last.t_s for sample in run])
    y = np.array([sample.y_mm for sample in run]) + ROLLING_MM_S2 * t * t / 2
    slope, level = np.polyfit(t, y, 1)
    under = slope * slope + 2 * ROLLING_MM_S2 * level
    carried_s = last.t_s + (slope + np.sqrt(under)) / ROLLING_MM_S2 if under > 0 else straight_s
    frame_s = float(np.median(np.diff(t)))
    uphill = [sample for sample in roll.samples if sample.y_mm > 0.0 and sample.t_s < after.t_s][-1]
    if uphill.t_s > carried_s + _HELD_UP_FRAMES * frame_s:
        return _carried_back(roll, uphill, after), 0.9
    crossed_s = (carried_s + straight_s) / 2
    return float(np.clip(crossed_s, last.t_s, after.t_s)), 0.97


def _carried_back(roll: TrackedSphere, uphill: TrackPoint, after: TrackPoint) -> float:
    """Return when it crossed by its first two sightings on the far side, no earlier than it was seen uphill."""
    far = [sample for sample in roll.samples if sample.y_mm < 0.0 and sample.t_s > uphill.t_s]
    whole = [sample for sample in far if sample.whole]
    out = whole[:2] if len(whole) > 1 else far[:2]
    if len(out) < 2 or out[1].y_mm >= out[0].y_mm:
        return (uphill.t_s + after.t_s) / 2
    pace = (out[1].y_mm - out[0].y_mm) / (out[1].t_s - out[0].t_s)
    return max(uphill.t_s, out[0].t_s - out[0].y_mm / pace)
