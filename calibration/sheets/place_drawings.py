"""Drawings of the places of camera and lamps, and of the pan on its load cell; not at 1:1."""

from __future__ import annotations

import math
from collections.abc import Callable

from calibration.messages import Speaker
from calibration.sheets.camera_place import camera_place
from calibration.sheets.drawing import (
    AXIS,
    CUT,
    DIMENSION_INK,
    GREY,
    THIN,
    Align,
    Circle,
    Drawing,
    Line,
    Outline,
    Point,
    Shape,
    Stroke,
    Text,
    box,
    dimension,
)
from calibration.sheets.track_parts import middle_mm, profile
from hardware.rig import Rig
from hardware.twin.drawing.shading import LAMPS
from hardware.twin.drawing.viewpoint import WIDE_DEG

_Place = Callable[[float, float], Point]

_WOOD = "#efe3cd"
_BEAM = Stroke(0.3, "#1f5fa8", (8.0, 4.0))
_LAMP = "#f5c542"
_TOP_MM, _GROUND_MM, _GAP_MM = 1010.0, 70.0, 120.0
_SIZE_MM = 22.0
CELL_MM = (80.0, 12.7)
"""Length and height of the usual bar cell of 100 to 500 g."""
_BASE_MM, _OVERHANG_MM = 5.0, 3.0


def camera_and_lamps(rig: Rig, speaker: Speaker) -> Drawing:
    """Return the table with camera and lamps: from the right side, and from the front."""
    camera, aim = camera_place(rig)
    top = max(_TOP_MM, camera[2] + 110.0)
    ys = [min(-420.0, camera[1] - 120.0), max(600.0, aim[1] + 480.0)]
    xs = [min(-480.0, camera[0] - 525.0), max(760.0, camera[0] + 715.0)]
    shapes: list[Shape] = []

    def side(y_mm: float, z_mm: float) -> Point:
        return (y_mm - ys[0], top - z_mm)

    def front(x_mm: float, z_mm: float) -> Point:
        return (ys[1] - ys[0] + _GAP_MM + x_mm - xs[0], top - z_mm)

    shapes += [Line(side(ys[0], 0), side(ys[1], 0), CUT), Line(front(xs[0], 0), front(xs[1], 0), CUT)]
    shapes.append(Outline(tuple(side(*point) for point in profile(rig)), CUT, _WOOD))
    shapes.append(box(*side(rig.fence_y_mm - 3, rig.fence_top_mm), 6, rig.fence_top_mm, CUT, "#b98a55"))
    half, middle = rig.half_width_mm + rig.fence_overhang_mm, middle_mm(rig)
    shapes.append(box(*front(middle - half, rig.fence_top_mm), 2 * half, rig.fence_top_mm, CUT, "#b98a55"))
    for lane in rig.lanes:
        hole = front(lane.x_mm, rig.ramp_foot[1] + lane.hole_mm / 2)
        shapes.append(Circle(hole, lane.hole_mm, THIN, "#ffffff"))
    shapes += _camera(rig, camera, aim, speaker, side, front)
    for x, y, z in (lamp.place_mm for lamp in LAMPS):
        words = speaker.say("sheets.camera.lamp_at", {"x_mm": x, "y_mm": y, "z_mm": z})
        for at in (side(y, z), front(x, z)):
            shapes.append(Circle(at, 60, CUT, _LAMP))
        align: Align = "left" if y < 0 else "right"
        shapes.append(Text((side(y, z)[0] + (-100 if y < 0 else 100), side(y, z)[1] - 42), words, _SIZE_MM, align))
    shapes.append(Text((side(ys[0], -60)[0], side(0, -60)[1]), speaker.say("sheets.camera.side"), _SIZE_MM, bold=True))
    shapes.append(
        Text((front(xs[0], -60)[0], front(0, -60)[1]), speaker.say("sheets.camera.front"), _SIZE_MM, bold=True)
    )
    return Drawing(ys[1] - ys[0] + _GAP_MM + xs[1] - xs[0], top + _GROUND_MM, tuple(shapes))


def _camera(
    rig: Rig,
    camera: tuple[float, float, float],
    aim: tuple[float, float, float],
    speaker: Speaker,
    side: _Place,
    front: _Place,
) -> list[Shape]:
    x, y, z = camera
    _, aim_y, aim_z = aim
    down = math.atan2(z - aim_z, aim_y - y)
    upright = math.atan(math.tan(math.radians(WIDE_DEG / 2)) * 9 / 16)
    shapes: list[Shape] = [
        Line(side(y, z), side(y + z / math.tan(angle), 0), _BEAM) for angle in (down - upright, down + upright)
    ]
    shapes.append(Line(side(y, z), side(aim_y, aim_z), AXIS))
    reach = math.hypot(z, aim_y - y) * math.tan(math.radians(WIDE_DEG / 2))
    shapes += [Line(front(x, z), front(x + way * reach, 0), _BEAM) for way in (-1, 1)]
    posts = [min(marker.x_mm for marker in rig.markers) - 110, max(marker.x_mm for marker in rig.markers) + 110]
    shapes += [box(*front(post - 12, z + 40), 24, z + 40, CUT, GREY) for post in posts]
    shapes.append(box(*front(posts[0] - 12, z + 40), posts[1] - posts[0] + 24, 24, CUT, GREY))
    shapes.append(box(*side(y - 12, z + 40), 24, z + 40, CUT, GREY))
    for at in (side(y, z), front(x, z)):
        shapes += [box(at[0] - 16, at[1] - 16, 32, 32, CUT, "#333333"), Circle(at, 14, CUT, "#ffffff")]
    shapes += dimension(side(y - 60, 0), side(y - 60, z), f"{z:g}", size_mm=_SIZE_MM)
    shapes += dimension(side(y, -36), side(rig.fence_y_mm, -36), f"{abs(y):g}", size_mm=_SIZE_MM)
    shapes += dimension(front(0, z + 70), front(x, z + 70), f"{x:g}", size_mm=_SIZE_MM)
    shapes.append(Line(front(0, 0), front(0, z + 80), AXIS))
    words = speaker.say("sheets.camera.aim", {"y_mm": aim_y, "z_mm": aim_z, "deg": math.degrees(down)})
    shapes += [Line(side(aim_y, aim_z), side(aim_y + 120, 240), THIN)]
    shapes.append(Text(side(aim_y + 125, 245), words, _SIZE_MM, colour=DIMENSION_INK))
    shapes.append(
        Text((side(y, z)[0] + 30, side(y, z)[1] - 26), speaker.say("sheets.camera.camera"), _SIZE_MM, bold=True)
    )
    return shapes


def pan_on_its_cell(rig: Rig, speaker: Speaker) -> Drawing:
    """Return a section through the middle of the pan: base, spacers, load cell, pan."""
    long, high = CELL_MM
    wide, top = rig.pan_diameter_mm, rig.pan_z_mm
    lift = max(top - _OVERHANG_MM - high - _BASE_MM, 2.0) / 2
    left, width = 26.0, max(long, wide) + 110.0
    ground = top + 26.0
    fixed = left + 4

    def at(x_mm: float, z_mm: float) -> Point:
        return (x_mm, ground - z_mm)

    cell_z = _BASE_MM + lift
    pan_x = fixed + long - 8
    shapes: list[Shape] = [
        Line((0, ground), (width, ground), CUT),
        box(*at(left - 6, _BASE_MM), long + 24, _BASE_MM, CUT, _WOOD),
        box(*at(fixed, cell_z), 16, lift, CUT, GREY),
        box(*at(fixed, cell_z + high), long, high, CUT, "#cfd8e3"),
        Circle(at(fixed + long / 2 - 5, cell_z + high / 2), high * 0.7, THIN, "#ffffff"),
        Circle(at(fixed + long / 2 + 5, cell_z + high / 2), high * 0.7, THIN, "#ffffff"),
        box(*at(pan_x - 8, cell_z + high + lift), 16, lift, CUT, GREY),
        box(*at(pan_x - wide / 2, top), wide, top - cell_z - high - lift, CUT, "#dddddd"),
        Line(at(pan_x, -4), at(pan_x, top + 14), AXIS),
        Line(at(pan_x, top + 12), at(pan_x, top + 2), Stroke(0.6, "#c0392b")),
    ]
    shapes += dimension(at(pan_x + wide / 2 + 12, 0), at(pan_x + wide / 2 + 12, top), f"z {top:g}", size_mm=4.0)
    shapes += dimension(at(pan_x - wide / 2, top + 20), at(pan_x + wide / 2, top + 20), f"Ø {wide:g}", size_mm=4.0)
    shapes.append(Text(at(fixed + 3, cell_z + high + 2.5), speaker.say("sheets.wire.cell"), 4.0))
    shapes.append(Text(at(fixed, -7), speaker.say("sheets.pan.fixed"), 4.0))
    shapes.append(Text(at(pan_x + 12, -7), speaker.say("sheets.pan.free"), 4.0))
    return Drawing(width + 20, ground + 12, tuple(shapes))
