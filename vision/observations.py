"""Observations, which `smugglers see` prints as one JSON object each (DESIGN §5)."""

from __future__ import annotations

from typing import Literal

import msgspec

Colour = Literal["yellow", "green", "orange", "pink", "unknown"]


class Observation(msgspec.Struct, frozen=True, tag_field="kind", kw_only=True):
    """Base of all observations. `confidence` is 0–1."""

    confidence: float


class Sphere(Observation, frozen=True, tag="sphere"):
    """A putty sphere. Sizes are in mm on the pan and in px in a close-up, whose camera is unknown; others are None."""

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
    """The boss figure: the lane it stands at, or None; `state` gives the reason for None."""

    lane: int | None
    state: Literal["lane", "between", "absent", "unknown"]


class Die(Observation, frozen=True, tag="die"):
    """The die in the tray: 1–6, or None; `state` distinguishes an absent die from an unclear one."""

    value: int | None
    state: Literal["seen", "absent", "unknown"]


class Gems(Observation, frozen=True, tag="gems"):
    """Gems in the tray: colours, sorted; "unknown" for a gem whose colour is not clear.

    `state` distinguishes an empty tray from one in which gems would not be seen.
    """

    colours: tuple[Literal["red", "yellow", "purple", "unknown"], ...]
    state: Literal["seen", "absent", "unknown"]


class Passage(Observation, frozen=True, tag="passage"):
    """One roll down the track. `frame_cross` is the fractional frame at which the centre crossed the fence (y = 0)."""

    lane: int | None
    colour: Colour
    outcome: Literal["passed", "stuck", "short", "none", "astray", "unknown"]
    frame_cross: float | None = None
    t_cross_s: float | None = None


class SightError(ValueError):
    """A picture or clip cannot be evaluated. `code` is stable; the message is one sentence that says what to do.

    `values` are the values in the sentence of `code`, for any language.
    """

    code = "sight"

    def __init__(self, message: str, **values: object) -> None:
        super().__init__(message)
        self.values = values


class UnreadablePicture(SightError):
    """The file cannot be read or decoded as a picture, or the picture is too small or too large."""

    code = "unreadable_picture"
