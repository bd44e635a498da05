"""The stories in which the twin moves the guest's wires and stands before its camera, and robots play."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec

from appliance.devices.calibration_files import twin_calibration
from tests.machine.image import installed_disk
from tests.machine.initrd import build_initrd
from tests.machine.packages import Kernel, video_module
from tests.machine.players import Players, Steps
from tests.machine.twin import SHARED_BYTES, Taps, Twin
from tests.machine.verdicts import Judged
from tests.machine.virtual_machine import VirtualMachine

SEED = 2
SETTINGS = "SMUGGLERS_CAMERA=opencv:0,SMUGGLERS_GRACE_S=0.5,SMUGGLERS_WEIGHING_SHOWN_S=2"
"""The owner's, in /etc/default: a USB camera, and short waits."""
DEVICES = ("virtio_blk", "ext4", "virtio_console", "videodev")
Row = tuple[str, bool, dict[str, Any]]


class Evening:
    """One run of the installed table with the twin before its devices."""

    def __init__(self, kernel: Kernel, wires: Path, folder: Path) -> None:
        self._folder = folder
        video = {video_module(kernel): "devices=1 video_nr=0 card_label=table"}
        initrd = build_initrd(kernel, {wires: "", **video}, folder, more=DEVICES)
        self.machine = VirtualMachine(kernel, initrd, folder, disk=installed_disk(), count=0, skips=True)
        self.twin, self.taps = Twin(SEED), Taps()

    def run(self, steps: Callable[[Players], Steps], limit_s: float) -> tuple[Players, list[dict[str, Any]]]:
        """Let robots live through `steps`; return them, and what the guest reported."""
        log = self._folder / "progress.log"
        log.unlink(missing_ok=True)
        players = Players(self.twin, self.taps, steps, SEED, log)
        sockets = {name: self._folder / f"{name}.sock" for name in ("wires", "taps")}
        for path in sockets.values():
            path.unlink(missing_ok=True)

        def beside() -> None:
            self.taps.connect(sockets["taps"])
            self.twin.serve(sockets["wires"], memory, players.deed)

        memory = self._folder / "pictures"
        memory.unlink(missing_ok=True)
        with memory.open("wb") as file:
            file.truncate(SHARED_BYTES)
        shared = f"memory-backend-file,id=pictures,share=on,mem-path={memory},size={SHARED_BYTES}"
        ports = ["-object", shared, "-device", "ivshmem-plain,memdev=pictures"]
        ports += ["-device", "virtio-serial-pci"]
        for name, path in sockets.items():
            ports += ["-chardev", f"socket,id={name},path={path},server=on,wait=off"]
            ports += ["-device", f"virtserialport,chardev={name},name=table.{name}"]
        told = self.machine.run(
            "tests.machine.guest.outside",
            words=("panic=-1", f"table.settings={SETTINGS}", f"table.calibration={self._calibration()}"),
            devices=ports,
            beside=beside,
            limit_s=limit_s,
        )
        return players, told

    def _calibration(self) -> Path:
        """Return a folder with what a calibration of the simulated table would find."""
        folder = self._folder / "calibration"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        for name, text in twin_calibration()[2].items():
            (folder / name).write_text(text, encoding="utf-8")
        return folder


def verdicts(evening: Evening, players: Players, folder: Path) -> list[Row]:
    """Return the rows of a game that was played to its end; journal and truth are kept in `folder`."""
    kept = {"actions": players.actions, "truth": [repr(fact) for fact in evening.twin.world.truth]}
    (folder / "verdicts.json").write_bytes(msgspec.json.encode(kept))
    view = players.view
    if view is None or not players.actions:
        return [("the game is played to its end", False, {"refused": evening.taps.refused[-3:]})]
    judged = Judged(players.actions, evening.twin.world.truth, evening.twin.world.colours, view.options.tie_band_g)
    figures = {kind: judged.count[kind] for kind in ("passage", "colour", "die", "gems", "order")}
    return [
        (
            "a game of Smugglers is played to its end",
            view.winner is not None,
            {"rounds": view.round, "reason": view.reason},
        ),
        (
            "every verdict of the sensors is what happened in the simulation",
            not judged.wrong and all(figures.values()),
            {"verdicts": judged.count.total(), **figures, "tapped while unplugged": judged.tapped.total()}
            | ({"wrong": judged.wrong} if judged.wrong else {}),
        ),
    ]
