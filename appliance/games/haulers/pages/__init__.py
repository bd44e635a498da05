"""The pages of Haulers: their regions, and what they draw beyond the view."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

from appliance.games.haulers.pages.on_the_map import COLOURS, Label, Piece, box_of, is_named_in, label, pieces, segments
from appliance.games.haulers.pages.targets import TARGET_PX, Placer, Spot, placers, side_of, spots_of
from appliance.games.haulers.rules.map.edition import Edition
from appliance.games.haulers.table_data import edition_options, our_edition

FOLDER = Path(__file__).resolve().parent
REGIONS = {
    "wall": ("head", "scene", "ask", "players", "log", "moments"),
    "kiosk": ("head", "scene", "ask", "players", "moments"),
    "seat": ("page", "moments"),
}
NEAR_WIDE, NEAR_HIGH = 560.0, 430.0
"""Size of the part that a phone shows around its own vehicle, in units of the map; game.css has its ratio."""


class DrawnSeat(msgspec.Struct, frozen=True, kw_only=True):
    """What the templates show of one player. `active`: the table waits for them; `turn`: it is their turn."""

    seat: int
    colour: str
    player: Any
    active: bool
    turn: bool


class Picture(msgspec.Struct, frozen=True, kw_only=True):
    """What the templates draw beyond the view: the map's lines and pieces, and the squares that can be tapped.

    `box` is the map with room for what stands at its edges: x, y, width, height. `near` is the part of it that a phone
    shows while nothing on it can be tapped. `side` is the side length of the touch targets in units of the map, so that
    no two overlap. `middle` is the point that is shown first.
    """

    seats: tuple[DrawnSeat, ...]
    due: tuple[int, ...]
    box: tuple[float, float, float, float]
    near: tuple[float, float, float, float]
    roads: tuple[tuple[float, float, float, float], ...]
    lanes: tuple[tuple[float, float, float, float], ...]
    squares: tuple[tuple[str, float, float], ...]
    cities: tuple[Label, ...]
    pieces: tuple[Piece, ...]
    move_prompt: str
    spots: tuple[Spot, ...]
    side: float
    middle: tuple[float, float] | None
    placers: tuple[Placer, ...]

    def scale(self, side: float) -> float:
        """Return the pixels per unit of the map that touch targets of `side` need."""
        return TARGET_PX / side

    def names_in(self, part: tuple[float, float, float, float]) -> tuple[Label, ...]:
        """Return the cities whose whole name lies in that part of the map: a name that would be cut is left out."""
        return tuple(city for city in self.cities if part == self.box or is_named_in(city, part))


def picture(view: Any, seat: int | None) -> Picture:
    """Return what the templates draw, from the view of one viewer."""
    due = tuple(
        dict.fromkeys(prompt.seat for prompt in view.expects if prompt.seat is not None and not prompt.optional)
    )
    board = view.board
    spots, move_prompt = spots_of(view, seat)
    cities = tuple(label(board, name) for name, square in board.squares.items() if square.terrain == "city")
    box = box_of(board, cities, len(view.players))
    return Picture(
        seats=tuple(
            DrawnSeat(
                seat=number,
                colour=COLOURS[number],
                player=player,
                active=number in due,
                turn=view.seat == number,
            )
            for number, player in enumerate(view.players)
        ),
        due=due,
        box=box,
        near=_near(view, seat, box),
        roads=segments(board, board.roads),
        lanes=segments(board, board.sea),
        squares=tuple((square.terrain, *square.at) for square in board.squares.values() if square.terrain != "city"),
        cities=cities,
        pieces=pieces(view, cities),
        move_prompt=move_prompt,
        spots=spots,
        side=side_of(spots),
        middle=_middle(view, seat),
        placers=placers(view, seat),
    )


def _middle(view: Any, seat: int | None) -> tuple[float, float] | None:
    """Return the position of a vehicle: the one that is checked, else the one that moves, else the truck of the viewer
    or of the player whose turn it is."""
    boat = getattr(view.stage, "boat", None)
    whose = getattr(view.stage, "carrier", view.seat if seat is None else seat)
    if boat is not None and view.players[boat].boat is not None:
        at = view.players[boat].boat.at
    else:
        at = None if whose is None else view.players[whose].truck
    return None if at is None else tuple(view.board.squares[at].at)


def _near(view: Any, seat: int | None, box: tuple[float, float, float, float]) -> tuple[float, float, float, float]:
    """Return the part of `box` around the viewer's vehicle."""
    middle = _middle(view, seat)
    if seat is None or middle is None:
        return box
    first_x, first_y, wide, high = box
    left, top = _begin(middle[0], NEAR_WIDE, first_x, wide), _begin(middle[1], NEAR_HIGH, first_y, high)
    return (round(left, 1), round(top, 1), NEAR_WIDE, NEAR_HIGH)


def _begin(middle: float, length: float, first: float, whole: float) -> float:
    """Return where a part of that length begins, around `middle` and within the whole; a shorter whole is centred."""
    if whole < length:
        return first - (length - whole) / 2
    return min(max(middle - length / 2, first), first + whole - length)


def ours() -> Edition:
    """Return the map and cards of this repository, which a set-up page offers."""
    return our_edition()


def ours_options() -> dict[str, Any]:
    """Return the set-up options for `ours`."""
    return edition_options(our_edition())
