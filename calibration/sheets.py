"""Sheets to print: the four table markers and the ChArUco board, drawn as exact vector rectangles."""

from __future__ import annotations

from typing import Literal

import cv2
import msgspec
import numpy as np
from fpdf import FPDF

from calibration.camera.intrinsics import COLUMNS, MARKER_MM, ROWS, SQUARE_MM, board
from hardware.rig import Rig

Paper = Literal["a4", "letter"]
PAPER_MM: dict[str, tuple[float, float]] = {"a4": (297.0, 210.0), "letter": (279.4, 215.9)}
RULER_MM = 100
QUIET_MM = 6.0
"""White border that the detector needs round a marker."""


class BlackCell(msgspec.Struct, frozen=True):
    """A rectangle to fill black: left, top, width, height in mm from the drawing's top left corner."""

    x_mm: float
    y_mm: float
    width_mm: float
    height_mm: float


def marker_squares(
    dictionary: int, number: int, side_mm: float, x_mm: float = 0.0, y_mm: float = 0.0
) -> list[BlackCell]:
    """Return the black cells of an ArUco marker, `side_mm` over its black border, its top left at (x, y)."""
    book = cv2.aruco.getPredefinedDictionary(dictionary)
    cells = book.markerSize + 2
    image = np.asarray(cv2.aruco.generateImageMarker(book, number, cells))
    size = side_mm / cells
    squares = []
    for row in range(cells):
        column = 0
        while column < cells:  # one rectangle a run, so that viewers draw no hairlines between cells
            end = column
            while end < cells and image[row, end] == 0:
                end += 1
            if end > column:
                squares.append(BlackCell(x_mm + column * size, y_mm + row * size, (end - column) * size, size))
            column = end + 1
    return squares


def board_squares() -> list[BlackCell]:
    """Return everything black on the ChArUco board, 270 × 180 mm."""
    target = board()
    squares: list[BlackCell] = []
    white: set[tuple[int, int]] = set()
    for number, corners in zip(np.asarray(target.getIds()).ravel(), target.getObjPoints(), strict=True):
        x, y = np.asarray(corners)[:, :2].min(axis=0).tolist()
        white.add((int(x // SQUARE_MM), int(y // SQUARE_MM)))
        squares += marker_squares(cv2.aruco.DICT_5X5_100, int(number), MARKER_MM, x, y)
    for column in range(COLUMNS):
        for row in range(ROWS):
            if (column, row) not in white:
                squares.append(BlackCell(column * SQUARE_MM, row * SQUARE_MM, SQUARE_MM, SQUARE_MM))
    return squares


def sheets_pdf(rig: Rig, paper: Paper = "a4") -> bytes:
    """Return the PDF: a page with the rig's markers and a page with the board, each with a ruler to check the scale."""
    width, height = PAPER_MM[paper]
    pdf = FPDF(orientation="landscape", unit="mm", format=(height, width))
    pdf.set_auto_page_break(False)
    pdf.set_title("Smugglers' Table: markers and calibration board")
    pdf.set_creator("smugglers calibrate sheets")
    pdf.set_font("Helvetica", size=8)
    _marker_page(pdf, rig, width)
    pdf.add_page()
    left, top = (width - COLUMNS * SQUARE_MM) / 2, 8.0
    _fill(pdf, board_squares(), left, top)
    _ruler(pdf, left, top + ROWS * SQUARE_MM + 8)
    pdf.text(left + RULER_MM + 12, top + ROWS * SQUARE_MM + 10, "Print at 100 %, glue flat on a stiff board.")
    return bytes(pdf.output())


def _marker_page(pdf: FPDF, rig: Rig, width: float) -> None:
    pdf.add_page()
    side = rig.marker_side_mm
    pitch = side + 2 * QUIET_MM + 12
    across = max(1, int((width - 20) // pitch))
    for index, marker in enumerate(rig.markers):
        x = 14 + (index % across) * pitch
        y = 14 + (index // across) * (pitch + 6)
        pdf.set_draw_color(190)
        pdf.set_line_width(0.1)
        pdf.rect(x, y, side + 2 * QUIET_MM, side + 2 * QUIET_MM)
        _fill(pdf, marker_squares(cv2.aruco.DICT_4X4_50, marker.id, side), x + QUIET_MM, y + QUIET_MM)
        pdf.text(x, y + side + 2 * QUIET_MM + 4, f"{marker.id}: centre at x {marker.x_mm:g}, y {marker.y_mm:g} mm")
    below = 14 + ((len(rig.markers) - 1) // across + 1) * (pitch + 6) + 4
    pdf.text(14, below, "Print at 100 %. Cut along the grey lines; the white border belongs to the marker.")
    pdf.text(14, below + 5, "Glue flat, upright as seen from the front player, at the written places.")
    _ruler(pdf, 14, below + 14)


def _fill(pdf: FPDF, squares: list[BlackCell], x_mm: float, y_mm: float) -> None:
    pdf.set_fill_color(0)
    for square in squares:
        pdf.rect(x_mm + square.x_mm, y_mm + square.y_mm, square.width_mm, square.height_mm, style="F")


def _ruler(pdf: FPDF, x_mm: float, y_mm: float) -> None:
    pdf.set_draw_color(0)
    pdf.set_line_width(0.2)
    pdf.line(x_mm, y_mm, x_mm + RULER_MM, y_mm)
    for mm in range(0, RULER_MM + 1, 5):
        pdf.line(x_mm + mm, y_mm, x_mm + mm, y_mm - (4 if mm % 10 == 0 else 2))
    pdf.text(
        x_mm, y_mm + 5, f"This line is exactly {RULER_MM} mm. If it is not, printing changed the size: print again."
    )
