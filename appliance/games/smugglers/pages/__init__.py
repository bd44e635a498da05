"""What Smugglers looks like: its regions, and the numbers its templates draw. Every hole is drawn the same."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

FOLDER = Path(__file__).resolve().parent
REGIONS = {
    "wall": ("head", "scene", "ask", "players", "log"),
    "kiosk": ("head", "scene", "ask", "players"),
    "seat": ("page",),
}
GOALS = {"full": (7, 5), "short": (5, 4)}
"""Tokens of one colour that win, and tokens of each colour that win (SM-95, SM-98)."""
PUTTIES = ("yellow", "green", "orange", "pink")


class Seat(msgspec.Struct, frozen=True, kw_only=True):
    """One player as drawn: `places` are the token places of a row, `near` says that one more token may win."""

    seat: int
    player: Any
    places: int
    near: bool
    active: bool


class Picture(msgspec.Struct, frozen=True, kw_only=True):
    """What the scene draws beyond the view. `lit` is the lane under the lamp, `rolling` the seat at the track."""

    seats: tuple[Seat, ...]
    lanes: tuple[int, ...]
    lit: int | None
    rolling: int | None
    one_colour: int
    each_colour: int


def picture(view: Any, seat: int | None) -> Picture:
    """Return what the templates draw, from the view of one viewer."""
    one_colour, each_colour = GOALS[view.options.goal]
    due = {prompt.seat for prompt in view.expects if not prompt.optional}
    rolling = next((prompt.seat for prompt in view.expects if prompt.do in ("attempt", "decline")), None)
    seats = tuple(
        Seat(
            seat=number,
            player=player,
            places=one_colour,
            near=_near(player.sweet, player.sour, one_colour, each_colour),
            active=number in due,
        )
        for number, player in enumerate(view.players)
    )
    return Picture(
        seats=seats,
        lanes=tuple(range(1, view.options.lanes + 1)),
        lit=view.lane,
        rolling=rolling,
        one_colour=one_colour,
        each_colour=each_colour,
    )


def _near(sweet: int, sour: int, one_colour: int, each_colour: int) -> bool:
    after_sweet = sweet + 1 >= one_colour or (sweet + 1 >= each_colour and sour >= each_colour)
    after_sour = sour + 1 >= one_colour or (sour + 1 >= each_colour and sweet >= each_colour)
    return after_sweet or after_sour
