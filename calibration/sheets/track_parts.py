"""Templates of the parts of the track at 1:1: fence, printed strip, support, walls, landing, beam plates, boss."""

from __future__ import annotations

import math

from calibration.messages import Speaker
from calibration.sheets.drawing import (
    AXIS,
    CUT,
    DIMENSION_INK,
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
    ring,
)
from hardware.rig import Beam, Rig

BOARD_MM = 3.0
"""Thickness of the board on the supports. The supports' template has a second line for it."""
CIRCLE_LINE_MM = 1.0
"""Line width of the printed circles; `calibrate track` measures the outer edge."""
BEAM_HOLE_MM = 5.0
"""Diameter of common infrared diodes."""
BEAM_GAP_MM = 6.0
"""Width of the gap that lets a beam through the walls between the lanes."""
PLATE_MARGIN_MM = 16.0
LIP_MM = 4.0
"""Depth of the edge behind the boss's slot."""
WALL_ENDS_MM = 5.0
"""Distance of the walls' upper ends from the platform, so that a sphere can be laid there."""


def lane_seams(rig: Rig, left_mm: float) -> tuple[float, ...]:
    """Return the x between neighbouring lanes, relative to a left edge at `left_mm`. No hole or circle is there."""
    pairs = zip(rig.lanes, rig.lanes[1:], strict=False)
    return tuple((one.x_mm + one.hole_mm / 2 + other.x_mm - other.hole_mm / 2) / 2 - left_mm for one, other in pairs)


def middle_mm(rig: Rig) -> float:
    """Return the x of the middle of the track."""
    return (rig.lanes[0].x_mm + rig.lanes[-1].x_mm) / 2


def slot_end_mm(rig: Rig) -> float:
    """Return the y at which the boss's slot ends. The figure stands in the middle of the slot."""
    return 2 * rig.boss_slot_y_mm - rig.platform_end_y_mm


def fence(rig: Rig, speaker: Speaker) -> Drawing:
    """Return the fence seen from the front, its lower edge on the table, with every hole."""
    half = rig.half_width_mm + rig.fence_overhang_mm
    left = middle_mm(rig) - half
    high = rig.fence_top_mm
    floor = high - rig.ramp_foot[1]
    shapes: list[Shape] = [box(0, 0, 2 * half, high)]
    track = rig.fence_overhang_mm, 2 * half - rig.fence_overhang_mm
    shapes += [Line((x, floor), (x, high), AXIS) for x in track]
    shapes.append(Line((track[0], floor), (track[1], floor), AXIS))
    for lane in rig.lanes:
        x, radius = lane.x_mm - left, lane.hole_mm / 2
        centre = (x, floor - radius)
        shapes += [Circle(centre, lane.hole_mm), *cross(centre, radius + 3, AXIS)]
        shapes.append(Text((x, 8), str(lane.number), 6.0, "middle", bold=True))
        shapes.append(Text((x, 13.5), f"Ø {speaker.number(lane.hole_mm, 'g')}", 4.0, "middle"))
    shapes.append(Text((track[0] + 2, high - 2.2), speaker.say("sheets.part.fence_foot"), 2.8, colour="#555555"))
    return Drawing(2 * half, high, tuple(shapes), lane_seams(rig, left))


def strip(rig: Rig, speaker: Speaker) -> Drawing:
    """Return the strip on the platform seen from above: one circle per lane, of the size of its hole."""
    left = middle_mm(rig) - rig.half_width_mm
    wide, deep = 2 * rig.half_width_mm, rig.platform_end_y_mm - rig.ramp_top[0]
    shapes: list[Shape] = [box(0, 0, wide, deep, THIN)]
    for lane in rig.lanes:
        centre = (lane.x_mm - left, deep / 2)
        shapes.append(ring(centre, lane.hole_mm, CIRCLE_LINE_MM))
        shapes.append(Text((centre[0], centre[1] + 1.6), speaker.number(lane.hole_mm, "g"), 4.4, "middle", bold=True))
    return Drawing(wide, deep, tuple(shapes), lane_seams(rig, left))


def profile(rig: Rig) -> tuple[Point, ...]:
    """Return the outline of the track's side as points (y, z) in mm, starting at the fence's uphill face."""
    foot_y = rig.fence_y_mm + rig.fence_thickness_mm / 2
    top_z, end = rig.ramp_top[1], slot_end_mm(rig)
    slot = ((rig.platform_end_y_mm, rig.boss_base_z_mm), (end, rig.boss_base_z_mm), (end, top_z))
    return (
        (foot_y, 0.0),
        (foot_y, rig.ramp_z_mm(foot_y)),
        rig.ramp_top,
        (rig.platform_end_y_mm, top_z),
        *slot,
        (end + LIP_MM, top_z),
        (end + LIP_MM, 0.0),
    )


def support(rig: Rig, speaker: Speaker) -> Drawing:
    """Return the side of the track, as a template for its supports."""
    outline = profile(rig)
    near, far = outline[0][0], outline[-1][0]
    high = rig.ramp_top[1]

    def at(y_mm: float, z_mm: float) -> Point:
        return (y_mm - near, high - z_mm)

    steep = BOARD_MM * math.hypot(rig.ramp_top[0] - rig.ramp_foot[0], high - rig.ramp_foot[1])
    drop = steep / (rig.ramp_top[0] - rig.ramp_foot[0])
    lower = (
        at(near, rig.ramp_z_mm(near) - drop),
        at(rig.ramp_top[0], high - drop),
        at(rig.platform_end_y_mm, high - drop),
    )
    names = speaker.say("sheets.part.support_line", {"thick_mm": BOARD_MM})
    turn = math.degrees(math.atan2(high - rig.ramp_foot[1], rig.ramp_top[0] - rig.ramp_foot[0]))
    middle = (rig.ramp_foot[0] + rig.ramp_top[0]) / 2
    shapes: list[Shape] = [
        Outline(tuple(at(*point) for point in outline)),
        Outline(lower, AXIS, closed=False),
        Text(at(middle, rig.ramp_z_mm(middle) - drop - 4.5), names, 2.8, "middle", turn_deg=turn),
        Text((3, high - 1.5), speaker.say("sheets.part.fence_here"), 2.4),
    ]
    return Drawing(far - near, high, tuple(shapes))


def beam_slots(rig: Rig) -> list[tuple[float, float]]:
    """Return, for each beam that crosses the lanes' walls, its place along the wall and its gap's depth, in mm."""
    (y0, z0), (y1, z1) = rig.ramp_foot, rig.ramp_top
    slope = math.atan2(z1 - z0, y1 - y0)
    found = []
    for beam in rig.beams:
        above = (beam.z_mm - rig.ramp_z_mm(beam.y_mm)) * math.cos(slope)
        deep = rig.wall_height_mm - above + BEAM_GAP_MM / 2
        if beam.y_mm > rig.fence_y_mm and deep > 0:
            along = (beam.y_mm - y0) / math.cos(slope) + (beam.z_mm - rig.ramp_z_mm(beam.y_mm)) * math.sin(slope)
            found.append((along, min(deep, rig.wall_height_mm)))
    return found


def wall_length_mm(rig: Rig) -> float:
    """Return the length of the walls between the lanes, along the slope."""
    run = rig.ramp_top[0] - WALL_ENDS_MM - max(rig.ramp_foot[0], rig.fence_y_mm + rig.fence_thickness_mm / 2)
    rise = (rig.ramp_top[1] - rig.ramp_foot[1]) / (rig.ramp_top[0] - rig.ramp_foot[0])
    return run * math.hypot(1.0, rise)


def wall(rig: Rig) -> Drawing:
    """Return a wall between lanes seen from the side, its end at the fence on the left."""
    long, high = wall_length_mm(rig), rig.wall_height_mm
    start = rig.fence_y_mm + rig.fence_thickness_mm / 2 - rig.ramp_foot[0]
    top: list[Point] = [(0.0, 0.0)]
    for along, deep in sorted(beam_slots(rig)):
        left, right = along - start - BEAM_GAP_MM / 2, along - start + BEAM_GAP_MM / 2
        if left > 0 and right < long:
            top += [(left, 0.0), (left, deep), (right, deep), (right, 0.0)]
    return Drawing(long, high, (Outline((*top, (long, 0.0), (long, high), (0.0, high))),))


def landing(rig: Rig) -> Drawing:
    """Return the ground behind the fence, with a column and a number for each lane."""
    left = middle_mm(rig) - rig.half_width_mm
    wide, deep = 2 * rig.half_width_mm, rig.landing_y_mm[1] - rig.landing_y_mm[0]
    shapes: list[Shape] = [box(0, 0, wide, deep, THIN)]
    edges = tuple((one.x_mm + other.x_mm) / 2 - left for one, other in zip(rig.lanes, rig.lanes[1:], strict=False))
    shapes += [Line((x, 0), (x, deep), THIN) for x in edges]
    size = min(12.0, deep / 4)
    for lane in rig.lanes:
        shapes.append(Text((lane.x_mm - left, deep - size * 0.6), str(lane.number), size, "middle", bold=True))
    return Drawing(wide, deep, tuple(shapes), edges)


def beam_plate(rig: Rig, speaker: Speaker) -> Drawing:
    """Return a plate at an end of the fence, seen from the side, with a hole for each beam's diode."""
    if not rig.beams:
        return Drawing(0.0, 0.0, ())
    near = min(min(beam.y_mm for beam in rig.beams), rig.fence_y_mm) - PLATE_MARGIN_MM
    far = max(max(beam.y_mm for beam in rig.beams), rig.fence_y_mm) + PLATE_MARGIN_MM
    high = max(beam.z_mm for beam in rig.beams) + PLATE_MARGIN_MM
    middle, thick = rig.fence_y_mm - near, rig.fence_thickness_mm
    shapes: list[Shape] = [box(0, 0, far - near, high)]
    shapes += [Line((middle + side * thick / 2, 0), (middle + side * thick / 2, high), AXIS) for side in (-1, 1)]
    shapes.append(Text((middle + 3.4, high - 2), speaker.say("sheets.part.fence_here"), 2.4, turn_deg=90))
    for beam in rig.beams:
        shapes += _diode(beam, near, high, speaker)
    return Drawing(far - near, high, tuple(shapes))


def beam_name(beam: Beam, speaker: Speaker) -> str:
    """Return the displayed name of a beam. A name chosen by the owner is cut to 12 characters."""
    return speaker.say(f"sheets.beam.{beam.name}") if beam.name in ("front", "back") else beam.name[:12]


def _diode(beam: Beam, near_mm: float, high_mm: float, speaker: Speaker) -> list[Shape]:
    centre = (beam.y_mm - near_mm, high_mm - beam.z_mm)
    name = Text(
        (centre[0], centre[1] - BEAM_HOLE_MM / 2 - 4.2), beam_name(beam, speaker), 2.6, "middle", colour=DIMENSION_INK
    )
    return [Circle(centre, BEAM_HOLE_MM), *cross(centre, BEAM_HOLE_MM / 2 + 1.5), name]


def boss(rig: Rig) -> Drawing:
    """Return the boss's card."""
    wide, _, high = rig.boss_size_mm
    return Drawing(wide, high, (box(0, 0, wide, high, CUT),))
