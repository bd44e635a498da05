"""What is tried in the virtual machine: each story boots it once and returns rows of the table."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec

from tests.machine.image import installed_disk
from tests.machine.initrd import build_initrd
from tests.machine.kiosk import look
from tests.machine.packages import Kernel, need
from tests.machine.play import Evening, verdicts
from tests.machine.players import Players
from tests.machine.power_cuts import LoggedEvening
from tests.machine.virtual_machine import VirtualMachine
from tests.power.card import make_card


class Row(msgspec.Struct, frozen=True):
    """One line of the table: what was tried, whether it held, and what was measured."""

    story: str
    what: str
    held: bool
    figures: str = ""


SLOW = 2
"""2**2 ns an instruction: calls then cost what they cost on a Pi that saves power (see the story's first row)."""

HUNG_S = 7200.0
"""A guest that runs for longer hangs, however busy the PC is."""

TOLD = {"short": 6, "load": 5, "iio": 6, "service": 8, "sight": 7, "game": 10, "power": 5, "disk": 4}
"""How many rows each guest reports when it comes to its end."""

Story = Callable[[Kernel, Path, Path], list[Row]]


def short(kernel: Kernel, wires: Path, folder: Path) -> list[Row]:
    """Boot, wires, passages at the beams, one weighing."""
    # Kept awake throughout: a PC that pauses while the guest rests would make two edges 0.8 ms apart into one.
    machine = VirtualMachine(kernel, build_initrd(kernel, {wires: ""}, folder), folder, count=0, skips=True)
    return _rows("short", machine, machine.run("tests.machine.guest.wires", limit_s=HUNG_S))


def load(kernel: Kernel, wires: Path, folder: Path) -> list[Row]:
    """The HX711 on a slow processor that is busy."""
    machine = VirtualMachine(kernel, build_initrd(kernel, {wires: ""}, folder), folder, count=SLOW)
    return _rows("load", machine, machine.run("tests.machine.guest.load", limit_s=HUNG_S))


def iio(kernel: Kernel, wires: Path, folder: Path) -> list[Row]:
    """The HX711 behind the kernel's own driver, on the same slow processor."""
    machine = VirtualMachine(kernel, build_initrd(kernel, {wires: ""}, folder, more=("hx711",)), folder, count=SLOW)
    return _rows("iio", machine, machine.run("tests.machine.guest.kernel_scale", limit_s=HUNG_S))


def service(kernel: Kernel, wires: Path, folder: Path) -> list[Row]:
    """The product's own unit under systemd: hung, its watchdog restarts it; the kernel hung, the machine's does."""
    initrd = build_initrd(kernel, {wires: ""}, folder, more=("virtio_blk", "ext4", "i6300esb"))
    machine = VirtualMachine(kernel, initrd, folder, disk=installed_disk(), count=0)
    reports = machine.run(
        "tests.machine.guest.service",
        words=("panic=0",),
        devices=("-device", "i6300esb", "-action", "watchdog=reset"),
        restarts=True,
        limit_s=HUNG_S,
    )
    return _rows("service", machine, reports)


def sight(kernel: Kernel, wires: Path, folder: Path) -> list[Row]:
    """The installed table's own camera on /dev/video0: trial spheres on which camera and beams agree."""
    evening = Evening(kernel, wires, folder)
    players, told = evening.run(Players.practise, limit_s=HUNG_S)
    return _rows("sight", evening.machine, [*told, *_reports(players.held)])


def game(kernel: Kernel, wires: Path, folder: Path) -> list[Row]:
    """A whole game from the devices alone, with sensors that are unplugged in it."""
    evening = Evening(kernel, wires, folder)
    players, told = evening.run(Players.play, limit_s=HUNG_S)
    return _rows("game", evening.machine, [*told, *_reports([*players.held, *verdicts(evening, players, folder)])])


def kiosk(kernel: Kernel, wires: Path, folder: Path) -> list[Row]:
    """The touchscreen's picture, and how confined the installed units are; in a container, on this machine's kernel."""
    return [Row("kiosk", what, held, _figures(figures)) for what, held, figures in look(folder)]


def power(kernel: Kernel, wires: Path, folder: Path) -> list[Row]:
    """A game on a disk whose every write is logged; then the power fails at each of them, and the journal is opened."""
    evening = LoggedEvening(kernel, folder)
    told = evening.play(limit_s=HUNG_S)
    return _rows("power", evening.machine, [*told, *_reports(list(evening.rows()))])


def disk(kernel: Kernel, wires: Path, folder: Path) -> list[Row]:
    """A table on a disk that is full, closed to writing or dead, and under a clock that jumps."""
    need(("mkfs.ext4",), "e2fsprogs")
    card = folder / "card.img"
    make_card(card)
    initrd = build_initrd(kernel, {}, folder, more=("virtio_blk", "ext4"))
    machine = VirtualMachine(kernel, initrd, folder)
    devices = ("-drive", f"file={card},if=virtio,format=raw")
    return _rows("disk", machine, machine.run("tests.machine.guest.troubled_disk", devices=devices, limit_s=HUNG_S))


def _reports(rows: list[tuple[str, bool, dict[str, Any]]]) -> list[dict[str, object]]:
    return [{"what": what, "held": held, **figures} for what, held, figures in rows]


def _rows(story: str, machine: VirtualMachine, reports: list[dict[str, Any]]) -> list[Row]:
    """Return what the guest reported, and whether that is all and it ended by itself: one that died told too little."""
    lived_s = max((report.pop("guest_s", 0.0) for report in reports), default=0.0)
    rows = [
        Row(story, str(report.pop("what")), bool(report.pop("held")), _figures(report)) for report in map(dict, reports)
    ]
    told = f"{len(rows)} of {TOLD[story]} rows"
    took = f"{machine.took_s:.0f} s, {lived_s:.0f} s of the guest's, load average {os.getloadavg()[1]:.0f}"
    return [
        *rows,
        Row(story, "the guest reports all rows", len(rows) == TOLD[story], told),
        Row(story, "the guest shuts down by itself", machine.ended, took),
    ]


def _figures(report: dict[str, object]) -> str:
    return ", ".join(f"{name} {value}" for name, value in report.items())


STORIES: dict[str, Story] = {
    "short": short,
    "load": load,
    "iio": iio,
    "service": service,
    "sight": sight,
    "game": game,
    "power": power,
    "disk": disk,
    "kiosk": kiosk,
}

DISK, VIDEO = {"service", "sight", "game"}, {"sight", "game"}
"""Which of them need the installed disk and the camera's module."""
