"""Compares what the table believed with what truly happened on the simulated table."""

from __future__ import annotations

from itertools import combinations, takewhile, zip_longest
from typing import Any

from appliance.games.protocol import Action, Rejection
from hardware.twin.world.truth import DieFell, Rolled, SphereOpened
from tests.end_to_end.lockstep import LockstepTable

SENSED = ("roll", "tie_roll", "attempt", "weigh", "open")
"""Actions that a sensor can see."""
ARMCHAIRS = 2


def name_of(action: Action) -> str:
    """Return what an action is called in transcripts."""
    return str(type(action).__struct_config__.tag)


def _is_weighing(action: Action) -> bool:
    return name_of(action) == "weigh"


class Witness:
    """Watches a game while it is played and notes every verdict that differs from the truth."""

    def __init__(self, table: LockstepTable) -> None:
        self._table = table
        self._seen: list[Action] = []
        self.judged = 0
        self.wrong: list[str] = []
        self._weighed: dict[int, tuple[float, float]] = {}

    def look(self) -> None:
        """Judge the actions that are new; what was undone is judged again when it is done again."""
        history = self._table.table.history()
        if history is None:
            return
        assert not isinstance(history, Rejection), history
        now = list(history[1])
        if now[: len(self._seen)] != self._seen:
            same = next(n for n, pair in enumerate(zip_longest(now, self._seen)) if pair[0] != pair[1])
            del self._seen[same:]
            standing = {getattr(each, "seat", None) for each in takewhile(_is_weighing, reversed(self._seen))}
            self._weighed = {seat: pair for seat, pair in self._weighed.items() if seat in standing}
        for action in now[len(self._seen) :]:
            self._seen.append(action)
            if not _is_weighing(action):
                self._weighed = {}  # another ranking, of other spheres
            self._judge(action)

    def _judge(self, action: Any) -> None:
        do = name_of(action)
        if do not in SENSED:
            return
        self.judged += 1
        truth = list(reversed(self._table.twin.world.truth))
        colour = self._table.twin.world.colours[action.seat]
        if do in ("roll", "tie_roll"):
            real: Any = next(fact for fact in truth if isinstance(fact, DieFell)).value
            said: Any = action.value
        elif do == "attempt":
            real = next(fact for fact in truth if isinstance(fact, Rolled) and fact.colour == colour).outcome
            said = action.outcome
        elif do == "open":
            real = next(fact for fact in truth if isinstance(fact, SphereOpened) and fact.colour == colour).pieces
            said = action.found
        else:
            self._judge_order(action, self._table.twin.world.spheres[action.seat].lump.mass_g)
            return
        if real != said:
            self.wrong.append(f"{self._table.clock.now_s():.1f} s: {do} of seat {action.seat}: {said}, truly {real}")

    def _judge_order(self, action: Any, real_g: float) -> None:
        """Masses matter by their order: it must be the true one wherever true masses differ by more than 0.02 g.

        A balance may also call two level that differ by no more than the tie band, and is not asked for those that come
        behind both armchairs.
        """
        self._weighed = {} if action.seat in self._weighed else self._weighed
        self._weighed[action.seat] = (real_g, action.mass_g)
        band_g = self._table.view.options.tie_band_g
        said = [said_g for _, said_g in self._weighed.values()]
        for (real_a, said_a), (real_b, said_b) in combinations(self._weighed.values(), 2):
            apart_g = abs(real_a - real_b)
            behind = sum(said_g > said_a for said_g in said) >= ARMCHAIRS
            level = said_a == said_b and (apart_g <= band_g or behind)
            if apart_g > 0.02 and not level and (real_a > real_b) != (said_a > said_b):
                self.wrong.append(f"order of masses: {said_a} and {said_b}, truly {real_a:.3f} and {real_b:.3f}")
