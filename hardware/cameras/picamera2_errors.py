"""Imports Picamera2 and translates its errors into `CameraError` with a code and a sentence for people."""

from __future__ import annotations

import importlib
from types import ModuleType
from typing import Any

from hardware.cameras.camera import CameraError


def imported(module: ModuleType | None) -> Any:
    """Return the given module, or import the installed one.

    :raises CameraError: `camera_no_driver`, `camera_driver_mismatch`.
    """
    try:
        return importlib.import_module("picamera2") if module is None else module
    except ModuleNotFoundError:
        raise CameraError(
            "camera_no_driver",
            "Picamera2 is missing: `sudo apt install python3-picamera2`, and make the environment with "
            "`--system-site-packages`.",
        ) from None
    except Exception as error:  # a package built for another numpy raises ValueError, ImportError or AttributeError
        raise CameraError(
            "camera_driver_mismatch",
            f"Picamera2 cannot be imported ({error}): its parts fit another numpy; on Debian 12 install `numpy<2` and "
            "`opencv-python<4.12`.",
        ) from error


def first_number(picamera2: Any) -> int:
    """Return the number of the first camera on a ribbon cable. USB cameras are driven by `UsbCamera`.

    :raises CameraError: `camera_absent`.
    """
    for number, known in enumerate(picamera2.Picamera2.global_camera_info()):
        if "/usb" not in known["Id"]:
            return number
    raise absent()


def absent() -> CameraError:
    """Return the error for a missing camera."""
    return CameraError("camera_absent", "No camera was found; check its ribbon cable at both ends.")


def refusal(error: Exception) -> CameraError:
    """Return the error for a camera that cannot be opened. One that went away meanwhile is absent."""
    if isinstance(error, IndexError) or "No camera number" in str(error):
        return absent()
    causes: list[str] = []
    cause: BaseException | None = error
    while cause is not None:
        causes.append(str(cause))
        cause = cause.__cause__
    said = " ← ".join(causes)
    if "busy" in said:
        return CameraError("camera_busy", f"The camera cannot be opened ({said}); does another program use it?")
    return CameraError("camera_failed", f"The camera cannot be opened ({said}); update the system, or check its cable.")


def stuck() -> CameraError:
    """Return the error for a call that does not return."""
    return CameraError("camera_stuck", "The camera's driver does not answer; switch the table off and on.")


def lost(error: BaseException) -> CameraError:
    """Return the error for a camera that stopped."""
    return CameraError("camera_lost", f"The camera stopped ({error}); check its ribbon cable.")
