"""What a game looks like when it is over: its figures, and what was secret once everybody agreed."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from appliance.games.catalogue import the_game
from appliance.games.protocol import Action, Happening, Rejection, Setup
from appliance.words import Words

STATISTIC = "stat."
"""Codes of words that begin so name what is counted: `stat.<happening>`, of whom its `seat` names, or else its
`target`; `stat.<happening>.target`, always of whom its `target` names."""


def happenings_of(setup: Setup, actions: Sequence[Action]) -> tuple[Happening, ...]:
    """Return what everybody heard in a game, in order, as its effective actions tell it; as far as they fold."""
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
    """Return by the code of its words how often each seat did what the game's words count; nothing that nobody did."""
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
    """Which seats agreed to see what was secret in the finished game. They are asked anew after a restart, and when
    anything was done to the journal since: a corrected game is another one."""

    def __init__(self) -> None:
        self._turn = threading.Lock()
        self._of: tuple[int | None, int] = (None, 0)
        self._seats: frozenset[int] = frozenset()

    def given(self, game: int | None, journal_seq: int) -> frozenset[int]:
        """Return the seats that agreed to open that game as the journal has it."""
        with self._turn:
            return self._seats if self._of == (game, journal_seq) else frozenset()

    def agree(self, game: int | None, journal_seq: int, seats: Iterable[int]) -> None:
        """Note that `seats` agree."""
        of = (game, journal_seq)
        with self._turn:
            given = self._seats if self._of == of else frozenset()
            self._of, self._seats = of, given | frozenset(seats)
