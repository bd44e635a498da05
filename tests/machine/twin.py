"""The twin beside the guest: it lives in the guest's time and says what happens on its wires and before its camera."""

from __future__ import annotations

import json
import mmap
import socket
import struct
import time
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import Any

import cv2

from appliance.devices.simulated_table import TRACK_FPS
from hardware.cameras.camera import STREAM_SIZE_PX
from hardware.clock import ManualClock
from hardware.readings import PUTTY_COLOURS
from hardware.rig import Rig
from hardware.twin.cameras.camera import TwinCamera
from hardware.twin.drawing.renderer import Renderer
from hardware.twin.drawing.viewpoint import twin_view
from hardware.twin.simulation import Simulation
from hardware.twin.world.world import World

LEAD_S = 0.07
"""How far the twin is ahead of the guest, so that its edges are known before they are due."""
REST_FPS = 5.0
"""Pictures a second while nothing rolls: each costs the emulated processor much."""
FRONT_PIN, BACK_PIN, BUTTON_PIN = 17, 27, 22
MOST_PICTURES = 16
"""More are not shown at once: a camera drops pictures that nobody takes, too."""
NOW = struct.Struct("<d")
LENGTH = struct.Struct("<I")
SHARED_BYTES = 16 << 20
"""What guest and host share (QEMU wants a power of two): enough for the pictures of 0.8 s."""
Deed = Callable[[float], bool]
"""What people round the table do at a second of the guest; False: they have finished, and the guest is to end."""


def connected(path: Path, patience_s: float = 120.0) -> socket.socket:
    """Return the other end of a serial port of the guest, once QEMU has made it.

    :raises TimeoutError: it does not.
    """
    until_s = time.monotonic() + patience_s
    while True:
        line = socket.socket(socket.AF_UNIX)
        try:
            line.connect(str(path))
        except OSError:
            line.close()
            if time.monotonic() > until_s:
                raise TimeoutError(f"QEMU makes no {path}") from None
            time.sleep(0.2)
        else:
            return line


class Twin:
    """The simulated table, whose wires and camera lead into the guest.

    `pulled` names what is unplugged now: "beams" (the front beam's lamp), "scale" (the HX711's data wire), "camera".
    """

    def __init__(self, seed: int) -> None:
        self.pulled: set[str] = set()
        self.pictures = 0
        self._seed = seed
        self._rig = Rig()
        self._edges: list[tuple[float, int, bool]] = []
        self._broken: dict[int, bool] = {}
        self._low: dict[int, bool] = {}
        self._begun = False

    def begin(self, now_s: float) -> None:
        """Set the table up at the guest's second."""
        self.world = World(self._rig, colours=PUTTY_COLOURS, seed=self._seed, start_s=now_s)
        self._camera = TwinCamera(Renderer(self._rig, twin_view(*STREAM_SIZE_PX), seed=self._seed), fps=TRACK_FPS)
        self._camera.open()
        self.simulation = Simulation(self.world, ManualClock(now_s), camera=self._camera)
        self.world.on_beam = self.world.on_button = self._wire
        self._cell = self.simulation.scale_cell(self._seed)
        self._begun = True

    def advance(self, now_s: float) -> tuple[dict[str, Any], list[bytes]]:
        """Let the table live until shortly after the guest's second; return what happens and the pictures (YUYV)."""
        until_s = now_s + LEAD_S
        rolls = any(sphere.place in ("start", "rolling") for sphere in self.world.spheres.values())
        self._camera.fps = TRACK_FPS if rolls else REST_FPS
        self.simulation.advance_to(until_s)
        self._drive(FRONT_PIN, until_s)
        shown_s, pictures = [], []
        while (frame := self._camera.read(0)) is not None:
            if "camera" not in self.pulled:
                shown_s.append(frame.t_s)
                pictures.append(cv2.cvtColor(frame.image, cv2.COLOR_BGR2YUV_YUYV).tobytes())
        shown_s, pictures = shown_s[-MOST_PICTURES:], pictures[-MOST_PICTURES:]
        self.pictures += len(pictures)
        edges, self._edges = self._edges, []
        told = {
            "edges": edges,
            "counts": round(self._cell.counts_at(until_s)),
            "unplugged": "scale" in self.pulled,
            "size_px": STREAM_SIZE_PX,
            "pictures_s": shown_s,
            "end": False,
        }
        return told, pictures

    def serve(self, path: Path, memory: Path, deed: Deed) -> None:
        """Answer the guest's `table.wires` until the people have finished or the guest has gone.

        :param memory: the file of `SHARED_BYTES` that is the guest's shared memory; pictures lie in it from its start.
        """
        with connected(path) as line, memory.open("r+b") as file, mmap.mmap(file.fileno(), SHARED_BYTES) as shared:
            while len(asked := line.recv(NOW.size, socket.MSG_WAITALL)) == NOW.size:
                now_s = NOW.unpack(asked)[0]
                if not self._begun:
                    self.begin(now_s)
                told, pictures = self.advance(now_s)
                told["end"] = not deed(now_s)
                shared.seek(0)
                for picture in pictures:
                    shared.write(picture)
                answer = json.dumps(told).encode()
                line.sendall(LENGTH.pack(len(answer)) + answer)

    def _wire(self, name: str, broken: bool, t_s: float) -> None:
        pin = {"front": FRONT_PIN, "back": BACK_PIN, "hourglass": BUTTON_PIN}[name]
        self._broken[pin] = broken
        self._drive(pin, t_s)

    def _drive(self, pin: int, t_s: float) -> None:
        """Change the level of a pin if it is another: without its lamp the front beam is dark."""
        low = self._broken.get(pin, False) or (pin == FRONT_PIN and "beams" in self.pulled)
        if self._low.get(pin, False) != low:
            self._low[pin] = low
            self._edges.append((t_s, pin, not low))


class Taps:
    """The table's pages, asked through the guest's own screen; answers come while the guest goes on.

    `refused` holds what the table refused: status, path, what it said.
    """

    def __init__(self) -> None:
        self._line: socket.socket | None = None
        self._waiting: deque[tuple[str, Callable[[str], None]]] = deque()
        self._got = b""
        self.refused: list[tuple[int, str, str]] = []

    def connect(self, path: Path) -> None:
        """Connect to the guest's `table.taps`."""
        self._line = connected(path)
        self._line.setblocking(False)

    @property
    def idle(self) -> bool:
        """Whether everything was answered."""
        return not self._waiting

    def ask(self, method: str, path: str, body: Any = None, then: Callable[[str], None] = lambda text: None) -> None:
        """Ask; `then` is called by a later `pump` with the text of the answer, where the table did not refuse."""
        assert self._line is not None
        self._waiting.append((path, then))
        self._line.sendall(json.dumps({"method": method, "path": path, "body": body}).encode() + b"\n")

    def pump(self) -> None:
        """Take what was answered since."""
        assert self._line is not None
        try:
            while part := self._line.recv(1 << 20):
                self._got += part
        except BlockingIOError:
            pass
        while b"\n" in self._got:
            answer, self._got = self._got.split(b"\n", 1)
            told = json.loads(answer)
            path, then = self._waiting.popleft()
            if told["status"] == 200:
                then(told["text"])
            else:
                self.refused.append((told["status"], path, told["text"]))
