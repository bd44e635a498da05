"""Makes all observations in one file: a picture, a clip or a close-up."""

from __future__ import annotations

import io
import warnings
from pathlib import Path

import cv2
import numpy as np
from PIL import Image as Pillow

from hardware.cameras.camera_model import CameraModel, CameraView, Image
from hardware.files.regular_file import kind_of, read_ordinary
from hardware.rig import Rig
from vision.boss.boss import read_boss
from vision.markers import find_view
from vision.observations import Observation, SightError, UnreadablePicture
from vision.sphere.sphere import read_pan, read_sphere_close_up
from vision.tray.die import read_die
from vision.tray.die_close_up import read_die_close_up
from vision.tray.gems import read_gems, read_gems_close_up

PICTURE_SUFFIXES = frozenset({".jpg", ".jpeg", ".png", ".bmp", ".tif", ".tiff", ".webp"})
PICTURE_FORMATS = ("JPEG", "PNG", "BMP", "TIFF", "WEBP")
CLIP_SUFFIXES = frozenset({".mp4", ".m4v", ".mov", ".avi", ".mkv", ".webm", ".h264", ".mjpeg"})
SMALLEST_SIDE_PX = 16
MOST_PIXELS = 40_000_000
"""Largest picture that is decoded, by the size in its header: a small file may declare a huge picture."""
LARGEST_FILE_BYTES = 64 * 2**20


class NotThere(SightError):
    """A close-up does not show the expected object."""

    code = "not_there"


class NotACloseUp(SightError):
    """A clip or a recording was given as a close-up."""

    code = "not_a_close_up"


def load_picture(path: Path, *, wanted: str = "a JPEG or PNG") -> Image:
    """Read a picture file as BGR uint8.

    :param wanted: what a person can give instead of a file that is no picture.
    :raises UnreadablePicture: it is a folder, cannot be read or decoded, or is too small or too large.
    """
    if kind_of(path) == "folder":
        raise UnreadablePicture("there is no picture, clip or recording in this folder; give files or another folder")
    try:
        content = read_ordinary(path, LARGEST_FILE_BYTES)
    except OSError as error:
        raise UnreadablePicture(f"the file cannot be read ({error.strerror}); check its name and permissions") from None
    if (size := announced_size(content)) is not None and size[0] * size[1] > MOST_PIXELS:
        raise UnreadablePicture(
            f"the picture says that it has more than {MOST_PIXELS // 10**6} million pixels; "
            "give one at the size the camera took it"
        )
    try:
        image = cv2.imdecode(np.frombuffer(content, dtype=np.uint8), cv2.IMREAD_COLOR) if size is not None else None
    except cv2.error:
        image = None
    if image is None:
        raise UnreadablePicture(f"this is not a picture that can be decoded; give {wanted}")
    if min(image.shape[:2]) < SMALLEST_SIDE_PX:
        raise UnreadablePicture(
            f"the picture is only {image.shape[1]}×{image.shape[0]} pixels; give one at the size the camera took it"
        )
    return np.asarray(image, dtype=np.uint8)


def announced_size(content: bytes) -> tuple[int, int] | None:
    """Return the width and height in a picture file's header, in px, without decoding it; None if it is no picture.

    For a picture that is far beyond `MOST_PIXELS` it returns a size that is beyond it, too, but not the picture's own.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # Pillow warns of large pictures; the caller checks the size
            with Pillow.open(io.BytesIO(content), formats=PICTURE_FORMATS) as header:
                return header.size
    except Pillow.DecompressionBombError:
        return (MOST_PIXELS, MOST_PIXELS)
    except Exception:  # Pillow's parsers may raise any exception for invalid bytes
        return None


def observe_file(path: Path, camera: CameraModel, rig: Rig) -> list[Observation]:
    """Return every observation in a picture or clip of the table.

    :raises SightError: the file cannot be read, or does not show the table through this camera.
    """
    if path.suffix.lower() in CLIP_SUFFIXES:
        from vision.passages.passage import watch_clip

        return list(watch_clip(path, camera, rig))
    image = load_picture(path, wanted="a JPEG or PNG, or a clip such as MP4")
    return observe(image, find_view(image, rig, camera), rig)


def observe(image: Image, view: CameraView, rig: Rig) -> list[Observation]:
    """Return the sphere on the pan (if any), the boss, the die and the gems in a picture of the table."""
    sphere = read_pan(image, view, rig)
    rest: list[Observation] = [read_boss(image, view, rig), read_die(image, view, rig), read_gems(image, view, rig)]
    return [sphere, *rest] if sphere is not None else rest


def observe_close_up(path: Path, kind: str | None) -> list[Observation]:
    """Return the observation in a close-up of a "die", "sphere" or "gems", sizes in pixels.

    :raises SightError: the file cannot be read, or shows no sphere. A die or gems that are not clear do not raise.
    """
    image = load_picture(path)
    if kind == "die":
        return [read_die_close_up(image)]
    if kind == "gems":
        return [read_gems_close_up(image)]
    sphere = read_sphere_close_up(image)
    if sphere is None:
        raise NotThere("no putty sphere can be seen; give a close-up of one sphere, wholly in the picture")
    return [sphere]
