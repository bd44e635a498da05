"""Who is at a league night, who has had how many turns with whom, and who plays next.

Whoever has had fewest turns plays next; among equals those who have met least, then those who have waited longest.
Who comes late, or comes back, has had as many turns as the one with fewest of those who are there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence, Set
from itertools import combinations

import msgspec

from appliance.games.league.result import Result, name_key


class Attendee(msgspec.Struct, frozen=True, kw_only=True):
    """One guest of the night. `place` is from 1, shared by equal guests; `played` counts games that somebody won."""

    name: str
    place: int
    played: int
    won: int
    here: bool
    missing: bool


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


class Attendance:
    """The guests of one night, told of what happens in order; `number` counts what happened from 0."""

    def __init__(self) -> None:
        self._guests: dict[str, _Guest] = {}
        self._met: Counter[frozenset[str]] = Counter()

    def come(self, name: str, number: int) -> None:
        """Let a guest be here: for the first time, or again."""
        fewest = min((guest.turns for guest in self._here().values()), default=0)
        guest = self._guests.setdefault(name_key(name), _Guest(name, number))
        if not guest.here or guest.came == number:
            guest.turns = max(guest.turns, fewest)
        guest.here, guest.missing = True, False

    def go(self, name: str, missing: bool) -> None:
        """Let a guest not be here any more; `missing`: they were called and did not come."""
        if (guest := self._guests.get(name_key(name))) is not None:
            guest.here, guest.missing = False, missing

    def play(self, names: Sequence[str], number: int, result: Result | None) -> None:
        """Give a turn to those of `names` who attend; with a result, their game counts."""
        known = [key for key in dict.fromkeys(map(name_key, names)) if key in self._guests]
        for place, key in enumerate(known):
            self._guests[key].turns += 1
            self._guests[key].last = number
            self._guests[key].started += place == 0
        self._met.update(map(frozenset, combinations(known, 2)))
        if result is not None:
            winners = frozenset(map(name_key, result.won_by))
            for key in known:
                self._guests[key].played += 1
                self._guests[key].won += key in winners

    def waiting(self, busy: Set[str] = frozenset()) -> tuple[str, ...]:
        """Return who is here in the order of need, but for those whose keys are `busy`."""
        return tuple(guest.name for guest in sorted(self._here(busy).values(), key=_need))

    def choose(self, size: int, least: int, busy: Set[str] = frozenset()) -> tuple[str, ...]:
        """Return who plays next, at most `size`, whoever started least first; nobody where fewer than `least` can."""
        here = self._here(busy)
        if len(here) < least:
            return ()
        chosen: list[str] = []
        while len(chosen) < min(size, len(here)):
            rest = [key for key in here if key not in chosen]
            meetings = {key: sum(self._met[frozenset((key, one))] for one in chosen) for key in rest}
            chosen.append(min(rest, key=lambda key: (here[key].turns, meetings[key], _need(here[key]))))
        return tuple(here[key].name for key in sorted(chosen, key=lambda key: (here[key].started, chosen.index(key))))

    def standings(self) -> tuple[Attendee, ...]:
        """Return all guests: more wins stand higher, then fewer games; who has both alike shares the place."""
        ordered = sorted(self._guests.values(), key=lambda guest: (-guest.won, guest.played, guest.came))
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

    def _here(self, busy: Set[str] = frozenset()) -> dict[str, _Guest]:
        return {key: guest for key, guest in self._guests.items() if guest.here and key not in busy}


def _need(guest: _Guest) -> tuple[int, int, int]:
    return guest.turns, guest.last, guest.came
