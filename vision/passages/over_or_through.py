"""Whether a sphere went through its hole or over the fence (SM-41).

The fence's face above a hole hides whatever goes through the hole. A sphere that hides the face is therefore in the
air. A picture with little colour detail (a small JPEG) smears a sphere over the face, so a hidden face alone does not
prove a jump. Two more facts help: a sphere in the air is nearer to the camera, so it looks larger, and it is not where
the ramp would have carried it. Where a sphere in the air would hide the face and this one does not, it is behind the
face: then neither its size nor its place is a doubt, as a tight hole brakes a sphere and light makes it look larger.

The limits below were set on the staged rolls and jumps of `tests/bench/hard_passages.py`, under every camera condition
there. `tests/vision/test_hard_passages.py` holds them. Sizes are radii over the radius on the ramp.
"""

from __future__ import annotations

from typing import Literal

Way = Literal["through", "over", "unsure"]

SIZED_BELOW_Y_MM = 60.0
"""Sizes are compared from here on: on the last third of the ramp a sphere that jumps has left it."""
FACE_Y_MM = (-5.0, 32.0)
"""Apparent y at which the picture of a sphere can lie over the fence's face: up to a large sphere's diameter before."""
WHOLE_SIZE, PART_SIZE = 0.88, 0.5
"""From the first size on a blob is a whole sphere; up to the second it is too little of one to count."""
HIDDEN_BY_WHOLE, HIDDEN_BY_PART = 0.35, 0.7
"""Share of the face that a whole sphere, or a part of one, must hide to count: smeared colour hides less."""
SHOWN_Y_MM, SHOWN_SHARE = (0.0, 21.0), 0.1
"""Apparent y at which every sphere in the air hides more than this share of the face: twice as much on 160 staged
jumps under all conditions, mostly all of it."""
NEARER_SIZE, RATHER_NEAR_SIZE = 1.15, 1.1
"""At the fence's top a sphere looks at least 1.12 times as large; most smeared ones look 1.06 times as large."""
NEARER_BELOW_Y_MM, NEARER_IN_A_ROW = 170.0, 3
"""So many detections in a row that look rather near are doubted from here on, where no finger is at it any more. Its
size on the ramp follows what is seen, so it is soon that in the air."""
NEARER_ALL_ALONG_SIZE = 1.08
"""Mean size over the approach above which a roll is doubted."""
HIDDEN_NEARER_SUM = 0.75
"""Share of the face, summed over the frames in which the sphere looked nearer, that proves a jump."""
HIDDEN_SUM, DOUBTED_SUM = 1.6, 1.1
"""The same summed over all frames: a jump, and a doubt. A roll seen 56 times a second hides less, however smeared."""
DOUBTED_SHARE = 0.9
"""Share of the face hidden in one frame that is doubted."""
OFF_COURSE_MM = 7.0
"""Distance from the place that the ramp gives, in either direction, that is doubted."""
SURE_OVER, SURE_UNSURE, SURE_THROUGH = 0.85, 0.5, 0.98
HIDDEN_COSTS, HIDDEN_COSTS_UP_TO = 0.2, 1.5
"""How much confidence in "through" each summed share of the face takes away, and up to which sum."""


class OverOrThrough:
    """Collects what was seen of one sphere near the fence and classifies its way."""

    def __init__(self) -> None:
        self._hidden = 0.0
        self._hidden_nearer = 0.0
        self._odd = False
        self._shown = False
        self._sizes: list[float] = []
        self._near_in_a_row = 0

    def add(self, y_mm: float, size: float, face_cover: float, ahead_mm: float) -> None:
        """Take one detection of a rolling sphere.

        :param y_mm: apparent y, as if the sphere rolled on the ramp.
        :param size: its radius over its radius on the ramp.
        :param face_cover: the share of the face above its hole that it hides, 0–1.
        :param ahead_mm: how far uphill it is of the place where the ramp would have carried it.
        """
        if y_mm < SIZED_BELOW_Y_MM and size > WHOLE_SIZE:
            self._sizes.append(size)
            self._odd |= size > RATHER_NEAR_SIZE and abs(ahead_mm) > OFF_COURSE_MM
        near = size > RATHER_NEAR_SIZE and y_mm < NEARER_BELOW_Y_MM
        self._near_in_a_row = self._near_in_a_row + 1 if near else 0
        self._odd |= self._near_in_a_row >= NEARER_IN_A_ROW
        if not FACE_Y_MM[0] < y_mm < FACE_Y_MM[1]:
            return
        self._shown |= size > PART_SIZE and face_cover < SHOWN_SHARE and SHOWN_Y_MM[0] < y_mm < SHOWN_Y_MM[1]
        if size <= PART_SIZE or face_cover <= (HIDDEN_BY_WHOLE if size > WHOLE_SIZE else HIDDEN_BY_PART):
            return
        self._hidden += face_cover
        self._hidden_nearer += face_cover if size > NEARER_SIZE else 0.0
        self._odd |= abs(ahead_mm) > OFF_COURSE_MM or face_cover > DOUBTED_SHARE or size > RATHER_NEAR_SIZE

    @property
    def way(self) -> Way:
        """The way it took, from all detections so far."""
        if self._hidden_nearer > HIDDEN_NEARER_SUM or self._hidden > HIDDEN_SUM:
            return "over"
        if self._shown and self._hidden < HIDDEN_BY_PART:
            return "through"
        large = len(self._sizes) > 1 and sum(self._sizes) / len(self._sizes) > NEARER_ALL_ALONG_SIZE
        return "unsure" if self._odd or large or self._hidden > DOUBTED_SUM else "through"

    @property
    def hid_face(self) -> bool:
        """Whether it hid the face of the fence, if only for a moment, and was never seen behind it."""
        return self._hidden > 0 and not self._shown

    @property
    def confidence(self) -> float:
        """Confidence in `way`, 0–1."""
        if self.way == "over":
            return SURE_OVER
        if self.way == "unsure":
            return SURE_UNSURE
        return SURE_THROUGH - HIDDEN_COSTS * min(self._hidden, HIDDEN_COSTS_UP_TO)
