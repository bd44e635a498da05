"""Observations: what `smugglers see` prints, one JSON object each (DESIGN §5)."""

from __future__ import annotations

from typing import Literal

import msgspec

Colour = Literal["yellow", "green", "orange", "pink", "unknown"]


class Observation(msgspec.Struct, frozen=True, tag_field="kind", kw_only=True):
    """Base of all observations; `confidence` 0–1."""

    confidence: float


class Sphere(Observation, frozen=True, tag="sphere"):
    """A putty sphere. Sizes in mm where camera and rig are known, else in px (close-ups): the other is None."""

    where: Literal["pan", "close_up"]
    colour: Colour
    diameter_mm: float | None = None
    diameter_sd_mm: float | None = None
    diameter_px: float | None = None
    diameter_sd_px: float | None = None
    caliper_spread_pct: float | None = None
    centre_mm: tuple[float, float, float] | None = None
    centre_px: tuple[float, float] | None = None


class Boss(Observation, frozen=True, tag="boss"):
    """The boss figure: the lane it stands at, or None; `state` says why there is none."""

    lane: int | None
    state: Literal["lane", "between", "absent", "unknown"]


class Die(Observation, frozen=True, tag="die"):
    """The die in the tray: 1–6, or None; `state` distinguishes an absent die from an unclear one."""

    value: int | None
    state: Literal["seen", "absent", "unknown"]


class Gems(Observation, frozen=True, tag="gems"):
    """Gems in the tray: colours sorted; "unknown" for a gem whose colour is not clear."""

    colours: tuple[Literal["red", "yellow", "purple", "unknown"], ...]


class Passage(Observation, frozen=True, tag="passage"):
    """One roll down the track. `frame_cross` is the fractional frame at which the centre crossed the fence (y = 0)."""

    lane: int | None
    colour: Colour
    outcome: Literal["passed", "stuck", "short", "none", "astray", "unknown"]
    frame_cross: float | None = None
    t_cross_s: float | None = None


class SightError(ValueError):
    """A picture or clip cannot be judged. `code` is stable; the message is one sentence that says what to do.

    `values` are those that the sentence of `code` names, in whatever language it is said.
    """

    code = "sight"

    def __init__(self, message: str, **values: object) -> None:
        super().__init__(message)
        self.values = values


class UnreadablePicture(SightError):  # noqa: N818 - named for what is wrong, like the code it carries
    """The file holds no picture that can be decoded, or one too small to hold anything."""

    code = "unreadable_picture"
