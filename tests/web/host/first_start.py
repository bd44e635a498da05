"""The machine of a first start, and the code that lets its owner in from elsewhere."""

from __future__ import annotations

from pathlib import Path

from appliance.service.machine.asks import (
    Ask,
    Done,
    MachineState,
    Wifi,
)
from appliance.service.machine.machine import Machine

READY = MachineState(touchscreen="off", network="ready", wifis=(Wifi("Harbour", 80, True, False),))


class Told(Machine):
    """A machine that answers what it is told to, and remembers what it was asked."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.done = Done("", READY)
        self.asked: list[Ask] = []

    def ask(self, ask: Ask) -> Done:
        self.asked.append(ask)
        return self.done


def code(folder: Path) -> str:
    return (folder / "first-start.code").read_text()
