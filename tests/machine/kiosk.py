"""The touchscreen's picture: the shipped units in a booted Debian 13, cage without a screen, Chromium on it.

It is booted by systemd-nspawn on this machine's kernel: Chromium needs too long on an emulated processor.
"""

from __future__ import annotations

import base64
import re
import shutil
import time
from pathlib import Path

import cv2
import numpy as np

from tests.installed.booted_debian import BootedDebian, lacking
from tests.machine.image import installed_tree, product_package
from tests.machine.packages import CannotRunError, cache_folder
from tests.patience import GIVEN_UP_S

PACKAGES = ("cage", "xwayland", "chromium", "chromium-sandbox", "grim", "libpam-systemd", "fonts-dejavu-core")
UNITS = {"smugglers-table": 1.4, "smugglers-kiosk": 4.0}
"""The installed units, and the most exposure that `systemd-analyze security` may find."""
HEADLESS = """[Service]
# A container has no console and no screen.
TTYPath=
TTYReset=no
TTYVHangup=no
UtmpIdentifier=
StandardInput=null
Environment=WLR_BACKENDS=headless WLR_LIBINPUT_NO_DEVICES=1 WLR_RENDERER=pixman
"""
FLAGS = 'export CHROMIUM_FLAGS="$CHROMIUM_FLAGS --disable-gpu"\n'
"""Nor has it a graphics processor."""
PICTURE = "/run/kiosk.png"
GRIM = f"XDG_RUNTIME_DIR=/run/smugglers-kiosk WAYLAND_DISPLAY=wayland-0 grim {PICTURE}"
PNG = "iVBORw0KGgo"
"""How a PNG in base64 begins."""
LEAST_PX = (640, 360)
LEAST_SHADES = 24
"""A screen with a page on it has more shades of grey than an empty one."""
Row = tuple[str, bool, dict[str, object]]


class _System(BootedDebian):
    """The installed system with a touchscreen's programs, made once for each package."""

    def __init__(self) -> None:
        package = product_package()
        self.tree = cache_folder() / f"kiosk-{package.parent.name}"
        if not self.tree.exists():
            for old in cache_folder().glob("kiosk-package-*"):
                shutil.rmtree(old, ignore_errors=True)
            installed_tree(package, "kiosk", "trixie", PACKAGES).rename(self.tree)
        self._nspawn = None
        self._log = cache_folder() / "runs" / "kiosk" / "console.log"

    def end(self) -> None:
        """Shut it down and keep the tree."""
        self.shut_down()


def look(folder: Path) -> list[Row]:
    """Boot, take the picture into `folder` as `kiosk.png`, and return the rows.

    :raises CannotRunError: this machine cannot boot it.
    """
    if lack := lacking():
        raise CannotRunError(lack)
    system = _System()
    for place, text in {
        "etc/systemd/system/smugglers-kiosk.service.d/headless.conf": HEADLESS,
        "etc/chromium.d/headless": FLAGS,
    }.items():
        (system.tree / place).parent.mkdir(parents=True, exist_ok=True)
        (system.tree / place).write_text(text, encoding="utf-8")
    system.boot()
    try:
        return [_picture(system, folder / "kiosk.png"), *(_exposure(system, *unit) for unit in UNITS.items())]
    finally:
        system.end()


def _picture(system: _System, kept: Path) -> Row:
    """Start the touchscreen and wait until a page is on it."""
    system.run("systemctl start smugglers-kiosk.service")
    system.until("systemctl is-active smugglers-kiosk.service", "active")
    kept.unlink(missing_ok=True)
    until_s, shades, size = time.monotonic() + GIVEN_UP_S, 0, (0, 0)
    while shades < LEAST_SHADES and time.monotonic() < until_s:
        taken = system.run(f"sleep 1; {GRIM} && base64 -w 0 {PICTURE}", check=False)
        if not taken.startswith(PNG):
            continue
        kept.write_bytes(base64.b64decode(taken))
        picture = cv2.imread(str(kept), cv2.IMREAD_GRAYSCALE)
        assert picture is not None
        shades, size = len(np.unique(picture)), (picture.shape[1], picture.shape[0])
    return (
        "the touchscreen's page in Chromium on cage, under the shipped unit",
        shades >= LEAST_SHADES and size >= LEAST_PX,
        {"size": f"{size[0]}×{size[1]}", "shades": shades, "picture": kept.name},
    )


def _exposure(system: _System, unit: str, most: float) -> Row:
    said = system.says(f"systemd-analyze security --no-pager {unit}.service")
    found = re.search(r": ([\d.]+) ", said)
    level = float(found[1]) if found else 10.0
    runs = system.says(f"systemctl is-active {unit}.service")
    return (
        f"exposure of {unit}, running after a boot: at most {most}",
        level <= most and runs == "active",
        {"level": level},
    )
