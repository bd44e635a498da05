"""The map as a graph: squares with neighbours by road and by sea (TR-2, TR-13)."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from math import hypot
from typing import Literal

import msgspec

from appliance.games.haulers.rules.map.edition import Edition, Line, LocalizedText, Point

Terrain = Literal["city", "road", "sea"]


class Square(msgspec.Struct, frozen=True):
    """One square: its terrain, and its position in the units of the edition."""

    terrain: Terrain
    at: Point


class Board(msgspec.Struct, frozen=True, kw_only=True):
    """The whole map. A square has the name of its city, crossing or buoy, or a name such as `Harwick–Elden 2`."""

    name: str
    ours: bool
    note: LocalizedText | None
    size: Point
    land: tuple[str, ...]
    labels: dict[str, str]
    """The side of each city on which its name is drawn."""
    squares: dict[str, Square]
    roads: dict[str, tuple[str, ...]]
    sea: dict[str, tuple[str, ...]]
    numbers: dict[str, str]
    """Start number, as text, to its city (TR-3)."""
    overseas: tuple[str, ...]
    """Cities that only a boat reaches (TR-6)."""
    ports: tuple[str, ...]
    """Cities with both a road and a sea line."""

    def ways(self, vehicle: Literal["truck", "boat"]) -> Mapping[str, tuple[str, ...]]:
        """Return the neighbours of every square that a vehicle may use (TR-13)."""
        return self.roads if vehicle == "truck" else self.sea

    def is_overseas(self, *cities: str) -> bool:
        """Return whether one of `cities` is reached only by sea (TR-6)."""
        return any(city in self.overseas for city in cities)


def lay_out(edition: Edition) -> Board:
    """Return the board of an edition that has no problems."""
    squares = {city.name: Square("city", city.at) for city in edition.cities}
    squares |= {crossing.name: Square("road", crossing.at) for crossing in edition.crossings}
    squares |= {buoy.name: Square("sea", buoy.at) for buoy in edition.buoys}
    roads: dict[str, list[str]] = {}
    sea: dict[str, list[str]] = {}
    for lines, ways, terrain in ((edition.roads, roads, "road"), (edition.sea, sea, "sea")):
        for line in lines:
            chain = _chain(line, squares, "road" if terrain == "road" else "sea")
            for one, other in pairwise(chain):
                ways.setdefault(one, []).append(other)
                ways.setdefault(other, []).append(one)
    cities = [city.name for city in edition.cities]
    return Board(
        name=edition.name,
        ours=edition.ours,
        note=edition.note,
        size=edition.size,
        land=edition.land,
        labels={city.name: city.label for city in edition.cities},
        squares=squares,
        roads={name: tuple(beside) for name, beside in roads.items()},
        sea={name: tuple(beside) for name, beside in sea.items()},
        numbers={str(number): city.name for city in edition.cities for number in sorted(city.numbers)},
        overseas=tuple(city for city in cities if city not in roads),
        ports=tuple(city for city in cities if city in roads and city in sea),
    )


def _chain(line: Line, squares: dict[str, Square], terrain: Terrain) -> list[str]:
    """Add the squares of a line, evenly spaced along its bends. Return all names from end to end."""
    first, last = line.ends
    points = [squares[first].at, *line.bends, squares[last].at]
    between = [f"{first}–{last} {number}" for number in range(1, line.squares + 1)]
    for number, name in enumerate(between, start=1):
        squares[name] = Square(terrain, _along(points, number / (line.squares + 1)))
    return [first, *between, last]


def _along(points: list[Point], share: float) -> Point:
    lengths = [hypot(b[0] - a[0], b[1] - a[1]) for a, b in pairwise(points)]
    left = share * sum(lengths)
    for (a, b), length in zip(pairwise(points), lengths, strict=True):
        if length and left <= length:
            return (round(a[0] + (b[0] - a[0]) * left / length, 1), round(a[1] + (b[1] - a[1]) * left / length, 1))
        left -= length
    return points[-1]


def paths(
    ways: Mapping[str, tuple[str, ...]], start: str, most: int, shunned: frozenset[str] = frozenset()
) -> dict[str, tuple[str, ...]]:
    """Return a shortest path to every square within `most` steps of `start`. Paths do not contain `start` itself.

    Among several shortest paths it has the fewest `shunned` squares, then comes first in the order of the map.
    """
    found: dict[str, tuple[str, ...]] = {start: ()}
    edge: dict[str, tuple[int, tuple[str, ...]]] = {start: (0, ())}
    for _ in range(most):
        beyond: dict[str, tuple[int, tuple[str, ...]]] = {}
        for square, (met, path) in edge.items():
            for beside in ways.get(square, ()):
                if beside in found:
                    continue
                meets = met + (beside in shunned)
                if beside not in beyond or meets < beyond[beside][0]:
                    beyond[beside] = (meets, (*path, beside))
        if not beyond:
            break
        found |= {square: path for square, (_, path) in beyond.items()}
        edge = beyond
    del found[start]
    return found
