"""Drawings of a table with all its measures, not at 1:1: from above, from the side, and the fence."""

from __future__ import annotations

import itertools

from calibration.messages import Speaker
from calibration.sheets.drawing import (
    AXIS,
    CUT,
    DIMENSION_INK,
    GREY,
    THIN,
    Circle,
    Drawing,
    Line,
    Outline,
    Point,
    Shape,
    Text,
    box,
    cross,
    dimension,
    placed,
)
from calibration.sheets.squares import QUIET_MM
from calibration.sheets.track_parts import LIP_MM, beam_name, fence, middle_mm, profile, slot_end_mm
from hardware.rig import Rig

_WOOD = "#efe3cd"


def table_from_above(rig: Rig, speaker: Speaker) -> Drawing:
    """Return the whole table seen from above, with the places of all its parts."""

    def mm(value: float) -> str:
        return speaker.number(value, "g")

    card = rig.marker_side_mm + 2 * QUIET_MM
    half, middle = rig.half_width_mm, middle_mm(rig)
    fence_half = half + rig.fence_overhang_mm
    back = slot_end_mm(rig) + LIP_MM
    xs, ys = [each.x_mm for each in rig.markers], [each.y_mm for each in rig.markers]
    (pan_x, pan_y), pan = rig.pan_centre_mm, rig.pan_diameter_mm / 2
    (tray_x, tray_y), tray = rig.tray_centre_mm, rig.tray_side_mm / 2
    left = min(*xs, middle - fence_half, pan_x - pan + 40, tray_x - tray + 40) - 95
    right = max(*xs, middle + fence_half, pan_x + pan - 40, tray_x + tray - 40) + 95
    top = max(*ys, back, pan_y + pan - 40, tray_y + tray - 40) + 75
    bottom = min(*ys, rig.landing_y_mm[0], pan_y - pan + 40, tray_y - tray + 40) - 85

    def at(x_mm: float, y_mm: float) -> Point:
        return (x_mm - left, top - y_mm)

    def area(x0: float, x1: float, y0: float, y1: float, fill: str | None = None) -> Shape:
        return box(*at(x0, y1), x1 - x0, y1 - y0, CUT, fill)

    def name(code: str, x_mm: float, y_mm: float) -> Shape:
        return Text(at(x_mm, y_mm), speaker.say(f"sheets.part.{code}"), 10.0, "middle", bold=True)

    sides = middle - half, middle + half
    shapes: list[Shape] = [
        area(*sides, rig.landing_y_mm[0], rig.landing_y_mm[1]),
        area(*sides, rig.fence_y_mm, rig.ramp_top[0], _WOOD),
        area(*sides, rig.ramp_top[0], rig.platform_end_y_mm, "#f7f3e8"),
        area(*sides, rig.platform_end_y_mm, slot_end_mm(rig), GREY),
        area(*sides, slot_end_mm(rig), back, _WOOD),
    ]
    edges = [lane.x_mm - rig.lane_pitch_mm / 2 for lane in rig.lanes] + [rig.lanes[-1].x_mm + rig.lane_pitch_mm / 2]
    shapes += [Line(at(x, rig.fence_y_mm), at(x, rig.ramp_top[0] - 5), THIN) for x in edges]
    circle_y = (rig.ramp_top[0] + rig.platform_end_y_mm) / 2
    for lane in rig.lanes:
        axis = Line(at(lane.x_mm, rig.landing_y_mm[0]), at(lane.x_mm, back + 5), AXIS)
        shapes += [Circle(at(lane.x_mm, circle_y), lane.hole_mm), axis]
        shapes.append(Text(at(lane.x_mm, rig.fence_y_mm + 40), str(lane.number), 12.0, "middle", bold=True))
        shapes.append(Text(at(lane.x_mm + 3, back + 32), mm(lane.x_mm), 8.0, colour=DIMENSION_INK, turn_deg=90))
    shapes.append(area(middle - fence_half, middle + fence_half, rig.fence_y_mm - 1.5, rig.fence_y_mm + 1.5, "#000000"))
    shapes += [area(x - card / 2, x + card / 2, y - card / 2, y + card / 2) for x, y in zip(xs, ys, strict=True)]
    inner = rig.marker_side_mm / 2
    for each in rig.markers:
        x, y = each.x_mm, each.y_mm
        shapes.append(area(x - inner, x + inner, y - inner, y + inner, "#333333"))
        shapes.append(Text(at(x, y - 5), str(each.id), 14.0, "middle", bold=True, colour="#ffffff"))
        place = Text(
            at(x, y - card / 2 - 11), f"x {mm(each.x_mm)}  y {mm(each.y_mm)}", 8.5, "middle", colour=DIMENSION_INK
        )
        shapes.append(place)
    shapes += [Circle(at(pan_x, pan_y), 2 * pan, CUT, "#dddddd"), *cross(at(pan_x, pan_y), 6)]
    shapes += [
        area(tray_x - tray, tray_x + tray, tray_y - tray, tray_y + tray, "#cfe3c8"),
        *cross(at(tray_x, tray_y), 6),
    ]
    below_pan, below_tray = pan_y - pan - 11, tray_y - tray - 11
    shapes += [
        name("pan", pan_x, pan_y + 12),
        name("tray", tray_x, tray_y + 12),
        Text(at(pan_x, below_pan), f"x {mm(pan_x)}  y {mm(pan_y)}", 8.5, "middle", colour=DIMENSION_INK),
        Text(at(tray_x, below_tray), f"x {mm(tray_x)}  y {mm(tray_y)}", 8.5, "middle", colour=DIMENSION_INK),
        Text(at(pan_x, pan_y - 18), f"Ø {mm(2 * pan)}", 8.5, "middle", colour=DIMENSION_INK),
        Text(at(tray_x, tray_y - 20), f"{mm(2 * tray)} × {mm(2 * tray)}", 8.5, "middle", colour=DIMENSION_INK),
        name("track", middle, rig.ramp_top[0] * 0.6),
        name("landing", middle, (rig.landing_y_mm[0] + rig.landing_y_mm[1]) / 2),
    ]
    shapes += cross(at(0, 0), 12, CUT)
    low = rig.landing_y_mm[0] - 30
    shapes += dimension(at(sides[0], low), at(sides[1], low), mm(2 * half), size_mm=9.0)
    shapes += dimension(
        at(middle - fence_half, low - 25), at(middle + fence_half, low - 25), mm(2 * fence_half), size_mm=9.0
    )
    beside = middle + fence_half + 9
    heights = [rig.landing_y_mm[0], rig.fence_y_mm, rig.ramp_top[0], rig.platform_end_y_mm]
    for one, other in itertools.pairwise(heights):
        shapes += dimension(at(beside, one), at(beside, other), mm(other - one), size_mm=9.0)
    shapes += [Line(at(beside + 4, y), at(sides[1], y), AXIS) for y in heights]
    if len(rig.lanes) > 1:
        one, other = rig.lanes[0].x_mm, rig.lanes[1].x_mm
        shapes += dimension(at(one, back + 10), at(other, back + 10), mm(other - one), size_mm=9.0)
    return Drawing(right - left, top - bottom, tuple(shapes))


def table_from_the_side(rig: Rig, speaker: Speaker) -> Drawing:
    """Return a section of the track along a lane: slope, fence, beams, boss, landing, with all heights."""

    def mm(value: float) -> str:
        return speaker.number(value, "g")

    left, right = rig.landing_y_mm[0] - 22, slot_end_mm(rig) + 42
    boss_top = rig.boss_base_z_mm + rig.boss_size_mm[2]
    top = max(rig.fence_top_mm, boss_top) + 26

    def at(y_mm: float, z_mm: float) -> Point:
        return (y_mm - left, top - z_mm)

    thick = rig.fence_thickness_mm
    lane = max(rig.lanes, key=lambda each: each.hole_mm)
    face = rig.fence_y_mm - thick / 2
    floor = rig.ramp_foot[1]
    shapes: list[Shape] = [
        Line(at(left, 0), at(right, 0), CUT),
        Outline(tuple(at(*point) for point in profile(rig)), CUT, _WOOD),
        box(*at(face, rig.fence_top_mm), thick, rig.fence_top_mm, CUT, "#b98a55"),
        box(*at(face, floor + lane.hole_mm), thick, lane.hole_mm, THIN, "#ffffff"),
        box(
            *at(rig.landing_y_mm[0], rig.landing_z_mm),
            rig.landing_y_mm[1] - rig.landing_y_mm[0] - thick / 2,
            rig.landing_z_mm,
            CUT,
            GREY,
        ),
        box(
            *at(rig.boss_slot_y_mm - rig.boss_size_mm[1] / 2, boss_top),
            rig.boss_size_mm[1],
            rig.boss_size_mm[2],
            CUT,
            "#7d3c98",
        ),
        Text(at(rig.boss_slot_y_mm, boss_top + 3), speaker.say("sheets.side.boss"), 4.5, "middle"),
        Text(at(rig.fence_y_mm, rig.fence_top_mm + 3), speaker.say("sheets.side.fence"), 4.5, "middle"),
        Text(at(rig.landing_y_mm[0] + 30, 5), speaker.say("sheets.part.landing"), 4.5, "middle"),
        Text(
            at(rig.ramp_top[0] * 0.62, rig.ramp_z_mm(rig.ramp_top[0] * 0.62) * 0.4),
            speaker.say("sheets.part.track"),
            5.0,
            "middle",
        ),
    ]
    run = (rig.ramp_foot, (rig.ramp_top[0] - 5, rig.ramp_z_mm(rig.ramp_top[0] - 5)))
    wall = tuple(at(y, z + rig.wall_height_mm) for y, z in run)
    shapes.append(Outline(wall, AXIS, closed=False))
    for beam in rig.beams:
        shapes += [Circle(at(beam.y_mm, beam.z_mm), 4, None, "#c0392b"), *cross(at(beam.y_mm, beam.z_mm), 4)]
        away = 26 if beam.y_mm > rig.fence_y_mm else -26
        words = f"{beam_name(beam, speaker)}: y {mm(beam.y_mm)}, z {mm(beam.z_mm)}"
        shapes += [
            Line(at(beam.y_mm, beam.z_mm), at(beam.y_mm + away, beam.z_mm + 36), THIN),
            Text(at(beam.y_mm + away, beam.z_mm + 38), words, 4.0, "left" if away > 0 else "right", colour="#c0392b"),
        ]
    marks = [rig.landing_y_mm[0], rig.fence_y_mm, rig.ramp_top[0], rig.platform_end_y_mm]
    for one, other in itertools.pairwise(marks):
        shapes += dimension(at(one, -8), at(other, -8), mm(other - one), size_mm=4.0)
    shapes += [Line(at(y, 0), at(y, -10), AXIS) for y in marks]
    behind = slot_end_mm(rig) + LIP_MM
    shapes += dimension(at(behind + 10, 0), at(behind + 10, rig.ramp_top[1]), mm(rig.ramp_top[1]), size_mm=4.0)
    shapes += dimension(
        at(rig.boss_slot_y_mm + 9, rig.boss_base_z_mm),
        at(rig.boss_slot_y_mm + 9, boss_top),
        mm(rig.boss_size_mm[2]),
        size_mm=4.0,
    )
    shapes += dimension(at(behind + 22, 0), at(behind + 22, rig.boss_base_z_mm), mm(rig.boss_base_z_mm), size_mm=4.0)
    shapes += dimension(
        at(rig.fence_y_mm - 10, 0), at(rig.fence_y_mm - 10, rig.fence_top_mm), mm(rig.fence_top_mm), size_mm=4.0
    )
    foot = speaker.say("sheets.side.foot", {"mm": floor})
    shapes += [Line(at(4, floor), at(40, -17), THIN), Text(at(41, -18.5), foot, 4.0, colour=DIMENSION_INK)]
    bottom = -26.0
    return Drawing(right - left, top - bottom, tuple(shapes))


def fence_measures(rig: Rig, speaker: Speaker) -> Drawing:
    """Return the fence from the front with the place and size of every hole."""

    def mm(value: float) -> str:
        return speaker.number(value, "g")

    plain = fence(rig, speaker)
    left, above = 34.0, 8.0
    foot = above + plain.height_mm
    half = plain.width_mm / 2
    first = middle_mm(rig) - half
    shapes = placed(plain.shapes, left, above)
    for lane in rig.lanes:
        x = left + lane.x_mm - first
        shapes.append(Line((x, foot), (x, foot + 20), AXIS))
        shapes.append(Text((x, foot + 25), f"x {mm(lane.x_mm)}", 4.0, "middle", colour=DIMENSION_INK))
        height = rig.ramp_foot[1] + lane.hole_mm / 2
        shapes.append(Text((x, foot + 31), f"z {mm(height)}", 4.0, "middle", colour=DIMENSION_INK))
    for one, other in zip(rig.lanes, rig.lanes[1:], strict=False):
        ends = ((left + one.x_mm - first, foot + 9), (left + other.x_mm - first, foot + 9))
        shapes += dimension(*ends, mm(other.x_mm - one.x_mm), size_mm=4.0)
    shapes += dimension((left, foot + 42), (left + plain.width_mm, foot + 42), mm(plain.width_mm), size_mm=4.5)
    shapes += dimension((left - 8, foot), (left - 8, above), mm(plain.height_mm), size_mm=4.5)
    shapes += dimension((left - 20, foot), (left - 20, foot - rig.ramp_foot[1]), mm(rig.ramp_foot[1]), size_mm=4.0)
    shapes.append(
        Line((left - 22, foot - rig.ramp_foot[1]), (left + rig.fence_overhang_mm, foot - rig.ramp_foot[1]), AXIS)
    )
    return Drawing(plain.width_mm + left + 12, foot + 48, tuple(shapes))
