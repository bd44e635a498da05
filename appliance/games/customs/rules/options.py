"""The options of a game and their ranges (DESIGN §4)."""

from __future__ import annotations

from typing import Any

import msgspec

from appliance.games.base.rules.option_ranges import out_of_range
from appliance.games.base.rules.set_up_checks import wrong_options
from appliance.games.customs.rules.codes import reject
from appliance.games.customs.rules.tariff import Tariff, demo_values, read_tariff
from appliance.games.protocol import Rejection

RANGES: dict[str, tuple[int, int]] = {"money": (100, 1_000_000), "smallest_note": (1, 500), "first_officer": (0, 5)}
"""Minimum and maximum of every numeric option; `first_officer` must also be a seat of the game."""

RULE_IDS = {
    "tariff": "CU-1",
    "money": "CU-4",
    "smallest_note": "CU-4",
    "first_officer": "CU-3",
    "show_balances": "CU-4",
    "physical": "CU-2",
    "scored": "AP-9",
}
"""The rule that each option belongs to."""

PARENT_MONEY = 10_000
"""Pounds in the box of the parent game (RULES §0.4); a demo value for this one."""


class Options(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The options of a game of Customs.

    `tariff`: kind → {duty, fine, demo}, complete (CU-1). `money` is the total to divide in pounds, None for the amount
    of the parent game (a demo value). `smallest_note` is the smallest unit when dividing, in pounds (CU-4).
    `first_officer` None lets chance choose (CU-3). `show_balances`: all players see all balances. `physical`: real
    cards are used; the appliance keeps the tariff and the ledger. `scored` False allows demo values.
    """

    tariff: Tariff = msgspec.field(default_factory=dict)
    money: int | None = None
    smallest_note: int = 10
    first_officer: int | None = None
    show_balances: bool = False
    physical: bool = False
    scored: bool = True

    @property
    def total(self) -> int:
        """Pounds to divide among the players."""
        return PARENT_MONEY if self.money is None else self.money


def read_options(given: dict[str, Any], players: int) -> Options | Rejection:
    """Return the options of a set-up, or why they are refused (A-04, AP-9)."""
    tariff = read_tariff(given.get("tariff", {}))
    if isinstance(tariff, Rejection):
        return tariff
    if problem := wrong_options(given, Options, RULE_IDS, "CU-1"):
        return problem
    options = msgspec.structs.replace(msgspec.convert(given, Options), tariff=tariff)
    if problem := out_of_range(options, RANGES, RULE_IDS):
        return problem
    if options.first_officer is not None and options.first_officer >= players:
        return reject(
            "option_range", RULE_IDS["first_officer"], {"option": "first_officer", "least": 0, "most": players - 1}
        )
    if options.total < players * options.smallest_note:
        return reject("too_little_money", "CU-4", {"least": players * options.smallest_note})
    if options.scored and (made_up := demo_values(tariff)):
        return reject("demo_tariff", "AP-9", {"values": list(made_up)})
    if options.scored and options.money is None:
        return reject("money_missing", "AP-9")
    return options
