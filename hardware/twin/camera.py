"""The twin's camera: it keeps the last moments of the table and draws a picture only when somebody fetches it."""

from __future__ import annotations

import threading
from collections import deque

from hardware.twin.faults import Faults
from hardware.twin.renderer import Renderer
from hardware.twin.scene import Scene
from hardware.twin.shading import Pixels

KEPT_FRAMES = 3


class TwinCamera:
    """A camera over the simulated table.

    `attended` says whether anybody wants pictures; without, none are taken. A picture that was not fetched before
    `KEPT_FRAMES` newer ones came is dropped.

    :param fps: pictures per simulated second.
    """

    def __init__(self, renderer: Renderer, *, fps: float = 30.0, faults: Faults | None = None) -> None:
        self.renderer, self.fps = renderer, fps
        self.attended = True
        self._faults = faults if faults is not None else Faults()
        self._moments: deque[Scene] = deque(maxlen=KEPT_FRAMES)
        self._arrived = threading.Condition()
        self._frozen: Pixels | None = None
        self.dropped = 0

    def expose(self, scene: Scene) -> None:
        """Take a picture of this moment (called by the simulation)."""
        with self._arrived:
            self.dropped += len(self._moments) == KEPT_FRAMES
            self._moments.append(scene)
            self._arrived.notify_all()

    def fetch(self, timeout_s: float = 0.0) -> tuple[float, Pixels] | None:
        """Return the oldest kept picture (its second, 8-bit BGR (h, w, 3)), or None if none comes in time."""
        with self._arrived:
            if not self._moments and timeout_s > 0:
                self._arrived.wait(timeout_s)
            if not self._moments:
                return None
            scene = self._moments.popleft()
        if "camera frozen" in self._faults and self._frozen is not None:
            return scene.t_s, self._frozen.copy()
        picture = self.renderer.picture(scene)
        self._frozen = picture
        return scene.t_s, picture
