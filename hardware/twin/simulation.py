"""Runs the simulated table: it advances the world, and the world drives the real drivers' pins, scale and camera.

There are two ways to run it:

- Paced: `start` follows a `WarpedClock` in a thread, at any speed. Pictures that are not read in time are dropped.
- Lockstep: the caller advances a `ManualClock` with `advance_to`, single-threaded and as fast as the machine can. The
  same seed always gives the same result.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from hardware.clock import Clock, ManualClock, wait_out
from hardware.rig import Rig
from hardware.twin.cameras.camera import KEPT_FRAMES, TwinCamera
from hardware.twin.wires.pins import SimulatedPins
from hardware.twin.wires.scale_wiring import TwinLoad
from hardware.twin.world.scale_cell import ScaleCell
from hardware.twin.world.world import World

HOURGLASS_PIN = 22
"""BCM pin of the simulated hourglass button."""
TICK_S = 0.002
"""Real seconds between two steps when paced."""


class Simulation:
    """One simulated table.

    :param clock: the clock of the drivers' timestamps; a `ManualClock` is advanced by `advance_to`.
    :param pins: the simulated header that beams and button are connected to, or None.
    :param camera: the simulated camera, or None for a table without one.
    :param load: shared memory that carries the load to a scale in another process, or None.
    """

    def __init__(
        self,
        world: World,
        clock: Clock,
        *,
        pins: SimulatedPins | None = None,
        camera: TwinCamera | None = None,
        load: TwinLoad | None = None,
    ) -> None:
        self._world, self.clock, self.camera = world, clock, camera
        self._pins, self._load = pins, load
        self._pin_of = {beam.name: beam.pin for beam in world.rig.beams} | {"hourglass": HOURGLASS_PIN}
        self._passed_loads: tuple[tuple[float, float], ...] = ()
        self._passed_change_count = -1
        self._next_frame_s = world.now_s
        self._lock = threading.RLock()
        self._stopping = threading.Event()
        self._thread: threading.Thread | None = None
        world.on_beam = world.on_button = self._drive_pin
        for name in self._pin_of:
            self._drive_pin(name, False, world.now_s)
        self._after_change()

    @property
    def rig(self) -> Rig:
        """The table's geometry."""
        return self._world.rig

    @contextmanager
    def table(self) -> Iterator[World]:
        """Give access to the world and hold the lock, so that time does not advance: for hands, faults and tests."""
        with self._lock:
            yield self._world
            self._after_change()

    def scale_cell(self, seed: int = 0) -> ScaleCell:
        """Return the load cell of this table's pan, for a chip that is read in this process."""
        return ScaleCell(self._world.load_g, seed=seed, start_s=self._world.now_s)

    def advance_to(self, t_s: float) -> None:
        """Advance the table to `t_s`. Pins change and pictures are taken at their exact times in between."""
        with self._lock:
            while True:
                moment_s = min(self._world.next_event_s(), self._frame_due_s())
                if moment_s > t_s:
                    break
                self._move(moment_s)
                if self.camera is not None and self._frame_due_s() <= moment_s:
                    self.camera.expose(self._world.scene())
                    period_s = 1.0 / self.camera.fps
                    late = int((t_s - moment_s) / period_s)
                    self._next_frame_s = moment_s + period_s * max(1, late - KEPT_FRAMES + 1)
            self._move(t_s)

    def _frame_due_s(self) -> float:
        """Return the second at which the next picture is due, or infinity while the camera is not attended."""
        if self.camera is None or not self.camera.attended:
            return math.inf
        return max(self._next_frame_s, self._world.now_s)

    def _move(self, t_s: float) -> None:
        if isinstance(self.clock, ManualClock):
            self.clock.advance_to(t_s)
        self._world.advance_to(t_s)
        self._after_change()

    def _after_change(self) -> None:
        """Forward loads and faults when they have changed."""
        if self._world.loads != self._passed_loads:
            self._passed_loads = self._world.loads
            if self._load is not None:
                self._load.set_changes(self._passed_loads)
        if self._world.faults.change_count != self._passed_change_count:
            self._passed_change_count = self._world.faults.change_count
            if self._pins is not None:
                self._pins.refresh(self._world.now_s)
            if self._load is not None:
                self._load.set_faults(self._world.faults)
        elif self._pins is not None and self._pins.flickers:
            self._pins.refresh(self._world.now_s)

    def _drive_pin(self, name: str, broken: bool, t_s: float) -> None:
        """Drive the pin of a beam or the button: low when it is broken or pressed."""
        if self._pins is not None:
            self._pins.drive(self._pin_of[name], broken, t_s)

    def start(self) -> None:
        """Start a thread that follows the clock until `stop`."""
        self._stopping.clear()
        self._thread = threading.Thread(target=self._follow, name="twin", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """End the thread that `start` began."""
        self._stopping.set()
        wait_out(self._thread)
        self._thread = None

    def _follow(self) -> None:
        while not self._stopping.wait(TICK_S):
            self.advance_to(self.clock.now_s())
