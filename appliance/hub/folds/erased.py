"""Guests whose names were erased: in what is kept, in what is folded, and in what comes late."""

from __future__ import annotations

from hashlib import blake2b

import msgspec
from sqlalchemy import Connection, select, update

from appliance.games.league.result import name_key
from appliance.hub.envelopes import TheGame, decoded, encoded
from appliance.hub.folds.folded_game import Erased, FoldedGame
from appliance.hub.store.schema import ENVELOPES, ERASED


def mark_of(name: str) -> str:
    """Return what is kept of an erased name: enough to know it again, nothing to read."""
    return blake2b(name_key(name).encode(), digest_size=16, person=b"erased guest").hexdigest()


def erased_names(connection: Connection) -> Erased:
    """Return who counts as erased in this transaction."""
    until = {row.guest: row.until_s for row in connection.execute(select(ERASED))}
    if not until:
        return lambda name, opened_s: False
    return lambda name, opened_s: opened_s < until.get(mark_of(name), float("-inf"))


def anonymous(connection: Connection, table: str, seq: int, data: bytes, game: FoldedGame) -> None:
    """Take the names that `game` has not any more out of the kept envelope that opened it."""
    envelope = decoded(data)
    assert isinstance(envelope.body, TheGame)
    if envelope.body.players == game.players:
        return
    told = msgspec.structs.replace(envelope, body=msgspec.structs.replace(envelope.body, players=game.players))
    here = (ENVELOPES.c.table_name == table) & (ENVELOPES.c.seq == seq)
    connection.execute(update(ENVELOPES).where(here).values(data=encoded(told)))
