"""Debian's kernel, its modules and its headers, unpacked beside the system and not installed; and our module for it."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path

import msgspec

WIRES = Path(__file__).parent / "wires"
KERNEL = "linux-image-amd64"
LOOPBACK = "v4l2loopback-dkms"


class CannotRunError(RuntimeError):
    """This machine cannot do it. The message is one sentence that says why and what to do."""


class Kernel(msgspec.Struct, frozen=True):
    """An unpacked kernel: its release, and the root of the tree with `boot`, `lib/modules` and `usr/src`."""

    release: str
    root: Path

    @property
    def image(self) -> Path:
        """The kernel that QEMU boots."""
        return self.root / "boot" / f"vmlinuz-{self.release}"


def cache_folder() -> Path:
    """Return the folder for what is fetched and built, outside the repository."""
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "smugglers-table" / "machine"


def need(tools: Iterable[str], packages: str) -> None:
    """Make sure that tools are installed.

    :raises CannotRunError: one is missing.
    """
    missing = [tool for tool in tools if not shutil.which(tool)]
    if missing:
        raise CannotRunError(f"{' and '.join(missing)} is missing: apt install {packages}")


def kernel() -> Kernel:
    """Return Debian's newest kernel of this release with its headers, fetched once.

    :raises CannotRunError: this is no Debian machine, or its archive cannot be reached.
    """
    need(("apt-get", "apt-cache", "dpkg-deb"), "apt (a Debian machine on amd64 is needed)")
    image = _dependency(KERNEL, r"linux-image-\d\S*-amd64")
    release = image.removeprefix("linux-image-")
    root = cache_folder() / release
    if not (root / "complete").exists():
        shutil.rmtree(root, ignore_errors=True)
        _unpack([image, *_with_dependencies(f"linux-headers-{release}")], root)
        _point_headers_at(root, release)
        (root / "complete").touch()
    return Kernel(release, root)


def wires_module(kernel: Kernel) -> Path:
    """Return our module for this kernel, built when its source is new.

    :raises CannotRunError: it cannot be built.
    """
    return _built(kernel, WIRES, "table_wires")


def video_module(kernel: Kernel) -> Path:
    """Return Debian's v4l2loopback for this kernel: a `/dev/video0` that gives the pictures that are written into it.

    :raises CannotRunError: it cannot be fetched or built.
    """
    root = cache_folder() / "v4l2loopback"
    if not list(root.glob("usr/src/v4l2loopback-*")):
        shutil.rmtree(root, ignore_errors=True)
        _unpack([LOOPBACK], root)
    return _built(kernel, next(root.glob("usr/src/v4l2loopback-*")), "v4l2loopback")


def _built(kernel: Kernel, source: Path, name: str) -> Path:
    need(("make",), "make gcc")
    content = b"".join(path.read_bytes() for path in sorted(source.iterdir()) if path.is_file())
    build = kernel.root / f"{name}-{hashlib.sha256(content).hexdigest()[:12]}"
    if not (module := build / f"{name}.ko").exists():
        shutil.copytree(source, build, dirs_exist_ok=True)
        headers = kernel.root / "usr" / "src" / f"linux-headers-{kernel.release}"
        _run(["make", "-C", str(headers), f"M={build}", "modules"], f"the module {name} cannot be built", build)
        subprocess.run(["strip", "--strip-debug", str(module)], check=False, capture_output=True)
    return module


def _dependency(package: str, pattern: str) -> str:
    listed = subprocess.run(["apt-cache", "depends", package], capture_output=True, text=True, check=False).stdout
    for line in listed.splitlines():
        if found := re.search(rf"Depends: ({pattern})$", line):
            return found[1]
    raise CannotRunError(f"the archive lists no {package}: run apt-get update on a Debian machine (amd64)")


def _with_dependencies(package: str) -> list[str]:
    """Return a package of headers with the kernel's own packages that it needs; compilers are the machine's."""
    listed = subprocess.run(["apt-cache", "depends", package], capture_output=True, text=True, check=False).stdout
    needed = re.findall(r"Depends: (linux-(?:headers|kbuild|compiler)-\S+)", listed)
    return [package, *needed]


def _unpack(packages: list[str], root: Path) -> None:
    fetched = root / "packages"
    fetched.mkdir(parents=True)
    _run(["apt-get", "download", "-q", *packages], "Debian's kernel cannot be fetched", fetched)
    for package in sorted(fetched.glob("*.deb")):
        _run(["dpkg-deb", "-x", str(package), str(root)], f"{package.name} cannot be unpacked", fetched)
    shutil.rmtree(fetched)
    if (root / "usr" / "lib").exists() and not (root / "lib").exists():  # since Debian 13 packages carry /usr/lib alone
        (root / "lib").symlink_to("usr/lib")


def _point_headers_at(root: Path, release: str) -> None:
    """Make the headers' own makefile find the rest of them where they were unpacked."""
    makefile = root / "usr" / "src" / f"linux-headers-{release}" / "Makefile"
    makefile.write_text(makefile.read_text().replace("/usr/src/", f"{root}/usr/src/"))


def _run(command: list[str], trouble: str, folder: Path) -> None:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        last = (done.stderr.strip() or done.stdout.strip()).splitlines()[-1:] or ["no output"]
        raise CannotRunError(f"{trouble}: {last[0]}")
