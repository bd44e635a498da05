"""File names as text. A stick from another system may hold names that are not UTF-8."""

from __future__ import annotations

import os
from pathlib import Path
from urllib.parse import quote, unquote_to_bytes


def shown(path: Path | str) -> str:
    """Return a name or path as text that can be shown and sent: what of it is no UTF-8 becomes U+FFFD."""
    return os.fsencode(path).decode("utf-8", "replace")


def percent_encoded(path: Path | str) -> str:
    """Return a name or path as ASCII text that holds every byte of it (RFC 3986, 2.1)."""
    return quote(os.fsencode(path))


def percent_decoded(text: str) -> Path:
    """Return the path of which `text` is the `percent_encoded` form."""
    return Path(os.fsdecode(unquote_to_bytes(text)))
