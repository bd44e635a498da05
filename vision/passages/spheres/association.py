"""Data association: which blob of the newest frame is which sphere, and at which spheres hands are."""

from __future__ import annotations

from collections.abc import Callable

from hardware.rig import Rig
from vision.observations import Colour
from vision.passages.sheet.track_blobs import HUE_SLACK, SheetBlobs, TrackBlob, hue_gap
from vision.passages.spheres.mismatch import SMALLEST_SIZE, mismatch, other_part
from vision.passages.spheres.tracked_sphere import TrackedSphere

Box = tuple[int, int, int, int]
NameColour = Callable[[tuple[float, float, float]], tuple[Colour, float]]

PALE: tuple[Colour, float] = ("unknown", 0.0)
"""The name of a colour that is too pale for a putty: a hand, a die, ground that a lamp colours."""
HAND_MARGIN_CELLS = 8
"""20 mm round a hand, in which it may touch a sphere."""


class Association:
    """Assigns the blobs of each frame to spheres. A rolling sphere chooses first.

    :param name_colour: maps the mean BGR of a blob to the putty's colour and a confidence 0–1.
    """

    def __init__(self, rig: Rig, name_colour: NameColour) -> None:
        self._rig = rig
        self._name_colour = name_colour

    def assign(self, spheres: list[TrackedSphere], t_s: float, sheet: SheetBlobs, gap_s: float) -> list[TrackBlob]:
        """Add to each sphere the blob at `t_s` that is its own; return the blobs that are no sphere's.

        :param gap_s: time since the frame before.
        """
        free = list(sheet.blobs)
        for sphere in sorted(spheres, key=lambda each: each.stage != "rolling"):
            if any(_overlaps(sphere.box, box, HAND_MARGIN_CELLS) for box in sheet.large):
                sphere.hold(t_s, gap_s)
            best = min(free, key=lambda seen: mismatch(sphere, t_s, seen), default=None)
            if best is not None and self._bare(sphere, best):
                likely = [seen for seen in free if seen is not best and not self._bare(sphere, seen)]
                best = min(likely, key=lambda seen: mismatch(sphere, t_s, seen), default=None)
            if best is None or mismatch(sphere, t_s, best) > 1.0:
                sphere.missed_gap_s = max(sphere.missed_gap_s, gap_s)
                if any(sphere.overlaps(seen) for seen in sheet.blobs):
                    sphere.hold(t_s, gap_s)  # another blob is at its place: fingers round it
                continue
            free.remove(best)
            if self._is_two(sphere, best, spheres):
                sphere.hold(t_s, gap_s)
                continue
            if sphere.stage == "resting" and sphere.joined(best):
                sphere.hold(t_s, gap_s)  # a finger that touches it, in one blob with it
            part = other_part(sphere, best, free)
            sphere.add(t_s, best, part)
            if part is not None:
                free.remove(part)
        for sphere in spheres:
            sphere.glimpsed |= sphere.last.t_s < t_s and any(self._may_be(sphere, seen) for seen in free)
        return free

    def _may_be(self, sphere: TrackedSphere, seen: TrackBlob) -> bool:
        """Return whether a blob looks like the sphere that rolled, farther down its lane than one can roll."""
        ahead = sphere.stage == "rolling" and seen.y_mm < sphere.last.y_mm
        beside_mm = abs(seen.x_mm - sphere.last.x_mm)
        whole = seen.radius_mm > SMALLEST_SIZE * sphere.radius_mm
        alike = hue_gap(seen.bgr, sphere.colours[-1]) < HUE_SLACK
        return ahead and whole and alike and beside_mm < self._rig.lane_pitch_mm / 2

    def _is_two(self, sphere: TrackedSphere, seen: TrackBlob, spheres: list[TrackedSphere]) -> bool:
        """Return whether a blob reaches over another sphere, too: neither its place nor its colour can be measured.

        Ground that the first picture shows coloured is no other sphere.
        """
        top, bottom, left, right = seen.box
        return seen.radius_mm > sphere.radius_mm and any(
            2 * top <= other.box[0] + other.box[1] <= 2 * bottom
            and 2 * left <= other.box[2] + other.box[3] <= 2 * right
            and self._name_colour(other.bgr) != PALE
            for other in spheres
            if other is not sphere and other.stage != "ended"
        )

    def _bare(self, sphere: TrackedSphere, seen: TrackBlob) -> bool:
        """Return whether a blob is too pale for the sphere that rolls: ground in its shadow in the first frame."""
        if sphere.stage != "rolling" or hue_gap(seen.bgr, sphere.colours[-1]) < HUE_SLACK:
            return False
        return self._name_colour(seen.bgr) == PALE


def _overlaps(a: Box, b: Box, margin: int) -> bool:
    return a[0] - margin < b[1] and b[0] < a[1] + margin and a[2] - margin < b[3] and b[2] < a[3] + margin
