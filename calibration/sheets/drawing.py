"""Drawings in millimetres: lines, circles, outlines and text on a rectangle. The origin is top left; y points down."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Literal

import msgspec

Point = tuple[float, float]
Align = Literal["left", "middle", "right"]


class Stroke(msgspec.Struct, frozen=True):
    """A pen: width in mm, colour as #rrggbb, and dash and gap in mm, or () for a solid line."""

    width_mm: float
    colour: str = "#000000"
    dash_mm: tuple[float, ...] = ()


CUT = Stroke(0.3)
THIN = Stroke(0.15, "#555555")
AXIS = Stroke(0.15, "#555555", (4.0, 1.5))
DIMENSION = Stroke(0.15, "#2f5d8a")
DIMENSION_INK = "#2f5d8a"
GREY = "#d9d9d9"


class Line(msgspec.Struct, frozen=True):
    """A straight line."""

    start: Point
    end: Point
    stroke: Stroke = CUT


class Circle(msgspec.Struct, frozen=True):
    """A circle. `diameter_mm` is measured at the middle of its line."""

    centre: Point
    diameter_mm: float
    stroke: Stroke | None = CUT
    fill: str | None = None


class Outline(msgspec.Struct, frozen=True):
    """A line through points, closed or open, and its fill colour."""

    points: tuple[Point, ...]
    stroke: Stroke | None = CUT
    fill: str | None = None
    closed: bool = True


class Text(msgspec.Struct, frozen=True):
    """A line of text. `at` is on its baseline; `size_mm` is the font size; `turn_deg` is counter-clockwise."""

    at: Point
    text: str
    size_mm: float = 3.0
    align: Align = "left"
    bold: bool = False
    colour: str = "#000000"
    turn_deg: float = 0.0


Shape = Line | Circle | Outline | Text


class Drawing(msgspec.Struct, frozen=True):
    """Shapes on a rectangle of this size, in mm.

    `seams_x` are the x at which it may be cut from top to bottom without a cut through an important part; empty means
    anywhere.
    """

    width_mm: float
    height_mm: float
    shapes: tuple[Shape, ...]
    seams_x: tuple[float, ...] = ()


def box(
    left: float, top: float, width: float, height: float, stroke: Stroke | None = CUT, fill: str | None = None
) -> Outline:
    """Return a rectangle."""
    corners = ((left, top), (left + width, top), (left + width, top + height), (left, top + height))
    return Outline(corners, stroke, fill)


def ring(centre: Point, outer_mm: float, line_mm: float) -> Circle:
    """Return a circle; `outer_mm` is the diameter of its line's outer edge."""
    return Circle(centre, outer_mm - line_mm, Stroke(line_mm, "#000000"))


def cross(centre: Point, arm_mm: float, stroke: Stroke = THIN) -> list[Shape]:
    """Return an upright cross."""
    x, y = centre
    return [Line((x - arm_mm, y), (x + arm_mm, y), stroke), Line((x, y - arm_mm), (x, y + arm_mm), stroke)]


def dimension(start: Point, end: Point, text: str, away_mm: float = 0.0, size_mm: float = 2.8) -> list[Shape]:
    """Return a dimension between two points: a line with arrows, the number, and extension lines; nothing for 0 mm.

    :param away_mm: offset of its line to the left of the direction from start to end.
    """
    length = math.dist(start, end)
    if not length:
        return []
    along = ((end[0] - start[0]) / length, (end[1] - start[1]) / length)
    aside = (along[1], -along[0])
    a, b = (_moved(point, aside, away_mm) for point in (start, end))
    shapes: list[Shape] = [Line(a, b, DIMENSION)]
    if away_mm:
        past = math.copysign(1.0, away_mm)
        shapes += [
            Line(_moved(point, aside, past), _moved(point, aside, away_mm + past), DIMENSION) for point in (start, end)
        ]
    head = min(size_mm * 0.8, length / 3)
    for tip, way in ((a, 1), (b, -1)):
        root = _moved(tip, along, way * head)
        wings = (_moved(root, aside, head / 4), _moved(root, aside, -head / 4))
        shapes.append(Outline((tip, *wings), None, DIMENSION_INK))
    middle = ((a[0] + b[0]) / 2, (a[1] + b[1]) / 2)
    turn = -math.degrees(math.atan2(along[1], along[0]))
    turn = turn - 180 if turn > 90.01 else turn + 180 if turn < -89.99 else turn
    up = (-math.sin(math.radians(turn)), -math.cos(math.radians(turn)))
    wide = len(text) * size_mm * 0.55
    if wide + 2 * head <= length:
        at, align = _moved(middle, up, size_mm * 0.3), "middle"
    else:  # a short dimension has no room for the text, so it is put beside the arrows
        right = (math.cos(math.radians(turn)), -math.sin(math.radians(turn)))
        tip = max((a, b), key=lambda point: point[0] * right[0] + point[1] * right[1])
        at, align = _moved(_moved(tip, right, size_mm * 0.4), up, -size_mm * 0.35), "left"
    shapes.append(
        Text(at, text, size_mm, "middle" if align == "middle" else "left", colour=DIMENSION_INK, turn_deg=turn)
    )
    return shapes


def _moved(point: Point, way: Point, by: float) -> Point:
    return (point[0] + way[0] * by, point[1] + way[1] * by)


def placed(shapes: Iterable[Shape], x_mm: float, y_mm: float, scale: float = 1.0) -> list[Shape]:
    """Return the shapes scaled by `scale`, with their origin at (x, y). Pens keep their width."""

    def to(point: Point) -> Point:
        return (x_mm + scale * point[0], y_mm + scale * point[1])

    found: list[Shape] = []
    for shape in shapes:
        match shape:
            case Line():
                found.append(msgspec.structs.replace(shape, start=to(shape.start), end=to(shape.end)))
            case Circle():
                found.append(
                    msgspec.structs.replace(shape, centre=to(shape.centre), diameter_mm=scale * shape.diameter_mm)
                )
            case Outline():
                found.append(msgspec.structs.replace(shape, points=tuple(map(to, shape.points))))
            case Text():
                found.append(msgspec.structs.replace(shape, at=to(shape.at), size_mm=scale * shape.size_mm))
    return found
