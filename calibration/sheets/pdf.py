"""Writes pages as a PDF at 1:1. Every page has a ruler to check whether the printer changed the scale."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from fpdf import FPDF

from calibration.messages import Speaker
from calibration.sheets.drawing import CUT, Circle, Line, Outline, Shape, Stroke, Text, placed
from calibration.sheets.pages import FOOTER_MM, MARGIN_MM, Page

RULER_MM = 100
_POINT_MM = 25.4 / 72
_NO_DATE = datetime(2000, 1, 1, tzinfo=UTC)
"""Fixed creation date, so that the same table gives the same file."""


def pdf_of(pages: Sequence[Page], speaker: Speaker) -> bytes:
    """Return the pages as one PDF."""
    pdf = FPDF(unit="mm", format="A4")
    pdf.set_auto_page_break(False)
    pdf.set_margin(0)
    pdf.c_margin = 0
    pdf.set_title(speaker.say("sheets.title"))
    pdf.set_creator("smugglers calibrate sheets")
    pdf.set_creation_date(_NO_DATE)
    pdf.set_lang(speaker.language)
    for number, page in enumerate(pages, start=1):
        wide, high = page.size_mm
        pdf.add_page(orientation="landscape" if wide > high else "portrait", format=(min(wide, high), max(wide, high)))
        if not page.sheet.full_page:
            _header(pdf, page, speaker)
        for tile, x, y in page.tiles:
            shapes = [*tile.drawing.shapes, *tile.marks]
            moved = placed(shapes, x - tile.left_mm, y - tile.top_mm)
            if tile.whole:
                _draw(pdf, moved)
            else:
                with pdf.rect_clip(x, y, tile.width_mm, tile.height_mm):
                    _draw(pdf, moved)
        _footer(pdf, page, speaker, number, len(pages))
    return bytes(pdf.output())


def _header(pdf: FPDF, page: Page, speaker: Speaker) -> None:
    wide = page.size_mm[0] - 2 * MARGIN_MM
    title = page.sheet.title
    if page.of > 1:
        title = speaker.say("sheets.title_of", {"title": title, "number": page.number, "of": page.of})
    _draw(pdf, [Text((MARGIN_MM, MARGIN_MM + 5), title, 6.0, bold=True)])
    text = page.sheet.text
    if not all(tile.whole for tile, _, _ in page.tiles):
        text = f"{speaker.say('sheets.join')} {text}"
    _take_font(pdf, text, 3.3)
    pdf.set_text_color(40)
    pdf.set_xy(MARGIN_MM, MARGIN_MM + 7.5)
    pdf.multi_cell(wide, 4.1, text, align="L", padding=0)


def _footer(pdf: FPDF, page: Page, speaker: Speaker, number: int, of: int) -> None:
    wide, high = page.size_mm
    base = high - MARGIN_MM - FOOTER_MM + 8.5
    shapes: list[Shape] = [Line((MARGIN_MM, base), (MARGIN_MM + RULER_MM, base), Stroke(0.2))]
    for mm in range(RULER_MM + 1):
        tick = 4.0 if mm % 10 == 0 else 2.6 if mm % 5 == 0 else 1.5
        shapes.append(Line((MARGIN_MM + mm, base), (MARGIN_MM + mm, base - tick), Stroke(0.2 if mm % 5 == 0 else 0.1)))
    shapes += [
        Text((MARGIN_MM + mm, base + 3.2), f"{mm} mm" if mm else "0", 2.6, "middle" if mm else "left")
        for mm in range(0, RULER_MM + 1, 50)
    ]
    beside = MARGIN_MM + RULER_MM + 6
    if page.sheet.full_page:
        shapes.append(Text((beside, base - 3.5), page.sheet.title, 3.6, bold=True))
        shapes.append(Text((beside, base), page.sheet.text, 2.8))
    else:
        shapes.append(Text((beside, base), speaker.say("sheets.ruler", {"mm": RULER_MM}), 2.8))
    shapes.append(Text((wide - MARGIN_MM, base + 3.2), f"{speaker.say('sheets.title')} · {number}/{of}", 2.6, "right"))
    _draw(pdf, shapes)


def _draw(pdf: FPDF, shapes: Sequence[Shape]) -> None:
    for shape in shapes:
        match shape:
            case Line((x1, y1), (x2, y2), stroke):
                _take_pen(pdf, stroke)
                pdf.line(x1, y1, x2, y2)
            case Circle((x, y), diameter_mm, stroke, fill):
                pdf.circle(x, y, diameter_mm / 2, style=_style(pdf, stroke, fill))
            case Outline(points, stroke, fill, True):
                pdf.polygon(points, style=_style(pdf, stroke, fill))
            case Outline(points, stroke, _, _):
                _take_pen(pdf, stroke or CUT)
                pdf.polyline(points)
            case Text(at, text, size_mm, align, bold, colour, turn_deg):
                _take_font(pdf, text, size_mm, bold=bold)
                pdf.set_text_color(*_rgb(colour))
                shift = {"left": 0.0, "middle": 0.5, "right": 1.0}[align] * pdf.get_string_width(text)
                with pdf.rotation(turn_deg, at[0], at[1]):
                    pdf.text(at[0] - shift, at[1], text)


def _take_font(pdf: FPDF, text: str, size_mm: float, *, bold: bool = False) -> None:
    """Set a standard PDF font. For characters outside Latin-1, embed the font of the plots instead."""
    family, style = "Helvetica", "B" if bold else ""
    if not text.isascii() and text != text.encode("latin-1", "replace").decode("latin-1"):
        from matplotlib import get_data_path

        family = "DejaVu"
        if f"dejavu{style}" not in map(str.lower, pdf.fonts):
            file = Path(get_data_path(), "fonts", "ttf", f"DejaVuSans{'-Bold' if bold else ''}.ttf")
            pdf.add_font(family, style, file)
    pdf.set_font(family, style=style, size=size_mm / _POINT_MM)


def _style(pdf: FPDF, stroke: Stroke | None, fill: str | None) -> str:
    if fill is not None:
        pdf.set_fill_color(*_rgb(fill))
    if stroke is not None:
        _take_pen(pdf, stroke)
    return ("D" if stroke is not None else "") + ("F" if fill is not None else "")


def _take_pen(pdf: FPDF, stroke: Stroke) -> None:
    pdf.set_draw_color(*_rgb(stroke.colour))
    pdf.set_line_width(stroke.width_mm)
    dash, gap = (*stroke.dash_mm, 0.0, 0.0)[:2]
    pdf.set_dash_pattern(dash=dash, gap=gap)


def _rgb(colour: str) -> tuple[int, int, int]:
    return (int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16))
