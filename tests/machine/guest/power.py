"""The table on a disk of its own whose every write is logged: a game is played, the table is killed in its middle."""

from __future__ import annotations

import mmap
import os
import subprocess
import time
from pathlib import Path
from random import Random

from tests.machine.guest.own_table import PORT, own_address, started
from tests.machine.guest.report import report, run_all
from tests.power.card import CARD_BYTES, NOTE_BYTES, note_of
from tests.power.touchscreen import Touchscreen

CARD, MOUNTED = Path("/dev/vda"), Path("/run/card")
SEED = 3
GAME = "smugglers"
KILLED_AFTER = 60
"""Acknowledged actions after which the table is killed and started anew."""
RESTED_S = 3.0
"""Longer than the table waits before it merges the write-ahead log into the journal."""


class Notes:
    """Where an acknowledgement is noted: on the same disk, after its file system, so that the log has its moment."""

    def __init__(self) -> None:
        self._card = os.open(CARD, os.O_WRONLY | os.O_DIRECT)
        self._note = mmap.mmap(-1, NOTE_BYTES)
        self._at = CARD_BYTES

    def add(self, seq: int, name: str) -> None:
        """Write a note and return when it is on its way: it is a write of its own in the log."""
        self._note[:] = note_of(seq, name)
        os.pwrite(self._card, self._note, self._at)
        self._at += NOTE_BYTES


def game_on_a_logged_disk() -> None:
    """Play a whole game, killed in its middle, then another that stays open, and tell what was acknowledged."""
    MOUNTED.mkdir(parents=True)
    own_address()
    subprocess.run(["busybox", "mount", "-t", "ext4", "-o", "noatime", str(CARD), str(MOUNTED)], check=True)
    notes, noted, refused, began_s = Notes(), 0, 0, time.monotonic()
    random = Random(SEED)
    for life in range(2):
        table = started(MOUNTED)
        screen = Touchscreen(PORT, f"life-{life}", random, (GAME,))
        while life or len(screen.acknowledged) < KILLED_AFTER:
            seq = screen.deed()
            refused += seq is None
            if seq is not None:
                notes.add(seq, next(reversed(screen.acknowledged)))
                noted += 1
            if len(screen.acknowledged) == KILLED_AFTER // 2:
                time.sleep(RESTED_S)
            if screen.over:
                break
        screen.close()
        if life:
            time.sleep(RESTED_S)
            table.terminate()
        else:
            table.kill()
        table.wait()
    subprocess.run(["busybox", "umount", str(MOUNTED)], check=True)
    os.sync()
    report(
        "a game is played on a disk whose writes are logged, and is killed before its end",
        noted > 2 * KILLED_AFTER,
        acknowledged=noted,
        refused=refused,
        took_s=round(time.monotonic() - began_s),
    )


if __name__ == "__main__":
    run_all((game_on_a_logged_disk,))
