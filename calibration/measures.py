"""Changes of a table's measures by people: `pan_diameter_mm=80`, `hole.3=36.2`, `marker.0=-200,-60`."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Sequence

import msgspec

from calibration.messages import CodedError
from hardware.rig import Rig
from hardware.rig_file import must_be_possible

MEASURES = (
    "lane_pitch_mm", "marker_side_mm", "ramp_foot", "ramp_top", "platform_end_y_mm", "wall_height_mm",
    "wall_thickness_mm", "fence_thickness_mm", "fence_top_mm", "fence_overhang_mm", "landing_y_mm", "landing_z_mm",
    "boss_slot_y_mm", "boss_base_z_mm", "boss_size_mm", "pan_centre_mm", "pan_diameter_mm", "pan_z_mm",
    "tray_centre_mm", "tray_side_mm", "tray_z_mm",
)  # fmt: skip
"""The rig's fields that a maker can choose. Lanes, holes, markers and beams have names of their own."""
LONGEST_CHANGE = 80
BY_HAND = "by hand"
"""The `source` of a rig whose measures people entered last."""


class MeasureError(CodedError):
    """A change is invalid: `measure_unknown`, `measure_no_number` or `measure_twice`."""


def measures(rig: Rig) -> Iterator[tuple[str, tuple[float, ...]]]:
    """Yield every measure that can be changed: its name, and its one to three numbers in mm."""
    for lane in rig.lanes:
        yield f"hole.{lane.number}", (lane.hole_mm,)
    for lane in rig.lanes:
        yield f"lane.{lane.number}", (lane.x_mm,)
    for marker in rig.markers:
        yield f"marker.{marker.id}", (marker.x_mm, marker.y_mm)
    for beam in rig.beams:
        yield f"beam.{beam.name}", (beam.y_mm, beam.z_mm)
    for name in MEASURES:
        value = getattr(rig, name)
        yield name, value if isinstance(value, tuple) else (value,)


def changed(rig: Rig, changes: Sequence[str]) -> Rig:
    """Return the rig with these changes, each `name=number` or `name=number,number`.

    A new `lane_pitch_mm` also moves the lanes to this pitch about their middle.

    :raises MeasureError: a change has an unknown name or invalid numbers, or a measure is given twice.
    :raises RigError: no table can have these measures.
    """
    given = set[str]()
    for change in sorted(changes, key=lambda each: not each.strip().startswith("lane_pitch_mm")):
        rig, name = _changed(rig, change)
        if name in given:
            raise MeasureError("measure_twice", f"{name} is given twice; give every measure once", measure=name)
        given.add(name)
    return must_be_possible(msgspec.structs.replace(rig, source=BY_HAND, made_utc=""))


def _changed(rig: Rig, change: str) -> tuple[Rig, str]:
    """Return the rig with one change, and the name of the measure that it changes."""
    name, _, text = (part.strip() for part in change.partition("="))
    now = dict(measures(rig))
    if name not in now:
        near = difflib.get_close_matches(name[:LONGEST_CHANGE], now, n=1)
        shown = _shown(name)
        hint = near[0] if near else next(iter(now))
        message = f'there is no measure "{shown}"; write one of the list, such as {hint}=…'
        raise MeasureError("measure_unknown", message, measure=shown, near=hint)
    numbers = _numbers(text, len(now[name]))
    if numbers is None:
        example = ",".join(f"{each:g}" for each in now[name])
        if not text:
            message = f"{name} has no value; write numbers in mm, such as {name}={example}"
            raise MeasureError("measure_without_number", message, measure=name, example=example)
        message = f'"{_shown(text)}" is not a measure; write numbers in mm, such as {name}={example}'
        raise MeasureError("measure_no_number", message, text=_shown(text), measure=name, example=example)
    return _with(rig, name, numbers), name


def _with(rig: Rig, name: str, numbers: tuple[float, ...]) -> Rig:
    kind, _, which = name.partition(".")
    match kind:
        case "hole" | "lane":
            field = "hole_mm" if kind == "hole" else "x_mm"
            lanes = [
                msgspec.structs.replace(lane, **{field: numbers[0]}) if str(lane.number) == which else lane
                for lane in rig.lanes
            ]
            return msgspec.structs.replace(rig, lanes=tuple(lanes))
        case "marker":
            x_mm, y_mm = numbers
            markers = [
                msgspec.structs.replace(marker, x_mm=x_mm, y_mm=y_mm) if str(marker.id) == which else marker
                for marker in rig.markers
            ]
            return msgspec.structs.replace(rig, markers=tuple(markers))
        case "beam":
            y_mm, z_mm = numbers
            beams = [
                msgspec.structs.replace(beam, y_mm=y_mm, z_mm=z_mm) if beam.name == which else beam
                for beam in rig.beams
            ]
            return msgspec.structs.replace(rig, beams=tuple(beams))
        case "lane_pitch_mm":
            middle = (rig.lanes[0].x_mm + rig.lanes[-1].x_mm) / 2
            first = middle - numbers[0] * (len(rig.lanes) - 1) / 2
            lanes = [
                msgspec.structs.replace(lane, x_mm=first + numbers[0] * place) for place, lane in enumerate(rig.lanes)
            ]
            return msgspec.structs.replace(rig, lanes=tuple(lanes), lane_pitch_mm=numbers[0])
        case _:
            value = numbers if isinstance(getattr(rig, name), tuple) else numbers[0]
            try:
                return msgspec.structs.replace(rig, **{name: value})
            except ValueError:  # the rig's constructor refuses a ramp whose top is not behind its foot
                flat = msgspec.structs.replace(rig, ramp_foot=(0.0, 0.0), ramp_top=(1.0, 0.0))
                must_be_possible(flat)
                raise


def _numbers(text: str, count: int) -> tuple[float, ...] | None:
    """Parse `count` numbers; return None if the text is not such numbers.

    Several numbers are separated by `,`, or by `;` if `,` is the decimal mark.
    """
    if len(text) > LONGEST_CHANGE:
        return None
    parts = text.replace("−", "-").split(";" if ";" in text else ",") if count > 1 else [text.replace("−", "-")]
    found = []
    for part in parts:
        if re.fullmatch(r"\s*[+-]?[0-9]{1,6}([.,][0-9]{1,6})?\s*", part) is None:
            return None
        found.append(float(part.replace(",", ".")))
    return tuple(found) if len(found) == count else None


def _shown(text: str) -> str:
    """Return user input in a form that is safe to print on one line."""
    plain = "".join(letter if letter.isprintable() else "�" for letter in text)
    return plain if len(plain) <= 40 else f"{plain[:40]}…"
