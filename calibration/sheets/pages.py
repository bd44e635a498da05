"""Lays out drawings on pages at 1:1. A drawing that is larger than a page is split into overlapping tiles."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import Literal

import msgspec

from calibration.sheets.drawing import THIN, Circle, Drawing, Line, Shape, Stroke, Text, cross

Paper = Literal["a4", "letter"]
PAPER_MM: dict[str, tuple[float, float]] = {"a4": (210.0, 297.0), "letter": (215.9, 279.4)}
MARGIN_MM = 10.0
"""Printers leave up to 6.4 mm of the edge unprinted."""
HEADER_MM, FOOTER_MM = 20.0, 13.0
OVERLAP_MM = 10.0
_GAP_MM = 9.0
_MARK_MM = 3.0
_SEAM = Stroke(0.15, "#c0392b", (2.0, 1.2))


class Sheet(msgspec.Struct, frozen=True):
    """One subject: its title, instructions, and drawings.

    A `full_page` sheet has no header, because its only drawing needs the space.
    """

    name: str
    title: str
    text: str
    drawings: tuple[Drawing, ...]
    full_page: bool = False


class Tile(msgspec.Struct, frozen=True):
    """A rectangle of a drawing, in mm of the drawing, and the marks at its seams. `whole`: it is the whole drawing."""

    drawing: Drawing
    left_mm: float
    top_mm: float
    width_mm: float
    height_mm: float
    marks: tuple[Shape, ...] = ()
    whole: bool = True


class Page(msgspec.Struct, frozen=True):
    """One page: its sheet, its number among the sheet's pages, its size in mm, and its tiles with their (x, y)."""

    sheet: Sheet
    number: int
    of: int
    size_mm: tuple[float, float]
    tiles: tuple[tuple[Tile, float, float], ...]


def pages(sheet: Sheet, paper: Paper) -> list[Page]:
    """Return a sheet's pages, in portrait or landscape format, whichever needs fewer."""
    short, long = PAPER_MM[paper]
    found = []
    for wide, high in ((long, short), (short, long)):
        room = (wide - 2 * MARGIN_MM, high - 2 * MARGIN_MM - HEADER_MM - FOOTER_MM)
        if sheet.full_page:
            drawing = sheet.drawings[0]
            if drawing.width_mm > wide:
                continue
            laid = [[(_whole(drawing), (wide - drawing.width_mm) / 2, MARGIN_MM - 2)]]
        else:
            tiles = [tile for drawing in sheet.drawings for tile in tiled(drawing, room)]
            laid = [_centred(page, room[0]) for page in _packed(tiles, room)]
        found.append(
            [Page(sheet, n + 1, len(laid), (wide, high), tuple(page)) for n, page in enumerate(laid)],
        )
    return min(found, key=len)


def tiled(drawing: Drawing, room_mm: tuple[float, float]) -> list[Tile]:
    """Split a drawing into tiles that fit, row by row. Neighbours share a strip of `OVERLAP_MM` round their seam."""
    columns = _spans(drawing.width_mm, room_mm[0], drawing.seams_x)
    rows = _spans(drawing.height_mm, room_mm[1], ())
    if len(columns) == len(rows) == 1:
        return [_whole(drawing)]
    tiles = []
    for row, (top, bottom) in enumerate(rows):
        for column, (left, right) in enumerate(columns):
            sides = [columns[i][1] for i in (column - 1, column) if 0 <= i < len(columns) - 1]
            ends = [rows[i][1] for i in (row - 1, row) if 0 <= i < len(rows) - 1]
            x0, x1 = max(left - OVERLAP_MM / 2, 0), min(right + OVERLAP_MM / 2, drawing.width_mm)
            y0, y1 = max(top - OVERLAP_MM / 2, 0), min(bottom + OVERLAP_MM / 2, drawing.height_mm)
            name = f"{chr(ord('A') + column)}{row + 1}"
            marks = _marks(sides, ends, (x0, y0, x1, y1))
            marks += _name(name, column < len(columns) - 1, column > 0, (x0, y0, x1, y1))
            tiles.append(Tile(drawing, x0, y0, x1 - x0, y1 - y0, tuple(marks), whole=False))
    return tiles


def _whole(drawing: Drawing) -> Tile:
    return Tile(drawing, 0.0, 0.0, drawing.width_mm, drawing.height_mm)


def _spans(length_mm: float, room_mm: float, seams_mm: Sequence[float]) -> list[tuple[float, float]]:
    """Return the intervals between seams: as few as fit with their overlap, with seams at `seams_mm` if possible."""
    if length_mm <= room_mm:
        return [(0.0, length_mm)]
    count = math.ceil((length_mm - OVERLAP_MM) / (room_mm - OVERLAP_MM))
    while True:
        even = [length_mm * n / count for n in range(1, count)]
        snapped = [min(seams_mm, key=lambda seam: abs(seam - at)) for at in even] if seams_mm else even
        for cuts in (snapped, even):
            edges = [0.0, *cuts, length_mm]
            spans = list(itertools.pairwise(edges))
            longest = max(min(b + OVERLAP_MM / 2, length_mm) - max(a - OVERLAP_MM / 2, 0.0) for a, b in spans)
            if longest <= room_mm and all(b > a for a, b in spans):
                return spans
        count += 1


def _marks(sides: Sequence[float], ends: Sequence[float], window: tuple[float, float, float, float]) -> list[Shape]:
    """Return seam lines, each with crosses in circles that must coincide with those of the neighbouring tile."""
    x0, y0, x1, y1 = window
    found: list[Shape] = []
    for x in sides:
        found.append(Line((x, y0), (x, y1), _SEAM))
        for y in _along(y0, y1):
            found += [Circle((x, y), _MARK_MM, THIN), *cross((x, y), _MARK_MM)]
    for y in ends:
        found.append(Line((x0, y), (x1, y), _SEAM))
        for x in _along(x0, x1):
            found += [Circle((x, y), _MARK_MM, THIN), *cross((x, y), _MARK_MM)]
    return found


def _name(name: str, right: bool, left: bool, window: tuple[float, float, float, float]) -> list[Shape]:
    """Return the tile's name, beyond a seam in the strip that is cut off or covered."""
    x0, y0, x1, _y1 = window
    style = {"size_mm": 3.0, "bold": True, "colour": _SEAM.colour}
    if right or left:
        x = x1 - 1.2 if right else x0 + 3.4
        return [Text((x, y0 + 16), name, turn_deg=90, **style)]  # type: ignore[arg-type]  # keywords by name
    return [Text((x0 + 3, y0 + 4), name, **style)]  # type: ignore[arg-type]


def _along(start: float, end: float) -> tuple[float, ...]:
    inset = _MARK_MM + 1.0
    return (start + inset, end - inset) if end - start < 100 else (start + 15, (start + end) / 2, end - 15)


def _packed(tiles: Sequence[Tile], room_mm: tuple[float, float]) -> list[list[tuple[Tile, float, float]]]:
    """Arrange the tiles in rows and the rows on pages; positions are relative to the page."""
    top, left = MARGIN_MM + HEADER_MM, MARGIN_MM
    found: list[list[tuple[Tile, float, float]]] = [[]]
    x = y = row_mm = 0.0
    for tile in tiles:
        if x and x + tile.width_mm > room_mm[0] + 1e-6:
            x, y, row_mm = 0.0, y + row_mm + _GAP_MM, 0.0
        if y and y + tile.height_mm > room_mm[1] + 1e-6:
            found.append([])
            x = y = row_mm = 0.0
        found[-1].append((tile, left + x, top + y))
        x += tile.width_mm + _GAP_MM
        row_mm = max(row_mm, tile.height_mm)
    return found


def _centred(page: list[tuple[Tile, float, float]], room_mm: float) -> list[tuple[Tile, float, float]]:
    used = max((x + tile.width_mm for tile, x, _ in page), default=0.0) - MARGIN_MM
    aside = max(room_mm - used, 0.0) / 2
    return [(tile, x + aside, y) for tile, x, y in page]
