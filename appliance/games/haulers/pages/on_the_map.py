"""What is drawn on the map: lines, cities with their names, and pieces. All positions are in units of the map."""

from __future__ import annotations

from collections.abc import Sequence
from math import cos, hypot, pi, sin
from typing import Any, Literal

import msgspec

COLOURS = ("crimson", "azure", "amber", "jade", "violet", "chalk")
"""The colour of each seat's truck and boat."""
SPREAD = 17.0
"""Base radius of the ring of pieces on one square, in units of the map."""
FLAT = 0.8
"""Height of that ring in parts of its width."""
CLEAR = 5.0
"""How far the ring keeps from the name of its city, and so from the numbers of the next one, in units of the map."""
BESIDE_A_CITY = (18.0, 12.0)
"""Offset of a vehicle from the middle of a city, so that the city's number stays readable."""
ABOVE_A_CITY = (10.0, -22.0)
"""The offset in cities with the name on the right, so that the name stays readable too."""

AROUND_A_SQUARE = (43.0, 65.0, 61.0, 40.0)
"""Room that a vehicle needs around its square, in units of the map: left, top, right, bottom."""
BESIDE_A_VEHICLE = ((30.0, -30.0), (-30.0, -30.0), (16.0, -52.0), (30.0, 14.0), (-30.0, 14.0))
"""Where the mark of its owner may be, from the middle of a vehicle: the first that is free."""
BESIDE_A_STATION = (19.0, -28.0)
MARK = 13.0
"""Radius of a mark, in units of the map."""
NUMBER_WIDE, LETTER_WIDE, LETTER_HIGH = 30.0, 16.0, 25.0
"""Size of a city's number and of a letter of its name, in units of the map."""

Box = tuple[float, float, float, float]
"""Left, top, right and bottom of a place on the map."""


class Piece(msgspec.Struct, frozen=True, kw_only=True):
    """A truck, a boat or a weigh station on the map. `crates` has one entry per load, True if open, open ones last."""

    kind: Literal["truck", "boat", "station"]
    seat: int
    colour: str
    x: float
    y: float
    crates: tuple[bool, ...] = ()
    big: bool = False
    mark: tuple[float, float] = BESIDE_A_VEHICLE[0]
    """Offset of its owner's mark."""


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


def segments(board: Any, ways: Any) -> tuple[tuple[float, float, float, float], ...]:
    """Return the lines between neighbouring squares, each once: x and y of both ends."""
    pairs = {frozenset((one, other)): (one, other) for one, beside in ways.items() for other in beside}
    return tuple((*board.squares[one].at, *board.squares[other].at) for one, other in pairs.values())


def label(board: Any, name: str) -> Label:
    """Return a city with the position of its name."""
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


def box_of(board: Any, cities: tuple[Label, ...], vehicles: int) -> tuple[float, float, float, float]:
    """Return the map's frame, widened where a vehicle, a number or a name at its edge would be cut off.

    :param vehicles: how many have room on one square.
    """
    left, top, right, bottom = AROUND_A_SQUARE
    parts = [(0.0, 0.0, *board.size)]
    for name, square in board.squares.items():
        ring, (x, y) = _ring(vehicles, board.labels.get(name)), square.at
        parts += [(x + dx - left, y + dy - top, x + dx + right, y + dy + bottom) for dx, dy in ring]
    for city in cities:
        parts.append(_name_of(city))
        parts.append((city.x - 15 - NUMBER_WIDE * len(city.numbers), city.y, city.x, city.y + left))
    x, y = min(part[0] for part in parts), min(part[1] for part in parts)
    return (x, y, max(part[2] for part in parts) - x, max(part[3] for part in parts) - y)


def pieces(view: Any, cities: Sequence[Label]) -> tuple[Piece, ...]:
    """Return all pieces on the map with their positions. Pieces on one square form a ring."""
    standing: dict[str, list[Piece]] = {}
    for at, station in view.stations.items():
        x, y = view.board.squares[at].at
        piece = Piece(
            kind="station",
            seat=station.owner,
            colour=COLOURS[station.owner],
            x=x,
            y=y - 20,
            big=station.heavy,
            mark=BESIDE_A_STATION,
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
    placed = [
        msgspec.structs.replace(piece, x=round(piece.x + dx, 1), y=round(piece.y + dy, 1))
        for at, group in standing.items()
        for piece, (dx, dy) in zip(group, _ring(len(group), view.board.labels.get(at)), strict=True)
    ]
    return _marked(placed, [_name_of(city) for city in cities])


def _marked(placed: Sequence[Piece], names: Sequence[Box]) -> tuple[Piece, ...]:
    """Move the marks of vehicles that would lie on the name of a city to where they cover neither name nor mark."""
    taken: list[tuple[float, float]] = []

    def free(x: float, y: float) -> bool:
        apart = all(hypot(x - there[0], y - there[1]) >= 2 * MARK for there in taken)
        return apart and not any(
            left - MARK < x < right + MARK and top - MARK < y < bottom + MARK for left, top, right, bottom in names
        )

    marked = []
    for piece in placed:
        if piece.kind != "station":
            spots = (at for at in BESIDE_A_VEHICLE if free(piece.x + at[0], piece.y + at[1]))
            piece = msgspec.structs.replace(piece, mark=next(spots, piece.mark))
        taken.append((piece.x + piece.mark[0], piece.y + piece.mark[1]))
        marked.append(piece)
    return tuple(marked)


def _name_of(city: Label) -> Box:
    """Return the room of a city's name: left, top, right, bottom."""
    wide = len(city.name) * LETTER_WIDE
    begins = city.text_x - {"start": 0.0, "middle": wide / 2, "end": wide}[city.anchor]
    return (begins, city.text_y - LETTER_HIGH, begins + wide, city.text_y + LETTER_HIGH / 2)


def is_named_in(city: Label, part: tuple[float, float, float, float]) -> bool:
    """Return whether the whole name of `city` lies in that part of the map: x, y, width, height."""
    left, top, right, bottom = _name_of(city)
    x, y, wide, high = part
    return x <= left and y <= top and right <= x + wide and bottom <= y + high


def _ring(vehicles: int, name_is: str | None) -> list[tuple[float, float]]:
    """Return the offsets of vehicles on one square, clear of its name, so that nothing lies on the mark of an owner.

    The marks are above their vehicles, and a later vehicle is drawn over an earlier one: the first is at the top.

    :param name_is: the side of the square on which the name of its city is; None without a city.
    """
    if vehicles == 1:
        return [(0.0, 0.0)]
    radius = SPREAD * (1 + vehicles / 4)
    angles = [2 * pi * place / vehicles for place in range(vehicles)]
    ring = sorted(((radius * cos(one), FLAT * radius * sin(one)) for one in angles), key=lambda at: (at[1], -at[0]))
    up = -ring[-1][1] - CLEAR
    aside = {"above": CLEAR - ring[0][1], "below": up, "right": up}.get(name_is or "", 0.0)
    return [(dx, dy + aside) for dx, dy in ring]
