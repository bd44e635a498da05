"""The options of a game and their ranges (DESIGN §4)."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from appliance.games.base.rules.option_ranges import out_of_range
from appliance.games.base.rules.set_up_checks import wrong_options
from appliance.games.protocol import Rejection
from appliance.games.smugglers.rules.codes import reject

RANGES: dict[str, tuple[float, float]] = {
    "lanes": (2, 20),
    "boss_lane": (1, 20),
    "hourglass_s": (1, 3600),
    "rounding_cap_s": (1, 600),
    "pass_limit_s": (3, 10),
    "tie_band_g": (0, 10),
    "same_mass_tolerance_g": (0, 10),
}
"""Minimum and maximum of every numeric option. `boss_lane` may not be beyond the last lane either."""

RULE_IDS = {
    "goal": "SM-98",
    "boss_lane": "SM-9",
    "lanes": "SM-1",
    "hourglass_s": "SM-22",
    "rounding_cap_s": "SM-30",
    "pass_limit_s": "SM-39",
    "tie_band_g": "SM-54",
    "same_mass_check": "SM-46",
    "same_mass_tolerance_g": "SM-46",
    "illegal_sack": "SM-87",
}
"""The rule that each option belongs to."""

LEAST_TIE_BAND_G = 0.001
"""Least tie band other than 0 (only equal masses tie). A smaller one is finer than any scale used here shows."""


class Options(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The options of a game of Smugglers. `read_options` returns them complete.

    `boss_lane` None stands for the middle lane (SM-9) and is replaced when the options are read.
    `rounding_cap_s` None is no cap (SM-30). `illegal_sack` "piece" is the literal reading of SM-87, for 2–3 players.
    """

    goal: Literal["full", "short"] = "full"
    boss_lane: int | None = None
    lanes: int = 7
    hourglass_s: float = 40.0
    rounding_cap_s: float | None = None
    pass_limit_s: float = 5.0
    tie_band_g: float = 0.2
    same_mass_check: bool = False
    same_mass_tolerance_g: float = 0.15
    illegal_sack: Literal["token", "piece"] = "token"


def read_options(given: dict[str, Any], players: int) -> Options | Rejection:
    """Return the complete options of a set-up, or why they are refused."""
    if problem := wrong_options(given, Options, RULE_IDS, "SM-98"):
        return problem
    options = msgspec.convert(given, Options)
    if problem := out_of_range(options, RANGES, RULE_IDS):
        return problem
    if 0 < options.tie_band_g < LEAST_TIE_BAND_G:
        return reject("tie_band_too_fine", "SM-54", {"least": LEAST_TIE_BAND_G})
    if options.boss_lane is None:
        options = msgspec.structs.replace(options, boss_lane=(options.lanes + 1) // 2)
    elif options.boss_lane > options.lanes:
        return reject("option_range", "SM-9", {"option": "boss_lane", "least": 1, "most": options.lanes})
    if options.illegal_sack == "piece" and players > 3:
        return reject("no_pieces_in_box", "SM-87")
    return options
