"""A simulated camera that sees a hand holding a printed board, to try the lens calibration without hardware."""

from __future__ import annotations

import math
from collections.abc import Callable

import cv2
import numpy as np
from numpy.typing import NDArray

from hardware.cameras.camera import Frame
from hardware.cameras.camera_model import Array, CameraModel, Image
from hardware.clock import Clock
from hardware.twin.cameras.paced_camera import PacedCamera

NOISE_SD = 1.6
FOCUS_S = 1.2
"""Duration of autofocus."""
HAND_S = 1.0
"""Time that the hand takes from one pose of the board to the next."""
_FINE = 2


class BoardCamera(PacedCamera):
    """A camera that sees a flat print in a hand. `hold` moves the hand.

    :param lens: intrinsics of the simulated lens, of any picture size.
    :param print_px: the sheet of paper, grey or BGR, `dots` pixels per millimetre; its middle is the board's middle.
    :param wait: waits the given seconds of the clock.
    """

    def __init__(
        self,
        clock: Clock,
        lens: CameraModel,
        print_px: Image,
        dots: float,
        wait: Callable[[float], None],
    ) -> None:
        super().__init__(wait)
        self._clock, self._lens = clock, lens
        self._print = print_px if print_px.ndim == 2 else cv2.cvtColor(print_px, cv2.COLOR_BGR2GRAY).astype(np.uint8)
        self._dots = dots
        self._rays: dict[tuple[int, int], NDArray[np.float32]] = {}
        self._rng = np.random.default_rng(0)
        self._from: Array = np.array([0.0, 0.0, 700.0, 0.0, 0.0])
        self._to: Array = self._from
        self._since_s = float("-inf")
        self._refocus_s: float | None = None

    def refocus(self) -> bool:
        """Start autofocus, which takes `FOCUS_S`; return True."""
        self.lens_position, self._refocus_s = None, self._clock.now_s()
        return True

    def hold(self, centre_mm: tuple[float, float, float], lean_deg: tuple[float, float]) -> None:
        """Move the hand so that it holds the board in a new pose.

        :param centre_mm: centre of the board in the camera's frame: right, down, away.
        :param lean_deg: rotation that brings the left edge, and the upper edge, nearer.
        """
        now_s = self._clock.now_s()
        self._from, self._to, self._since_s = self._pose(now_s), np.array([*centre_mm, *lean_deg]), now_s

    def _take(self, size_px: tuple[int, int]) -> Frame:
        now_s = self._clock.now_s()
        pose = self._pose(now_s)
        if self._refocus_s is not None and now_s - self._refocus_s >= FOCUS_S:
            self.lens_position, self._refocus_s = 1000.0 / float(pose[2]), None
        return Frame(now_s, self._blurred(self._picture(pose, size_px)), next(self._numbers))

    def _blurred(self, picture: Image) -> Image:
        """Blur the picture during autofocus, when the lens passes through its range."""
        if self._refocus_s is None:
            return picture
        away = abs(1 - (self._clock.now_s() - self._refocus_s) / FOCUS_S)
        return np.asarray(cv2.GaussianBlur(picture, (0, 0), 0.3 + 4.0 * away * picture.shape[1] / 768), dtype=np.uint8)

    def _pose(self, t_s: float) -> Array:
        """Return the pose at `t_s`; the hand starts and stops smoothly."""
        share = min(max((t_s - self._since_s) / HAND_S, 0.0), 1.0)
        return np.asarray(self._from + (self._to - self._from) * (3 - 2 * share) * share**2)

    def _picture(self, pose: Array, size_px: tuple[int, int]) -> Image:
        yaw, pitch = math.radians(float(pose[3])), math.radians(float(pose[4]))
        turn = cv2.Rodrigues(np.array([0.0, -yaw, 0.0]))[0] @ cv2.Rodrigues(np.array([pitch, 0.0, 0.0]))[0]
        right_mm, down_mm, away_mm = (turn.T @ pose[:3]).tolist()  # of the board's middle, along the board
        rays = self._fine_rays(size_px)
        across, down, normal = (turn.T.astype(np.float32) @ rays.reshape(3, -1)).reshape(rays.shape)
        reach = np.float32(away_mm * self._dots) / normal
        height, width = self._print.shape
        columns = across * reach + np.float32((width - 1) / 2 - right_mm * self._dots)
        rows = down * reach + np.float32((height - 1) / 2 - down_mm * self._dots)
        # The print is finer than the picture's pixels. Blur it first, so that it does not alias.
        spread = self._dots * float(pose[2]) / (self._lens.scaled_to(*size_px).focal_px[0] * _FINE)
        paper = cv2.GaussianBlur(self._print, (0, 0), max(0.4 * spread, 0.3))
        fine = cv2.remap(paper, columns, rows, cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT, borderValue=(96,))
        grey = cv2.resize(fine, size_px, interpolation=cv2.INTER_AREA).astype(np.float32) * np.float32(0.86) + 14
        grey += self._rng.normal(0, NOISE_SD, grey.shape).astype(np.float32)
        return np.asarray(cv2.cvtColor(np.clip(grey, 0, 255).astype(np.uint8), cv2.COLOR_GRAY2BGR), dtype=np.uint8)

    def _fine_rays(self, size_px: tuple[int, int]) -> NDArray[np.float32]:
        """Return the view directions of the supersampled picture: right, down and away, shape (3, rows, columns)."""
        if size_px not in self._rays:
            lens = self._lens.scaled_to(*size_px)
            x = (np.arange(size_px[0] * _FINE) + 0.5) / _FINE - 0.5
            y = (np.arange(size_px[1] * _FINE) + 0.5) / _FINE - 0.5
            grid = np.stack(np.meshgrid(x, y), axis=-1).reshape(-1, 1, 2)
            flat = cv2.undistortPoints(grid, lens.K, lens.dist).reshape(len(y), len(x), 2).astype(np.float32)
            self._rays[size_px] = np.stack([flat[..., 0], flat[..., 1], np.ones_like(flat[..., 0])])
        return self._rays[size_px]
