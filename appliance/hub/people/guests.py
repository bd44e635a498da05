"""Guests: a nickname with a code, without an account. With the code they can have their name erased."""

from __future__ import annotations

import hmac
import secrets
from contextlib import suppress
from hashlib import blake2b

from sqlalchemy import delete, select

from appliance.games.league.result import name_key
from appliance.hub.folds.erased import by_most_clocks
from appliance.hub.folds.taken_out import take_out
from appliance.hub.link.marks import mark_of
from appliance.hub.people.nights import forget_guest, is_in_a_night
from appliance.hub.store.database import Database, Work
from appliance.hub.store.failures import AWAY
from appliance.hub.store.schema import ERASED, GUESTS, PLAYERS, STANDINGS, STEPS, TABLES

_LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"
"""Characters of a code, without look-alikes."""
_CODE_LENGTH = 10


def is_known(database: Database, name: str, cafe: str | None = None) -> bool:
    """Return whether somebody plays under a name: it is in a game, or in a running league night.

    :param cafe: look only at this café; None: at all.
    """
    guest = name_key(name)
    played = select(PLAYERS.c.guest).where(PLAYERS.c.guest == guest).limit(1)
    if cafe is not None:
        played = played.join(TABLES, TABLES.c.name == PLAYERS.c.table_name).where(TABLES.c.cafe == cafe)
    with database.read() as connection:
        return connection.execute(played).scalar() is not None or is_in_a_night(connection, guest, cafe)


def take_name(database: Database, name: str) -> str | None:
    """Give a nickname to the first guest who asks. Return its code, which is shown once; None if the name is taken."""
    code = "".join(secrets.choice(_LETTERS) for _ in range(_CODE_LENGTH))
    row = {"guest": name_key(name), "name": name, "code": _hashed(code)}
    with database.write() as connection:
        database.insert_new(connection, GUESTS, [row])
        kept = connection.execute(select(GUESTS.c.code).where(GUESTS.c.guest == row["guest"])).scalar_one()
    return code if kept == row["code"] else None


def is_theirs(database: Database, name: str, code: str) -> bool:
    """Return whether `code` is that of the nickname."""
    with database.read() as connection:
        kept = connection.execute(select(GUESTS.c.code).where(GUESTS.c.guest == name_key(name))).scalar()
    given = _hashed("".join(code.upper().split()).replace("-", ""))
    return hmac.compare_digest(kept or _hashed(""), given) and kept is not None


def erase(database: Database, name: str, now_s: float) -> int:
    """Remove a name from all stored and folded data, and from data that arrive late. Return the number of games.

    League nights go on without the guest. Games that are opened from now on (`by_most_clocks`) can have the name again.
    """
    guest = name_key(name)
    with database.write() as connection:
        # A concurrent fold would not see the new mark.
        database.alone(connection, Work.FOLD)
        database.upsert(connection, ERASED, [{"guest": mark_of(name), "until_s": by_most_clocks(connection, now_s)}])
        connection.execute(delete(GUESTS).where(GUESTS.c.guest == guest))
        forget_guest(database, connection, guest)
        played = select(PLAYERS.c.table_name, PLAYERS.c.game).where(PLAYERS.c.guest == guest)
        games = take_out(database, connection, guest, [(table, game) for table, game in connection.execute(played)])
        # The ratings are folded again later, but the guest's own rows are deleted now.
        for table in (STEPS, STANDINGS):
            connection.execute(delete(table).where(table.c.guest == guest))
    # The name is erased; a worker tries again to take it out of the log.
    with suppress(*AWAY):
        database.leave_no_trace()
    return games


def _hashed(code: str) -> str:
    # Ten of thirty-two characters are 50 bits: too many to try them all, even with a fast hash.
    return blake2b(code.encode(), digest_size=16, person=b"guest code").hexdigest()
