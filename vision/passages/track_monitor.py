"""Tracks spheres from frame to frame: when one begins to roll, where it is, how long it is remembered.

Pure: blobs in, events out. `RollOutcomes` determines how each roll ends. The times and distances below were set on the
staged rolls of `tests/vision/test_passage.py`, which test them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from hardware.rig import Rig
from vision.passages.lane_of_sphere import entered_lane, has_switched, nearest_lane
from vision.passages.roll_events import RollEnded, RollEvent, RollSeen, RollStarted
from vision.passages.roll_outcomes import RollOutcomes
from vision.passages.roll_place import told_place
from vision.passages.sheet.track_blobs import HUE_SLACK, SheetBlobs, hue_gap
from vision.passages.spheres.association import PALE, Association, Box, NameColour
from vision.passages.spheres.tracked_sphere import TrackedSphere

LONG_GAP_S = 1.0
"""After a longer gap between frames all spheres are discarded: a whole roll fits into it."""

# Remembering
FORGET_S = 60.0
"""Time for which the background model excludes the cells of a resting sphere: a player may think before they push."""
PATIENCE_S = {"resting": 0.4, "rolling": 60.0, "ended": 0.5}
"""Time for which a sphere that is not seen is kept, by stage. `RollOutcomes` ends a rolling one sooner."""
PATIENCE_HELD_S = 2.5
"""The same for a resting sphere that a hand hides."""

# New spheres and their shadows
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


class TrackMonitor:
    """Tracks every sphere on the track. Feed it the timestamped blobs of every frame; frames may be missing.

    :param name_colour: maps the mean BGR of a sphere to the putty's colour and a confidence 0–1.
    """

    def __init__(self, rig: Rig, name_colour: NameColour) -> None:
        self._rig = rig
        self._name_colour = name_colour
        self._association = Association(rig, name_colour)
        self._outcomes = RollOutcomes(rig, name_colour)
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
        lane = None if has_switched(self._rig, sphere) else entered_lane(self._rig, sphere)
        lane = nearest_lane(self._rig, sphere.last.x_mm) if lane is None else lane
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
            out += self._each_rolling(self._outcomes.lose, t_s)
            self._spheres.clear()
        gap_s = t_s - self._last_s if self._last_s is not None else 0.0
        self._last_s = t_s
        free = self._association.assign(self._spheres, t_s, sheet, gap_s)
        for sphere in self._spheres:
            out += self._begun(sphere, t_s) if sphere.stage == "resting" else self._outcomes.advance(sphere, t_s)
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
        """End every open roll, because the recording is over; return the new events."""
        return self._each_rolling(self._outcomes.finish, t_s)

    def _each_rolling(self, end: Callable[[TrackedSphere, float], RollEnded], t_s: float) -> list[RollEvent]:
        return [end(sphere, t_s) for sphere in self._spheres if sphere.stage == "rolling"]

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
        lane, named = nearest_lane(self._rig, sphere.last.x_mm), self._name_colour(sphere.bgr)
        if lane is None or named == PALE:
            return []  # beside the track, or too pale for a putty: a hand, a die, smeared colour
        sphere.stage = "rolling"
        sphere.started_s = sphere.resting_place.left_s
        sphere.rolls_since_s = t_s
        return [RollStarted(t_s, lane, named[0])]

    def _forgotten(self, sphere: TrackedSphere, t_s: float) -> bool:
        patience_s = PATIENCE_S[sphere.stage]
        if sphere.stage == "resting" and sphere.held_s >= sphere.last.t_s:
            patience_s = PATIENCE_HELD_S
        seen_s = sphere.last.t_s if sphere.stage == "ended" else max(sphere.last.t_s, sphere.held_s)
        return t_s - seen_s > patience_s


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
