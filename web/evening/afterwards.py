"""A finished game: its statistics, and the players' consents to show what was secret."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from appliance.games.catalogue import the_game
from appliance.games.protocol import Action, Happening, Rejection, Setup
from appliance.words.catalogues import Words

STATISTIC = "stat."
"""Prefix of the word codes that define what is counted. `stat.<happening>` counts for the happening's `seat`, or else
its `target`; `stat.<happening>.target` always counts for its `target`."""


def happenings_of(setup: Setup, actions: Sequence[Action]) -> tuple[Happening, ...]:
    """Return the public happenings of a game in order. They come from its effective actions, as far as these fold."""
    rules = the_game(setup.game).rules
    step = rules.set_up(setup)
    heard: list[Happening] = []
    for action in (None, *actions):
        if action is not None and not isinstance(step, Rejection):
            step = rules.apply(step.state, action)
        if isinstance(step, Rejection):
            break
        heard.extend(one for one in step.happened if one.to is None)
    return tuple(heard)


def statistics(happened: Iterable[Happening], seats: int, words: Words) -> dict[str, tuple[int, ...]]:
    """Return each seat's counts by the code of the statistic. A statistic that is zero for all seats is left out."""
    counts: dict[str, Counter[int]] = {code: Counter() for code in words.codes() if code.startswith(STATISTIC)}
    for one in happened:
        for code, whose in _counted(one.code, one.values):
            if code in counts and isinstance(whose, int):
                counts[code][whose] += 1
    return {code: tuple(counted[seat] for seat in range(seats)) for code, counted in counts.items() if counted}


def _counted(code: str, values: Mapping[str, Any]) -> Iterable[tuple[str, Any]]:
    yield f"{STATISTIC}{code}", values.get("seat", values.get("target"))
    yield f"{STATISTIC}{code}.target", values.get("target")


class Consents:
    """The seats that agreed to show what was secret in the finished game. A restart or a new journal entry clears them:
    a corrected game needs new consents."""

    def __init__(self) -> None:
        self._turn = threading.Lock()
        self._of: tuple[int | None, int] = (None, 0)
        self._seats: frozenset[int] = frozenset()

    def given(self, game: int | None, journal_seq: int) -> frozenset[int]:
        """Return the seats that agreed to open that game at this state of the journal."""
        with self._turn:
            return self._seats if self._of == (game, journal_seq) else frozenset()

    def agree(self, game: int | None, journal_seq: int, seats: Iterable[int]) -> None:
        """Note that `seats` agree."""
        of = (game, journal_seq)
        with self._turn:
            given = self._seats if self._of == of else frozenset()
            self._of, self._seats = of, given | frozenset(seats)
