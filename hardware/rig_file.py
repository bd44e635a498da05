"""Reads a rig file, and refuses measures that no table can have: parts that overlap, a track that does not rise."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import msgspec

from hardware.files.toml_file import TomlFileError, load_toml
from hardware.rig import Rig


class RigError(TomlFileError):
    """The rig cannot be used: `rig_file_unreadable`, `rig_file_cut`, `rig_file_invalid`, or a code of `flaw_of`."""


SMALLEST_HOLE_MM, LARGEST_HOLE_MM = 16.0, 48.0
"""Range of diameters in which `calibrate track` finds the printed circles."""
_BRIDGE_MM = 1.0
"""Least distance between a hole and the fence's upper edge, in mm."""
_CLEAR_MM = 2.0
"""Error of a place: parts may overlap by this much. It is also the least distance of a beam from the fence."""
_PLACE = (-1500.0, 1500.0)
_RANGES_MM: dict[str, tuple[float, float]] = {
    "marker_side_mm": (10.0, 120.0), "lane_pitch_mm": (17.0, 150.0), "platform_end_y_mm": _PLACE,
    "wall_height_mm": (0.0, 40.0), "wall_thickness_mm": (0.0, 15.0), "fence_y_mm": (-50.0, 50.0),
    "fence_thickness_mm": (0.2, 20.0), "fence_top_mm": (20.0, 300.0), "fence_overhang_mm": (0.0, 200.0),
    "landing_z_mm": (0.0, 50.0), "boss_slot_y_mm": _PLACE, "boss_base_z_mm": (0.0, 300.0), "pan_z_mm": (0.0, 200.0),
    "pan_diameter_mm": (20.0, 200.0), "tray_z_mm": (0.0, 50.0), "tray_side_mm": (20.0, 300.0),
    "ramp_foot": _PLACE, "ramp_top": _PLACE, "landing_y_mm": _PLACE, "boss_size_mm": (0.5, 150.0),
    "pan_centre_mm": _PLACE, "tray_centre_mm": _PLACE,
}  # fmt: skip
"""Range of each measure on a table that can be built and that the camera can see."""
_FLAWS = {
    "rig_out_of_range": "{measure} is {mm:g}; give a number from {least:g} to {most:g}",
    "rig_lanes_out_of_order": "lane {lane} is not to the left of lane {other}; give the lanes from left to right",
    "rig_hole_size": "the hole of lane {lane} is {mm:g} mm; give one from {least:g} to {most:g} mm: for more, fence "
    "or platform have no room",
    "rig_no_room": "fence and platform have room for holes of {most:g} mm only; make the fence "
    "higher or the platform deeper",
    "rig_holes_meet": "the holes of lanes {lane} and {other} meet; make them smaller or move the lanes apart",
    "rig_not_rising": "the track does not rise from the fence to the platform; give it a top that is higher and "
    "farther back than its foot",
    "rig_out_of_order": "{measure} is {mm:g}; it must lie behind {before}, which is {other_mm:g}",
    "rig_markers_meet": "markers {marker} and {other} lie on one another; give each a place of its own",
    "rig_on_track": "{measure} is on the track, under the fence or on the ground behind it; give it a place beside "
    "them",
    "rig_parts_meet": "{measure} and {other} overlap; give each a place of its own",
    "rig_beam_side": "the y of {measure} is {mm:g}; give one from {least:g} to {most:g}: the front beam crosses the "
    "ramp before the fence, the back beam the ground behind it",
    "rig_beam_low": "the z of {measure} is {mm:g}; give one above {surface:g}, where spheres roll",
}


class RigFlaw(msgspec.Struct, frozen=True):
    """Why no table can have these measures: a stable code, and the values for its sentence."""

    code: str
    values: Mapping[str, object]


def flaw_of(rig: Rig) -> RigFlaw | None:
    """Return the first flaw of a rig that no real table can have, or None.

    Codes: `rig_out_of_range`, `rig_lanes_out_of_order`, `rig_no_room`, `rig_hole_size`, `rig_holes_meet`,
    `rig_not_rising`, `rig_out_of_order`, `rig_markers_meet`, `rig_on_track`, `rig_parts_meet`, `rig_beam_side`,
    `rig_beam_low`.
    """
    return next(_flaws(rig), None)


def must_be_possible(rig: Rig, where: str = "") -> Rig:
    """Return the rig if it has no flaw.

    :param where: prefix of the message, such as the file that the rig was read from.
    :raises RigError: no table can have these measures.
    """
    if (flaw := flaw_of(rig)) is not None:
        sentence = _FLAWS[flaw.code].format_map(flaw.values)
        raise RigError(flaw.code, f"{where}: {sentence}" if where else sentence, **flaw.values)
    return rig


def _flaws(rig: Rig) -> Iterator[RigFlaw]:
    yield from _flaws_of_ranges(rig)
    yield from _flaws_of_order(rig)
    yield from _flaws_of_holes(rig)
    for marker, other in itertools.combinations(rig.markers, 2):
        if max(abs(marker.x_mm - other.x_mm), abs(marker.y_mm - other.y_mm)) < rig.marker_side_mm:
            yield RigFlaw("rig_markers_meet", {"marker": marker.id, "other": other.id})
    yield from _flaws_of_places(rig)
    yield from _flaws_of_beams(rig)


def _flaws_of_ranges(rig: Rig) -> Iterator[RigFlaw]:
    measures: list[tuple[str, float, tuple[float, float]]] = []
    for name, bounds in _RANGES_MM.items():
        value = getattr(rig, name)
        measures += [(name, each, bounds) for each in (value if isinstance(value, tuple) else (value,))]
    for lane in rig.lanes:
        measures.append((f"lane.{lane.number}", lane.x_mm, _PLACE))
    for marker in rig.markers:
        measures += [(f"marker.{marker.id}", each, _PLACE) for each in (marker.x_mm, marker.y_mm)]
    for beam in rig.beams:
        measures += [(f"beam.{beam.name}", beam.y_mm, (-100.0, 300.0)), (f"beam.{beam.name}", beam.z_mm, (0.0, 150.0))]
    for name, value, (least, most) in measures:
        if not least <= value <= most:  # false for NaN, too
            yield RigFlaw("rig_out_of_range", {"measure": name, "mm": value, "least": least, "most": most})


def _flaws_of_order(rig: Rig) -> Iterator[RigFlaw]:
    """Yield measures along the track that are not where those before them leave room."""
    (foot_y, foot_z), (top_y, top_z) = rig.ramp_foot, rig.ramp_top
    if top_y <= foot_y or top_z <= foot_z or foot_z < 0:
        yield RigFlaw("rig_not_rising", {})
    order = {
        "landing_y_mm[0]": rig.landing_y_mm[0], "fence_y_mm": rig.fence_y_mm, "ramp_top[0]": top_y,
        "platform_end_y_mm": rig.platform_end_y_mm, "boss_slot_y_mm": rig.boss_slot_y_mm,
    }  # fmt: skip
    for (before, near), (measure, far) in itertools.pairwise(order.items()):
        if far <= near:
            yield RigFlaw("rig_out_of_order", {"measure": measure, "mm": far, "before": before, "other_mm": near})
    near, far = rig.landing_y_mm
    if far <= near:
        values = {"measure": "landing_y_mm[1]", "mm": far, "before": "landing_y_mm[0]", "other_mm": near}
        yield RigFlaw("rig_out_of_order", values)
    if far > rig.fence_y_mm:
        values = {"measure": "fence_y_mm", "mm": rig.fence_y_mm, "before": "landing_y_mm[1]", "other_mm": far}
        yield RigFlaw("rig_out_of_order", values)


class _Rectangle(NamedTuple):
    """A part's outline seen from above, in mm."""

    left: float
    right: float
    near: float
    far: float

    def meets(self, other: _Rectangle) -> bool:
        return self.left < other.right and other.left < self.right and self.near < other.far and other.near < self.far

    def is_within(self, x_mm: float, y_mm: float, away_mm: float) -> bool:
        """Return whether a part of it is nearer to a point than `away_mm`."""
        x = min(max(x_mm, self.left), self.right)
        y = min(max(y_mm, self.near), self.far)
        return math.hypot(x - x_mm, y - y_mm) < away_mm


def _flaws_of_places(rig: Rig) -> Iterator[RigFlaw]:
    """Yield parts that stand on one another. A marker counts as the circle in its square: it may be turned."""
    middle, half = (rig.lanes[0].x_mm + rig.lanes[-1].x_mm) / 2, rig.half_width_mm
    wide, thick = half + rig.fence_overhang_mm, rig.fence_thickness_mm / 2
    track = (
        _Rectangle(middle - half, middle + half, rig.landing_y_mm[0], rig.boss_slot_y_mm),
        _Rectangle(middle - wide, middle + wide, rig.fence_y_mm - thick, rig.fence_y_mm + thick),
    )
    (tray_x, tray_y), side = rig.tray_centre_mm, rig.tray_side_mm / 2 - _CLEAR_MM
    tray = _Rectangle(tray_x - side, tray_x + side, tray_y - side, tray_y + side)
    round_ones = [("pan_centre_mm", *rig.pan_centre_mm, rig.pan_diameter_mm / 2 - _CLEAR_MM)]
    round_ones += [(f"marker.{one.id}", one.x_mm, one.y_mm, rig.marker_side_mm / 2 - _CLEAR_MM) for one in rig.markers]
    on_track = [name for name, x, y, radius in round_ones if any(part.is_within(x, y, radius) for part in track)]
    on_track += ["tray_centre_mm"] if any(tray.meets(part) for part in track) else []
    for name in on_track:
        yield RigFlaw("rig_on_track", {"measure": name})
    pan_x, pan_y = rig.pan_centre_mm
    for name, x, y, radius in round_ones:
        if tray.is_within(x, y, radius):
            yield RigFlaw("rig_parts_meet", {"measure": name, "other": "tray_centre_mm"})
        if name != "pan_centre_mm" and math.hypot(x - pan_x, y - pan_y) < radius + rig.pan_diameter_mm / 2:
            yield RigFlaw("rig_parts_meet", {"measure": name, "other": "pan_centre_mm"})


def _flaws_of_beams(rig: Rig) -> Iterator[RigFlaw]:
    away = rig.fence_thickness_mm / 2 + _CLEAR_MM
    sides = {
        "front": (rig.fence_y_mm + away, rig.platform_end_y_mm),
        "back": (rig.landing_y_mm[0], rig.fence_y_mm - away),
    }
    for beam in rig.beams:
        if beam.name not in sides:
            continue
        least, most = sides[beam.name]
        name = f"beam.{beam.name}"
        if not least <= beam.y_mm <= most:
            yield RigFlaw("rig_beam_side", {"measure": name, "mm": beam.y_mm, "least": least, "most": most})
        surface = rig.ramp_z_mm(beam.y_mm) if beam.name == "front" else rig.landing_z_mm
        if beam.z_mm <= surface:
            yield RigFlaw("rig_beam_low", {"measure": name, "mm": beam.z_mm, "surface": surface})


def hole_range_mm(rig: Rig) -> tuple[float, float]:
    """Return the least and the largest diameter of a hole for which fence and platform have room, in mm."""
    room = min(rig.fence_top_mm - rig.ramp_foot[1] - _BRIDGE_MM, rig.platform_end_y_mm - rig.ramp_top[0])
    return SMALLEST_HOLE_MM, min(LARGEST_HOLE_MM, room)


def _flaws_of_holes(rig: Rig) -> Iterator[RigFlaw]:
    least, most = hole_range_mm(rig)
    if most < least:
        yield RigFlaw("rig_no_room", {"most": most})
    for lane in rig.lanes:
        if not least <= lane.hole_mm <= most:
            values = {"lane": lane.number, "mm": lane.hole_mm, "least": least, "most": most}
            yield RigFlaw("rig_hole_size", values)
    for lane, other in itertools.pairwise(rig.lanes):
        between = other.x_mm - lane.x_mm
        if between <= 0:
            yield RigFlaw("rig_lanes_out_of_order", {"lane": lane.number, "other": other.number})
        elif between < (lane.hole_mm + other.hole_mm) / 2:
            yield RigFlaw("rig_holes_meet", {"lane": lane.number, "other": other.number})


def load_rig(path: Path) -> Rig:
    """Read a rig file (TOML with the fields of `Rig`).

    :raises RigError: the file is missing, not TOML, a field is wrong, or no table can have these measures.
    """
    return must_be_possible(load_toml(path, Rig, RigError, "rig", "smugglers calibrate track"), str(path))
