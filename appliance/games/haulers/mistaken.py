"""What is taken for what at a table of Haulers, so that the correction that is meant is offered first.

An offer says what would have happened instead. So only deeds that everybody saw whole get one, and none that would draw
a card or lift a load. The weights are judgements, not measurements. Only their order counts.
"""

from __future__ import annotations

from appliance.games.game import Mistake

DICE = ("die_1", "die_2", "die_3")
DRAWS_A_CARD = 7
"""A natural 7 draws a transit card (TR-60), whatever it is."""
OPEN_ROLLS = {"start", "order", "truck", "boat"}
"""What dice are for, except to check a load (TR-32)."""
TAKEN_BACK = {"end_turn": 0.3, "decline": 0.3}
"""A tap that came too early, by the deed that it made."""
PLACED = {"build", "enlarge", "launch"}
"""Deeds at a place of the map, where the neighbour was tapped."""


def mistaken(one: Mistake) -> float:
    """Return how likely `one.instead` is what should have been recorded; 0 where it is not worth an offer."""
    deed, instead = one.deed, one.instead
    if instead is None:
        return TAKEN_BACK.get(str(deed["do"]), 0.0)
    if deed["do"] != instead["do"]:
        return 0.0
    if deed["do"] == "roll":
        return _dice(one)
    if deed["do"] == "judge":
        return 0.5 if deed["target"] == instead["target"] else 0.1
    return 0.4 if deed["do"] in PLACED else 0.0


def _dice(one: Mistake) -> float:
    """One die of several is read wrongly more often than two, and rather as a face next to it."""
    was, meant = ([dice.get(die) or 0 for die in DICE] for dice in (one.deed, one.instead or {}))
    if one.before["stage"].get("why") not in OPEN_ROLLS or (meant[1] and sum(meant) == DRAWS_A_CARD):
        return 0.0
    wrong = [abs(a - b) for a, b in zip(was, meant, strict=True) if a != b]
    return 0.6 / float(sum(wrong) * len(wrong)) if wrong else 0.0
