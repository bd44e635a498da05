"""The wiring diagram: the Pi's header in the middle, the parts on both sides, and a coloured flag for each rail."""

from __future__ import annotations

from collections.abc import Sequence

from calibration.messages import Speaker
from calibration.sheets.drawing import Circle, Drawing, Line, Outline, Point, Shape, Stroke, Text, box
from calibration.sheets.wiring import GROUND_PINS, HEADER, RAIL_PINS, Wire

COLOURS = {
    "red": "#c0392b", "black": "#222222", "white": "#9a9a9a", "green": "#1e8449", "blue": "#1f5fa8",
    "yellow": "#c79a00", "orange": "#d35400", "purple": "#7d3c98",
}  # fmt: skip
_RAIL_COLOURS = {"3V3": "#d35400", "5V": "#c0392b", "GND": "#222222", "5V LED": "#7d3c98"}
_ROW, _PITCH, _WIDE, _HIGH = 6.4, 9.0, 320.0, 172.0
_HEADER_TOP = 30.0
_LEFT_X, _RIGHT_X = _WIDE / 2 - _PITCH / 2, _WIDE / 2 + _PITCH / 2
_BOX_MM = 58.0
_OUTSIDE_MM = 34.0
_BOXES = (_OUTSIDE_MM, _WIDE - _OUTSIDE_MM - _BOX_MM)
_LEFT = ("receiver_front", "receiver_back", "button")
"""Parts left of the header; the others are to its right."""
_POWER = {1: "3V3", 17: "3V3", 2: "5V", 4: "5V"}


def wiring_drawing(wires: Sequence[Wire], speaker: Speaker) -> Drawing:
    """Return the diagram of these wires."""
    shapes = _header()
    sides: tuple[list[list[Wire]], list[list[Wire]]] = ([], [])
    for group in _groups(wires):
        sides[0 if any(wire.part in _LEFT for wire in group) else 1].append(group)
    for side, groups in enumerate(sides):
        shapes += _side(sorted(groups, key=_first_pin), side, speaker)
    return Drawing(_WIDE, _HIGH, tuple(shapes))


def _first_pin(group: Sequence[Wire]) -> int:
    return min(wire.header_pin for wire in group if wire.header_pin is not None)


def _groups(wires: Sequence[Wire]) -> list[list[Wire]]:
    """Group the wires of parts that belong together. In each group at least one part is wired to the header."""
    together = {"cell": "hx711", "strip": "shifter", "emitter_front": "receiver_front", "emitter_back": "receiver_back"}
    groups: dict[str, list[Wire]] = {}
    for wire in wires:
        groups.setdefault(together.get(wire.part, wire.part), []).append(wire)
    return list(groups.values())


def _row_y(pin: int) -> float:
    return _HEADER_TOP + (pin - 1) // 2 * _ROW


def _header() -> list[Shape]:
    bcm = {pin: number for number, pin in HEADER.items()}
    shapes: list[Shape] = [
        Text((_WIDE / 2, _HEADER_TOP - 13), "Raspberry Pi", 6.0, "middle", bold=True),
        box(_LEFT_X - 4, _HEADER_TOP - 4, _PITCH + 8, 19 * _ROW + 8, Stroke(0.3), "#f0efe9"),
    ]
    for pin in range(1, 41):
        x = _LEFT_X if pin % 2 else _RIGHT_X
        y = _row_y(pin)
        rail = _POWER.get(pin) or ("GND" if pin in GROUND_PINS else None)
        fill = _RAIL_COLOURS[rail] if rail else "#ffffff"
        at = (x, y)
        shapes.append(box(x - 2, y - 2, 4, 4, Stroke(0.2), fill) if pin == 1 else Circle(at, 4, Stroke(0.2), fill))
        ink = "#ffffff" if rail else "#000000"
        shapes.append(Text((x, y + 0.8), str(pin), 2.2, "middle", colour=ink))
        if pin in RAIL_PINS.values():
            away = -1 if pin % 2 else 1
            shapes += _flag((x + away * 8, y), rail or "", away)
            shapes.append(Line((x + away * 2, y), (x + away * 8, y), Stroke(0.5, fill)))
        elif pin in bcm:
            beside = (x + (-5.2 if pin % 2 else 5.2), y - 1.2)
            shapes.append(Text(beside, f"BCM {bcm[pin]}", 2.0, "right" if pin % 2 else "left", colour="#777777"))
    return shapes


def _flag(at: Point, rail: str, away: int) -> list[Shape]:
    """Return the flag of a rail. It points at `at`, with its body on the side `away` (−1 left, 1 right)."""
    x, y = at
    wide = 6.0 + 2.0 * len(rail)
    points = (
        (x, y),
        (x + away * 2, y - 2.2),
        (x + away * wide, y - 2.2),
        (x + away * wide, y + 2.2),
        (x + away * 2, y + 2.2),
    )
    middle = (x + away * (wide + 1.5) / 2, y + 1.1)
    return [Outline(points, None, _RAIL_COLOURS[rail]), Text(middle, rail, 3.0, "middle", bold=True, colour="#ffffff")]


def _side(groups: Sequence[list[Wire]], side: int, speaker: Speaker) -> list[Shape]:
    """Return the parts on one side of the header, and their wires."""
    shapes: list[Shape] = []
    y = 6.0
    ends: list[tuple[Point, Wire]] = []
    for group in groups:
        for part in dict.fromkeys(wire.part for wire in reversed(group)):
            own = [wire for wire in group if wire.part == part]
            found, y = _part(own, side, y, speaker, ends)
            shapes += found
        y += 6.0
    return [*_routes(ends, side), *shapes]


def _part(
    own: Sequence[Wire], side: int, y: float, speaker: Speaker, ends: list[tuple[Point, Wire]]
) -> tuple[list[Shape], float]:
    left = _BOXES[side]
    inner, away = (left + _BOX_MM, 1) if side == 0 else (left, -1)
    outer = left if side == 0 else left + _BOX_MM
    high = 6.5 + 5.0 * len(own)
    name = speaker.say(f"sheets.wire.{own[0].part}")
    shapes: list[Shape] = [
        box(left, y, _BOX_MM, high, Stroke(0.35), "#fbf8ef"),
        Text((left + _BOX_MM / 2, y + 4.6), name, 3.4, "middle", bold=True),
    ]
    for number, wire in enumerate(own):
        at_y = y + 9.0 + 5.0 * number
        colour = COLOURS.get(wire.colour, "#222222")
        if isinstance(wire.to, int):
            ends.append(((inner, at_y), wire))
            shapes += [Circle((inner, at_y), 1.6, None, colour)]
            shapes.append(Text((inner - away * 2.5, at_y + 1.1), wire.terminal, 3.0, "right" if side == 0 else "left"))
            continue
        shapes += [
            Circle((outer, at_y), 1.6, None, colour),
            Line((outer, at_y), (outer - away * 8, at_y), Stroke(0.6, colour)),
        ]
        terminal = speaker.say(f"sheets.colour.{wire.colour}") if wire.part == "cell" else wire.terminal
        shapes.append(Text((outer + away * 2.5, at_y + 1.1), terminal, 3.0, "left" if side == 0 else "right"))
        if wire.to in _RAIL_COLOURS:
            shapes += _flag((outer - away * 8, at_y), wire.to, -away)
        else:
            words = speaker.say(f"sheets.wire_to.{own[0].part}", {"terminal": wire.to})
            shapes.append(Text((outer - away * 9.5, at_y + 1.1), words, 3.0, "right" if side == 0 else "left"))
    return shapes, y + high + 2.0


def _routes(ends: Sequence[tuple[Point, Wire]], side: int) -> list[Shape]:
    """Return the wires to the header. Each has its own vertical track, ordered so that no wires cross."""
    away = -1 if side == 0 else 1
    pin_x = _LEFT_X if side == 0 else _RIGHT_X
    ordered = sorted(ends, key=lambda end: end[0][1])
    rising = [end for end in ordered if _row_y(end[1].header_pin or 1) <= end[0][1]]
    falling = [end for end in reversed(ordered) if end not in rising]
    shapes: list[Shape] = []
    for number, (start, wire) in enumerate([*rising, *falling]):
        pin = wire.header_pin or 1
        own_column = (pin % 2 == 1) == (side == 0)
        x = pin_x + away * (50.0 - 5.0 * number)
        row = _row_y(pin)
        stroke = Stroke(0.7, COLOURS.get(wire.colour, "#222222"))
        if own_column:
            way: tuple[Point, ...] = (start, (x, start[1]), (x, row), (pin_x + away * 2, row))
        else:  # between two rows of pins to the far column
            between = row + _ROW / 2
            far = _RIGHT_X if side == 0 else _LEFT_X
            way = (start, (x, start[1]), (x, between), (far, between), (far, row + 2))
        shapes.append(Outline(way, stroke, closed=False))
        shapes.append(Circle((_LEFT_X if pin % 2 else _RIGHT_X, row), 4.8, Stroke(0.8, stroke.colour)))
    return shapes
