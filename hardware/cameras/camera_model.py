"""The camera model: intrinsics, lens distortion and pose over the table (OpenCV conventions).

Pixel centres lie at integer coordinates; `x_camera = R(rvec) · x_table + tvec`, millimetres.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import cv2
import msgspec
import numpy as np
from msgspec import Meta
from numpy.typing import NDArray

from hardware.files.toml_file import TomlFileError, load_toml

Array = NDArray[np.float64]
Image = NDArray[np.uint8]
"""A picture: BGR, shape (h, w, 3), unless a docstring says otherwise."""
Focal = Annotated[float, Meta(gt=0.0)]


class CameraFileError(TomlFileError):
    """The camera file cannot be used.

    Codes: `camera_file_unreadable`, `camera_file_cut`, `camera_file_invalid` or `camera_file_other_field`.
    """


class CameraModel(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Intrinsics of one camera for one picture size.

    `focal_px` is (fx, fy) and `centre_px` is (cx, cy), in pixels of a `width_px` × `height_px` picture.
    `distortion` is (k1, k2, p1, p2, k3). `made_utc` is when it was calibrated, ISO 8601, or "". `lens_position` is that
    of the lens during calibration, in the camera driver's own unit; None if it has no motor or is not known.
    """

    width_px: Annotated[int, Meta(ge=1, le=100_000)]
    height_px: Annotated[int, Meta(ge=1, le=100_000)]
    focal_px: tuple[Focal, Focal]
    centre_px: tuple[float, float]
    distortion: tuple[float, float, float, float, float]
    rms_px: float | None = None
    source: str = "unknown"
    made_utc: str = ""
    lens_position: float | None = None

    @property
    def K(self) -> Array:
        """The 3×3 camera matrix."""
        (fx, fy), (cx, cy) = self.focal_px, self.centre_px
        return np.array([[fx, 0.0, cx], [0.0, fy, cy], [0.0, 0.0, 1.0]])

    @property
    def dist(self) -> Array:
        """The distortion coefficients, shape (5,)."""
        return np.array(self.distortion)

    def scaled_to(self, width_px: int, height_px: int) -> CameraModel:
        """Return the model for another picture size with the same field of view.

        :raises CameraFileError: the aspect ratio differs by more than 1 %, so the field of view is another.
        """
        sx, sy = width_px / self.width_px, height_px / self.height_px
        if abs(sx / sy - 1) > 0.01:
            seen, known = f"{width_px}×{height_px}", f"{self.width_px}×{self.height_px}"
            raise CameraFileError(
                "camera_file_other_field",
                f"the picture is {seen} but the camera file is for {known}: another field of view; calibrate the "
                "camera at this size",
                seen=seen,
                known=known,
            )
        (fx, fy), (cx, cy) = self.focal_px, self.centre_px
        return msgspec.structs.replace(
            self,
            width_px=width_px,
            height_px=height_px,
            focal_px=(fx * sx, fy * sy),
            centre_px=((cx + 0.5) * sx - 0.5, (cy + 0.5) * sy - 0.5),
        )


class Pose(msgspec.Struct, frozen=True):
    """Pose of the table in the camera frame: Rodrigues vector and translation in mm."""

    rvec: tuple[float, float, float]
    tvec: tuple[float, float, float]

    @property
    def R(self) -> Array:
        """The 3×3 rotation from table to camera."""
        return np.asarray(cv2.Rodrigues(np.array(self.rvec))[0], dtype=np.float64)

    @property
    def camera_position_mm(self) -> Array:
        """The camera's optical centre in table coordinates, shape (3,), mm."""
        return np.asarray(-self.R.T @ np.array(self.tvec), dtype=np.float64)


class CameraView(msgspec.Struct, frozen=True):
    """A camera in place over the table: model and pose."""

    camera: CameraModel
    pose: Pose

    def project(self, points_mm: Array) -> Array:
        """Project table points, shape (n, 3) mm, to pixels, shape (n, 2)."""
        pixels, _ = cv2.projectPoints(
            np.asarray(points_mm, dtype=np.float64).reshape(-1, 1, 3),
            np.array(self.pose.rvec),
            np.array(self.pose.tvec),
            self.camera.K,
            self.camera.dist,
        )
        return np.asarray(pixels, dtype=np.float64).reshape(-1, 2)

    def rays(self, pixels: Array) -> Array:
        """Return unit view directions in the camera frame, shape (n, 3), of pixels, shape (n, 2)."""
        flat = cv2.undistortPoints(
            np.asarray(pixels, dtype=np.float64).reshape(-1, 1, 2), self.camera.K, self.camera.dist
        ).reshape(-1, 2)
        directions = np.column_stack([flat, np.ones(len(flat))])
        return np.asarray(directions / np.linalg.norm(directions, axis=1, keepdims=True))

    def on_plane(self, pixels: Array, z_mm: float) -> Array:
        """Return the table points, shape (n, 3) mm, where pixels, shape (n, 2), meet the plane Z = `z_mm`."""
        directions = self.rays(pixels) @ self.pose.R
        origin = self.pose.camera_position_mm
        return np.asarray(origin + directions * ((z_mm - origin[2]) / directions[:, 2:3]), dtype=np.float64)


def load_camera(path: Path) -> CameraModel:
    """Read a camera file (TOML with the fields of `CameraModel`).

    :raises CameraFileError: the file is missing, not TOML, or a field is wrong.
    """
    return load_toml(path, CameraModel, CameraFileError, "camera", "smugglers calibrate camera")
