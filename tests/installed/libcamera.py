"""Picamera2 on a real libcamera in a Debian 13 system, under the product's own driver; prints a table of what held.

libcamera's `virtual` pipeline is the camera: a test picture, no sensor, no exposure, no focus. The system is made once
(`IMAGES`); it needs root, `debootstrap`, `systemd-container` and the package indexes.

usage: python -m tests.installed.libcamera
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

from tests.installed.booted_debian import IMAGES, bare, lacking
from tests.places import ROOT

SUITE, PYTHON = "trixie", "3.13"
PACKAGES = "python3-libcamera libcamera-ipa python3-numpy python3-pil python3-prctl gcc libc6-dev"
WHEELS = (
    "picamera2==0.3.38 simplejpeg piexif videodev2 jsonschema jsonschema-specifications referencing rpds-py attrs tqdm"
)
OURS = "opencv-python-headless<4.12 msgspec"
HERE = Path(__file__).parent / "virtual_camera"
LIBRARIES, HEAP = "opt/picamera2", "opt/heap.so"
SEEN = "/usr/share/libcamera/pipeline/virtual"
COMPILE = "gcc -Wall -Wextra -Werror -shared -fPIC -O2 -o"


def inside(tree: Path, command: str, *options: str) -> int:
    """Run a shell command in the system, not booted; return its exit status."""
    at = ["systemd-nspawn", "-q", "-D", str(tree), "--register=no", "--keep-unit", "--pipe", *options]
    return subprocess.run([*at, "sh", "-c", command], check=False).returncode


def system() -> Path:
    """The folder of the system with libcamera and Picamera2, made the first time."""
    tree = IMAGES / f"{SUITE}-libcamera"
    if not tree.exists():
        draft = IMAGES / f"{SUITE}-libcamera.new"
        shutil.rmtree(draft, ignore_errors=True)
        subprocess.run(["cp", "-a", "--reflink=auto", str(bare(SUITE)), str(draft)], check=True)
        apt = (
            "export DEBIAN_FRONTEND=noninteractive; apt-get -q update && apt-get -q -y --no-install-recommends install"
        )
        if inside(draft, f"({apt} {PACKAGES}) >/var/log/packages.log 2>&1"):
            sys.exit(f"the packages cannot be installed: {draft}/var/log/packages.log")
        # This machine's pip reaches its index; Debian's numpy serves, as on a Raspberry Pi.
        target = ["--target", str(draft / LIBRARIES), f"--python-version={PYTHON}", "--implementation=cp"]
        abis = [f"--abi={abi}" for abi in (f"cp{PYTHON.replace('.', '')}", "abi3", "none")]
        platforms = [f"--platform=manylinux_2_{minor}_x86_64" for minor in (17, 28, 35)] + [
            "--platform=manylinux2014_x86_64"
        ]
        plain = ["--no-deps", "--no-compile", "--ignore-requires-python", "--only-binary=:all:"]
        pip = [sys.executable, "-m", "pip", "-q", "--disable-pip-version-check", "install"]
        subprocess.run([*pip, *plain, *target, *abis, *platforms, *WHEELS.split(), *OURS.split()], check=True)
        draft.rename(tree)
    return tree


def main() -> int:
    """Run the story; return 1 when something did not hold or nothing was run."""
    if lack := lacking():
        print(f"not run: {lack}")
        return 1
    tree = system()
    (tree / SEEN.lstrip("/")).mkdir(parents=True, exist_ok=True)
    shutil.copyfile(HERE / "virtual.yaml", tree / SEEN.lstrip("/") / "virtual.yaml")
    shutil.copyfile(HERE / "heap.c", tree / "opt/heap.c")
    if inside(tree, f"{COMPILE} /{HEAP} /opt/heap.c"):
        return 1
    environ = f"PYTHONPATH=/{LIBRARIES}:/src PYTHONDONTWRITEBYTECODE=1 LIBCAMERA_LOG_LEVELS=*:FATAL LD_PRELOAD=/{HEAP}"
    print("| what | seen |\n|---|---|", flush=True)
    run = f"cd /src && {environ} python3 -m tests.installed.virtual_camera.story"
    return inside(tree, run, f"--bind-ro={ROOT}:/src", "--private-network")


if __name__ == "__main__":
    sys.exit(main())
