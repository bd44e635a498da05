"""Makes the complete set of sheets of one table from its measures."""

from __future__ import annotations

from calibration.messages import Speaker
from calibration.sheets import table_parts, track_parts
from calibration.sheets.building_drawings import table_from_above, table_from_the_side
from calibration.sheets.drawing import Drawing, Text, placed
from calibration.sheets.pages import PAPER_MM, Page, Paper, Sheet, pages
from calibration.sheets.pdf import pdf_of
from calibration.sheets.place_drawings import camera_and_lamps
from calibration.sheets.wiring import Wire
from calibration.sheets.wiring_drawing import wiring_drawing
from hardware.rig import Rig


def sheets_pdf(rig: Rig, paper: Paper, speaker: Speaker, wires: tuple[Wire, ...] = ()) -> bytes:
    """Return a PDF with all templates of this table at 1:1 and overview drawings; `wires` are on the last page."""
    return pdf_of(sheet_pages(rig, paper, speaker, wires), speaker)


def sheet_pages(rig: Rig, paper: Paper, speaker: Speaker, wires: tuple[Wire, ...] = ()) -> list[Page]:
    """Return the pages of `sheets_pdf`."""
    return [page for sheet in _sheets(rig, paper, speaker, wires) for page in pages(sheet, paper)]


def _sheets(rig: Rig, paper: Paper, speaker: Speaker, wires: tuple[Wire, ...]) -> list[Sheet]:
    def sheet(name: str, *drawings: Drawing, full_page: bool = False) -> Sheet:
        title, text = speaker.say(f"sheets.{name}"), speaker.say(f"sheets.{name}.text")
        return Sheet(name, title, text, drawings, full_page=full_page)

    def named(code: str, drawing: Drawing, **values: object) -> Drawing:
        """Add a part's name under its drawing."""
        name = Text((0.0, drawing.height_mm + 6), speaker.say(f"sheets.part.{code}", values), 3.2, bold=True)
        wide = max(drawing.width_mm, len(name.text) * name.size_mm * 0.55)
        return Drawing(wide, drawing.height_mm + 7, (*drawing.shapes, name))

    room = max(PAPER_MM[paper]) - 20
    walls = len(rig.lanes) + 1
    parts = [named("support", track_parts.support(rig, speaker))]
    if rig.beams:
        parts.append(named("beam_plate", track_parts.beam_plate(rig, speaker)))
    parts += [named("boss", track_parts.boss(rig)), named("wall", track_parts.wall(rig), count=walls)]
    sheets = [
        sheet("overview", *(_fitting(drawing, room) for drawing in (table_from_above(rig, speaker),))),
        sheet("side", _fitting(table_from_the_side(rig, speaker), room)),
        sheet("camera", _fitting(camera_and_lamps(rig, speaker), room)),
        sheet("fence", track_parts.fence(rig, speaker)),
        sheet("strip", track_parts.strip(rig, speaker)),
        sheet("parts", *parts),
        sheet("landing", track_parts.landing(rig)),
        sheet("pan_tray", named("pan", table_parts.pan(rig)), named("tray", table_parts.tray(rig))),
        sheet("markers", *(table_parts.marker(rig, one, speaker) for one in rig.markers)),
        sheet("board", table_parts.board(), full_page=True),
        sheet("plan", table_parts.ground_plan(rig, speaker)),
    ]
    if wires:
        sheets.append(sheet("wiring", _fitting(wiring_drawing(wires, speaker), room)))
    return sheets


_HIGH_MM = 155.0
"""Room on a page for a drawing that is not at 1:1."""


def _fitting(drawing: Drawing, room_mm: float) -> Drawing:
    """Scale a drawing that is not at 1:1 to the size of a page."""
    scale = min(room_mm / drawing.width_mm, _HIGH_MM / drawing.height_mm)
    return Drawing(drawing.width_mm * scale, drawing.height_mm * scale, tuple(placed(drawing.shapes, 0, 0, scale)))
