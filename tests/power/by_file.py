"""How many bytes a disk was told to write for each file on it."""

from __future__ import annotations

import subprocess
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from tests.power.block_log import Written
from tests.power.boundaries import TABLE
from tests.power.card import BLOCK_BYTES, CARD_BYTES

FILES = {
    f"/{TABLE}/journal.sqlite3-wal": "write-ahead log",
    f"/{TABLE}/journal.sqlite3": "journal",
    f"/{TABLE}/journal.sqlite3-shm": "SQLite's shared memory",
    f"/{TABLE}/copy/journal.copy": "copy",
    "<8>": "journal of ext4",
}
OTHERS = "other files and the file system's own blocks"


def written_by_file(empty: bytes, log: Sequence[Written], image: Path) -> Counter[str]:
    """Return the bytes by file, as the blocks belong to files when the last note was written.

    :param empty: the disk before the first write.
    :param image: a scratch file.
    """
    disk, noted = bytearray(empty), max(at for at, one in enumerate(log) if one.at >= CARD_BYTES)
    for one in log[:noted]:
        disk[one.at : one.at + len(one.content)] = one.content
    image.write_bytes(disk[:CARD_BYTES])
    subprocess.run(["e2fsck", "-E", "journal_only", "-p", str(image)], check=True, capture_output=True)
    owner = {block: name for file, name in FILES.items() for block in _blocks(image, file)}
    written = Counter[str]()
    for one in log:
        if one.at < CARD_BYTES:
            for at in range(one.at, one.at + len(one.content), BLOCK_BYTES):
                written[owner.get(at // BLOCK_BYTES, OTHERS)] += min(BLOCK_BYTES, one.at + len(one.content) - at)
    return written


def _blocks(image: Path, file: str) -> list[int]:
    told = subprocess.run(["debugfs", "-R", f"blocks {file}", str(image)], check=True, capture_output=True, text=True)
    return [int(block) for block in told.stdout.split() if block.isdecimal()]
