"""Debian's Chromium without its window, as tests, measurements and pictures drive it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

CHROMIUM = Path("/usr/bin/chromium-headless-shell")
"""The same engine, of the same version, as a kiosk's: what is left out draws tabs, menus and the address bar."""
FLAGS = ("--no-sandbox", "--disable-quic")


def launched(playwright: Any) -> Any:
    """Return a browser that `playwright` drives."""
    return playwright.chromium.launch(executable_path=str(CHROMIUM), args=list(FLAGS))
