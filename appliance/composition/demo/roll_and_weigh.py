"""Simulated hands for recordings without a game: they roll spheres and weigh them, one after the other."""

from __future__ import annotations

import threading
from random import Random

from hardware.clock import ended
from hardware.readings import PUTTY_COLOURS
from hardware.twin.simulation import Simulation
from hardware.twin.world.tabletop import HandAction
from hardware.twin.world.world import World

PERIOD_S = 0.02
SETTLE_S = 3.5


class RollAndWeigh:
    """Rolls a sphere down a lane, lifts it off, weighs it, and begins again with another."""

    def __init__(self, simulation: Simulation) -> None:
        self._simulation = simulation
        self._rng = Random(0)
        self._seat = -1
        self._doing: HandAction | None = None
        self._next = 0
        self._rest_until_s = simulation.clock.now_s() + 1.5
        self._stopping = threading.Event()
        self._thread: threading.Thread | None = None

    def play(self) -> None:
        """Start the next hand action when the last one is done and the sensors had time to see it."""
        now_s = self._simulation.clock.now_s()
        if self._doing is not None and self._doing.done:
            self._doing = None
            self._rest_until_s = now_s + (SETTLE_S if self._next == 3 else 1.2)
        if self._doing is not None or now_s < self._rest_until_s:
            return
        with self._simulation.table() as world:
            self._doing = self._begin(world)

    def _begin(self, world: World) -> HandAction:
        step, self._next = self._next, (self._next + 1) % 4
        if step == 0:
            self._seat = (self._seat + 1) % len(PUTTY_COLOURS)
            lane = self._rng.choice(world.rig.lanes)
            tight = self._rng.random() < 0.35
            diameter_mm = lane.hole_mm + (self._rng.uniform(1.0, 3.0) if tight else -self._rng.uniform(1.5, 6.0))
            world.sculpt(self._seat, max(diameter_mm, 17.0), ("sweet",))
            return world.start_roll(self._seat, lane.number, self._rng.uniform(0.4, 0.7))
        if step == 1:
            return world.lift_sphere(self._seat)
        return world.put_on_pan(self._seat) if step == 2 else world.lift_from_pan()

    def start(self) -> None:
        """Play in a thread until `stop`."""
        self._thread = threading.Thread(target=self._run, name="hands", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Stop the thread."""
        self._stopping.set()
        ended(self._thread)

    def _run(self) -> None:
        while not self._stopping.wait(PERIOD_S):
            self.play()
