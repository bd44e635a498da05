"""The state of the simulated table, its schedule of future changes, and the input of each sensor."""

from __future__ import annotations

import heapq
import itertools
import math
from collections.abc import Callable, Generator
from dataclasses import dataclass, field
from functools import partial
from random import Random
from typing import Literal

import numpy as np

from hardware.readings import PuttyColour
from hardware.rig import Rig
from hardware.twin.faults import FaultInterval, Faults
from hardware.twin.world.die import ThrownDie
from hardware.twin.world.putty import Lump
from hardware.twin.world.scale_cell import force_g
from hardware.twin.world.scene import BossFigure, Reach, Scene, Stone, VisibleSphere
from hardware.twin.world.simulated_roll import SimulatedRoll
from hardware.twin.world.truth import TrueEvent

Place = Literal["off", "start", "rolling", "track", "pan"]
Side = Literal["front", "back", "left", "right"]
HandSteps = Generator[float, None, None]
"""The steps of a hand: a generator that yields the seconds until the next step."""


@dataclass
class HandAction:
    """An action of a hand. `done` is True once it is finished."""

    name: str
    done: bool = False


@dataclass
class TableSphere:
    """One player's putty and its place: `centre_mm` while it is at rest, `roll` during a roll and at rest after it."""

    lump: Lump
    place: Place = "off"
    centre_mm: tuple[float, float, float] = (0.0, 0.0, 0.0)
    roll: SimulatedRoll | None = None


@dataclass
class Arm:
    """The motion of a hand: keyframes (second, position of the fingertips in mm)."""

    side: Side
    keys: list[tuple[float, tuple[float, float, float]]] = field(default_factory=list)

    def tip_at(self, t_s: float) -> tuple[float, float, float] | None:
        """Return the position of the fingertips at `t_s`, mm; None before the first and after the last keyframe."""
        if not self.keys or t_s < self.keys[0][0] or t_s > self.keys[-1][0]:
            return None
        times = [key[0] for key in self.keys]
        x, y, z = (float(np.interp(t_s, times, [key[1][axis] for key in self.keys])) for axis in range(3))
        return x, y, z


class Tabletop:
    """The table and everything on it. `World` adds the actions of hands.

    :param colours: the putty colours, by seat.
    :param on_beam: called as (beam name, broken, t_s) when a beam changes.
    :param on_button: called as (button name, pressed, t_s).
    """

    def __init__(
        self,
        rig: Rig,
        *,
        colours: tuple[PuttyColour, ...],
        seed: int,
        start_s: float = 0.0,
        boss_lane: int = 4,
        faults: Faults | None = None,
        on_beam: Callable[[str, bool, float], None] = lambda name, broken, t_s: None,
        on_button: Callable[[str, bool, float], None] = lambda name, pressed, t_s: None,
    ) -> None:
        self.rig, self.colours = rig, colours
        self.faults = faults if faults is not None else Faults()
        self.on_beam, self.on_button = on_beam, on_button
        self.now_s = start_s
        self.spheres: dict[int, TableSphere] = {}
        self.truth: list[TrueEvent] = []
        self.boss: BossFigure | None = BossFigure(rig.lane(boss_lane).x_mm)
        self.stones: tuple[Stone, ...] = ()
        self._rng = Random(seed)
        self._schedule: list[tuple[float, int, Callable[[], None]]] = []
        self._order = itertools.count()
        self._arms: list[Arm] = []
        self._die: ThrownDie | None = None
        self._loads: list[tuple[float, float]] = [(start_s, 0.0)]
        self._press_g = 0.0
        self._broken: dict[str, set[int]] = {beam.name: set() for beam in rig.beams}
        self.actions: list[HandAction] = []

    # Time

    def at(self, t_s: float, call: Callable[[], None]) -> None:
        """Schedule `call` for `t_s`."""
        heapq.heappush(self._schedule, (max(t_s, self.now_s), next(self._order), call))

    def schedule_fault(self, spell: FaultInterval) -> None:
        """Schedule a fault to be switched on and off, counted from now."""
        if spell.from_s <= 0.0:
            self.faults.switch(spell.name, True)
        else:
            self.at(self.now_s + spell.from_s, partial(self.faults.switch, spell.name, True))
        if math.isfinite(spell.until_s):
            self.at(self.now_s + spell.until_s, partial(self.faults.switch, spell.name, False))

    def next_event_s(self) -> float:
        """Return the second of the next scheduled change, or infinity."""
        return self._schedule[0][0] if self._schedule else math.inf

    def advance_to(self, t_s: float) -> None:
        """Advance to `t_s`. Scheduled calls that are due are made in order, each at its own time."""
        while self._schedule and self._schedule[0][0] <= t_s:
            self.now_s, _, call = heapq.heappop(self._schedule)
            call()
        self.now_s = max(self.now_s, t_s)
        self._arms = [arm for arm in self._arms if arm.keys[-1][0] >= self.now_s]

    @property
    def busy(self) -> bool:
        """Whether an action of a hand is in progress."""
        return bool(self.actions)

    def _start(self, name: str, steps: HandSteps) -> HandAction:
        action = HandAction(name)
        self.actions.append(action)

        def go() -> None:
            try:
                wait_s = next(steps)
            except StopIteration:
                action.done = True
                self.actions.remove(action)
            else:
                self.at(self.now_s + wait_s, go)

        self.at(self.now_s, go)
        return action

    # What sensors notice

    def _block(self, name: str, seat: int, on: bool) -> None:
        """Record that a sphere enters or leaves a beam; call `on_beam` when the beam as a whole changes."""
        before = bool(self._broken[name])
        (self._broken[name].add if on else self._broken[name].discard)(seat)
        if before != bool(self._broken[name]):
            self.on_beam(name, not before, self.now_s)

    def _load(self) -> None:
        """Record that the load on the pan changes now."""
        on_pan = sum(s.lump.mass_g for s in self.spheres.values() if s.place == "pan")
        self._loads.append((self.now_s, on_pan + self._press_g))
        del self._loads[:-3]

    def load_g(self, t_s: float) -> float:
        """Return the force on the pan in grams, including the decaying oscillation after the last change."""
        return force_g(self._loads, t_s)

    @property
    def loads(self) -> tuple[tuple[float, float], ...]:
        """The last changes of the load, (second, grams from then on), as `force_g` takes them."""
        return tuple(self._loads)

    @property
    def die_in_tray(self) -> bool:
        """Whether the die lies or tumbles in the tray."""
        return self._die is not None

    def scene(self) -> Scene:
        """Return the table as a camera would see it now."""
        t_s = self.now_s
        faults = self.faults
        arms = [(arm.tip_at(t_s), arm.side) for arm in self._arms]
        return Scene(
            t_s=t_s,
            balls=tuple(
                ball for seat, sphere in self.spheres.items() if (ball := self._ball(seat, sphere)) is not None
            ),
            die=self._die.cube_at(t_s, self.rig.tray_z_mm) if self._die is not None else None,
            stones=self.stones,
            boss=self.boss,
            reaches=tuple(Reach(tip, side) for tip, side in arms if tip is not None),
            light=0.015 if "light gone" in faults else 1.0,
            covered="camera covered" in faults,
            hidden_markers=frozenset({1}) if "marker hidden" in faults else frozenset(),
        )

    def _ball(self, seat: int, sphere: TableSphere) -> VisibleSphere | None:
        if sphere.place in ("off", "hand"):
            return None
        form = sphere.lump.form(self.now_s)
        path = sphere.roll
        if path is None:
            return VisibleSphere((seat, sphere.centre_mm), sphere.lump.colour, sphere.centre_mm, form)
        centre = path.centre_at(self.now_s)
        angle = path.turned_at(self.now_s)
        turn = np.array([[1, 0, 0], [0, math.cos(angle), -math.sin(angle)], [0, math.sin(angle), math.cos(angle)]])
        velocity = (0.0, 0.0, 0.0)
        if sphere.place == "rolling":
            later = path.centre_at(self.now_s + 0.004)
            velocity = tuple((b - a) / 0.004 for a, b in zip(centre, later, strict=True))  # type: ignore[assignment]  # three of them
        return VisibleSphere((seat, centre), sphere.lump.colour, centre, np.asarray(turn @ form), velocity)
