"""Boots a kernel in QEMU and reads what the guest reports on its second serial line, one JSON object a line."""

from __future__ import annotations

import subprocess
import sys
import sysconfig
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec

from tests.machine.packages import CannotRunError, Kernel, need
from tests.places import ROOT


class VirtualMachine:
    """One run of a guest.

    :param count: nanoseconds of guest time an instruction takes as a power of two, or None for the host's own time.
        Counted, the guest's time goes on with its instructions alone, so that a busy host looks like no stall.
    """

    def __init__(self, kernel: Kernel, initrd: Path, folder: Path, *, count: int | None = None) -> None:
        need(("qemu-system-x86_64",), "qemu-system-x86")
        self._kernel, self._initrd, self._count = kernel, initrd, count
        self._console, self._reports = folder / "console.log", folder / "reports.jsonl"
        self.took_s, self.ended = 0.0, False

    def run(
        self,
        module: str,
        *,
        words: Sequence[str] = (),
        devices: Sequence[str] = (),
        restarts: bool = False,
        limit_s: float,
    ) -> list[dict[str, Any]]:
        """Boot, run a module of `tests.machine.guest` as the guest's root, and return its reports.

        :param words: what else the kernel's command line says.
        :param devices: what else QEMU is asked for.
        :param restarts: whether the guest may be reset and boot again.
        :raises CannotRunError: QEMU would not start, or the guest told nothing.
        """
        command = [
            *("qemu-system-x86_64", "-machine", "q35", "-accel", "tcg", "-cpu", "max", "-smp", "1", "-m", "1024"),
            *("-nodefaults", "-nographic", *devices, *(() if restarts else ("-no-reboot",))),
            *("-serial", f"file:{self._console}", "-serial", f"file:{self._reports}"),
            *("-kernel", str(self._kernel.image), "-initrd", str(self._initrd)),
            *("-append", " ".join(self._words(module, words))),
            *("-fsdev", "local,id=host,path=/,security_model=none,readonly=on,multidevs=remap"),
            *("-device", "virtio-9p-pci,fsdev=host,mount_tag=host"),
        ]
        if self._count is not None:
            command += ["-icount", f"shift={self._count},sleep=on"]
        self._reports.unlink(missing_ok=True)
        began_s = time.monotonic()
        try:
            ended = subprocess.run(command, capture_output=True, text=True, timeout=limit_s, check=False)
        except subprocess.TimeoutExpired:
            ended = None
        self.took_s = time.monotonic() - began_s
        if ended is not None and ended.returncode:
            raise CannotRunError(f"QEMU would not run: {ended.stderr.strip()}")
        self.ended = ended is not None
        reports = list(self._read())
        if not reports:
            raise CannotRunError(f"the guest told nothing in {self.took_s:.0f} s; its console: {self._console}")
        return reports

    def _words(self, module: str, words: Sequence[str]) -> Iterator[str]:
        yield from ("console=ttyS0", "quiet", "loglevel=4", "mitigations=off", "no_timer_check")
        yield f"table.folder={ROOT}"
        yield f"table.python={Path(sys.executable).resolve()}"
        yield f"table.prefix={sys.base_prefix}"
        yield f"table.packages={sysconfig.get_path('purelib')}"
        yield f"table.run={module}"
        yield from words or ("panic=-1",)

    def _read(self) -> Iterator[dict[str, Any]]:
        if not self._reports.exists():
            return
        for line in self._reports.read_bytes().splitlines():
            if line.strip():
                yield msgspec.json.decode(line)
