"""The black squares of the table's markers and of the ChArUco board, as exact rectangles."""

from __future__ import annotations

import cv2
import msgspec
import numpy as np

from calibration.camera.intrinsics import COLUMNS, MARKER_MM, ROWS, SQUARE_MM, board

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
    """Return the black cells of an ArUco marker with its top left at (x, y); `side_mm` includes the black border."""
    book = cv2.aruco.getPredefinedDictionary(dictionary)
    cells = book.markerSize + 2
    image = np.asarray(cv2.aruco.generateImageMarker(book, number, cells))
    size = side_mm / cells
    squares = []
    for row in range(cells):
        column = 0
        while column < cells:  # one rectangle per run of cells, so that viewers draw no hairlines between them
            end = column
            while end < cells and image[row, end] == 0:
                end += 1
            if end > column:
                squares.append(BlackCell(x_mm + column * size, y_mm + row * size, (end - column) * size, size))
            column = end + 1
    return squares


def board_squares() -> list[BlackCell]:
    """Return all black cells of the ChArUco board, 270 × 180 mm."""
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
