"""Reads a tariff from a TOML file: the demo tariff, or one that an owner copied from their board."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import msgspec

from appliance.games.customs.rules.cards import GOODS
from appliance.games.customs.rules.codes import reject
from appliance.games.customs.rules.options import RANGES
from appliance.games.customs.rules.tariff import COLUMNS, Tariff, demo_values, read_tariff, tariff_problems
from appliance.games.protocol import Rejection
from appliance.games.table_data import Holding, OwnFile, read_toml

EXAMPLE = Path(__file__).with_name("demo_tariff.toml")
"""The demo tariff. Values that the rule text does not give are marked as demo values."""
KEYS = frozenset(GOODS)
"""Top-level names that occur only in tariff files."""
MOST_NAME_CHARACTERS = 40
_AMOUNTS = ("money", "smallest_note")


def read_own(given: dict[str, Any], name: str) -> OwnFile | tuple[Rejection, ...]:
    """Return the set-up options of a tariff file, or all its errors.

    Beside the kinds it may have `name`, `money` and `smallest_note` (CU-4). Without demo values the game is scored, and
    a scored game needs `money`.
    """
    beside = {key: value for key, value in given.items() if key in (*_AMOUNTS, "name")}
    rates = {key: value for key, value in given.items() if key not in beside}
    problems = [*_wrong_beside(beside), *tariff_problems(rates)]
    if problems:
        return tuple(problems)
    tariff = read_tariff(rates)
    assert not isinstance(tariff, Rejection), tariff
    demo = demo_values(tariff)
    if not demo and "money" not in beside:
        return (reject("tariff_money_missing", "CU-4", {"field": "money"}),)
    amounts = {key: beside[key] for key in _AMOUNTS if key in beside}
    options = {**tariff_options(tariff), **amounts}
    return OwnFile(title=beside.get("name", name), options=options, holds=tuple(_holds(tariff, amounts, demo)))


def tariff_options(tariff: Tariff) -> dict[str, Any]:
    """Return the set-up options for a tariff. A game is scored if it has no demo values (AP-9)."""
    return {"tariff": msgspec.to_builtins(tariff), "scored": not demo_values(tariff)}


def _wrong_beside(beside: dict[str, Any]) -> list[Rejection]:
    found: list[Rejection] = []
    for key in _AMOUNTS:
        least, most = RANGES[key]
        value = beside.get(key, least)
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
            values = {"option": key, "least": least, "most": most, "field": key}
            found.append(reject("option_range", "CU-4", values))
    title = beside.get("name", "-")
    if not (isinstance(title, str) and 0 < len(title) <= MOST_NAME_CHARACTERS and title.isprintable()):
        found.append(reject("tariff_name", "CU-1", {"most": MOST_NAME_CHARACTERS, "field": "name"}))
    return found


def _holds(tariff: Tariff, amounts: dict[str, int], demo: tuple[str, ...]) -> list[Holding]:
    rates = [
        Holding(
            "_".join(["rate", *(f"demo_{column}" for column in COLUMNS if column in rate.demo)]),
            {"kind": good, "duty": rate.duty, "fine": rate.fine},
        )
        for good, rate in tariff.items()
    ]
    money = [Holding(key, {"amount": amount}) for key, amount in amounts.items()]
    return [*rates, *money, Holding("for_trying" if demo else "for_score", {})]


@cache
def demo_tariff() -> Tariff:
    """Return the tariff for trial games. Values that the rule text does not give are marked as demo (AP-9)."""
    given = read_toml(EXAMPLE)
    tariff = read_tariff(given) if isinstance(given, dict) else given
    assert not isinstance(tariff, Rejection), tariff
    return tariff
