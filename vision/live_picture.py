"""Pictures for people, live and in replays. They show only the track and the landing board.

Pan and tray are never shown (RULES §1.13; DESIGN §5). Everything outside the track's outline is painted over, and so
are the pan and the tray, including the space above them.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from hardware.cameras.camera_model import Array, CameraView, Image
from hardware.rig import Rig
from vision.passages.sheet.lanes import Mask

Packed = NDArray[np.uint8]
"""A picture that `packed` has made smaller."""

_WIDEST_PX = 640
_QUALITY = 78
"""JPEG quality, 1–100."""
_PAINT_BGR = (20, 31, 11)
_TALLEST_MM = 60.0
"""Height above the pan that is painted over: a sphere of 45 mm and a margin."""


class LivePictureEncoder:
    """Crops, masks and encodes frames of one view.

    :param widest_px: wider pictures are scaled down to this width.
    """

    def __init__(self, view: CameraView, rig: Rig, widest_px: int = _WIDEST_PX) -> None:
        mask = track_mask(view, rig).astype(np.uint8)
        x, y, w, h = cv2.boundingRect(mask)
        self._window = (slice(y, y + h), slice(x, x + w))
        self._mask = np.ascontiguousarray(mask[self._window])
        self._paint = np.empty((h, w, 3), np.uint8)
        self._paint[:] = _PAINT_BGR
        scale = min(1.0, widest_px / max(w, 1))
        self._size = (max(1, round(w * scale)), max(1, round(h * scale)))
        # For scales above one half, bilinear sampling uses the same four pixels as averaging, at a fifth of the cost.
        self._shrink = cv2.INTER_LINEAR if scale > 0.5 else cv2.INTER_AREA

    def jpeg(self, image: Image) -> bytes:
        """Return a frame of the view as a masked JPEG."""
        return encoded(self.shown(image))

    def shown(self, image: Image) -> Image:
        """Return a new picture with the visible part of a frame of the view: cropped, masked and scaled."""
        shown = np.asarray(cv2.copyTo(image[self._window], self._mask, self._paint.copy()), dtype=np.uint8)
        if shown.shape[1::-1] != self._size:
            shown = np.asarray(cv2.resize(shown, self._size, interpolation=self._shrink), dtype=np.uint8)
        return shown


def encoded(shown: Image) -> bytes:
    """Encode a picture as JPEG."""
    _, data = cv2.imencode(".jpg", shown, [cv2.IMWRITE_JPEG_QUALITY, _QUALITY])
    return data.tobytes()


def packed(shown: Image) -> Packed:
    """Return a picture as I420, (rows * 3 / 2, columns), in half the memory: what a JPEG keeps of its colours.

    An odd last row or column is left out.
    """
    rows, columns = shown.shape[0] & ~1, shown.shape[1] & ~1
    return np.asarray(cv2.cvtColor(shown[:rows, :columns], cv2.COLOR_BGR2YUV_I420), dtype=np.uint8)


def unpacked(picture: Packed) -> Image:
    """Return a packed picture in BGR."""
    return np.asarray(cv2.cvtColor(picture, cv2.COLOR_YUV2BGR_I420), dtype=np.uint8)


def packed_size_px(picture: Packed) -> tuple[int, int]:
    """Return width and height of a packed picture."""
    rows, columns = picture.shape
    return columns, rows * 2 // 3


def track_mask(view: CameraView, rig: Rig) -> Mask:
    """Return the mask, (h, w), of the pixels that show the track and the landing board, but neither pan nor tray."""
    mask = np.zeros((view.camera.height_px, view.camera.width_px), np.uint8)
    cv2.fillConvexPoly(mask, _hull(view, _track_corners(rig)), 255)
    for spot in (_pan_corners(rig), _tray_corners(rig)):
        cv2.fillConvexPoly(mask, _hull(view, spot), 0)
    return mask > 0


def _hull(view: CameraView, points_mm: Array) -> NDArray[np.int32]:
    outline = view.project(points_mm).round().astype(np.int32)
    return np.asarray(cv2.convexHull(outline.reshape(-1, 1, 2)), dtype=np.int32)


def _track_corners(rig: Rig) -> Array:
    side = max(abs(lane.x_mm) for lane in rig.lanes) + rig.lane_pitch_mm / 2 + 3.0
    near, back = rig.landing_y_mm[0], rig.boss_slot_y_mm + 2.0
    top = rig.boss_base_z_mm + rig.boss_size_mm[2]
    points = [(near, 0.0), (rig.fence_y_mm, rig.fence_top_mm), (rig.platform_end_y_mm, rig.ramp_top[1]), (back, top)]
    return np.array([[x, y, z] for x in (-side, side) for y, z in points])


def _pan_corners(rig: Rig) -> Array:
    x, y = rig.pan_centre_mm
    turn = np.linspace(0.0, 2.0 * np.pi, 32, endpoint=False)
    reach = rig.pan_diameter_mm / 2 + 2.0
    ring = np.column_stack([x + reach * np.cos(turn), y + reach * np.sin(turn), np.zeros(32)])
    heights = (0.0, rig.pan_z_mm, rig.pan_z_mm + _TALLEST_MM)
    return np.vstack([ring + np.array([0.0, 0.0, z]) for z in heights])


def _tray_corners(rig: Rig) -> Array:
    x, y = rig.tray_centre_mm
    half = rig.tray_side_mm / 2
    return np.array([[x + sx * half, y + sy * half, z] for sx in (-1, 1) for sy in (-1, 1) for z in (0.0, 20.0)])
