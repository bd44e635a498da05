"""Checks of an action that the rules of every game share."""

from __future__ import annotations

from collections.abc import Sequence

from appliance.games.base.rules.codes import reject
from appliance.games.protocol import Action, Rejection


def wrong_seat(action: Action, seats: int, rule: str, roles: Sequence[str] = ("seat",)) -> Rejection | None:
    """Return `no_such_seat` by `rule` when a field named in `roles` holds a seat outside 0 … `seats` − 1."""
    for role in roles:
        seat = getattr(action, role, None)
        if seat is not None and not 0 <= seat < seats:
            return reject("no_such_seat", rule, {"most": seats - 1})
    return None
