"""The touchscreen's picture: the shipped units in a booted Debian 12, cage without a screen, Chromium on it.

It is booted by systemd-nspawn on this machine's kernel: Chromium needs too long on an emulated processor.
"""

from __future__ import annotations

import base64
import re
import shutil
from pathlib import Path

import cv2

from tests.installed.booted_debian import BootedDebian, lacking
from tests.machine.image import installed_tree, product_package
from tests.machine.packages import CannotRunError, cache_folder

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
PICTURE = "/run/kiosk.png"
GRIM = f"XDG_RUNTIME_DIR=/run/smugglers-kiosk WAYLAND_DISPLAY=wayland-0 grim {PICTURE}"
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
            installed_tree(package, "kiosk", PACKAGES).rename(self.tree)
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
    drop_in = system.tree / "etc/systemd/system/smugglers-kiosk.service.d/headless.conf"
    drop_in.parent.mkdir(parents=True, exist_ok=True)
    drop_in.write_text(HEADLESS, encoding="utf-8")
    system.boot()
    try:
        return [_picture(system, folder / "kiosk.png"), *(_exposure(system, *unit) for unit in UNITS.items())]
    finally:
        system.end()


def _picture(system: _System, kept: Path) -> Row:
    """Start the touchscreen and wait until a page is on it."""
    system.run("systemctl start smugglers-kiosk.service")
    system.until("systemctl is-active smugglers-kiosk.service", "active")
    shades = 0
    kept.unlink(missing_ok=True)
    try:
        system.until(f"{GRIM} && pgrep -f type=renderer >/dev/null && echo taken", "taken")
        for _ in range(60):
            system.run(f"sleep 1; {GRIM}")
            kept.write_bytes(base64.b64decode(system.run(f"base64 -w 0 {PICTURE}")))
            picture = cv2.imread(str(kept), cv2.IMREAD_GRAYSCALE)
            shades = 0 if picture is None else len(set(picture.ravel().tolist()))
            if shades >= LEAST_SHADES:
                break
    except (TimeoutError, RuntimeError) as error:
        return ("the touchscreen's page in Chromium on cage", False, {"error": str(error)[-300:]})
    size = (picture.shape[1], picture.shape[0])
    held = shades >= LEAST_SHADES and size >= LEAST_PX
    return (
        "the touchscreen's page in Chromium on cage, under the shipped unit",
        held,
        {"size": f"{size[0]}×{size[1]}", "shades": shades, "picture": str(kept)},
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
