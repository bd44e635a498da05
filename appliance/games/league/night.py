"""A league night at one table: who is here, who plays next, how they stand. Folded from what happened and from results.

Whoever has had fewest turns plays next; among equals those who have met least, then those who have waited longest.
Who comes late, or comes back, has had as many turns as the one with fewest of those who are there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations

import msgspec

from appliance.games.league.result import Result, name_key


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


class Attendee(msgspec.Struct, frozen=True, kw_only=True):
    """One guest of the night. `place` is from 1, shared by equal guests; `played` counts games that somebody won."""

    name: str
    place: int
    played: int
    won: int
    here: bool
    missing: bool


class NightState(msgspec.Struct, frozen=True, kw_only=True):
    """How a night stands: guests by place, who is here in the order of need, who plays next.

    `next` is empty where too few are here.
    """

    standings: tuple[Attendee, ...]
    waiting: tuple[str, ...]
    next: tuple[str, ...]


class _Guest(msgspec.Struct):
    name: str
    came: int
    here: bool = True
    missing: bool = False
    turns: int = 0
    last: int = -1
    started: int = 0
    played: int = 0
    won: int = 0


def night_state(
    events: Sequence[NightEvent], results: Iterable[Result], *, size: int, least: int, playing: int | None = None
) -> NightState:
    """Return how the night stands after `events`: the same for the same events and results, byte for byte.

    A game without a result that is not `playing` any more was put away unfinished: it was nobody's turn.

    :param size: how many play a game where enough are here; `least`: how many must.
    :param playing: the number of the game that is open at the table.
    """
    told = {result.seq: result for result in results}
    guests: dict[str, _Guest] = {}
    met: Counter[frozenset[str]] = Counter()
    for number, event in enumerate(events):
        match event:
            case Came(guest=name):
                _come(guests, name, number)
            case Went(guest=name, missing=missing):
                if (guest := guests.get(name_key(name))) is not None:
                    guest.here, guest.missing = False, missing
            case Seated(guests=names, game=game) if game in told or game == playing:
                _play(guests, met, [name_key(name) for name in names], number, told.get(game))
    return NightState(
        standings=_standings(guests.values()),
        waiting=tuple(guest.name for guest in sorted(_here(guests).values(), key=_need)),
        next=_next(_here(guests), met, size, least),
    )


def _come(guests: dict[str, _Guest], name: str, number: int) -> None:
    fewest = min((guest.turns for guest in _here(guests).values()), default=0)
    guest = guests.setdefault(name_key(name), _Guest(name, number))
    if not guest.here or guest.came == number:
        guest.turns = max(guest.turns, fewest)
    guest.here, guest.missing = True, False


def _play(
    guests: dict[str, _Guest], met: Counter[frozenset[str]], keys: list[str], number: int, result: Result | None
) -> None:
    known = [key for key in keys if key in guests]
    for place, key in enumerate(known):
        guests[key].turns += 1
        guests[key].last = number
        guests[key].started += place == 0
    met.update(map(frozenset, combinations(known, 2)))
    if result is not None:
        winners = frozenset(map(name_key, result.won_by))
        for key in known:
            guests[key].played += 1
            guests[key].won += key in winners


def _here(guests: Mapping[str, _Guest]) -> dict[str, _Guest]:
    return {key: guest for key, guest in guests.items() if guest.here}


def _need(guest: _Guest) -> tuple[int, int, int]:
    return guest.turns, guest.last, guest.came


def _next(here: dict[str, _Guest], met: Counter[frozenset[str]], size: int, least: int) -> tuple[str, ...]:
    if len(here) < least:
        return ()
    chosen: list[str] = []
    while len(chosen) < min(size, len(here)):
        rest = [key for key in here if key not in chosen]
        meetings = {key: sum(met[frozenset((key, one))] for one in chosen) for key in rest}
        chosen.append(min(rest, key=lambda key: (here[key].turns, meetings[key], _need(here[key]))))
    return tuple(here[key].name for key in sorted(chosen, key=lambda key: (here[key].started, chosen.index(key))))


def _standings(guests: Iterable[_Guest]) -> tuple[Attendee, ...]:
    """More wins stand higher, then fewer games; who has both alike shares the place."""
    ordered = sorted(guests, key=lambda guest: (-guest.won, guest.played, guest.came))
    equals = [(guest.won, guest.played) for guest in ordered]
    return tuple(
        Attendee(
            name=guest.name,
            place=equals.index((guest.won, guest.played)) + 1,
            played=guest.played,
            won=guest.won,
            here=guest.here,
            missing=guest.missing,
        )
        for guest in ordered
    )
