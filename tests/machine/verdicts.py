"""Compares what the guest's table wrote into its journal with what truly happened on the twin."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import combinations
from typing import Any

from appliance.games.smugglers.rules.mass_ranking import is_stand_in
from hardware.readings import PuttyColour
from hardware.twin.world.truth import DieFell, Rolled, SphereOpened, TrueEvent, Weighed

SURE_G = 0.02
"""True masses that differ by less may come in any order."""
TAPPED = "hands-"
"""How the ids of what was tapped begin."""


class Judged:
    """The verdicts of one game: how many of each kind the sensors gave, which were wrong, how many were tapped."""

    def __init__(
        self,
        actions: Sequence[dict[str, Any]],
        truth: Sequence[TrueEvent],
        colours: Sequence[PuttyColour],
        band_g: float,
    ) -> None:
        self.count: Counter[str] = Counter()
        self.tapped: Counter[str] = Counter()
        self.wrong: list[str] = []
        self._weighed: dict[int, tuple[float, float]] = {}
        self._colours, self._band_g = colours, band_g
        for entry in actions:
            action = entry["action"]
            before = [fact for fact in reversed(truth) if fact.t_s <= entry["t_s"]]
            if action["do"] != "weigh":
                self._weighed = {}
            if action["do"] not in ("roll", "tie_roll", "attempt", "open", "weigh"):
                continue
            stand_in = is_stand_in(action.get("mass_g", 0.0))
            if stand_in or entry["by"].startswith(TAPPED):
                self.tapped[action["do"]] += 1
            else:
                self._judge(action, before)

    def _judge(self, action: dict[str, Any], before: Sequence[TrueEvent]) -> None:
        colour = self._colours[action["seat"]]
        match action["do"]:
            case "roll" | "tie_roll":
                fell = next(fact for fact in before if isinstance(fact, DieFell))
                self._equal("die", action["value"], fell.value)
            case "attempt":
                rolled = next(fact for fact in before if isinstance(fact, Rolled))
                self._equal("passage", action["outcome"], rolled.outcome)
                self._equal("colour", colour, rolled.colour)
            case "open":
                opened = next(fact for fact in before if isinstance(fact, SphereOpened))
                self._equal("gems", tuple(action["found"]), opened.pieces)
            case "weigh":
                real = next(fact for fact in before if isinstance(fact, Weighed))
                self._equal("colour", colour, real.colour)
                self._order(action["seat"], action["mass_g"], real.mass_g)

    def _equal(self, kind: str, said: object, truly: object) -> None:
        self.count[kind] += 1
        if said != truly:
            self.wrong.append(f"{kind}: {said}, truly {truly}")

    def _order(self, seat: int, said_g: float, real_g: float) -> None:
        """Masses matter by their order; equal ones within the tie band may be called level."""
        self._weighed[seat] = (said_g, real_g)
        for (said_a, real_a), (said_b, real_b) in combinations(self._weighed.values(), 2):
            self.count["order"] += 1
            level = said_a == said_b and abs(real_a - real_b) <= self._band_g
            if abs(real_a - real_b) > SURE_G and not level and (said_a > said_b) != (real_a > real_b):
                self.wrong.append(
                    f"order of masses: {said_a:.3f} and {said_b:.3f}, truly {real_a:.3f} and {real_b:.3f}"
                )
