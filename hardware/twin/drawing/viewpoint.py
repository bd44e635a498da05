"""Position and lens of the twin's camera (DESIGN §5, The rig)."""

from __future__ import annotations

import math

import cv2
import numpy as np

from hardware.cameras.camera_model import CameraModel, CameraView, Pose

CAMERA_MM = (45.0, -130.0, 500.0)
AIM_MM = (45.0, 80.0, 10.0)
WIDE_DEG = 66.0
DISTORTION = (-0.06, -0.006, 0.0003, -0.0002, 0.0)


def twin_camera(width_px: int = 768, height_px: int = 432) -> CameraModel:
    """Return the twin's camera for pictures of this size (16:9)."""
    focal = 768 / 2 / math.tan(math.radians(WIDE_DEG / 2))
    model = CameraModel(
        width_px=768,
        height_px=432,
        focal_px=(focal, focal),
        centre_px=(382.3, 216.8),
        distortion=DISTORTION,
        source="twin",
    )
    return model.scaled_to(width_px, height_px)


def looking_at(camera_mm: tuple[float, float, float], aim_mm: tuple[float, float, float]) -> Pose:
    """Return the pose of a level camera at `camera_mm` that looks at `aim_mm`."""
    eye, aim = np.array(camera_mm), np.array(aim_mm)
    forward = (aim - eye) / np.linalg.norm(aim - eye)
    right = np.cross(forward, (0.0, 0.0, 1.0))
    right /= np.linalg.norm(right)
    rotation = np.array([right, np.cross(forward, right), forward])
    rvec = cv2.Rodrigues(rotation)[0].ravel()
    tvec = -rotation @ eye
    return Pose((float(rvec[0]), float(rvec[1]), float(rvec[2])), (float(tvec[0]), float(tvec[1]), float(tvec[2])))


def twin_view(width_px: int = 768, height_px: int = 432) -> CameraView:
    """Return the twin's camera over the default table."""
    return CameraView(twin_camera(width_px, height_px), looking_at(CAMERA_MM, AIM_MM))
