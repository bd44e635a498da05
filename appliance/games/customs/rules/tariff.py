"""The tariff: duty (green) and fine (red) of every dutiable kind, in pounds (CU-1). Values are data, not rules.

The rule text gives five of the sixteen values (RULES §0.4). The others must be entered from the board, or are marked as
demo values (AP-9).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Literal

import msgspec

from appliance.games.customs.rules.cards import GOODS, Good
from appliance.games.customs.rules.codes import reject
from appliance.games.protocol import Rejection

Column = Literal["duty", "fine"]
COLUMNS: tuple[Column, ...] = ("duty", "fine")
DEAREST = 100_000
"""The largest amount of a tariff, in pounds."""
KNOWN: Mapping[tuple[Good, Column], int] = {
    ("wine", "fine"): 50,
    ("cigars", "fine"): 100,
    ("watch", "fine"): 300,
    ("crown", "duty"): 500,
    ("crown", "fine"): 1000,
}
"""The values that the rule text itself gives (RULES §0.4, CU-34)."""


class Rate(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Duty and fine of one kind in pounds. `demo` names the columns with a demo value instead of the board's."""

    duty: int
    fine: int
    demo: tuple[Column, ...] = ()


Tariff = dict[Good, Rate]
"""A complete tariff: a rate for every dutiable kind, cheapest first."""


def read_tariff(given: Any) -> Tariff | Rejection:
    """Return the complete tariff in `given` (kind → {duty, fine, demo}), or its first error.

    Codes: `tariff_no_table`, `tariff_unknown_good`, `tariff_unknown_key`, `tariff_value`, `tariff_demo_mark`,
    `tariff_fine_below_duty`, and `tariff_incomplete` with all missing values.
    """
    if not isinstance(given, Mapping):
        return reject("tariff_no_table", "CU-1", {"field": ""})
    wrong = next(tariff_problems(given), None)
    return wrong or {good: msgspec.convert(given[good], Rate) for good in GOODS}


def tariff_problems(given: Mapping[Any, Any]) -> Iterator[Rejection]:
    """Yield all errors of a tariff, so that an owner can correct them at once. The value `field` is the place."""
    sound = True
    for good, entry in given.items():
        if good not in GOODS:
            problem: Rejection | None = reject(
                "tariff_unknown_good", "CU-1", {"entry": str(good), "known": list(GOODS), "field": str(good)}
            )
        else:
            problem = _wrong_entry(good, entry)
        if problem is not None:
            sound = False
            yield problem
    if sound and (
        missing := [f"{good}.{column}" for good in GOODS for column in COLUMNS if column not in given.get(good, {})]
    ):
        yield reject("tariff_incomplete", "AP-9", {"missing": missing, "field": missing[0].split(".")[0]})


def _wrong_entry(good: Good, entry: Any) -> Rejection | None:
    if not isinstance(entry, Mapping):
        return reject("tariff_no_table", "CU-1", {"field": good})
    for key, value in entry.items():
        field = f"{good}.{key}"
        if key not in (*COLUMNS, "demo"):
            return reject("tariff_unknown_key", "CU-1", {"entry": field, "field": field})
        if key == "demo":
            marks = value if isinstance(value, list | tuple) else [value]
            if any(mark not in COLUMNS for mark in marks) or not isinstance(value, list | tuple):
                return reject("tariff_demo_mark", "AP-9", {"entry": field, "field": field})
            continue
        if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= DEAREST:
            return reject("tariff_value", "CU-1", {"entry": field, "most": DEAREST, "field": field})
    if "duty" in entry and "fine" in entry and entry["fine"] < entry["duty"]:
        return reject("tariff_fine_below_duty", "CU-21", {"entry": good, "field": f"{good}.fine"})
    return None


def demo_values(tariff: Tariff) -> tuple[str, ...]:
    """Return the names of all demo values, such as "wine.duty"."""
    return tuple(f"{good}.{column}" for good, rate in tariff.items() for column in COLUMNS if column in rate.demo)


def duty(tariff: Tariff, goods: Iterable[Good]) -> int:
    """Return the duty of `goods` in pounds."""
    return sum(tariff[good].duty for good in goods)


def fines(tariff: Tariff, goods: Iterable[Good]) -> int:
    """Return the fines of `goods` in pounds."""
    return sum(tariff[good].fine for good in goods)
