"""Guests whose names were erased: in what is kept, in what is folded, and in what comes late."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b

import msgspec
from msgspec import structs
from sqlalchemy import Connection, select, update

from appliance.games.league.result import name_key
from appliance.hub.envelopes import Envelope, TheGame, decoded, encoded
from appliance.hub.folds.folded_game import Erased, FoldedGame
from appliance.hub.report import decoded as report_of
from appliance.hub.store.schema import ENVELOPES, ERASED, TABLES


def mark_of(name: str) -> str:
    """Return what is kept of an erased name: enough to know it again, nothing to read."""
    return blake2b(name_key(name).encode(), digest_size=16, person=b"erased guest").hexdigest()


def erased_names(connection: Connection) -> Erased:
    """Return who counts as erased in this transaction."""
    until = {row.guest: row.until_s for row in connection.execute(select(ERASED))}
    if not until:
        return lambda name, opened_s: False
    return lambda name, opened_s: opened_s < until.get(mark_of(name), float("-inf"))


def ahead_of(connection: Connection, tables: Sequence[str]) -> dict[str, float]:
    """Return by how many seconds the clocks of these tables are ahead of the hub's, by what they reported last.

    A game that such a table opened before a name was erased seems to be opened after that.
    """
    ahead: dict[str, float] = {}
    if connection.execute(select(ERASED.c.guest).limit(1)).first() is None:
        return ahead
    said = select(TABLES.c.name, TABLES.c.status, TABLES.c.status_s).where(TABLES.c.status.is_not(None))
    for row in connection.execute(said.where(TABLES.c.name.in_(tables))):
        try:
            ahead[row.name] = max(0.0, report_of(row.status).wall_s - row.status_s)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            continue
    return ahead


def anonymous(connection: Connection, table: str, number: int, game: FoldedGame) -> None:
    """Take the names that game `number` has not any more out of the kept envelope that opened it."""
    here = (ENVELOPES.c.table_name == table) & (ENVELOPES.c.seq == game.opened_seq)
    data = bytes(connection.execute(select(ENVELOPES.c.data).where(here)).scalar_one())
    connection.execute(update(ENVELOPES).where(here).values(data=_without_names(data, table, number, game)))


def _without_names(data: bytes, table: str, number: int, game: FoldedGame) -> bytes:
    try:
        envelope = decoded(data)
        assert isinstance(envelope.body, TheGame)
        return encoded(structs.replace(envelope, body=structs.replace(envelope.body, players=game.players)))
    except RecursionError:
        # No true table nests values so deeply. What it told beside the names is not worth keeping them.
        body = TheGame(kind=game.kind, players=game.players, imported=game.imported, seating=game.seating)
        opened = Envelope(table=table, seq=game.opened_seq, game=number, wall_s=game.opened_s, body=body)
        return encoded(opened)
