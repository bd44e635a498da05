"""The simulated board and hand of `smugglers calibrate camera --twin`."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from calibration.camera.guide import Ask
from calibration.camera.intrinsics import COLUMNS, ROWS, SQUARE_MM, board
from hardware.clock import Clock
from hardware.twin.cameras.board_camera import BoardCamera
from hardware.twin.drawing.viewpoint import twin_camera

DOTS = 6
"""Pixels per mm of the print."""
_MARGIN_MM = 12.0
_POSES: dict[Ask, tuple[tuple[float, float, float], tuple[float, float]]] = {
    "show": ((0.0, 0.0, 430.0), (0.0, 0.0)),
    "flat": ((0.0, 0.0, 430.0), (0.0, 0.0)),
    "centre": ((10.0, 8.0, 520.0), (9.0, -6.0)),
    "upper_left": ((-165.0, -85.0, 440.0), (4.0, 3.0)),
    "upper_right": ((165.0, -85.0, 440.0), (-4.0, 3.0)),
    "lower_left": ((-165.0, 85.0, 440.0), (4.0, -3.0)),
    "lower_right": ((165.0, 85.0, 440.0), (-4.0, -3.0)),
    "tilt_left": ((0.0, 0.0, 430.0), (32.0, 0.0)),
    "tilt_right": ((0.0, 0.0, 430.0), (-32.0, 0.0)),
    "tilt_top": ((0.0, 0.0, 430.0), (0.0, 32.0)),
    "tilt_bottom": ((0.0, 0.0, 430.0), (0.0, -32.0)),
    "enough": ((0.0, 0.0, 700.0), (0.0, 0.0)),
}


class SimulatedBoardHand:
    """Holds the board in the poses that the guide asks for, with small random differences."""

    def __init__(self, camera: BoardCamera) -> None:
        self._camera = camera
        self._rng = np.random.default_rng(0)
        self._asked: tuple[Ask, int] | None = None

    def follow(self, ask: Ask, views: int) -> None:
        """Follow the guide; the board moves when the request changes or the last view was taken."""
        if (ask, views) == self._asked:
            return
        self._asked = (ask, views)
        (x, y, z), (left, top) = _POSES[ask]
        dx, dy, dz = self._rng.normal(0, (18.0, 12.0, 30.0))
        lean = self._rng.normal(0, 3.0, 2)
        self._camera.hold((x + dx, y + dy, z + dz), (left + float(lean[0]), top + float(lean[1])))


def board_print() -> NDArray[np.uint8]:
    """Return the printed board with its white margin, grey, `DOTS` pixels per millimetre."""
    margin = round(_MARGIN_MM * DOTS)
    size = (round(COLUMNS * SQUARE_MM * DOTS) + 2 * margin, round(ROWS * SQUARE_MM * DOTS) + 2 * margin)
    return np.asarray(board().generateImage(size, marginSize=margin), dtype=np.uint8)


def board_camera(clock: Clock, wait: Callable[[float], None]) -> BoardCamera:
    """Return the twin's camera with the board in front of it.

    :param wait: waits the given seconds of the clock.
    """
    return BoardCamera(clock, twin_camera(), board_print(), DOTS, wait)
