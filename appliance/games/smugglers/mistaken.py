"""What is taken for what at a table of Smugglers, so that the correction that is meant is offered first.

The weights are judgements, not measurements. Only their order counts. `tests/web/pages/test_likely_corrections.py`
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
"""What an attempt was, by what was recorded."""
SENSED = {
    "passed": "passed", "stuck": "stuck", "short": "short", "astray": "astray", "other_lane": "astray",
    "blocked": "stuck", "bounced": "stuck",
}  # fmt: skip
"""The outcome that a sensor's vote stands for."""
DISSENT = {"camera": 2.0, "beams": 1.0}
"""Weight of an outcome that this sensor saw and the record denies. The camera sees the lane, too."""
BESIDE = {("sweet", "sour"), ("sour", "sweet"), ("sour", "bomb"), ("bomb", "sour")}
"""Buttons that lie side by side."""
BOSS_STANDS_THERE = 12.0
"""The die that would have sent the boss to where the figure was put."""
TAKEN_BACK = {"weigh": 0.5, "time_up": 0.3}
BLIND_FROM = 5


def mistaken(one: Mistake) -> float:
    """Return how likely `one.instead` is what should have been recorded; 0 where it is not worth an offer."""
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
    """A boss who was put elsewhere tells the die that people saw (SM-17; after a red one the boss stays, SM-18)."""
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
