"""Tracks who is at a league night and how many turns each guest has had with whom, and chooses who plays next.

Guests with the fewest turns play next. Ties go to those who have met the other chosen guests least, then to those who
have waited longest. A guest who comes late or comes back gets at least the lowest turn count of the guests present.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence, Set
from itertools import combinations

import msgspec

from appliance.games.league.result import Result, name_key


class Attendee(msgspec.Struct, frozen=True, kw_only=True):
    """One guest of the night. `place` is from 1 and shared in a tie. `played` counts games that somebody won."""

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
    """The guests of one night. Its methods are called in the order of events; `number` counts the events from 0."""

    def __init__(self) -> None:
        self._guests: dict[str, _Guest] = {}
        self._met: Counter[frozenset[str]] = Counter()

    def come(self, name: str, number: int) -> None:
        """Mark a guest as present, for the first time or again."""
        fewest = min((guest.turns for guest in self._here().values()), default=0)
        guest = self._guests.setdefault(name_key(name), _Guest(name, number))
        if not guest.here or guest.came == number:
            guest.turns = max(guest.turns, fewest)
        guest.here, guest.missing = True, False

    def go(self, name: str, missing: bool) -> None:
        """Mark a guest as absent. `missing`: they were called and did not come."""
        if (guest := self._guests.get(name_key(name))) is not None:
            guest.here, guest.missing = False, missing

    def play(self, names: Sequence[str], number: int, result: Result | None) -> None:
        """Count a turn for each of `names` who is a guest. With a result, also count the game and the wins."""
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
        """Return the guests present, those due to play first at the front, without those whose keys are in `busy`."""
        return tuple(guest.name for guest in sorted(self._here(busy).values(), key=_need))

    def choose(self, size: int, least: int, busy: Set[str] = frozenset()) -> tuple[str, ...]:
        """Return up to `size` guests who play next, or () when fewer than `least` are free.

        The guest who was first in the seating least often comes first.
        """
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
        """Return all guests, ordered by more wins, then by fewer games. Equal guests share a place."""
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
