"""The card of the proof: a disk with a file system as Raspberry Pi OS makes it, and room for notes after it."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec

CARD_BYTES = 32 * 2**20
"""What the file system takes of the disk."""
BLOCK_BYTES = 4096
NOTES = 2048
"""How many notes have room behind it."""
NOTE_BYTES = 4096
FEATURES = "^huge_file,^64bit,^metadata_csum"
"""As Raspberry Pi OS makes its root file system (pi-gen, export-image)."""


class Note(NamedTuple):
    """An acknowledgement: the entry of the journal, and the id of who asked for it."""

    seq: int
    name: str


def note_of(seq: int, name: str) -> bytes:
    """Return what is written to note an acknowledgement."""
    return msgspec.json.encode(Note(seq, name)).ljust(NOTE_BYTES, b" ")


def note_in(at: int, content: bytes) -> Note | None:
    """Return the note that was written at a byte of the disk; None: it was a write of the file system."""
    return msgspec.json.decode(content, type=Note) if at >= CARD_BYTES else None


def make_card(disk: Path) -> None:
    """Make an empty card."""
    disk.unlink(missing_ok=True)
    with disk.open("wb") as file:
        file.truncate(CARD_BYTES + NOTES * NOTE_BYTES)
    made: Sequence[str] = ("-q", "-F", "-b", str(BLOCK_BYTES), "-N", "256", "-J", "size=4", "-O", FEATURES)
    at_once = ("-E", "lazy_itable_init=0,lazy_journal_init=0")
    subprocess.run(["mkfs.ext4", *made, *at_once, str(disk), str(CARD_BYTES // BLOCK_BYTES)], check=True)
