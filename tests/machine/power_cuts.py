"""The story in which the power fails at each write of a game, and what was written to the disk."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.machine.initrd import build_initrd
from tests.machine.packages import Kernel, need
from tests.machine.virtual_machine import VirtualMachine
from tests.power.block_log import Written, read_log
from tests.power.boundaries import Boundaries
from tests.power.by_file import written_by_file
from tests.power.card import make_card
from tests.power.recovered import recovers_by

SEED = 1
OBEYED, LIES_TRIED = 8, 40
MEMORY = Path("/dev/shm")  # scratch files of a proof
Row = tuple[str, bool, dict[str, Any]]


class LoggedEvening:
    """A game on a disk of its own, behind QEMU's `blklogwrites`."""

    def __init__(self, kernel: Kernel, folder: Path) -> None:
        need(("mkfs.ext4", "debugfs"), "e2fsprogs")
        self._disk, self._log = folder / "card.img", folder / "card.log"
        make_card(self._disk)
        self._empty = self._disk.read_bytes()
        self._log.write_bytes(b"")
        initrd = build_initrd(kernel, {}, folder, more=("virtio_blk", "ext4"))
        self.machine = VirtualMachine(kernel, initrd, folder)

    def play(self, limit_s: float) -> list[dict[str, Any]]:
        """Let the guest play; return what it reported."""
        devices = ["-blockdev", f"driver=file,node-name=disk,filename={self._disk}"]
        devices += ["-blockdev", f"driver=file,node-name=log,filename={self._log}"]
        devices += ["-blockdev", "driver=blklogwrites,node-name=card,file=disk,log=log"]
        devices += ["-device", "virtio-blk-pci,drive=card,write-cache=on,discard=off,write-zeroes=off"]
        return self.machine.run("tests.machine.guest.power", devices=devices, limit_s=limit_s)

    def rows(self) -> Iterator[Row]:
        """Let the power fail at every boundary and yield what came of it."""
        log = list(read_log(self._log))
        boundaries = Boundaries(self._empty, log)
        with tempfile.TemporaryDirectory(dir=MEMORY if MEMORY.is_dir() else None) as scratch:
            boundaries.try_all(SEED, Path(scratch))
            lying = Boundaries(self._empty, list(_lying(log)))
            lying.try_all(SEED, Path(scratch), torn=0.0, dropped=1.0, every=len(log) // LIES_TRIED)
            written = written_by_file(self._empty, log, Path(scratch) / "card.img")
        replayed = bytearray(self._empty)
        for each in log:
            replayed[each.at : each.at + len(each.content)] = each.content
        yield (
            "the log is complete: the writes in it are what the disk contains at the end",
            replayed == self._disk.read_bytes(),
            {"writes and flushes": len(log)},
        )
        yield (
            "the power fails at every write: what was acknowledged is there, and nothing else",
            not boundaries.wrong and bool(boundaries.notes),
            {
                **boundaries.tried,
                "flushes": boundaries.flushes,
                "acknowledged": len(boundaries.notes),
                "entries": boundaries.entries,
                "wrong": boundaries.wrong[:3] or 0,
                "told": dict(boundaries.told) or 0,
                "recovered by": recovers_by(),
            },
        )
        yield (
            f"the same proof finds a disk that obeys one flush in {OBEYED}",
            bool(lying.wrong),
            {"power cuts": lying.tried.total(), "with losses": len(lying.wrong)},
        )
        yield (
            "what was written to the disk",
            bool(written["write-ahead log"]),
            {
                "for each acknowledged action": f"{written.total() / len(boundaries.notes) / 1e3:.0f} kB",
                **{name: f"{size / 1e6:.1f} MB" for name, size in written.most_common()},
            },
        )


def _lying(log: list[Written]) -> Iterator[Written]:
    """Yield the log of a disk that says "done" to every flush, and obeys one in `OBEYED`."""
    flushes = 0
    for written in log:
        flushes += written.flush
        yield written._replace(flush=written.flush and flushes % OBEYED == 0)
