"""The calibration files of a table, real or simulated, with their texts."""

from __future__ import annotations

import contextlib

from appliance.settings import Settings
from hardware.cameras.camera_model import CameraFileError, CameraModel, load_camera
from hardware.files.regular_file import is_missing, read_text
from hardware.rig import Rig
from hardware.rig_file import RigError, load_rig
from hardware.scale.scale_model import ScaleError, load_scale

Calibration = tuple[Rig, CameraModel | None, dict[str, str]]
"""The rig, the camera model if the lens is calibrated, and the texts of the files by name."""


def own_rig(settings: Settings) -> Rig:
    """Return the table's own rig, or the standard rig if it has none.

    :raises RigError: its file cannot be used.
    """
    return Rig() if is_missing(settings.rig_path) else load_rig(settings.rig_path)


def read_calibration(settings: Settings) -> Calibration:
    """Return the calibration of the real table; a file that cannot be used counts as missing."""
    rig, camera = Rig(), None
    texts: dict[str, str] = {}
    with contextlib.suppress(RigError):
        rig = load_rig(settings.rig_path)
        texts["rig.toml"] = read_text(settings.rig_path)
    with contextlib.suppress(CameraFileError):
        camera = load_camera(settings.camera_path)
        texts["camera.toml"] = read_text(settings.camera_path)
    with contextlib.suppress(ScaleError):
        load_scale(settings.scale_path)
        texts["scale.toml"] = read_text(settings.scale_path)
    return rig, camera, texts


def twin_calibration() -> Calibration:
    """Return what a calibration of the simulated table would find."""
    from appliance.devices.simulated_table import TWIN_SCALE
    from calibration.camera.intrinsics import to_toml as camera_toml
    from calibration.scale.fit import to_toml as scale_toml
    from calibration.track.fit import to_toml as rig_toml
    from hardware.twin.drawing.viewpoint import twin_camera

    rig, camera = Rig(), twin_camera()
    texts = {
        "rig.toml": rig_toml(rig),
        "camera.toml": camera_toml(camera),
        "scale.toml": scale_toml(TWIN_SCALE),
    }
    return rig, camera, texts
