"""Debian's Chromium, as tests, measurements and pictures drive it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

CHROMIUM = Path("/usr/bin/chromium")
_LEFT_OUT = (
    # Chromium draws the list under its address bar as two hidden pages, anew for each of ours.
    "WebUIOmniboxPopup", "WebUIOmniboxAimPopup",
    # What Playwright leaves out: this switch counts instead of its own.
    "AvoidUnnecessaryBeforeUnloadCheckSync", "DestroyProfileOnBrowserClose", "HttpsUpgrades",
    "HttpsFirstBalancedModeAutoEnable", "LensOverlay", "MediaRouter", "PaintHolding", "ThirdPartyStoragePartitioning",
    "AvoidCorsURLLoaderRestartOnRedirect", "OptimizationHints", "NetworkTimeServiceQuerying", "AimEnabled",
    "PreconnectToSearch",
)  # fmt: skip
FLAGS = (
    "--no-sandbox", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--disable-features=" + ",".join(_LEFT_OUT),
    # What is painted anew is painted as a whole: else corners and gradients depend on which part of a tile came when.
    "--disable-partial-raster",
)  # fmt: skip


def launched(playwright: Any) -> Any:
    """Return a browser that `playwright` drives."""
    return playwright.chromium.launch(executable_path=str(CHROMIUM), args=list(FLAGS))
