"""A league night at one table: who is here, who plays next, how they stand. Folded from what happened and from results.

Who plays next is decided by `attendance`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from appliance.games.league.attendance import Attendance, Attendee
from appliance.games.league.result import Result


class Came(msgspec.Struct, frozen=True, tag="came"):
    """A guest is here: for the first time, or again."""

    guest: str


class Went(msgspec.Struct, frozen=True, tag="went"):
    """A guest is not here any more. `missing`: they were called and did not come."""

    guest: str
    missing: bool = False


class Seated(msgspec.Struct, frozen=True, tag="seated"):
    """These guests sat down to the game of that number, in this order."""

    guests: tuple[str, ...]
    game: int


NightEvent = Came | Went | Seated


class NightState(msgspec.Struct, frozen=True, kw_only=True):
    """How a night stands: guests by place, who is here in the order of need, who plays next.

    `next` is empty where too few are here.
    """

    standings: tuple[Attendee, ...]
    waiting: tuple[str, ...]
    next: tuple[str, ...]


def night_state(
    events: Sequence[NightEvent], results: Iterable[Result], *, size: int, least: int, playing: int | None = None
) -> NightState:
    """Return how the night stands after `events`: the same for the same events and results, byte for byte.

    A game without a result that is not `playing` any more was put away unfinished: it was nobody's turn.

    :param size: how many play a game where enough are here; `least`: how many must.
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
