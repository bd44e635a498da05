"""The names of cafés, which people type: of a table on one page, of an account on another."""

from __future__ import annotations

from sqlalchemy import Connection, select

from appliance.games.league.result import name_key
from appliance.hub.store.schema import ACCOUNTS, TABLES


def as_known(connection: Connection, cafe: str, *, besides: str = "") -> str:
    """Return the spelling that a café has already at a table or an account, or `cafe` if it is new.

    Spellings are equal by `name_key`. Otherwise the account of "anker" would not see the tables of "Anker".

    :param besides: a table whose own café does not count: its spelling may be what is corrected.
    """
    known = select(TABLES.c.cafe).where(TABLES.c.name != besides).union(select(ACCOUNTS.c.cafe))
    same = {one for one in connection.execute(known).scalars() if name_key(one) == name_key(cafe)}
    return cafe if cafe in same else min(same, default=cafe)
