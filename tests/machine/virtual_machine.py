"""Boots a kernel in QEMU and reads what the guest reports on its second serial line, one JSON object a line."""

from __future__ import annotations

import subprocess
import sys
import sysconfig
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec

from tests.machine.packages import CannotRunError, Kernel, need
from tests.places import ROOT

PROCESSOR = "max,erms=off,fsrm=off,avx=off,avx2=off,f16c=off,fma=off"
"""As much as QEMU emulates, without AVX: its VPGATHERDD (7.2) reads from wrong addresses, and numpy dies of it."""


class VirtualMachine:
    """One run of a guest.

    :param disk: the disk with an installed system that systemd boots; None: the host's own files.
    :param count: nanoseconds of guest time an instruction takes as a power of two, or None for the host's own time.
        Counted, the guest's time goes on with its instructions alone, so that a busy host looks like no stall.
    :param skips: whether a guest that rests skips to its next timer instead of waiting as long. Whatever waits for the
        host must then be awake meanwhile, or the guest's time runs away.
    """

    def __init__(
        self,
        kernel: Kernel,
        initrd: Path,
        folder: Path,
        *,
        disk: Path | None = None,
        count: int | None = None,
        skips: bool = False,
    ) -> None:
        need(("qemu-system-x86_64",), "qemu-system-x86")
        self._kernel, self._initrd, self._disk, self._count, self._skips = kernel, initrd, disk, count, skips
        self._console, self._reports = folder / "console.log", folder / "reports.jsonl"
        self.took_s, self.ended = 0.0, False

    def run(
        self,
        module: str,
        *,
        words: Sequence[str] = (),
        devices: Sequence[str] = (),
        restarts: bool = False,
        beside: Callable[[], None] = lambda: None,
        limit_s: float,
    ) -> list[dict[str, Any]]:
        """Boot, run a module of `tests.machine.guest` as the guest's root, and return its reports.

        :param words: what else the kernel's command line says.
        :param devices: what else QEMU is asked for.
        :param beside: runs on this machine meanwhile, in a thread of its own, and ends when the guest has ended.
        :param restarts: whether the guest may be reset and boot again.
        :raises CannotRunError: QEMU would not start, or the guest told nothing.
        """
        command = [
            *(
                "qemu-system-x86_64",
                "-machine",
                "q35",
                "-accel",
                "tcg",
                "-cpu",
                PROCESSOR,
                "-smp",
                "1",
                "-m",
                "1024",
            ),
            *("-nodefaults", "-nographic", *devices, *(() if restarts else ("-no-reboot",))),
            *("-serial", f"file:{self._console}", "-serial", f"file:{self._reports}"),
            *("-kernel", str(self._kernel.image), "-initrd", str(self._initrd)),
            *("-append", " ".join(self._words(module, words))),
            *("-fsdev", "local,id=host,path=/,security_model=none,readonly=on,multidevs=remap"),
            *("-device", "virtio-9p-pci,fsdev=host,mount_tag=host"),
        ]
        if self._count is not None:
            command += ["-icount", f"shift={self._count},sleep={'off' if self._skips else 'on'}"]
        if self._disk is not None:  # what is written to it is kept while QEMU runs, through a reset
            command += ["-drive", f"file={self._disk},if=virtio,format=raw,snapshot=on,cache=unsafe"]
        self._reports.unlink(missing_ok=True)
        began_s = time.monotonic()
        failures: list[BaseException] = []
        with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as qemu:

            def watched() -> None:
                try:
                    beside()
                except BaseException as error:  # the guest would wait for it for ever
                    failures.append(error)
                    qemu.kill()

            meanwhile = threading.Thread(target=watched, name="beside the guest", daemon=True)
            meanwhile.start()
            try:
                said = qemu.communicate(timeout=limit_s)[1]
                self.ended = True
            except subprocess.TimeoutExpired:
                qemu.kill()
                said = qemu.communicate()[1]
            except BaseException:
                qemu.kill()
                raise
        meanwhile.join()
        self.took_s = time.monotonic() - began_s
        if failures:
            raise failures[0]
        if self.ended and qemu.returncode:
            raise CannotRunError(f"QEMU would not run: {said.strip()}")
        reports = list(self._read())
        if not reports:
            raise CannotRunError(f"the guest told nothing in {self.took_s:.0f} s; its console: {self._console}")
        return reports

    def _words(self, module: str, words: Sequence[str]) -> Iterator[str]:
        yield from ("console=ttyS0", "quiet", "loglevel=4", "mitigations=off", "no_timer_check")
        yield f"table.folder={ROOT}"
        if self._disk is None:
            yield from ("table.root=host", f"table.packages={sysconfig.get_path('purelib')}")
            yield f"table.python={Path(sys.executable).resolve()}"
        else:
            yield "table.root=disk"
        if self._skips:
            yield from ("table.skips=yes", "noautogroup")  # or what keeps it awake would get a half of its time
        yield f"table.run={module}"
        yield from words or ("panic=-1",)

    def _read(self) -> Iterator[dict[str, Any]]:
        if not self._reports.exists():
            return
        for line in self._reports.read_bytes().splitlines():
            if line.strip():
                yield msgspec.json.decode(line)
