"""The files of a disk after the power came back: a file system's own recovery, by Linux or by its tools."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

CHUNK_BYTES = 65536
"""What is only zeros in a disk takes no place in its scratch file."""
ZEROS = bytes(CHUNK_BYTES)


@cache
def recovers_by() -> str:
    """Return what replays the journal of ext4 here: this machine's kernel where it may mount, else e2fsprogs."""
    return "kernel" if os.geteuid() == 0 and Path("/dev/loop-control").exists() else "e2fsprogs"


@contextmanager
def recovered(disk: bytes | bytearray, folder: Path) -> Iterator[Path]:
    """Yield the folder in which the files of `disk` are after its recovery; they may be written to.

    :param folder: an empty one for scratch files, in memory where that can be.
    :raises OSError: the file system cannot be recovered.
    """
    image, files = folder / "card.img", folder / "files"
    with image.open("wb") as file:
        for at in range(0, len(disk), CHUNK_BYTES):
            if (chunk := disk[at : at + CHUNK_BYTES]) != ZEROS[: len(chunk)]:
                file.seek(at)
                file.write(chunk)
        file.truncate(len(disk))
    files.mkdir(exist_ok=True)
    if recovers_by() == "kernel":
        _run(["mount", "-o", "loop,noatime", str(image), str(files)])
        try:
            yield files
        finally:
            # A child that another thread is just forking holds the files for a moment, too.
            _run(["umount", "--lazy", str(files)])
        return
    _run(["e2fsck", "-E", "journal_only", "-p", str(image)])
    _run(["debugfs", "-R", f"rdump / {files}", str(image)])
    try:
        yield files
    finally:
        shutil.rmtree(files)


def _run(command: list[str]) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise OSError(f"{command[0]}: {done.stderr.strip() or done.stdout.strip()}")
