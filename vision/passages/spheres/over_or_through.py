"""Classifies whether a sphere went through its hole or over the fence (SM-41).

The fence's face above a hole hides a sphere that goes through the hole. A sphere that hides the face is therefore in
the air. A picture with little colour detail (a small JPEG) smears a sphere over the face, so a hidden face alone does
not prove a jump. Two more facts help: a sphere in the air is nearer to the camera, so it looks larger, and it is not at
the place that the ramp gives. If the face is visible where a sphere in the air would hide it, the sphere is behind the
face. Its size and place are then ignored: a tight hole slows a sphere, and light can make it look larger.

The limits below were set on the staged rolls and jumps of `tests/bench/hard_passages.py`, under every camera condition
there. `tests/vision/test_hard_passages.py` tests them. Those for a sphere that was never seen behind the face were set
on drawn rolls and flights, some of which `tests/vision/test_drawn_rolls.py` tests. Sizes are radii divided by the
radius on the ramp.
"""

from __future__ import annotations

from typing import Literal

Way = Literal["through", "over", "unsure"]

SIZED_Y_MM = (-10.0, 60.0)
"""Range of apparent y in which sizes are compared. On the last third of the ramp a sphere that jumps is in the air. One
that has landed behind the fence looks no larger."""
FACE_Y_MM = (-5.0, 32.0)
"""Range of apparent y in which a sphere's image can lie over the fence's face: up to a large sphere's diameter."""
WHOLE_SIZE, PART_SIZE = 0.88, 0.5
"""A blob above the first size is a whole sphere. A blob up to the second is too small a part and is ignored."""
HIDDEN_BY_WHOLE, HIDDEN_BY_PART = 0.35, 0.7
"""Least fraction of the face that a whole sphere, or a part of one, must hide to count. Smeared colour hides less."""
SHOWN_Y_MM, SHOWN_SHARE, CUT_SIZE = (0.0, 21.0), 0.1, 0.95
"""A sphere in this range of apparent y that hides less than this fraction of the face is behind it if it looks smaller
than `CUT_SIZE`: the face cuts it. A small sphere in the air may not have come to the face yet, but it looks whole."""
NEARER_SIZE, RATHER_NEAR_SIZE = 1.15, 1.1
"""At the fence's top a sphere looks at least 1.12 times as large. Most smeared ones look 1.06 times as large."""
NEARER_BELOW_Y_MM, NEARER_IN_A_ROW = 170.0, 3
"""This number of successive detections above `RATHER_NEAR_SIZE` makes the roll doubtful. It is counted below this y,
where no finger is at the sphere. The radius on the ramp follows the detections, so it soon adapts to the air."""
NEARER_ALL_ALONG_SIZE, NEVER_SMALLER_SIZE = 1.08, 1.05
"""Mean size during the approach above which a roll is doubtful, and least size above which one is in which the sphere
was never seen behind the face. Smeared, a sphere on the ramp looks larger in some frames only."""
LEAST_SIZES, LEAST_WHOLE = 2, 2
"""Fewest sizes that tell whether a sphere stayed on the ramp, and fewest frames that show it whole from there on."""
HIDDEN_NEARER_SUM = 0.75
"""Sum of the hidden fractions of the face, over frames in which the sphere looked nearer, that proves a jump."""
HIDDEN_SUM, DOUBTED_SUM = 1.6, 1.1
"""The same sum over all frames: limits for a jump and for a doubt. A roll at 56 frames a second hides less, even
smeared."""
DOUBTED_UNSHOWN = 0.45
"""The limit for a doubt where the sphere was never seen behind the face: few that go through hide any of it then."""
DOUBTED_SHARE = 0.9
"""Fraction of the face hidden in one frame above which a roll is doubtful."""
OFF_COURSE_MM = 7.0
"""Distance from the place that the ramp gives, in either direction, above which a roll is doubtful."""
IN_THE_AIR_MOST_S = 0.25
"""A sphere in the air is before the fence's face for a third of this time. One that is there for longer with no hand at
it rests in its hole, and a small JPEG smears it over the face."""
SURE_OVER, SURE_UNSURE, SURE_THROUGH = 0.85, 0.5, 0.98
HIDDEN_COSTS, HIDDEN_COSTS_UP_TO = 0.2, 1.5
"""Loss of confidence in "through" per summed hidden fraction of the face, and the largest sum that counts."""


class OverOrThrough:
    """Collects the detections of one rolling sphere and classifies its way past the fence."""

    def __init__(self) -> None:
        self._hidden = 0.0
        self._hidden_nearer = 0.0
        self._odd = False
        self._shown = False
        self._times_whole = 0
        self._sizes: list[float] = []
        self._near_in_a_row = 0
        self._face_since_s: float | None = None
        self._rests = False

    def add(
        self, t_s: float, y_mm: float, size: float, face_cover: float, ahead_mm: float, *, held: bool = False
    ) -> None:
        """Add the detection of a rolling sphere at `t_s`.

        :param y_mm: apparent y, as if the sphere rolled on the ramp.
        :param size: its radius divided by its radius on the ramp.
        :param face_cover: the fraction of the face above its hole that it hides, 0–1.
        :param ahead_mm: its distance uphill of the place expected from rolling on the ramp.
        :param held: whether a hand is at it, which may carry it over the fence slowly.
        """
        whole = y_mm < SIZED_Y_MM[1] and size > WHOLE_SIZE
        self._times_whole += whole
        if whole and y_mm > SIZED_Y_MM[0]:
            self._sizes.append(size)
            self._odd |= size > RATHER_NEAR_SIZE and abs(ahead_mm) > OFF_COURSE_MM
        near = size > RATHER_NEAR_SIZE and y_mm < NEARER_BELOW_Y_MM
        self._near_in_a_row = self._near_in_a_row + 1 if near else 0
        self._odd |= self._near_in_a_row >= NEARER_IN_A_ROW
        if not FACE_Y_MM[0] < y_mm < FACE_Y_MM[1]:
            return
        self._face_since_s = t_s if held or self._face_since_s is None else self._face_since_s
        self._rests |= t_s - self._face_since_s > IN_THE_AIR_MOST_S
        cut = PART_SIZE < size < CUT_SIZE
        self._shown |= cut and face_cover < SHOWN_SHARE and SHOWN_Y_MM[0] < y_mm < SHOWN_Y_MM[1]
        if size <= PART_SIZE or face_cover <= (HIDDEN_BY_WHOLE if size > WHOLE_SIZE else HIDDEN_BY_PART):
            return
        self._hidden += face_cover
        self._hidden_nearer += face_cover if size > NEARER_SIZE else 0.0
        self._odd |= abs(ahead_mm) > OFF_COURSE_MM or face_cover > DOUBTED_SHARE or size > RATHER_NEAR_SIZE

    @property
    def way(self) -> Way:
        """The classification from all detections so far."""
        if self._rests:
            return "through"
        if self._hidden_nearer > HIDDEN_NEARER_SUM or self._hidden > HIDDEN_SUM:
            return "over"
        if self._shown and self._hidden < HIDDEN_BY_PART:
            return "through"
        doubted = self._hidden > (DOUBTED_SUM if self._shown else DOUBTED_UNSHOWN)
        return "unsure" if self._odd or self._looked_nearer or doubted else "through"

    @property
    def _looked_nearer(self) -> bool:
        if len(self._sizes) < LEAST_SIZES:
            return False
        all_along = sum(self._sizes) / len(self._sizes) > NEARER_ALL_ALONG_SIZE
        return all_along or (not self._shown and min(self._sizes) > NEVER_SMALLER_SIZE)

    @property
    def seen(self) -> bool:
        """Whether enough was seen of its way to tell a pass from a jump."""
        return self._shown or self._rests or self._times_whole >= LEAST_WHOLE

    @property
    def hid_face(self) -> bool:
        """Whether the sphere hid the fence's face at any time, and was never seen behind it or at rest there."""
        return self._hidden > 0 and not self._shown and not self._rests

    @property
    def confidence(self) -> float:
        """Confidence in `way`, 0–1."""
        if self.way == "over":
            return SURE_OVER
        if self.way == "unsure":
            return SURE_UNSURE
        return SURE_THROUGH - HIDDEN_COSTS * min(self._hidden, HIDDEN_COSTS_UP_TO)
