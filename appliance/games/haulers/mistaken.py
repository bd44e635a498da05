"""Weights for likely recording errors in Haulers, so that the right correction is offered first.

An offer shows what would have happened instead. So only completely public actions get one, and none that would draw a
card or inspect a load. The weights are estimates, not measurements. Only their order counts.
"""

from __future__ import annotations

from appliance.games.game import Mistake
from appliance.games.haulers.rules.map.board import paths

DICE = ("die_1", "die_2", "die_3")
DRAWS_A_CARD = 7
"""A total of 7 draws a transit card (TR-60)."""
OPEN_ROLLS = {"start", "order", "truck", "boat"}
"""The reasons for a roll, except those of a check (TR-32)."""
TAKEN_BACK = {"end_turn": 0.3, "decline": 0.3, "build": 0.15, "launch": 0.15}
"""Weight of an action that was submitted too early, or that nobody meant."""
PLACED = {"build": "roads", "enlarge": "roads", "launch": "sea"}
"""Actions at a square of the map, where a neighbouring square may have been tapped, and the lines it lies on."""
REACH = {"build": 2, "launch": 2, "enlarge": 99}
"""The number of steps to another square that may have been meant. The few stations to enlarge may lie far apart."""


def mistaken(one: Mistake) -> float:
    """Return the weight of `one.instead` as the action that should have been recorded; 0 for no offer."""
    deed, instead = one.deed, one.instead
    if instead is None:
        return TAKEN_BACK.get(str(deed["do"]), 0.0)
    if deed["do"] != instead["do"]:
        return 0.0
    if deed["do"] == "roll":
        return _dice(one)
    if deed["do"] == "judge":
        return 0.5 if deed["target"] == instead["target"] else 0.1
    return _square(one) if deed["do"] in PLACED else 0.0


def _square(one: Mistake) -> float:
    """Return the weight of another square, or of the same one paid otherwise. Nearer squares are likelier."""
    deed, instead = one.deed, one.instead or {}
    do = deed["do"]
    paid = 1.0 if deed.get("pay", "money") == instead.get("pay", "money") else 0.25
    if deed["at"] == instead["at"]:
        return 0.4 * paid
    path = paths(one.before["board"][PLACED[do]], deed["at"], REACH[do]).get(instead["at"])
    return 0.4 * paid / len(path) if path else 0.0


def _dice(one: Mistake) -> float:
    """Return the weight of other dice. One wrong die is likelier than two, and near values are likelier."""
    was, meant = ([dice.get(die) or 0 for die in DICE] for dice in (one.deed, one.instead or {}))
    if one.before["stage"].get("why") not in OPEN_ROLLS or (meant[1] and sum(meant) == DRAWS_A_CARD):
        return 0.0
    wrong = [abs(a - b) for a, b in zip(was, meant, strict=True) if a != b]
    return 0.6 / float(sum(wrong) * len(wrong)) if wrong else 0.0
