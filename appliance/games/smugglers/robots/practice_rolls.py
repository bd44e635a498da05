"""Practice rolls of robot players at the simulated table (SM-13). They are judged, but they never score."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from hardware.twin.simulation import Simulation
from hardware.twin.world.tabletop import HandAction

ROLLS_PER_SEAT = 2
"""Practice rolls of each seat."""
SIZES = (0.86, 1.1)
"""Range of the mean diameter of a practice sphere, relative to the hole: some pass, some get stuck."""
LOOK_S = (1.0, 6.0)
"""Seconds before the next hand action, after a sphere that passed and after one that did not."""
FIRMLY = (0.35, 0.7)


class PracticeRolls:
    """Rolls practice spheres one after the other, each down a random lane."""

    def __init__(self, simulation: Simulation, seats: Sequence[int], seed: int) -> None:
        self._simulation, self._rng = simulation, Random(f"{seed} trials")
        self._waiting = [seat for _ in range(ROLLS_PER_SEAT) for seat in seats]
        self._rolled: int | None = None
        self._hand_action: HandAction | None = None
        self._idle_until_s = 0.0

    def roll(self, now_s: float) -> bool:
        """Do the next action, if any. Return False once all rolls are done and the track is clear. Call it often."""
        if self._hand_action is not None:
            if not self._hand_action.done:
                return True
            self._hand_action, self._idle_until_s = None, now_s + self._look_s()
        if now_s < self._idle_until_s:
            return True
        with self._simulation.table() as world:
            if self._rolled is not None and world.spheres[self._rolled].place == "track":
                self._hand_action = world.lift_sphere(self._rolled)
                return True
            if not self._waiting:
                return False
            seat = self._rolled = self._waiting.pop(0)
            lane = self._rng.choice(self._simulation.rig.lanes)
            world.sculpt(seat, lane.hole_mm * self._rng.uniform(*SIZES), ())
            self._hand_action = world.start_roll(seat, lane.number, self._rng.uniform(*FIRMLY))
        return True

    def _look_s(self) -> float:
        with self._simulation.table() as world:
            stays = self._rolled is not None and world.spheres[self._rolled].place == "track"
        return LOOK_S[1] if stays else LOOK_S[0]
