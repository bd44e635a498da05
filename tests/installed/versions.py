"""Other versions of one package, made by unpacking it, changing it and packing it again."""

from __future__ import annotations

import re
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path

RELEASE = "opt/smugglers-table/release"


def unchanged(release: Path) -> None:
    """A release as good as the one before."""


def knows_no_lens_position(release: Path) -> None:
    """A release from before `camera.toml` said where the lens was held: it refuses a file that does."""
    at = release / "shared/hardware/cameras/camera_model.py"
    text, field = at.read_text(encoding="utf-8"), "    lens_position: float | None = None\n"
    assert field in text
    at.write_text(text.replace(field, "    lens_position = property(lambda self: None)\n"), encoding="utf-8")


def crashes(release: Path) -> None:
    """A release that ends as soon as it runs the table."""
    at = release / "shared/appliance/commands/run.py"
    text = at.read_text(encoding="utf-8")
    assert "settings = read" in text
    at.write_text(text.replace("settings = read", "raise RuntimeError(1)\n    settings = read"), encoding="utf-8")


def answers_wrongly(release: Path) -> None:
    """A release that starts, tells systemd that it is ready, and then has no page."""
    (release / "shared/web/templates/live.html").write_text("{{ no_such_word }}\n", encoding="utf-8")


def another_version(package: Path, version: str, change: Callable[[Path], None], folder: Path) -> Path:
    """Make version `version` of a package, with `change` done to its release."""
    file = folder / f"smugglers-table_{version}.deb"
    with tempfile.TemporaryDirectory(prefix="smugglers-deb-") as work:
        tree = Path(work) / "tree"
        subprocess.run(["dpkg-deb", "-R", str(package), str(tree)], check=True)
        told = [tree / "DEBIAN/control", *tree.glob(f"{RELEASE}/shared/smugglers_table-*.dist-info/METADATA")]
        for one in told:
            text = one.read_text(encoding="utf-8")
            one.write_text(re.sub(r"^Version: .*$", f"Version: {version}", text, count=1, flags=re.M), encoding="utf-8")
        (tree / RELEASE / "VERSION").write_text(f"{version}\n")
        change(tree / RELEASE)
        pack = ["dpkg-deb", "--root-owner-group", "-Znone", "--build", str(tree), str(file)]
        subprocess.run(pack, check=True, stdout=subprocess.DEVNULL)
    return file
