"""A disk with Debian 12 on which the product is installed from its package, as an owner would."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from tests.installed.booted_debian import bare
from tests.machine.packages import CannotRunError, cache_folder, need
from tests.places import ROOT

SUITE = "bookworm"
SIZE = "3G"
PRODUCT = ("pyproject.toml", "systemd", "appliance", "hardware", "vision", "calibration", "web")


def installed_disk() -> Path:
    """Return an ext4 image of the installed system, made when the product is new.

    :raises CannotRunError: no root, a tool is missing, or an archive cannot be reached.
    """
    need(("mkfs.ext4",), "e2fsprogs")
    package = product_package()
    disk = cache_folder() / f"installed-{_digest(package)}.ext4"
    if not disk.exists():
        for old in cache_folder().glob("installed-*.ext4*"):
            old.unlink()
        tree = installed_tree(package, "disk", more=("libpam-systemd",))
        try:
            draft = disk.with_suffix(".new")
            draft.unlink(missing_ok=True)
            _run(["mkfs.ext4", "-q", "-m", "0", "-d", str(tree), str(draft), SIZE], "the disk cannot be made")
            draft.rename(disk)
        finally:
            shutil.rmtree(tree)
    return disk


def product_package() -> Path:
    """Return the Debian package of this tree, built when the tree is new.

    :raises CannotRunError: it cannot be built.
    """
    folder = cache_folder() / f"package-{_product_digest()}"
    if not (built := list(folder.glob("*.deb"))):
        for old in cache_folder().glob("package-*"):
            shutil.rmtree(old)
        build = [sys.executable, str(ROOT / "systemd/deb/build_deb.py"), "--out", str(folder)]
        _run(build, "the product's package cannot be built")
        built = list(folder.glob("*.deb"))
    return built[0]


def installed_tree(package: Path, name: str, suite: str = SUITE, more: Sequence[str] = ()) -> Path:
    """Return the folder of a Debian system with the product installed; the caller removes it.

    :param suite: which Debian.
    :param more: packages of Debian that are installed beside it.
    :raises CannotRunError: no root, a tool is missing, or Debian's archive cannot be reached.
    """
    if os.geteuid() != 0:
        raise CannotRunError("root is needed to install the product into a system of its own")
    need(("debootstrap", "systemd-nspawn"), "debootstrap systemd-container")
    tree = cache_folder() / f"tree-{name}"
    shutil.rmtree(tree, ignore_errors=True)
    try:
        base = bare(suite)
    except subprocess.CalledProcessError:
        raise CannotRunError("Debian's archive cannot be reached: debootstrap fails") from None
    _run(["cp", "-a", "--reflink=auto", str(base), str(tree)], "the system cannot be copied")
    shutil.copyfile(package, tree / "srv" / package.name)
    inside = ["systemd-nspawn", "-q", "-D", str(tree), "--register=no", "--keep-unit", "--pipe"]
    inside += ["--resolv-conf=replace-host", "--setenv=DEBIAN_FRONTEND=noninteractive", "apt-get", "-q", "-y"]
    _run([*inside, "update"], "Debian's archive cannot be reached")
    apt = [*inside, "-o", "Dpkg::Use-Pty=0", "--no-install-recommends", "install"]
    _run([*apt, f"/srv/{package.name}", *more], "the product cannot be installed")
    _run([*inside, "clean"], "apt cannot be cleaned")
    return tree


def _digest(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()[:12]


def _product_digest() -> str:
    """Return what identifies all that goes into the package."""
    digest = hashlib.sha256()
    for name in PRODUCT:
        top = ROOT / name
        for path in [top] if top.is_file() else sorted(top.rglob("*")):
            if path.is_file() and "__pycache__" not in path.parts:
                digest.update(f"{path.relative_to(ROOT)}\n".encode() + path.read_bytes())
    return digest.hexdigest()[:12]


def _run(command: Sequence[str], trouble: str) -> None:
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    if done.returncode:
        said = re.sub(r"\s+", " ", (done.stderr.strip() or done.stdout.strip() or "no output"))[-200:]
        raise CannotRunError(f"{trouble}: {said}")
