"""The one-page report of a calibration: the same content as HTML without external resources, and as a PNG."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Literal

import msgspec
from jinja2 import Environment
from markupsafe import Markup

from calibration import store
from calibration.messages import CalibrationVerdict, Grade, Speaker, sentences
from calibration.report.chart import INKS, Chart, Ink

if TYPE_CHECKING:
    from calibration.report.rendering import Sheet

_TEMPLATE = Path(__file__).with_suffix(".html")
_WIDTH, _MARGIN, _GAP = 1000.0, 40.0, 28.0
_ROW, _TEXT = 22.0, 13.0
_GRADE_INK: dict[str, Ink] = {"good": "good", "usable": "cool", "poor": "mark"}


class TextTable(msgspec.Struct, frozen=True):
    """Rows of text under a heading. The first column is aligned left, the others right."""

    title: str
    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


class CaptionedChart(msgspec.Struct, frozen=True):
    """A chart with the sentence under it. With `wide` it takes the whole width of the page."""

    chart: Chart
    caption: str
    wide: bool = False


class ReportPage(msgspec.Struct, frozen=True, kw_only=True):
    """The content of a report, in one language. `sentences` are the verdict, the most important first."""

    language: str
    title: str
    made: str
    grade: Grade
    grade_said: str
    sentences: tuple[str, ...]
    tables: tuple[TextTable, ...]
    figures: tuple[CaptionedChart, ...]

    @classmethod
    def of(
        cls,
        kind: Literal["camera", "track", "balls", "scale"],
        made: str,
        judged: CalibrationVerdict,
        speaker: Speaker,
        *,
        tables: tuple[TextTable, ...],
        figures: tuple[CaptionedChart, ...],
    ) -> ReportPage:
        """Return the report of a calibration in the speaker's language; `made` is its time."""
        return cls(
            language=speaker.language,
            title=speaker.say(f"report.{kind}"),
            made=f"{made[:10]} {made[11:16]} UTC" if "T" in made else made,
            grade=judged.grade,
            grade_said=speaker.say(f"calibrate.grade.{judged.grade}"),
            sentences=sentences(judged, speaker),
            tables=tables,
            figures=figures,
        )


def html_page(page: ReportPage) -> str:
    """Return the page as HTML without external resources."""
    from calibration.report.rendering import svg

    template = Environment(autoescape=True).from_string(_TEMPLATE.read_text(encoding="utf-8"))
    drawn = [Markup(svg(figure.chart)) for figure in page.figures]  # noqa: S704  # matplotlib's SVG, its text escaped
    figures = list(zip(drawn, page.figures, strict=True))
    return template.render(page=page, figures=figures, inks=INKS, mark=store.REPORT_MARK)


def png_page(page: ReportPage) -> bytes:
    """Return the page as a PNG with two pixels per unit of the layout."""
    from calibration.report.rendering import Sheet, look

    with look():
        sheet = Sheet(_WIDTH, _laid(page, None))
        _laid(page, sheet)
        return sheet.png()


def write_report(path: Path, page: ReportPage) -> tuple[Path, Path]:
    """Write the page as HTML and PNG at `store.report_files(path)`; return both paths.

    :raises StoreError: either cannot be written.
    """
    written, picture = store.report_files(path)
    store.put(written, html_page(page).encode())
    store.put(picture, png_page(page))
    return written, picture


def _laid(page: ReportPage, sheet: Sheet | None) -> float:
    """Lay out the page, draw it if a sheet is given, and return its height."""
    from calibration.report.rendering import length

    inner = _WIDTH - 2 * _MARGIN
    y = 62.0
    if sheet is not None:
        sheet.words(_MARGIN, y, page.title, size=26)
        sheet.pill(_MARGIN + length(page.title, 26) + 16, y - 2, page.grade_said, _GRADE_INK[page.grade])
    y += 24
    if sheet is not None:
        sheet.words(_MARGIN, y, page.made, size=13, ink="soft")
    y += 14
    for sentence in page.sentences:
        for number, line in enumerate(_wrapped(sentence, inner - 20, _TEXT + 1)):
            y += _ROW
            if sheet is not None:
                if number == 0:
                    sheet.dot(_MARGIN, y)
                sheet.words(_MARGIN + 16, y, line, size=_TEXT + 1)
    y = _laid_tables(page.tables, y + _GAP, inner, sheet)
    return _laid_figures(page.figures, y + _GAP, inner, sheet) + _MARGIN


def _wrapped(text: str, width: float, size: float) -> list[str]:
    """Wrap a text into lines no wider than `width`."""
    from calibration.report.rendering import length

    lines: list[str] = []
    for word in text.split():
        longer = f"{lines[-1]} {word}" if lines else word
        if lines and length(longer, size) <= width:
            lines[-1] = longer
        else:
            lines.append(word)
    return lines


def _laid_tables(tables: tuple[TextTable, ...], y: float, inner: float, sheet: Sheet | None) -> float:
    """Lay out tables side by side as far as they fit; return the lower edge."""
    x, floor = _MARGIN, y
    for table in tables:
        width = sum(_widths(table))
        if x > _MARGIN and x + width > _MARGIN + inner:
            x, y = _MARGIN, floor + _GAP
        floor = max(floor, _laid_table(table, x, y, sheet))
        x += width + _GAP
    return floor


def _rows(table: TextTable) -> tuple[tuple[str, ...], ...]:
    return (table.heads, *table.rows) if any(table.heads) else table.rows


def _widths(table: TextTable) -> list[float]:
    from calibration.report.rendering import length

    rows = _rows(table)
    return [max(length(row[column], _TEXT) for row in rows) + 26 for column in range(len(rows[0]))]


def _laid_table(table: TextTable, x: float, y: float, sheet: Sheet | None) -> float:
    y += 14
    if sheet is not None:
        sheet.words(x, y, table.title, size=16)
    widths = _widths(table)
    for number, row in enumerate(_rows(table)):
        y += _ROW
        if sheet is None:
            continue
        ink: Ink = "soft" if number == 0 and any(table.heads) else "ink"
        sheet.words(x, y, row[0], size=_TEXT, ink=ink)
        right = x + widths[0]
        for cell, width in zip(row[1:], widths[1:], strict=True):
            right += width
            sheet.words(right - 14, y, cell, size=_TEXT, ink=ink, right=True)
        sheet.rule(x, y + 6, sum(widths) - 14)
    return y


def _laid_figures(figures: tuple[CaptionedChart, ...], y: float, inner: float, sheet: Sheet | None) -> float:
    half = (inner - _GAP) / 2
    column, row_height = 0, 0.0
    for figure in figures:
        width = inner if figure.wide else half
        if column and figure.wide:
            y, column, row_height = y + row_height + _GAP, 0, 0.0
        x = _MARGIN + column * (half + _GAP)
        height = width * figure.chart.height / figure.chart.width
        if sheet is not None:
            sheet.lay(figure.chart, x, y, width)
        lines = _wrapped(figure.caption, width, 12.5)
        for number, line in enumerate(lines):
            if sheet is not None:
                sheet.words(x, y + height + 18 * (number + 1), line, size=12.5, ink="soft")
        row_height = max(row_height, height + 18 * len(lines) + 8)
        column = 1 - column if not figure.wide else 0
        if column == 0:
            y, row_height = y + row_height + _GAP, 0.0
    return y + (row_height if column else 0.0)
