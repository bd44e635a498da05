"""What a table may agree on before a game of Prohis, with its ranges."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from appliance.games.base.rules.option_ranges import out_of_range
from appliance.games.base.rules.set_up_checks import wrong_options
from appliance.games.protocol import Rejection

RANGES: dict[str, tuple[float, float]] = {"bribe_limit_s": (10, 600)}
"""Least and greatest value of every number."""

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
    """The options of a game of Prohis, as they apply (all filled in).

    `declarations`: Prohis are played openly as they come, or all at once. `open_bribes`: bribes lie face up.
    `bribe_limit_s`: how long a negotiation should last; only a timer. `waived_prohi`, `seized_prohi`: where the
    Inspector's Prohi goes when they waive the inspection, and when they seize a convoy. `hand_cap`: nobody draws past
    eight. `physical`: real cards on the table, the appliance only keeps score.
    """

    declarations: Literal["open", "hidden"] = "open"
    open_bribes: bool = False
    bribe_limit_s: float | None = None
    waived_prohi: Literal["warehouse", "hand"] = "warehouse"
    seized_prohi: Literal["warehouse", "hand"] = "warehouse"
    hand_cap: bool = False
    physical: bool = False


def read_options(given: dict[str, Any]) -> Options | Rejection:
    """Return the options of a set-up, every one filled in, or why they cannot be played."""
    if problem := wrong_options(given, Options, RULE_IDS, "PR-1"):
        return problem
    options = msgspec.convert(given, Options)
    if problem := out_of_range(options, RANGES, RULE_IDS):
        return problem
    return options
