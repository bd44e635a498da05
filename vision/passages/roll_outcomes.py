"""Determines how the roll of a sphere ends.

An outcome is derived from approach and exit, never from "seen in the hole":

- passed: the sphere came down the ramp and is then seen wholly beyond the fence (SM-38)
- stuck: it touches the fence and rests (SM-39)
- short: it rests without touching the fence (SM-40)
- astray: it changed its lane, went over the fence or off the side (SM-41)
- unknown: the end was not seen, or fits two of these

The times and distances below were set on the staged rolls of `tests/vision/test_passage.py`, which test them.
"""

from __future__ import annotations

from hardware.rig import Rig
from vision.passages.crossing import crossing_s
from vision.passages.lane_of_sphere import entered_lane, has_switched, in_another_lane
from vision.passages.roll_events import FenceReached, RollEnded, RollEvent, RollOutcome
from vision.passages.spheres.association import NameColour
from vision.passages.spheres.over_or_through import SURE_UNSURE
from vision.passages.spheres.tracked_sphere import TrackedSphere

REST_S, REST_MM = 0.6, 2.5
"""A sphere is at rest when it stayed within one cell of the sheet for this time. A bounce turns sooner."""
SETTLED_S = 0.3
"""A sphere that rested at the fence for this time before a hand took it was stuck: a bounce stays within `REST_MM` of
its turning point for 0.12 s."""
REST_AT_END_S = 0.05
"""Rest time at the end of a recording: three frames at 56 a second, as there are no more."""
TOUCH_MM = 6.0
"""A gap to the fence up to this counts as touching: a wedged sphere's centre is up to 10 mm uphill, and the fence hides
the lower part of it."""
LIFTED_MM = 8.0
"""A sphere farther uphill of its resting place was lifted: it cannot roll uphill, and a finger hides less of it."""
HIDDEN_MM, HIDDEN_BELOW_Y_MM = 1.0, 60.0
"""A sphere that is not seen now is behind the fence's edge if it is expected within this gap of the fence and was last
seen below this y."""
BEYOND_MM = 0.5
"""Tolerance for a sphere that is beyond the fence's plane: the noise of its position."""
DEEP_MM, BEYOND_S = 12.0, 0.1
"""One detection beyond the fence is enough if it is this far beyond, or if none followed for this time."""

# Losing sight of a sphere
LOST_S = 0.45
"""A rolling sphere on the open ramp is lost if it is not seen for this time: it crosses the ramp in about 0.6 s."""
HIDDEN_S = 0.9
"""The same limit at the fence. A sphere that squeezes through its hole is hidden for most of this time."""
AT_FENCE_Y_MM = 45.0
"""Below this y a lost sphere counts as at the fence: a large sphere's diameter."""
WATCHED_GAP_S = 0.1
"""A hidden sphere at the fence counts as stuck only if no gap between frames was longer: else its exit may have been
missed."""
SIDE_MM = 4.0
"""A sphere that is lost within this distance of the outer wall, or beyond it, went off the side."""

# After the end
LATE_PASS_S = 12.0
"""A stuck sphere that slips through within this time has passed: the longest limit of SM-39 is 10 s."""
HANDED_S = 0.1
"""A hand that lifts a stuck sphere over the fence is at it for longer. What the sphere's own shadow looks like while it
slips through lasts for a frame."""

# Confidences 0–1: expected fraction of correct outcomes, estimated from the hard passages
SURE_REST, SURE_REST_AT_END, SURE_STRAYED, SURE_ASTRAY_AT_EXIT = 0.95, 0.9, 0.9, 0.85
SURE_HIDDEN, SURE_OFF_SIDE, UNSEEN, GAP = 0.6, 0.7, 0.3, 0.2


class RollOutcomes:
    """Determines the outcomes of the rolls on one track.

    :param name_colour: maps the mean BGR of a sphere to the putty's colour and a confidence 0–1.
    """

    def __init__(self, rig: Rig, name_colour: NameColour) -> None:
        self._rig = rig
        self._name_colour = name_colour

    def advance(self, sphere: TrackedSphere, t_s: float) -> list[RollEvent]:
        """Return what the sphere's newest place, or its absence, at `t_s` tells of its roll; end the roll if it ended.

        One that was stuck and slips through later has passed.
        """
        if sphere.stage == "ended":
            late = sphere.outcome == "stuck" and t_s - sphere.ended_s < LATE_PASS_S and sphere.held_for_s < HANDED_S
            slipped = late and len(sphere.exits) > 1 and self._beyond(sphere) and not sphere.lifted(LIFTED_MM)
            return [self._passed(sphere, t_s)] if slipped else []
        out = self._fence(sphere, t_s)
        seen_now = sphere.last.t_s == t_s
        if sphere.exits and self._beyond(sphere):
            deep = sphere.last.y_mm < -(sphere.radius_mm + self._rig.fence_thickness_mm / 2 + DEEP_MM)
            if deep or len(sphere.exits) > 1 or t_s - sphere.last.t_s > BEYOND_S:
                out.append(self._passed(sphere, t_s))
        elif has_switched(self._rig, sphere):
            out.append(self._ended(sphere, t_s, "astray", SURE_STRAYED))
        elif seen_now and sphere.rested(t_s, REST_S, REST_MM):
            out.append(self._rested(sphere, t_s, SURE_REST))
        elif self._taken(sphere, t_s, LOST_S):
            out.append(self._ended(sphere, t_s, "stuck", SURE_REST_AT_END))
        elif not seen_now and sphere.held_s < sphere.last.t_s:
            out += self._lost(sphere, t_s)
        elif t_s - max(sphere.last.t_s, sphere.held_s) > LOST_S and sphere.held_s >= sphere.last.t_s:
            out.append(self._ended(sphere, t_s, "unknown", UNSEEN))
        return out

    def finish(self, sphere: TrackedSphere, t_s: float) -> RollEnded:
        """End an open roll by the sphere's present place: the recording is over. Rest need not last `REST_S`."""
        if sphere.exits and self._beyond(sphere):
            return self._passed(sphere, t_s)
        if sphere.points.rests_now(REST_AT_END_S, REST_MM):
            return self._rested(sphere, t_s, SURE_REST_AT_END)
        if self._taken(sphere, t_s, REST_AT_END_S):
            return self._ended(sphere, t_s, "stuck", SURE_REST_AT_END)
        return self._ended(sphere, t_s, "unknown", UNSEEN)

    def lose(self, sphere: TrackedSphere, t_s: float) -> RollEnded:
        """End an open roll after a gap between frames that a whole roll fits into."""
        return self._ended(sphere, t_s, "unknown", GAP)

    def _fence(self, sphere: TrackedSphere, t_s: float) -> list[RollEvent]:
        if sphere.contact_s is not None:
            return []
        hidden = (
            sphere.last.t_s < t_s
            and sphere.expected_y(t_s) < sphere.radius_mm + HIDDEN_MM
            and sphere.last.y_mm < HIDDEN_BELOW_Y_MM
        )
        if not hidden and not self._touches(sphere):
            return []
        sphere.contact_s = t_s
        return [FenceReached(t_s, entered_lane(self._rig, sphere))]

    def _touches(self, sphere: TrackedSphere) -> bool:
        return sphere.centre_y() <= sphere.radius_mm + self._rig.fence_thickness_mm / 2 + TOUCH_MM

    def _beyond(self, sphere: TrackedSphere) -> bool:
        return sphere.last.y_mm <= -(sphere.radius_mm + self._rig.fence_thickness_mm / 2) + BEYOND_MM

    def _taken(self, sphere: TrackedSphere, t_s: float, hidden_s: float) -> bool:
        """Return whether a sphere that had settled at the fence was taken away: lifted uphill, or hidden in a hand for
        longer than `hidden_s`."""
        if sphere.last.t_s == t_s and self._touches(sphere) and sphere.rested(t_s, SETTLED_S, REST_MM):
            sphere.settled = sphere.last
        if sphere.settled is None:
            return False
        uphill = sphere.last.y_mm > sphere.settled.y_mm + LIFTED_MM
        hidden = t_s - sphere.last.t_s > hidden_s and sphere.held_s >= sphere.settled.t_s
        return uphill or (hidden and not sphere.exits)

    def _lost(self, sphere: TrackedSphere, t_s: float) -> list[RollEvent]:
        away_s = t_s - sphere.last.t_s
        if sphere.over_or_through.way != "through" and away_s > LOST_S:
            over = sphere.over_or_through.way == "over"
            return [self._ended(sphere, t_s, "astray" if over else "unknown", sphere.over_or_through.confidence)]
        edge = max(abs(lane.x_mm) for lane in self._rig.lanes) + self._rig.lane_pitch_mm / 2
        off = abs(sphere.last.x_mm) > edge - SIDE_MM
        if not off and (sphere.contact_s is not None or sphere.last.y_mm < AT_FENCE_Y_MM):
            if away_s < HIDDEN_S:
                return []
            elsewhere = sphere.glimpsed or sphere.over_or_through.hid_face
            watched = sphere.missed_gap_s < WATCHED_GAP_S and not elsewhere
            return [self._ended(sphere, t_s, "stuck" if watched else "unknown", SURE_HIDDEN if watched else UNSEEN)]
        if away_s < LOST_S:
            return []
        return [self._ended(sphere, t_s, "astray" if off else "unknown", SURE_OFF_SIDE if off else UNSEEN)]

    def _rested(self, sphere: TrackedSphere, t_s: float, sure: float) -> RollEnded:
        if self._touches(sphere):
            return self._ended(sphere, t_s, "stuck", sure)
        if sphere.resting_place.holds_it():
            return self._ended(sphere, t_s, "unknown", UNSEEN)
        return self._ended(sphere, t_s, "short", sure)

    def _passed(self, sphere: TrackedSphere, t_s: float) -> RollEnded:
        way, sure = sphere.over_or_through.way, sphere.over_or_through.confidence
        if in_another_lane(self._rig, sphere, sphere.exits[0].x_mm) or way == "over":
            return self._ended(sphere, t_s, "astray", SURE_ASTRAY_AT_EXIT)
        if way == "unsure" or not (sphere.outcome == "stuck" or sphere.over_or_through.seen):
            return self._ended(sphere, t_s, "unknown", SURE_UNSURE)
        if sphere.outcome == "stuck":
            return self._ended(sphere, t_s, "passed", sure)  # it moved behind the fence, so its speed is unknown
        crossed_s, sureness = crossing_s(sphere)
        return self._ended(sphere, t_s, "passed", min(sure, sureness), crossed_s)

    def _ended(
        self, sphere: TrackedSphere, t_s: float, outcome: RollOutcome, confidence: float, crossed_s: float | None = None
    ) -> RollEnded:
        sphere.end(t_s, outcome)
        colour, _ = self._name_colour(sphere.bgr)
        lane = entered_lane(self._rig, sphere)
        return RollEnded(t_s, outcome, lane, colour, sphere.started_s, crossed_s, confidence)
