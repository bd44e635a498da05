"""Photos of a host's own board, as a background in the editor. They stay on the table, and only hosts see them."""

from __future__ import annotations

import io
import struct
from pathlib import Path

from hardware.files.regular_file import kind_of, read_ordinary, write_private

MOST_BYTES = 1536 * 1024
"""The largest picture that is accepted, and that is stored. The page shrinks larger ones before it sends them."""
MOST_PIXELS = 16_000_000
WIDEST_PX = 1600
QUALITIES = (85, 60, 35)
"""JPEG qualities to try. The first one whose file fits `MOST_BYTES` is stored."""
_UNREADABLE = (OSError, ValueError, SyntaxError, LookupError, TypeError, struct.error)
"""What Pillow raises for files it cannot read, and for EXIF data whose values are not of the kind their tags say."""


def picture_path(folder: Path, name: str) -> Path:
    """Return the path of the picture that belongs to the file `name`."""
    return folder / f"{name}.jpg"


def store_picture(folder: Path, name: str, content: bytes) -> tuple[int, int] | None:
    """Store a picture, scaled to at most `WIDEST_PX` wide and high, without metadata (place, camera).

    :return: its width and height in pixels; None if `content` is no JPEG, PNG or WebP picture of at most `MOST_PIXELS`,
        or the stored file would be larger than `MOST_BYTES`.
    :raises OSError: it cannot be stored.
    """
    from PIL import Image, ImageOps  # slow to import, so only when a picture arrives

    try:
        with Image.open(io.BytesIO(content), formats=("JPEG", "PNG", "WEBP")) as given:
            if given.width * given.height > MOST_PIXELS:
                return None
            picture = ImageOps.exif_transpose(given).convert("RGB")
    except (*_UNREADABLE, Image.DecompressionBombError):
        return None
    picture.thumbnail((WIDEST_PX, WIDEST_PX))
    plain = Image.new("RGB", picture.size)
    plain.paste(picture)
    for quality in QUALITIES:
        kept = io.BytesIO()
        plain.save(kept, "JPEG", quality=quality)
        if kept.tell() <= MOST_BYTES:
            write_private(picture_path(folder, name), kept.getvalue())
            return plain.size
    return None


def picture_of(folder: Path, name: str) -> bytes | None:
    """Return the picture that belongs to the file `name`, as JPEG; None if there is none."""
    path = picture_path(folder, name)
    try:
        return read_ordinary(path, MOST_BYTES) if kind_of(path) == "file" else None
    except OSError:
        return None
