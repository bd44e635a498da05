"""Checks of a set-up that all games share: rules revision, number of players, names, known options."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from appliance.games.base.rules.codes import reject
from appliance.games.base.rules.names import wrong_names
from appliance.games.protocol import Rejection, Setup


def wrong_players(
    setup: Setup, *, revision: int, seats: range, revision_rule: str, players_rule: str
) -> Rejection | None:
    """Return why the set-up is refused, before its options are read; None when it is valid.

    Codes: `unknown_rules_revision`, `player_count`, `bad_name`, `name_twice`.
    """
    if setup.rules != revision:
        return reject("unknown_rules_revision", revision_rule, {"revision": setup.rules, "known": revision})
    if len(setup.players) not in seats:
        return reject("player_count", players_rule, {"least": seats[0], "most": seats[-1]})
    return wrong_names(setup, players_rule)


def wrong_options(
    given: Mapping[str, Any], options_type: Any, rule_ids: Mapping[str, str], rule: str
) -> Rejection | None:
    """Return `unknown_option` (by `rule`) or `option_type` (by the option's rule) for the first invalid option."""
    for name in given:
        if name not in rule_ids:
            return reject("unknown_option", rule, {"option": name})
    for name, value in given.items():
        try:
            msgspec.convert({name: value}, options_type)
        except msgspec.ValidationError:
            return reject("option_type", rule_ids[name], {"option": name})
    return None
