"""Whether a sphere went through its hole or over the fence (SM-41).

The fence's face above a hole hides what goes through it; what hides the face is in the air. A picture with little
colour detail (a small JPEG) smears a sphere over the face, so a hidden face alone is not enough: a sphere in the air
is nearer to the camera, so it looks larger, and it is not where the ramp would have carried it.
"""

from __future__ import annotations

from typing import Literal

Way = Literal["through", "over", "unsure"]

_WINDOW_MM = (-5.0, 32.0)
_NEAR_MM = 60.0
_HIDDEN_SHARE, _HIDDEN_SHARE_OF_PART = 0.35, 0.7
_WHOLE, _PART = 0.88, 0.5
_NEARER, _RATHER_NEAR = 1.15, 1.1
"""Times the size on the ramp: at the fence's top a sphere looks 1.12 times as large or more, most smeared ones 1.06."""
_LARGE_ALL_ALONG = 1.08
_LONG_HIDDEN, _RATHER_LONG_HIDDEN = 1.6, 1.1
"""Shares of the face summed over the frames: what goes through at 56 frames a second hides less, whatever smears it."""
_ALL_HIDDEN = 0.9
_MOST_HIDDEN = 0.75
_OFF_COURSE_MM = 7.0


class OverOrThrough:
    """What was seen of one sphere near the fence, and what that says."""

    def __init__(self) -> None:
        self._hidden = 0.0
        self._hidden_nearer = 0.0
        self._odd = False
        self._sizes: list[float] = []

    def near(self, y_mm: float, size: float, face_cover: float, ahead_mm: float) -> None:
        """Take a sighting of a rolling sphere.

        :param y_mm: where it seems to be, as if it rolled.
        :param size: its radius over that on the ramp.
        :param face_cover: the share of the face above its hole that it hides, 0–1.
        :param ahead_mm: how far uphill it is of where the ramp would have carried it.
        """
        if y_mm < _NEAR_MM and size > _WHOLE:
            self._sizes.append(size)
            self._odd |= size > _RATHER_NEAR and abs(ahead_mm) > _OFF_COURSE_MM
        if not _WINDOW_MM[0] < y_mm < _WINDOW_MM[1]:
            return
        if size <= _PART or face_cover <= (_HIDDEN_SHARE if size > _WHOLE else _HIDDEN_SHARE_OF_PART):
            return
        self._hidden += face_cover
        self._hidden_nearer += face_cover if size > _NEARER else 0.0
        self._odd |= abs(ahead_mm) > _OFF_COURSE_MM or face_cover > _ALL_HIDDEN or size > _RATHER_NEAR

    @property
    def way(self) -> Way:
        """The way it took, by all that was seen."""
        if self._hidden_nearer > _MOST_HIDDEN or self._hidden > _LONG_HIDDEN:
            return "over"
        large = len(self._sizes) > 1 and sum(self._sizes) / len(self._sizes) > _LARGE_ALL_ALONG
        return "unsure" if self._odd or large or self._hidden > _RATHER_LONG_HIDDEN else "through"

    @property
    def sureness(self) -> float:
        """How sure the way is, 0–1."""
        return 0.85 if self.way == "over" else 0.5 if self.way == "unsure" else 0.98 - 0.2 * min(self._hidden, 1.5)
