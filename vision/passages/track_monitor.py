"""Tracks spheres from frame to frame and determines the outcome of each roll. Pure: blobs in, events out.

An outcome is derived from approach and exit, never from "seen in the hole":

- passed: the sphere came down the ramp and is then seen wholly beyond the fence (SM-38)
- stuck: it touches the fence and rests (SM-39)
- short: it rests without touching the fence (SM-40)
- astray: it changed its lane, went over the fence or off the side (SM-41)
- unknown: the end was not seen, or fits two of these

The times and distances below were set on the staged rolls of `tests/vision/test_passage.py`, which test them.
"""

from __future__ import annotations

from collections.abc import Iterable

from hardware.rig import Rig
from vision.passages.crossing import crossing_s
from vision.passages.roll_events import FenceReached, RollEnded, RollEvent, RollOutcome, RollSeen, RollStarted
from vision.passages.roll_place import told_place
from vision.passages.sheet.track_blobs import HUE_SLACK, SheetBlobs, hue_gap
from vision.passages.spheres.association import PALE, Association, Box, NameColour
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
LONG_GAP_S = 1.0
"""After a longer gap between frames all spheres are discarded: a whole roll fits into it."""
SIDE_MM = 4.0
"""A sphere that is lost within this distance of the outer wall, or beyond it, went off the side."""

# Remembering
FORGET_S = 60.0
"""Time for which the background model excludes the cells of a resting sphere: a player may think before they push."""
PATIENCE_S = {"resting": 0.4, "rolling": 60.0, "ended": 0.5}
"""Time for which a sphere that is not seen is kept, by stage. `_advance_stage` ends a rolling one sooner."""
PATIENCE_HELD_S = 2.5
"""The same for a resting sphere that a hand hides."""
LATE_PASS_S = 12.0
"""A stuck sphere that slips through within this time has passed: the longest limit of SM-39 is 10 s."""
HANDED_S = 0.1
"""A hand that lifts a stuck sphere over the fence is at it for longer. What the sphere's own shadow looks like while it
slips through lasts for a frame."""

# Lanes
SWITCH_LANES = 0.6
"""A sphere farther from the middle of its lane, in lane pitches, is in another lane: the wall is at 0.5."""
LANE_EDGE_MM = 2.0
"""A sphere is at no lane if it is farther from every lane's middle than half a pitch plus this."""
ENTRY_MM = 4.0
"""Distance below the ramp's top at which a sphere is between the walls: its lane is determined here."""
NEW_ABOVE_Y_MM = 20.0
"""New spheres are accepted only uphill of this y: nearer, the fence hides a part of them. Behind the platform's end
there are only hands, and what they carry."""
ON_RAMP_MM, SHADOW_MM = 20.0, 120.0
"""Distance below the ramp's top at which a sphere is certainly on the ramp, and the length of the shadow that one of
40 mm throws under a lamp 18° above the table."""
SHADOW_SIZE = 1.2
"""Largest radius of a round shadow, in radii of its sphere. A lamp 0.3 m above the track widens it by a tenth, and the
sphere's dark side may be missing in its own measured radius."""
SHADOW_KEEPS_MM = 25.0
"""A shadow moves along the ramp as its sphere does. One frame between what is seen of both is up to 20 mm of a roll."""
KEPT_MARGIN_CELLS = 3
"""7.5 mm round a sphere, for its blurred rim."""

# Confidences 0–1: expected fraction of correct outcomes, estimated from the hard passages
SURE_REST, SURE_REST_AT_END, SURE_STRAYED, SURE_ASTRAY_AT_EXIT = 0.95, 0.9, 0.9, 0.85
SURE_HIDDEN, SURE_OFF_SIDE, UNSEEN, GAP = 0.6, 0.7, 0.3, 0.2


class TrackMonitor:
    """Tracks every sphere on the track. Feed it the timestamped blobs of every frame; frames may be missing.

    :param name_colour: maps the mean BGR of a sphere to the putty's colour and a confidence 0–1.
    """

    def __init__(self, rig: Rig, name_colour: NameColour) -> None:
        self._rig = rig
        self._name_colour = name_colour
        self._association = Association(rig, name_colour)
        self._switch_mm = SWITCH_LANES * rig.lane_pitch_mm
        self._spheres: list[TrackedSphere] = []
        self._last_s: float | None = None

    @property
    def busy(self) -> bool:
        """Whether a sphere is rolling."""
        return any(sphere.stage == "rolling" for sphere in self._spheres)

    def seen(self, t_s: float) -> RollSeen | None:
        """Return the place of the sphere that rolls at `t_s` or whose roll ended then; None if there is none."""
        shown = [each for each in self._spheres if each.stage == "rolling" or each.ended_s == t_s]
        if not shown:
            return None
        sphere = max(shown, key=lambda each: each.started_s)
        lane_x = self._lane_x(sphere)
        astray = lane_x is None or sphere.strayed(lane_x, self._switch_mm) > 1
        lane = self._nearest_lane(sphere.last.x_mm) if astray else self._lane(sphere)
        touched = sphere.contact_s is not None or sphere.outcome == "stuck"
        place = told_place(self._rig, sphere.last.y_mm, touched=touched, beyond=bool(sphere.exits))
        return None if place is None else RollSeen(t_s, lane, place)

    def kept_boxes(self, t_s: float) -> list[Box]:
        """Return the boxes of spheres that the background model must not absorb yet."""
        return [sphere.box for sphere in self._spheres if t_s - sphere.born_s < FORGET_S or sphere.stage == "rolling"]

    def step(self, t_s: float, sheet: SheetBlobs) -> list[RollEvent]:
        """Process the blobs of one frame; return the new events."""
        out: list[RollEvent] = []
        if self._last_s is not None and t_s - self._last_s > LONG_GAP_S:
            out += [self._ended(sphere, t_s, "unknown", GAP) for sphere in self._spheres if sphere.stage == "rolling"]
            self._spheres.clear()
        gap_s = t_s - self._last_s if self._last_s is not None else 0.0
        self._last_s = t_s
        free = self._association.assign(self._spheres, t_s, sheet, gap_s)
        for sphere in self._spheres:
            out += self._advance_stage(sphere, t_s)
            if sphere.stage == "ended" and (sphere.outcome == "short" or sphere.resting_place.holds_it()):
                sphere.rest_again()
        self._spheres = [sphere for sphere in self._spheres if not self._forgotten(sphere, t_s)]
        self._spheres += [
            TrackedSphere(self._rig, t_s, seen)
            for seen in free
            if seen.compact
            and NEW_ABOVE_Y_MM < seen.y_mm < self._rig.platform_end_y_mm
            and not any(sphere.overlaps(seen) or sphere.trails(seen) for sphere in self._spheres)
        ]
        return out

    def finish(self, t_s: float) -> list[RollEvent]:
        """End every open roll by the sphere's present place: the recording is over. Rest need not last `REST_S`."""
        out: list[RollEvent] = []
        for sphere in self._spheres:
            if sphere.stage != "rolling":
                continue
            if sphere.exits and self._beyond(sphere):
                out.append(self._passed(sphere, t_s))
            elif sphere.points.rests_now(REST_AT_END_S, REST_MM):
                out.append(self._rested(sphere, t_s, SURE_REST_AT_END))
            elif self._taken(sphere, t_s, REST_AT_END_S):
                out.append(self._ended(sphere, t_s, "stuck", SURE_REST_AT_END))
            else:
                out.append(self._ended(sphere, t_s, "unknown", UNSEEN))
        return out

    def _advance_stage(self, sphere: TrackedSphere, t_s: float) -> list[RollEvent]:
        if sphere.stage == "resting":
            return self._begun(sphere, t_s)
        if sphere.stage == "ended":
            late = sphere.outcome == "stuck" and t_s - sphere.ended_s < LATE_PASS_S and sphere.held_for_s < HANDED_S
            if late and len(sphere.exits) > 1 and self._beyond(sphere) and not sphere.lifted(LIFTED_MM):
                return [self._passed(sphere, t_s)]
            return []
        out = self._fence(sphere, t_s)
        seen_now = sphere.last.t_s == t_s
        lane_x = self._lane_x(sphere)
        if sphere.exits and self._beyond(sphere):
            deep = sphere.last.y_mm < -(sphere.radius_mm + self._rig.fence_thickness_mm / 2 + DEEP_MM)
            if deep or len(sphere.exits) > 1 or t_s - sphere.last.t_s > BEYOND_S:
                out.append(self._passed(sphere, t_s))
        elif lane_x is not None and sphere.strayed(lane_x, self._switch_mm) > 1:
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

    def _begun(self, sphere: TrackedSphere, t_s: float) -> list[RollEvent]:
        if not (sphere.rolls_freely() or sphere.resting_place.shifted()):
            return []
        if sphere.born_y_mm < self._rig.ramp_top[0] - ON_RAMP_MM and any(
            other.stage == "rolling"
            and sphere.distance_mm(other) < SHADOW_MM
            and sphere.radius_mm < SHADOW_SIZE * other.radius_mm
            and sphere.keeps_beside(other, SHADOW_KEEPS_MM)
            for other in self._spheres
        ):
            return []  # a sphere comes from the platform: this is the shadow of the other
        if hue_gap(sphere.colours[-1], sphere.bgr) > HUE_SLACK:
            return []  # in another light the ground beside it looks coloured too, and what was measured is both
        lane, named = self._nearest_lane(sphere.last.x_mm), self._name_colour(sphere.bgr)
        if lane is None or named == PALE:
            return []  # beside the track, or too pale for a putty: a hand, a die, smeared colour
        sphere.stage = "rolling"
        sphere.started_s = sphere.resting_place.left_s
        sphere.rolls_since_s = t_s
        return [RollStarted(t_s, lane, named[0])]

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
        return [FenceReached(t_s, self._lane(sphere))]

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
        lane_x = self._lane_x(sphere)
        strayed = lane_x is not None and abs(sphere.exits[0].x_mm - lane_x) > self._switch_mm
        way, sure = sphere.over_or_through.way, sphere.over_or_through.confidence
        if strayed or way == "over":
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
        return RollEnded(t_s, outcome, self._lane(sphere), colour, sphere.started_s, crossed_s, confidence)

    def _forgotten(self, sphere: TrackedSphere, t_s: float) -> bool:
        patience_s = PATIENCE_S[sphere.stage]
        if sphere.stage == "resting" and sphere.held_s >= sphere.last.t_s:
            patience_s = PATIENCE_HELD_S
        seen_s = sphere.last.t_s if sphere.stage == "ended" else max(sphere.last.t_s, sphere.held_s)
        return t_s - seen_s > patience_s

    def _lane_x(self, sphere: TrackedSphere) -> float | None:
        lane = self._lane(sphere)
        return None if lane is None else self._rig.lane(lane).x_mm

    def _lane(self, sphere: TrackedSphere) -> int | None:
        """Return the lane in which the sphere entered the ramp; before that, the lane nearest to it."""
        entered_x = sphere.points.x_at(self._rig.ramp_top[0] - ENTRY_MM)
        return self._nearest_lane(sphere.last.x_mm if entered_x is None else entered_x)

    def _nearest_lane(self, x_mm: float) -> int | None:
        lane = min(self._rig.lanes, key=lambda each: abs(each.x_mm - x_mm))
        return lane.number if abs(lane.x_mm - x_mm) <= self._rig.lane_pitch_mm / 2 + LANE_EDGE_MM else None


def covered(shape: tuple[int, int], boxes: Iterable[Box]) -> list[tuple[slice, slice]]:
    """Return the windows of a sheet for `boxes`, each enlarged by `KEPT_MARGIN_CELLS` on all sides."""
    rows, columns = shape
    margin = KEPT_MARGIN_CELLS
    return [
        (
            slice(max(top - margin, 0), min(bottom + margin, rows)),
            slice(max(left - margin, 0), min(right + margin, columns)),
        )
        for top, bottom, left, right in boxes
    ]
