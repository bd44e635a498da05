"""The pages of Haulers: their regions, and the positions of everything on the map."""

from __future__ import annotations

from math import cos, pi, sin
from pathlib import Path
from typing import Any, Literal

import msgspec

from appliance.games.haulers.rules.map.board import paths
from appliance.games.haulers.rules.map.edition import Edition
from appliance.games.haulers.table_data import edition_options, our_edition
from appliance.games.protocol import OneOf

FOLDER = Path(__file__).resolve().parent
REGIONS = {
    "wall": ("head", "scene", "ask", "players", "log", "moments"),
    "kiosk": ("head", "scene", "ask", "players", "moments"),
    "seat": ("page", "moments"),
}
SEATS = range(6)
COLOURS = ("crimson", "azure", "amber", "jade", "violet", "chalk")
"""The colour of each seat's truck and boat."""
SPREAD = 17.0
"""Base radius of the ring of pieces on one square, in units of the map."""
NEAR_WIDE, NEAR_HIGH = 560.0, 430.0
"""Size of the part of the map that a phone shows around its own vehicle, in units of the map."""
TARGET_PX = 48
"""Side length of a touch target, in pixels of the screen."""
WIDEST_TARGET = 60.0
"""Largest side length of a touch target, in units of the map. Distant squares do not need a larger map."""
MARGIN = 70.0
"""Margin around the outermost squares of a move, in units of the map."""
BESIDE_A_CITY = (18.0, 12.0)
"""Offset of a vehicle from the middle of a city, so that the city's number stays readable."""
ABOVE_A_CITY = (10.0, -22.0)
"""The offset in cities with the name on the right, so that the name stays readable too."""

AROUND_A_SQUARE = (40.0, 65.0, 61.0, 40.0)
"""Room that a vehicle needs around its square, in units of the map: left, top, right, bottom."""
NUMBER_WIDE, LETTER_WIDE, LETTER_HIGH = 30.0, 16.0, 25.0
"""Size of a city's number and of a letter of its name, in units of the map."""


class DrawnSeat(msgspec.Struct, frozen=True, kw_only=True):
    """What the templates show of one player. `active`: the table waits for them; `turn`: it is their turn."""

    seat: int
    colour: str
    player: Any
    active: bool
    turn: bool


class Piece(msgspec.Struct, frozen=True, kw_only=True):
    """A truck, a boat or a weigh station on the map. `crates` has one entry per load, True if open, open ones last."""

    kind: Literal["truck", "boat", "station"]
    seat: int
    colour: str
    x: float
    y: float
    crates: tuple[bool, ...] = ()
    big: bool = False


class Spot(msgspec.Struct, frozen=True, kw_only=True):
    """A square that can be tapped: the action that is sent, and (for a move) the number of steps."""

    name: str
    x: float
    y: float
    action: dict[str, Any]
    steps: int = 0


class Placer(msgspec.Struct, frozen=True, kw_only=True):
    """A map on which the place of a purchase is tapped: `do`, the payment, the squares, and the side of each target."""

    prompt: str
    do: str
    pay: str
    spots: tuple[Spot, ...]
    side: float


class Label(msgspec.Struct, frozen=True, kw_only=True):
    """A city and the position of its name."""

    name: str
    x: float
    y: float
    text_x: float
    text_y: float
    anchor: str
    numbers: tuple[str, ...]
    port: bool
    overseas: bool


class Picture(msgspec.Struct, frozen=True, kw_only=True):
    """What the templates draw beyond the view: the map's lines and pieces, and the squares that can be tapped.

    `box` is the map with room for what stands at its edges: x, y, width, height. `side` is the side length of the
    touch targets in units of the map, so that no two overlap. `middle` is the point that is shown first.
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


def picture(view: Any, seat: int | None) -> Picture:
    """Return what the templates draw, from the view of one viewer."""
    due = tuple(
        dict.fromkeys(prompt.seat for prompt in view.expects if prompt.seat is not None and not prompt.optional)
    )
    board = view.board
    pieces = _pieces(view)
    spots, move_prompt = _spots(view, seat)
    cities = tuple(_label(board, name) for name, square in board.squares.items() if square.terrain == "city")
    box = _box(board, cities)
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
        near=_near(view, seat, spots, box),
        roads=_segments(board, board.roads),
        lanes=_segments(board, board.sea),
        squares=tuple((square.terrain, *square.at) for square in board.squares.values() if square.terrain != "city"),
        cities=cities,
        pieces=pieces,
        move_prompt=move_prompt,
        spots=spots,
        side=_side(spots),
        middle=_middle(view, seat),
        placers=_placers(view, seat),
    )


def _segments(board: Any, ways: Any) -> tuple[tuple[float, float, float, float], ...]:
    pairs = {frozenset((one, other)): (one, other) for one, beside in ways.items() for other in beside}
    return tuple((*board.squares[one].at, *board.squares[other].at) for one, other in pairs.values())


def _label(board: Any, name: str) -> Label:
    x, y = board.squares[name].at
    dx, dy, anchor = {
        "above": (0, -34, "middle"),
        "below": (0, 48, "middle"),
        "left": (-36, 8, "end"),
        "right": (36, 8, "start"),
    }[board.labels[name]]
    return Label(
        name=name,
        x=x,
        y=y,
        text_x=x + dx,
        text_y=y + dy,
        anchor=anchor,
        numbers=tuple(number for number, city in board.numbers.items() if city == name),
        port=name in board.ports,
        overseas=name in board.overseas,
    )


def _box(board: Any, cities: tuple[Label, ...]) -> tuple[float, float, float, float]:
    """Return the map's frame, widened where a vehicle, a number or a name at its edge would be cut off."""
    left, top, right, bottom = AROUND_A_SQUARE
    parts = [(0.0, 0.0, *board.size)]
    parts += [(x - left, y - top, x + right, y + bottom) for x, y in (square.at for square in board.squares.values())]
    for city in cities:
        wide = len(city.name) * LETTER_WIDE
        begins = city.text_x - {"start": 0.0, "middle": wide / 2, "end": wide}[city.anchor]
        parts.append((begins, city.text_y - LETTER_HIGH, begins + wide, city.text_y + LETTER_HIGH / 2))
        parts.append((city.x - 15 - NUMBER_WIDE * len(city.numbers), city.y, city.x, city.y + left))
    x, y = min(part[0] for part in parts), min(part[1] for part in parts)
    return (x, y, max(part[2] for part in parts) - x, max(part[3] for part in parts) - y)


def _pieces(view: Any) -> tuple[Piece, ...]:
    """Return all pieces on the map with their positions. Pieces on one square form a ring."""
    standing: dict[str, list[Piece]] = {}
    for at, station in view.stations.items():
        x, y = view.board.squares[at].at
        piece = Piece(
            kind="station", seat=station.owner, colour=COLOURS[station.owner], x=x, y=y - 20, big=station.heavy
        )
        standing.setdefault(f"station {at}", []).append(piece)
    for seat, player in enumerate(view.players):
        places: list[tuple[Literal["truck", "boat"], str | None, int | None]] = [("truck", player.truck, None)]
        if player.boat is not None:
            places.append(("boat", player.boat.at, seat))
        for kind, at, boat in places:
            if at is None:
                continue
            carried = [load for other in view.players for load in other.loads if load.boat == boat and boat is not None]
            loads = carried if boat is not None else [load for load in player.loads if load.boat is None]
            square = view.board.squares[at]
            aside = (0.0, 0.0)
            if square.terrain == "city":
                aside = ABOVE_A_CITY if view.board.labels[at] == "right" else BESIDE_A_CITY
            x, y = square.at[0] + aside[0], square.at[1] + aside[1]
            piece = Piece(
                kind=kind, seat=seat, colour=COLOURS[seat], x=x, y=y, crates=tuple(sorted(load.open for load in loads))
            )
            standing.setdefault(at, []).append(piece)
    return tuple(piece for group in standing.values() for piece in _ring(group))


def _ring(group: list[Piece]) -> list[Piece]:
    if len(group) == 1:
        return group
    radius = SPREAD * (1 + len(group) / 4)
    return [
        msgspec.structs.replace(
            piece,
            x=round(piece.x + radius * cos(2 * pi * place / len(group)), 1),
            y=round(piece.y + radius * sin(2 * pi * place / len(group)), 1),
        )
        for place, piece in enumerate(group)
    ]


def _values(prompt: Any, field: str) -> tuple[Any, ...]:
    choice = prompt.choices[field]
    assert isinstance(choice, OneOf)
    return choice.values


def _mine(view: Any, seat: int | None, *deeds: str) -> list[Any]:
    """Return the open prompts that this page may answer: a phone its own, the kiosk all."""
    return [prompt for prompt in view.expects if prompt.do in deeds and seat in (None, prompt.seat)]


def _spot(view: Any, name: str, action: dict[str, Any], steps: int = 0) -> Spot:
    x, y = view.board.squares[name].at
    return Spot(name=name, x=x, y=y, action=action, steps=steps)


def _spots(view: Any, seat: int | None) -> tuple[tuple[Spot, ...], str]:
    """Return the squares that the moving vehicle can go to, and the name of the prompt that they answer."""
    for prompt in _mine(view, seat, "go"):
        boat = view.stage.boat
        here = view.players[prompt.seat].truck if boat is None else view.players[boat].boat.at
        ways = view.board.ways("truck" if boat is None else "boat")
        steps = {name: len(path) for name, path in paths(ways, here, view.stage.left).items()}
        spots = tuple(
            _spot(view, name, {"do": "go", "seat": prompt.seat, "to": name}, steps[name])
            for name in _values(prompt, "to")
        )
        return spots, prompt.prompt
    return (), ""


def _placers(view: Any, seat: int | None) -> tuple[Placer, ...]:
    found = []
    for prompt in _mine(view, seat, "build", "launch", "enlarge"):
        for pay in _values(prompt, "pay") if "pay" in prompt.choices else ("money",):
            paid = {} if pay == "money" else {"pay": pay}
            spots = tuple(
                _spot(view, name, {"do": prompt.do, "seat": prompt.seat, "at": name, **paid})
                for name in _values(prompt, "at")
            )
            found.append(Placer(prompt=prompt.prompt, do=prompt.do, pay=pay, spots=spots, side=_side(spots)))
    return tuple(found)


def _side(spots: tuple[Spot, ...]) -> float:
    """Return the largest side length for which the squares around all spots do not overlap."""
    side, ordered = WIDEST_TARGET, sorted(spots, key=lambda spot: spot.x)
    for place, spot in enumerate(ordered):
        for other in ordered[place + 1 :]:
            if other.x - spot.x >= side:
                break
            side = min(side, max(other.x - spot.x, abs(other.y - spot.y)))
    return max(side, 1.0)


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


def _near(
    view: Any, seat: int | None, spots: tuple[Spot, ...], box: tuple[float, float, float, float]
) -> tuple[float, float, float, float]:
    """Return the part of `box` to enlarge: around a move, else around the viewer's vehicle."""
    if spots:
        left, right = min(spot.x for spot in spots) - MARGIN, max(spot.x for spot in spots) + MARGIN
        top, bottom = min(spot.y for spot in spots) - MARGIN, max(spot.y for spot in spots) + MARGIN
        return (left, top, max(right - left, NEAR_WIDE), max(bottom - top, NEAR_HIGH))
    middle = _middle(view, seat)
    if seat is None or middle is None:
        return box
    x, y = middle
    first_x, first_y, wide, high = box
    across, down = min(NEAR_WIDE, wide), min(NEAR_HIGH, high)
    left = min(max(x - across / 2, first_x), first_x + wide - across)
    top = min(max(y - down / 2, first_y), first_y + high - down)
    return (round(left, 1), round(top, 1), across, down)


def ours() -> Edition:
    """Return the map and cards of this repository, which a set-up page offers."""
    return our_edition()


def ours_options() -> dict[str, Any]:
    """Return the set-up options for `ours`."""
    return edition_options(our_edition())
