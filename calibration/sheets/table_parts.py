"""Templates of the parts beside the track, at 1:1: pan, tray, markers, and the plan of all places on the table."""

from __future__ import annotations

import cv2

from calibration.camera.intrinsics import COLUMNS, ROWS, SQUARE_MM
from calibration.messages import Speaker
from calibration.sheets.drawing import (
    AXIS,
    CUT,
    GREY,
    THIN,
    Circle,
    Drawing,
    Line,
    Point,
    Shape,
    Text,
    box,
    cross,
)
from calibration.sheets.squares import QUIET_MM, BlackCell, board_squares, marker_squares
from calibration.sheets.track_parts import LIP_MM, middle_mm, slot_end_mm
from hardware.rig import Marker, Rig

PLAN_MARGIN_MM = 5.0


def pan(rig: Rig) -> Drawing:
    """Return the pan from above, with its centre marked."""
    wide = rig.pan_diameter_mm
    centre = (wide / 2, wide / 2)
    return Drawing(wide, wide, (Circle(centre, wide), *cross(centre, wide / 2 + 3, AXIS)))


def tray(rig: Rig) -> Drawing:
    """Return the tray of the die from above, with its centre marked."""
    side = rig.tray_side_mm
    return Drawing(side, side, (box(0, 0, side, side), *cross((side / 2, side / 2), 4)))


def marker(rig: Rig, one: Marker, speaker: Speaker) -> Drawing:
    """Return a marker with its white border, and its place on the table as text below."""
    side = rig.marker_side_mm
    card = side + 2 * QUIET_MM
    shapes: list[Shape] = [box(0, 0, card, card, THIN)]
    shapes += black(marker_squares(cv2.aruco.DICT_4X4_50, one.id, side, QUIET_MM, QUIET_MM))
    place = speaker.say("sheets.part.marker", {"marker": one.id, "x_mm": one.x_mm, "y_mm": one.y_mm})
    shapes.append(Text((0, card + 4), place, 2.8))
    return Drawing(card, card + 5, tuple(shapes))


def board() -> Drawing:
    """Return the ChArUco board of `calibrate camera`."""
    return Drawing(COLUMNS * SQUARE_MM, ROWS * SQUARE_MM, tuple(black(board_squares())))


def black(squares: list[BlackCell]) -> list[Shape]:
    """Return black rectangles without an outline."""
    return [box(each.x_mm, each.y_mm, each.width_mm, each.height_mm, None, "#000000") for each in squares]


def ground_plan(rig: Rig, speaker: Speaker) -> Drawing:
    """Return the plan of the table at 1:1, to transfer the places of markers, track, fence, pan and tray."""
    card = rig.marker_side_mm / 2 + QUIET_MM
    half, middle = rig.half_width_mm, middle_mm(rig)
    fence = half + rig.fence_overhang_mm
    back = slot_end_mm(rig) + LIP_MM
    pan_radius, tray_half = rig.pan_diameter_mm / 2, rig.tray_side_mm / 2
    xs = [middle - fence, middle + fence, rig.pan_centre_mm[0] - pan_radius, rig.pan_centre_mm[0] + pan_radius]
    ys = [rig.landing_y_mm[0], back, rig.pan_centre_mm[1] - pan_radius, rig.pan_centre_mm[1] + pan_radius]
    xs += [rig.tray_centre_mm[0] - tray_half, rig.tray_centre_mm[0] + tray_half]
    ys += [rig.tray_centre_mm[1] - tray_half, rig.tray_centre_mm[1] + tray_half]
    xs += [each.x_mm + side * card for each in rig.markers for side in (-1, 1)]
    ys += [each.y_mm + side * card for each in rig.markers for side in (-1, 1)]
    left, top = min(xs) - PLAN_MARGIN_MM, max(ys) + PLAN_MARGIN_MM

    def at(x_mm: float, y_mm: float) -> Point:
        return (x_mm - left, top - y_mm)

    def area(x0: float, x1: float, y0: float, y1: float) -> Shape:
        return box(*at(x0, y1), x1 - x0, y1 - y0)

    def name(code: str, x_mm: float, y_mm: float) -> Shape:
        return Text(at(x_mm, y_mm), speaker.say(f"sheets.part.{code}"), 4.0, "middle")

    shapes: list[Shape] = [
        area(middle - half, middle + half, rig.fence_y_mm, back),
        area(middle - half, middle + half, *rig.landing_y_mm),
        box(
            *at(middle - fence, rig.fence_y_mm + rig.fence_thickness_mm / 2),
            2 * fence,
            rig.fence_thickness_mm,
            CUT,
            GREY,
        ),
        *(Line(at(lane.x_mm, rig.landing_y_mm[0]), at(lane.x_mm, back), AXIS) for lane in rig.lanes),
        *(Line(at(middle - half, y), at(middle + half, y), AXIS) for y in (rig.ramp_top[0], rig.platform_end_y_mm)),
        name("track", middle, rig.ramp_top[0] * 0.6),
        name("landing", middle, rig.landing_y_mm[0] * 0.5),
        Circle(at(*rig.pan_centre_mm), rig.pan_diameter_mm),
        *cross(at(*rig.pan_centre_mm), 4),
        name("pan", rig.pan_centre_mm[0], rig.pan_centre_mm[1] - pan_radius * 0.5),
        area(
            rig.tray_centre_mm[0] - tray_half,
            rig.tray_centre_mm[0] + tray_half,
            rig.tray_centre_mm[1] - tray_half,
            rig.tray_centre_mm[1] + tray_half,
        ),
        *cross(at(*rig.tray_centre_mm), 4),
        name("tray", rig.tray_centre_mm[0], rig.tray_centre_mm[1] - tray_half * 0.5),
        *cross(at(0.0, 0.0), 6, CUT),
        Text((at(0.0, 0.0)[0] + 2, at(0.0, 0.0)[1] + 6), "x 0, y 0", 3.2),
    ]
    for each in rig.markers:
        square = at(each.x_mm - card, each.y_mm + card)
        shapes += [box(*square, 2 * card, 2 * card), *cross(at(each.x_mm, each.y_mm), 4)]
        shapes.append(Text((square[0] + 3, square[1] + 7), str(each.id), 6.0, bold=True))
        place = f"x {speaker.number(each.x_mm, 'g')} y {speaker.number(each.y_mm, 'g')}"
        shapes.append(Text((square[0] + card, square[1] + 2 * card - 3), place, 2.8, "middle"))
    return Drawing(max(xs) - min(xs) + 2 * PLAN_MARGIN_MM, max(ys) - min(ys) + 2 * PLAN_MARGIN_MM, tuple(shapes))
