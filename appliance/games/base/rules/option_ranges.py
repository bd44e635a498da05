"""Checks options that are numbers in a range."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from appliance.games.base.rules.codes import reject
from appliance.games.protocol import Rejection


def out_of_range(
    options: Any, ranges: Mapping[str, tuple[float, float]], rule_ids: Mapping[str, str]
) -> Rejection | None:
    """Return `option_range` for the first option that is set and outside its range; None when there is none."""
    for name, (least, most) in ranges.items():
        value = getattr(options, name)
        if value is not None and not least <= value <= most:
            return reject("option_range", rule_ids[name], {"option": name, "least": least, "most": most})
    return None
