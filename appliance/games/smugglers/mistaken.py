"""Weights for likely recording errors in Smugglers, so that the right correction is offered first.

The weights are estimates, not measurements. Only their order counts. `tests/web/corrections/test_likely_corrections.py`
forces errors of every kind and counts how often the right correction comes first.
"""

from __future__ import annotations

from typing import Any

from appliance.games.game import Mistake

ATTEMPTS: dict[str, dict[str, float]] = {
    "passed": {"stuck": 0.7, "astray": 0.15, "touched": 0.06, "disturbed": 0.05, "short": 0.02},
    "stuck": {"passed": 0.7, "touched": 0.08, "disturbed": 0.07, "astray": 0.06, "short": 0.05},
    "short": {"stuck": 0.6, "passed": 0.15, "touched": 0.1, "disturbed": 0.1, "astray": 0.03},
    "astray": {"passed": 0.6, "stuck": 0.2, "disturbed": 0.08, "touched": 0.06, "short": 0.03},
    "touched": {"disturbed": 0.4, "passed": 0.3, "stuck": 0.2, "short": 0.05, "astray": 0.03},
    "disturbed": {"touched": 0.4, "passed": 0.3, "stuck": 0.2, "short": 0.05, "astray": 0.03},
}
"""Weight of each true outcome of an attempt, by the recorded outcome."""
SENSED = {
    "passed": "passed", "stuck": "stuck", "short": "short", "astray": "astray", "other_lane": "astray",
    "blocked": "stuck", "bounced": "stuck", "too_late": "stuck",
}  # fmt: skip
"""The outcome of an attempt for each vote of a sensor."""
DISSENT = {"camera": 2.0, "beams": 1.0}
"""Weight added to an outcome that this sensor saw and that was not recorded. The camera also sees the lane."""
BESIDE = {("sweet", "sour"), ("sour", "sweet"), ("sour", "bomb"), ("bomb", "sour")}
"""Pairs of adjacent buttons."""
BOSS_STANDS_THERE = 12.0
"""Weight of the die value that would have moved the boss to the lane where the figure was seen."""
TAKEN_BACK = {"weigh": 0.5, "time_up": 0.3}
BLIND_FROM = 5


def mistaken(one: Mistake) -> float:
    """Return the weight of `one.instead` as the action that should have been recorded; 0 for no offer."""
    deed, instead = one.deed, one.instead
    if instead is None:
        return TAKEN_BACK.get(str(deed["do"]), 0.02)
    match deed["do"], instead["do"]:
        case "roll", "roll":
            return _die(one, instead["value"])
        case "attempt", "attempt":
            return _attempt(one, deed["outcome"], instead["outcome"])
        case "attempt", "decline":
            return 0.05
        case "decline", "attempt":
            return {"passed": 0.5, "stuck": 0.4}.get(instead["outcome"], 0.02)
        case "tie_roll", "tie_roll":
            return 0.3 / float(abs(deed["value"] - instead["value"]))
        case "inspect", "inspect":
            return _inspection(deed, instead)
        case "open", "open":
            return _piece(one, deed["found"], instead["found"])
        case "take", "take":
            return _token(deed, instead)
        case "take", "forgo":
            return 0.1
        case "forgo", "take":
            return 0.3
        case "order", "order":
            return 1.0
    return 0.0


def _die(one: Mistake, value: int) -> float:
    """Return the weight of a die value. A boss figure seen on another lane indicates the die that people saw (SM-17).

    After a red value the boss stays (SM-18).
    """
    told = one.remarks.get("boss")
    seen = None if told is None else told.values.get("seen")
    before = one.before
    if seen is not None:
        stays = value >= BLIND_FROM and not before["blind"]
        lanes = before["options"]["lanes"]
        goes_to = before["boss_lane"] if stays else (before["boss_lane"] - 1 + value) % lanes + 1
        if goes_to == seen:
            return BOSS_STANDS_THERE if value == BLIND_FROM or not stays else BOSS_STANDS_THERE / 2
    return 0.5 / float(abs(one.deed["value"] - value))


def _attempt(one: Mistake, recorded: str, meant: str) -> float:
    seen = [weight for sense, weight in DISSENT.items() if SENSED.get(one.votes.get(sense, "")) == meant != recorded]
    return ATTEMPTS[recorded].get(meant, 0.0) + sum(seen)


def _inspection(deed: Any, instead: Any) -> float:
    same_target, same_guess = deed["target"] == instead["target"], deed["guess"] == instead["guess"]
    if same_guess:
        return 0.6
    if same_target:
        return 0.5 if (deed["guess"], instead["guess"]) in BESIDE else 0.3
    return 0.05


def _piece(one: Mistake, found: list[str], meant: list[str]) -> float:
    if len(meant) != 1:
        return 0.1 if not meant else 0.02
    has_bomb = one.before["players"][one.deed["seat"]]["usable_bombs"] > 0
    if meant == ["bomb"]:
        return 0.4 if has_bomb else 0.02
    return 0.5


def _token(deed: Any, instead: Any) -> float:
    if deed["source"] == instead["source"]:
        return 0.7
    return 0.3 if deed["token"] == instead["token"] else 0.1
