"""The simulated camera. It keeps the last scenes and renders a picture only when one is read."""

from __future__ import annotations

import itertools
import threading
from collections import deque

from hardware.cameras.camera import STILL_SIZE_PX, CameraError, Frame, NoControls
from hardware.cameras.camera_model import CameraView, Image
from hardware.twin.drawing.empty_table import GivenUpError
from hardware.twin.drawing.renderer import Renderer
from hardware.twin.faults import Faults
from hardware.twin.world.scene import Scene

KEPT_FRAMES = 3


class TwinCamera(NoControls):
    """A camera over the simulated table (`hardware.cameras.camera.Camera`).

    The simulation takes pictures only while `attended` is True. A picture that was not read before `KEPT_FRAMES` newer
    ones came is dropped. One thread calls `read`, another `expose`.

    :param fps: pictures per simulated second; it may be changed at any time.
    """

    def __init__(self, renderer: Renderer, *, fps: float = 30.0, faults: Faults | None = None) -> None:
        self.renderer, self.fps = renderer, fps
        self.attended = True
        self.dropped = 0
        self._faults = faults if faults is not None else Faults()
        self._moments: deque[Scene] = deque(maxlen=KEPT_FRAMES)
        self._arrived = threading.Condition()
        self._numbers = itertools.count()
        self._frozen: Image | None = None
        self._last: Scene | None = None
        self._still_renderer: Renderer | None = None
        self._given_up = threading.Event()

    def open(self) -> TwinCamera:
        """Prepare the renderer, which takes about as long as a real camera's start, and return the camera.

        :raises CameraError: `give_up` was called.
        """
        try:
            self.renderer.prepare(self._given_up)
        except GivenUpError:
            raise CameraError("camera_silent", "The simulated table was stopped while it drew.") from None
        return self

    def give_up(self) -> None:
        """End an `open` that is under way: nobody waits for it any more."""
        self._given_up.set()

    def expose(self, scene: Scene) -> None:
        """Take a picture of a scene (called by the simulation)."""
        with self._arrived:
            self.dropped += len(self._moments) == KEPT_FRAMES
            self._moments.append(scene)
            self._last = scene
            self._arrived.notify_all()

    def read(self, timeout_s: float) -> Frame | None:
        """Return the oldest kept frame, or None when none came within `timeout_s` real seconds."""
        with self._arrived:
            if not self._moments and timeout_s > 0:
                self._arrived.wait(timeout_s)
            if not self._moments:
                return None
            scene = self._moments.popleft()
        if self._frozen is None or "camera frozen" not in self._faults:
            self._frozen = self.renderer.picture(scene)
        return Frame(scene.t_s, self._frozen.copy(), next(self._numbers))

    def still(self) -> Frame:
        """Return one picture of the last scene, of `hardware.cameras.camera.STILL_SIZE_PX`.

        :raises CameraError: `camera_silent`: the simulation has not started.
        """
        scene = self._last
        if scene is None:
            raise CameraError("camera_silent", "The simulated table has not started; start it first.")
        if self._still_renderer is None:
            view = self.renderer.view
            self._still_renderer = Renderer(
                self.renderer.rig, CameraView(view.camera.scaled_to(*STILL_SIZE_PX), view.pose)
            )
        return Frame(scene.t_s, self._still_renderer.picture(scene), next(self._numbers))

    def close(self) -> None:
        """Take no more pictures."""
        self.attended = False
