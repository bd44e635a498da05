"""A league night at one table: guests present, next players and standings. Folded from events and results.

`attendance` chooses the next players.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from appliance.games.league.attendance import Attendance, Attendee
from appliance.games.league.result import Result, name_key


class Came(msgspec.Struct, frozen=True, tag="came"):
    """A guest has come, for the first time or again."""

    guest: str


class Went(msgspec.Struct, frozen=True, tag="went"):
    """A guest has gone. `missing`: they were called and did not come."""

    guest: str
    missing: bool = False


class Seated(msgspec.Struct, frozen=True, tag="seated"):
    """These guests sat down, in this order, to play the game with the number `game`."""

    guests: tuple[str, ...]
    game: int


NightEvent = Came | Went | Seated


def guests_in(event: NightEvent) -> tuple[str, ...]:
    """Return the names of the guests that an event names."""
    return event.guests if isinstance(event, Seated) else (event.guest,) if event.guest else ()


def without_guest(event: NightEvent, guest: str) -> NightEvent:
    """Return the event without the guest of this key. If nothing is left, return a `Went` with an empty name."""
    if guest not in map(name_key, guests_in(event)):
        return event
    if isinstance(event, Seated):
        return Seated(tuple(name for name in event.guests if name_key(name) != guest), event.game)
    return Went("")


class NightState(msgspec.Struct, frozen=True, kw_only=True):
    """The state of a night: guests by place, guests present (most due first), and the next players.

    `next` is empty when too few are present.
    """

    standings: tuple[Attendee, ...]
    waiting: tuple[str, ...]
    next: tuple[str, ...]


def night_state(
    events: Sequence[NightEvent], results: Iterable[Result], *, size: int, least: int, playing: int | None = None
) -> NightState:
    """Return the state of the night after `events`. Equal events and results give the same result, byte for byte.

    A game without a result other than `playing` was put away unfinished and counts as no turn.

    :param size: players of a game when enough are present; `least`: the minimum.
    :param playing: the number of the game that is open at the table.
    """
    told = {result.seq: result for result in results}
    attendance = Attendance()
    for number, event in enumerate(events):
        match event:
            case Came(guest=name):
                attendance.come(name, number)
            case Went(guest=name, missing=missing):
                attendance.go(name, missing)
            case Seated(guests=names, game=game) if game in told or game == playing:
                attendance.play(names, number, told.get(game))
    return NightState(
        standings=attendance.standings(), waiting=attendance.waiting(), next=attendance.choose(size, least)
    )
