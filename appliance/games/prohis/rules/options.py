"""The options of a game of Prohis and their ranges."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from appliance.games.base.rules.option_ranges import out_of_range
from appliance.games.base.rules.set_up_checks import wrong_options
from appliance.games.protocol import Rejection

RANGES: dict[str, tuple[float, float]] = {"bribe_limit_s": (10, 600)}
"""Minimum and maximum of every numeric option."""

RULE_IDS = {
    "declarations": "PR-24",
    "open_bribes": "PR-29",
    "bribe_limit_s": "PR-30",
    "waived_prohi": "PR-31",
    "seized_prohi": "PR-35",
    "hand_cap": "PR-14",
    "physical": "AP-1",
}
"""The rule that each option belongs to."""


class Options(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The complete options of a game of Prohis.

    `declarations`: each is shown at once ("open"), or all are shown together ("hidden"). `open_bribes`: bribes are face
    up. `bribe_limit_s`: time limit of a negotiation; the timer has no effect on the game. `waived_prohi`,
    `seized_prohi`: where the Inspector's Prohi goes after a waived inspection, and after a seizure. `hand_cap`: players
    cannot draw beyond eight cards. `physical`: real cards are used; the appliance only keeps score.
    """

    declarations: Literal["open", "hidden"] = "open"
    open_bribes: bool = False
    bribe_limit_s: float | None = None
    waived_prohi: Literal["warehouse", "hand"] = "warehouse"
    seized_prohi: Literal["warehouse", "hand"] = "warehouse"
    hand_cap: bool = False
    physical: bool = False


def read_options(given: dict[str, Any]) -> Options | Rejection:
    """Return the complete options of a set-up, or why they are refused."""
    if problem := wrong_options(given, Options, RULE_IDS, "PR-1"):
        return problem
    options = msgspec.convert(given, Options)
    if problem := out_of_range(options, RANGES, RULE_IDS):
        return problem
    return options
