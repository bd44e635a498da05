"""The stored league nights of the hub: their events, in the order in which they were entered here."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
from sqlalchemy import Connection, func, select, update

from appliance.games.league.chain_night import ChainEvent, guests_in, without_guest
from appliance.hub.store.database import Database, Work
from appliance.hub.store.schema import NIGHT_EVENTS, NIGHTS

_EVENTS = msgspec.json.Decoder(ChainEvent)


class HubNight(msgspec.Struct, frozen=True, kw_only=True):
    """One night: its café ("": the whole chain), its kind of game, the number of players per game, and its events."""

    night: int
    cafe: str
    kind: str
    size: int
    started_s: float
    ended_s: float | None
    events: tuple[ChainEvent, ...]


def begin(database: Database, cafe: str, kind: str, size: int, now_s: float, ends: int | None = None) -> int | None:
    """Begin a night and return its number. Return None, and begin none, if a night of the café is on besides `ends`.

    :param ends: the running night of the café that ends; None: there is none.
    """
    with database.write() as connection:
        database.alone(connection, Work.TELL_A_NIGHT)
        own = (NIGHTS.c.cafe == cafe) & NIGHTS.c.ended_s.is_(None)
        if set(connection.execute(select(NIGHTS.c.night).where(own)).scalars()) - {ends}:
            return None
        connection.execute(update(NIGHTS).where(own).values(ended_s=now_s))
        number = 1 + (connection.execute(select(func.max(NIGHTS.c.night))).scalar() or 0)
        row = {"night": number, "cafe": cafe, "kind": kind, "size": size, "started_s": now_s, "ended_s": None}
        connection.execute(NIGHTS.insert(), [row])
    return number


def end(database: Database, night: int, now_s: float) -> None:
    """End a night. Its games stay in the league."""
    with database.write() as connection:
        here = (NIGHTS.c.night == night) & NIGHTS.c.ended_s.is_(None)
        connection.execute(update(NIGHTS).where(here).values(ended_s=now_s))


def happened(database: Database, night: int, events: Sequence[ChainEvent], after: Sequence[ChainEvent]) -> bool:
    """Add events to a night that has the events `after`.

    Return False if it has others by now: somebody was faster, or a name was erased. Also False if the night is over.
    """
    with database.write() as connection:
        database.alone(connection, Work.TELL_A_NIGHT)
        is_on = select(NIGHTS.c.night).where(NIGHTS.c.night == night, NIGHTS.c.ended_s.is_(None))
        if connection.execute(is_on).scalar() is None or _events(connection, night) != tuple(after):
            return False
        _add(connection, night, events, len(after))
    return True


def _add(connection: Connection, night: int, events: Sequence[ChainEvent], first: int) -> None:
    rows = [
        {"night": night, "number": first + n, "event": msgspec.json.encode(event).decode()}
        for n, event in enumerate(events)
    ]
    if rows:
        connection.execute(NIGHT_EVENTS.insert(), rows)


def close(database: Database, on: HubNight, events: Sequence[ChainEvent], closed_s: float | None) -> None:
    """Add events to a night that has ended. With `closed_s`, no call of it waits any more.

    Do nothing if the night has other events by now: a name was erased, or another worker was faster.
    """
    with database.write() as connection:
        database.alone(connection, Work.TELL_A_NIGHT)
        if _events(connection, on.night) == on.events:
            _add(connection, on.night, events, len(on.events))
            here = update(NIGHTS).where(NIGHTS.c.night == on.night)
            connection.execute(here.values(closed_s=closed_s))


def unclosed(database: Database) -> tuple[HubNight, ...]:
    """Return the ended nights with calls that may still wait for a table."""
    with database.read() as connection:
        wanted = NIGHTS.c.ended_s.is_not(None) & NIGHTS.c.closed_s.is_(None)
        rows = connection.execute(select(NIGHTS).where(wanted).order_by(NIGHTS.c.night)).all()
        return tuple(_night(connection, row) for row in rows)


def nights_on(database: Database) -> tuple[HubNight, ...]:
    """Return the running nights, the newest first."""
    with database.read() as connection:
        rows = connection.execute(select(NIGHTS).where(NIGHTS.c.ended_s.is_(None)).order_by(NIGHTS.c.night.desc()))
        return tuple(_night(connection, row) for row in rows.all())


def night_of(database: Database, number: int) -> HubNight | None:
    """Return one night, running or over, or None."""
    with database.read() as connection:
        row = connection.execute(select(NIGHTS).where(NIGHTS.c.night == number)).one_or_none()
        return None if row is None else _night(connection, row)


def forget_guest(database: Database, connection: Connection, guest: str) -> None:
    """Remove the guest of this key from every night. The nights go on with the others."""
    database.alone(connection, Work.TELL_A_NIGHT)
    for row in connection.execute(select(NIGHT_EVENTS)).all():
        event = _EVENTS.decode(row.event)
        if guest in guests_in(event):
            here = (NIGHT_EVENTS.c.night == row.night) & (NIGHT_EVENTS.c.number == row.number)
            left = msgspec.json.encode(without_guest(event, guest)).decode()
            connection.execute(update(NIGHT_EVENTS).where(here).values(event=left))


def is_in_a_night(connection: Connection, guest: str, cafe: str | None = None) -> bool:
    """Return whether a running night names the guest of this key. With `cafe`, only its own nights count."""
    told = select(NIGHT_EVENTS.c.event).join(NIGHTS, NIGHTS.c.night == NIGHT_EVENTS.c.night)
    if cafe is not None:
        told = told.where(NIGHTS.c.cafe == cafe)
    events = connection.execute(told.where(NIGHTS.c.ended_s.is_(None))).scalars()
    return any(guest in guests_in(_EVENTS.decode(event)) for event in events)


def _night(connection: Connection, row: Any) -> HubNight:
    return HubNight(
        night=row.night,
        cafe=row.cafe,
        kind=row.kind,
        size=row.size,
        started_s=row.started_s,
        ended_s=row.ended_s,
        events=_events(connection, row.night),
    )


def _events(connection: Connection, night: int) -> tuple[ChainEvent, ...]:
    events = select(NIGHT_EVENTS.c.event).where(NIGHT_EVENTS.c.night == night).order_by(NIGHT_EVENTS.c.number)
    return tuple(_EVENTS.decode(event) for event in connection.execute(events).scalars())
