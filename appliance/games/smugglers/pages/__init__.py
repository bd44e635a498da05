"""The pages of Smugglers: their regions, and the data that the templates draw. All holes are drawn at one size."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

from appliance.games.smugglers.rules.goals import ABANDONED_RULE, GOALS, Goal
from appliance.games.smugglers.rules.options import Options
from appliance.games.smugglers.rules.set_up import PUTTIES as PUTTIES  # for the set-up page

HOUSE_RULES: dict[str, tuple[Any, ...]] = {
    "pass_limit_s": (3, 5, 7, 10),
    "tie_band_g": (0.1, 0.2, 0.5, 1),
    "same_mass_tolerance_g": (0.05, 0.15, 0.3, 0.5, 1),
    "illegal_sack": ("token", "piece"),
}
"""Values that the set-up page offers for each house rule."""
STANDARD = Options()

FOLDER = Path(__file__).resolve().parent
REGIONS = {
    "wall": ("head", "scene", "ask", "players", "log", "moments"),
    "kiosk": ("head", "scene", "ask", "players", "moments"),
    "seat": ("page", "moments"),
}


class DrawnSeat(msgspec.Struct, frozen=True, kw_only=True):
    """What the templates show of one player.

    `places`: token places in a row; `near`: one more token may win; `active`: the table waits for them.
    """

    seat: int
    player: Any
    places: int
    near: bool
    active: bool


class Picture(msgspec.Struct, frozen=True, kw_only=True):
    """What the scene draws beyond the view. `lit` is the lit lane, `rolling` the seat at the track. `turn` names the
    roll that is due, "" for none. `end_rule` is the rule by which a finished game ended.
    """

    seats: tuple[DrawnSeat, ...]
    lanes: tuple[int, ...]
    lit: int | None
    rolling: int | None
    turn: str
    end_rule: str


def picture(view: Any, seat: int | None) -> Picture:
    """Return what the templates draw, from the view of one viewer."""
    goal = GOALS[view.options.goal]
    due = {prompt.seat for prompt in view.expects if not prompt.optional}
    rolling = next((prompt.seat for prompt in view.expects if prompt.do in ("attempt", "decline")), None)
    turn = "" if rolling is None else f"{view.round}.{rolling}.{view.players[rolling].attempts}"
    seats = tuple(
        DrawnSeat(
            seat=number,
            player=player,
            places=goal.one_colour,
            near=_near(player.sweet, player.sour, goal),
            active=number in due,
        )
        for number, player in enumerate(view.players)
    )
    return Picture(
        seats=seats,
        lanes=tuple(range(1, view.options.lanes + 1)),
        lit=view.lane,
        rolling=rolling,
        turn=turn,
        end_rule=ABANDONED_RULE if view.winner is None else goal.rule,
    )


def _near(sweet: int, sour: int, goal: Goal) -> bool:
    return goal.reached(sweet + 1, sour) is not None or goal.reached(sweet, sour + 1) is not None
