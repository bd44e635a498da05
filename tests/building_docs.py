"""`make docs`: drawings and tables of docs/table.md, made anew from the rig's and the settings' defaults."""

from __future__ import annotations

import math

import msgspec

from appliance.settings import Settings
from appliance.words.catalogues import words_for
from calibration.sheets.building_drawings import fence_measures, table_from_above, table_from_the_side
from calibration.sheets.drawing import Drawing
from calibration.sheets.place_drawings import camera_and_lamps, pan_on_its_cell
from calibration.sheets.svg import svg
from calibration.sheets.track_parts import BEAM_GAP_MM, BOARD_MM, beam_slots, wall_length_mm
from calibration.sheets.wiring import RAIL_PINS, Wire, wires
from calibration.sheets.wiring_drawing import wiring_drawing
from hardware.rig import Rig
from tests.places import DOCS

PAGE = DOCS / "table.md"
OUT = DOCS / "img" / "table"
WIDE_PX = 960


def default_wires() -> tuple[Wire, ...]:
    """The wires of a table whose settings nobody changed."""
    return wires({field.name: field.default for field in msgspec.structs.fields(Settings)})


def drawings() -> dict[str, str]:
    """Every drawing as SVG, by the name of its file."""
    rig, speaker = Rig(), words_for("en")
    drawn: dict[str, tuple[str, Drawing]] = {
        "above": ("The table from above, with the places of everything", table_from_above(rig, speaker)),
        "side": ("The track from the side, with all heights", table_from_the_side(rig, speaker)),
        "fence": ("The fence from the front, with every hole", fence_measures(rig, speaker)),
        "camera": ("Where camera and lamps stand", camera_and_lamps(rig, speaker)),
        "pan": ("The pan on its load cell, cut through the middle", pan_on_its_cell(rig, speaker)),
        "wiring": ("The wiring, down to the pins of the header", wiring_drawing(default_wires(), speaker)),
    }
    return {f"{name}.svg": svg(each, title, WIDE_PX / each.width_mm) for name, (title, each) in drawn.items()}


def wiring_table() -> str:
    """The table of all wires in Markdown."""
    speaker = words_for("en")
    rows = ["| part | terminal | colour | goes to |", "|---|---|---|---|"]
    for wire in default_wires():
        part = speaker.say(f"sheets.wire.{wire.part}")
        if isinstance(wire.to, int):
            where = f"header pin {wire.header_pin} (BCM {wire.to})"
        elif wire.to in RAIL_PINS:
            where = f"{wire.to} rail"
        elif wire.to == "5V LED":
            where = "5 V of the strip's own supply"
        else:
            where = speaker.say(f"sheets.wire_to.{wire.part}", {"terminal": wire.to})
        rows.append(f"| {part} | {wire.terminal} | {wire.colour} | {where} |")
    return "\n".join(rows)


def measures_table() -> str:
    """The table of the parts to cut, in Markdown."""
    rig = Rig()
    wide = f"{2 * rig.half_width_mm:g}"
    long = 2 * (rig.half_width_mm + rig.fence_overhang_mm)
    slope = math.hypot(rig.ramp_top[0] - rig.ramp_foot[0], rig.ramp_top[1] - rig.ramp_foot[1])
    (gap_at, gap_deep), *_ = beam_slots(rig)
    gap_at -= rig.fence_y_mm + rig.fence_thickness_mm / 2
    gap = f"gap of {BEAM_GAP_MM:g} × {gap_deep:.1f} for the front beam, its middle {gap_at:.1f} from the fence"
    wall = f"{wall_length_mm(rig):.1f} × {rig.wall_height_mm:g} × {rig.wall_thickness_mm:g}"
    deep = rig.landing_y_mm[1] - rig.landing_y_mm[0]
    boss = " × ".join(f"{each:g}" for each in rig.boss_size_mm)
    tray = f"{rig.tray_side_mm:g} × {rig.tray_side_mm:g} × {rig.tray_z_mm:g}"
    rows = [
        ("fence", 1, f"{long:g} × {rig.fence_top_mm:g} × {rig.fence_thickness_mm:g}", "sheet *Fence*"),
        (
            "board of the ramp",
            1,
            f"{wide} × {slope:.1f} × {BOARD_MM:g}",
            "smooth; its upper side is the running surface",
        ),
        ("board of the platform", 1, f"{wide} × {rig.platform_end_y_mm - rig.ramp_top[0]:g} × {BOARD_MM:g}", "level"),
        ("support", 3, "sheet *Supports*", "plywood of 6 to 10 mm"),
        ("wall beside the lanes", len(rig.lanes) + 1, wall, gap),
        ("ground behind the fence", 1, f"{wide} × {deep:g} × {rig.landing_z_mm:g}", "card under the sheet *Ground*"),
        ("plate of the beams", 2, "sheet *Supports*", "one at either end of the fence"),
        ("boss", 1, boss, "a card of one colour, on a foot; it differs from the platform"),
        ("pan", 1, f"Ø {rig.pan_diameter_mm:g}", f"plain grey, its top {rig.pan_z_mm:g} over the table"),
        ("tray", 1, tray, "green felt"),
        ("markers", len(rig.markers), f"black square {rig.marker_side_mm:g}", f"on card of {rig.markers[0].z_mm:g}"),
    ]
    head = ["| part | pieces | mm | note |", "|---|---|---|---|"]
    return "\n".join([*head, *(f"| {name} | {count} | {size} | {note} |" for name, count, size, note in rows)])


def filled(page: str) -> str:
    """The page with its made parts made anew: each stands between `<!-- made: name -->` and `<!-- end -->`."""
    made = {"wiring": wiring_table(), "measures": measures_table()}
    for name, text in made.items():
        start, end = f"<!-- made: {name} -->\n", "<!-- end -->"
        before, _, rest = page.partition(start)
        _, _, after = rest.partition(end)
        page = f"{before}{start}{text}\n{end}{after}"
    return page


def main() -> None:
    """Write them."""
    OUT.mkdir(parents=True, exist_ok=True)
    for name, text in drawings().items():
        (OUT / name).write_text(text, encoding="utf-8")
    PAGE.write_text(filled(PAGE.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
