"""The simulated table: what lies where, and what hands do to it, on simulated time.

Every verb starts a deed that takes the time a hand would take; `advance_to` lets time pass and calls back at exactly
the moments at which a pin would change. Seeded, single-threaded, deterministic.
"""

from __future__ import annotations

import heapq
import itertools
import math
from collections.abc import Callable, Generator
from dataclasses import dataclass, field
from random import Random
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from hardware.readings import Piece, PuttyColour
from hardware.rig import Rig
from hardware.twin.faults import Faults
from hardware.twin.physics import Roll, beam_blocks, centre_height_mm, roll
from hardware.twin.putty import Lump, roll_between_hands, sculpt
from hardware.twin.scale_cell import force_g
from hardware.twin.scene import Ball, Cube, Figure, Reach, Scene, Stone
from hardware.twin.truth import BossMoved, DieFell, Fact, Opened, Rolled, Weighed

Array = NDArray[np.float64]
Place = Literal["off", "hand", "start", "rolling", "track", "pan"]
Deeds = Generator[float, None, None]

DIE_SIDE_MM = 16.0
GEM_SIDE_MM = 8.0
START_Y_MM = 219.0
FINGER_CLEARANCE_MM = 14.0


@dataclass
class Deed:
    """Something a hand is doing: `done` once it is over."""

    name: str
    done: bool = False


@dataclass
class Sphere:
    """One player's putty and where it is: `centre_mm` while it lies still, `roll` while it rolls or rests after."""

    lump: Lump
    place: Place = "off"
    centre_mm: tuple[float, float, float] = (0.0, 0.0, 0.0)
    roll: Roll | None = None


@dataclass
class _Die:
    """The die: tumbling until `still_s`, then showing `value`."""

    value: int
    thrown_s: float
    still_s: float
    from_mm: tuple[float, float]
    to_mm: tuple[float, float]
    axis: Array
    spin_rad: float
    rest: Array


@dataclass
class _Arm:
    """A hand on its way: keyframes (time, tip position)."""

    side: Literal["front", "back", "left", "right"]
    keys: list[tuple[float, tuple[float, float, float]]] = field(default_factory=list)

    def tip_at(self, t_s: float) -> tuple[float, float, float] | None:
        if not self.keys or t_s < self.keys[0][0] or t_s > self.keys[-1][0]:
            return None
        times = [key[0] for key in self.keys]
        x, y, z = (float(np.interp(t_s, times, [key[1][axis] for key in self.keys])) for axis in range(3))
        return x, y, z


_FACE_UP: dict[int, tuple[tuple[int, int, int], ...]] = {
    1: ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    6: ((1, 0, 0), (0, -1, 0), (0, 0, -1)),
    2: ((1, 0, 0), (0, 0, -1), (0, 1, 0)),
    5: ((1, 0, 0), (0, 0, 1), (0, -1, 0)),
    3: ((0, 0, -1), (0, 1, 0), (1, 0, 0)),
    4: ((0, 0, 1), (0, 1, 0), (-1, 0, 0)),
}
"""Rotation from die to table that brings a face up; in the die 1 faces +Z, 2 +Y, 3 +X, opposite faces sum to 7."""


class World:
    """The table and everything on it.

    :param players: the putty colours, by seat.
    :param on_beam: called as (beam name, broken, t_s) at the moment a beam changes.
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
        self.spheres: dict[int, Sphere] = {}
        self.truth: list[Fact] = []
        self.boss: Figure | None = Figure(rig.lane(boss_lane).x_mm)
        self.stones: tuple[Stone, ...] = ()
        self._rng = Random(seed)
        self._agenda: list[tuple[float, int, Callable[[], None]]] = []
        self._order = itertools.count()
        self._arms: list[_Arm] = []
        self._die: _Die | None = None
        self._loads: list[tuple[float, float]] = [(start_s, 0.0)]
        self._press_g = 0.0
        self._broken: dict[str, set[int]] = {beam.name: set() for beam in rig.beams}
        self.deeds: list[Deed] = []

    # Time

    def at(self, t_s: float, call: Callable[[], None]) -> None:
        """Do `call` when the world reaches `t_s`."""
        heapq.heappush(self._agenda, (max(t_s, self.now_s), next(self._order), call))

    def next_event_s(self) -> float:
        """Return when something on the table changes next, or infinity."""
        return self._agenda[0][0] if self._agenda else math.inf

    def advance_to(self, t_s: float) -> None:
        """Let time pass; everything due happens in order, at its own moment."""
        while self._agenda and self._agenda[0][0] <= t_s:
            self.now_s, _, call = heapq.heappop(self._agenda)
            call()
        self.now_s = max(self.now_s, t_s)
        self._arms = [arm for arm in self._arms if arm.keys[-1][0] >= self.now_s]

    @property
    def busy(self) -> bool:
        """Whether a hand is at work."""
        return bool(self.deeds)

    def _start(self, name: str, steps: Deeds) -> Deed:
        deed = Deed(name)
        self.deeds.append(deed)

        def go() -> None:
            try:
                wait_s = next(steps)
            except StopIteration:
                deed.done = True
                self.deeds.remove(deed)
            else:
                self.at(self.now_s + wait_s, go)

        self.at(self.now_s, go)
        return deed

    # Hands

    def _reach(self, *stops: tuple[float, tuple[float, float, float]]) -> None:
        """Send an arm over the table: from outside to each (after seconds, place), and out again."""
        first = stops[0][1]
        out = (first[0] + 190.0, first[1] - 110.0, 160.0) if first[0] > 150 else (first[0], 430.0, 190.0)
        side: Literal["back", "right"] = "right" if first[0] > 150 else "back"
        arm = _Arm(side, [(self.now_s, out)])
        for after_s, place in stops:
            arm.keys.append((self.now_s + after_s, place))
        arm.keys.append((arm.keys[-1][0] + 0.35, out))
        self._arms.append(arm)

    def throw_die(self, value: int | None = None) -> Deed:
        """Pick the die up, throw it into the tray; it tumbles and falls on a face drawn by the seed (or on `value`)."""
        return self._start("throw die", self._throwing(value))

    def _throwing(self, value: int | None) -> Deeds:
        x, y = self.rig.tray_centre_mm
        over = (x + 8.0, y + 4.0, self.rig.tray_z_mm + 45.0)
        self._reach((0.45, over), (0.75, over))
        yield 0.45
        self._die = None
        yield 0.25
        rng = self._rng
        face = value if value is not None else rng.randint(1, 6)
        yaw = rng.uniform(0, 2 * math.pi)
        around = np.array([[math.cos(yaw), -math.sin(yaw), 0], [math.sin(yaw), math.cos(yaw), 0], [0, 0, 1.0]])
        rest = around @ np.array(_FACE_UP[face], dtype=np.float64)
        room = self.rig.tray_side_mm / 2 - 16.0
        axis = np.array([rng.gauss(0, 1), rng.gauss(0, 1), rng.gauss(0, 0.4)])
        die = _Die(
            value=face,
            thrown_s=self.now_s,
            still_s=self.now_s + rng.uniform(0.55, 0.95),
            from_mm=(over[0], over[1]),
            to_mm=(x + rng.uniform(-room, room), y + rng.uniform(-room, room)),
            axis=axis / np.linalg.norm(axis),
            spin_rad=rng.uniform(9.0, 16.0),
            rest=rest,
        )
        self._die = die
        yield die.still_s - self.now_s
        self.truth.append(DieFell(self.now_s, face))

    def clear_tray(self) -> Deed:
        """Take the die and all gems out of the tray."""
        return self._start("clear tray", self._clearing())

    def _clearing(self) -> Deeds:
        x, y = self.rig.tray_centre_mm
        place = (x, y, self.rig.tray_z_mm + 20.0)
        self._reach((0.4, place), (0.75, place))
        yield 0.6
        self._die = None
        self.stones = ()
        yield 0.5

    def place_boss(self, lane: int) -> Deed:
        """Carry the boss to behind `lane`."""
        return self._start("place boss", self._placing(lane))

    def _placing(self, lane: int) -> Deeds:
        y, z = self.rig.boss_slot_y_mm + 6.0, self.rig.boss_base_z_mm + 40.0
        start = self.boss.x_mm if self.boss else 0.0
        end = self.rig.lane(lane).x_mm + self._rng.gauss(0.0, 1.2)
        self._reach((0.4, (start, y, z)), (0.6, (start, y, z)), (1.1, (end, y, z)), (1.2, (end, y, z)))
        yield 0.6
        for step in range(1, 11):
            self.boss = Figure(start + (end - start) * step / 10)
            yield 0.05
        self.boss = Figure(end, self._rng.gauss(0.0, 3.0))
        self.truth.append(BossMoved(self.now_s, lane))
        yield 0.4

    def press_hourglass(self) -> Deed:
        """Press the hourglass button for a moment."""
        return self._start("press hourglass", self._pressing())

    def _pressing(self) -> Deeds:
        yield 0.3
        self.on_button("hourglass", True, self.now_s)
        yield 0.12
        self.on_button("hourglass", False, self.now_s)

    # Putty

    def seat(self, colours: tuple[PuttyColour, ...]) -> None:
        """Let other players sit down: their putty colours by seat. What lay on the table is cleared away."""
        self.colours = colours
        for number, sphere in self.spheres.items():
            sphere.place = "off"
            for name in self._broken:
                self._block(name, number, False)
        self.spheres = {}
        self.stones = ()
        self._die = None
        self._press_g = 0.0
        self._load()

    def sculpt(self, seat: int, diameter_mm: float, pieces: tuple[Piece, ...], *, spread: float = 0.015) -> Sphere:
        """Give the player a fresh sphere behind the screen, instantly: nobody sees it."""
        lump = sculpt(self.colours[seat], diameter_mm, pieces, rng=self._rng, spread=spread, now_s=self.now_s)
        self.spheres[seat] = Sphere(lump)
        return self.spheres[seat]

    def round_again(self, seat: int, *, spread: float = 0.015) -> None:
        """Roll a sphere round again between the hands, off the table (SM-34, SM-45)."""
        sphere = self.spheres[seat]
        sphere.lump = roll_between_hands(sphere.lump, self._rng, spread, self.now_s)

    def start_roll(self, seat: int, lane: int, push: float = 0.5, *, drift_to: int | None = None) -> Deed:
        """Set the sphere on its circle and push it; `push` 0–1, below about 0.12 it falls short (SM-40)."""
        return self._start("roll", self._rolling(seat, lane, push, drift_to))

    def _rolling(self, seat: int, lane: int, push: float, drift_to: int | None) -> Deeds:
        sphere = self.spheres[seat]
        x = self.rig.lane(lane).x_mm + self._rng.gauss(0.0, 1.0)
        y = START_Y_MM + self._rng.uniform(-1.5, 4.0)
        radius = sphere.lump.mean_diameter_mm / 2
        centre = (x, y, centre_height_mm(self.rig, y, radius))
        tip = (x, y + radius + 4.0, centre[2] + radius)
        self._reach(
            (0.4, tip),
            (0.6, tip),
            (0.95, (x, y + 60.0, tip[2] + 40.0)),
            (1.25, (x, y + radius + 6.0, tip[2])),
            (1.42, (x, y + radius - 8.0, tip[2])),
        )
        yield 0.5
        sphere.place, sphere.centre_mm, sphere.roll = "start", centre, None
        yield 0.8
        path = roll(
            self.rig,
            lane=lane,
            mean_diameter_mm=sphere.lump.mean_diameter_mm,
            largest_caliper_mm=sphere.lump.calipers_mm(self.now_s)[1],
            push=push,
            start_mm=(x, y),
            start_s=self.now_s,
            rng=self._rng,
            drift_to=drift_to,
        )
        sphere.place, sphere.roll = "rolling", path
        for beam in self.rig.beams:
            for t_s, broken in beam_blocks(path.times_s, path.centres_mm, radius, beam.y_mm, beam.z_mm):
                self.at(t_s, lambda name=beam.name, on=broken: self._block(name, seat, on))  # type: ignore[misc]  # bound early
        yield path.rest_s - self.now_s
        sphere.place, sphere.centre_mm = "track", path.centre_at(path.rest_s)
        self.truth.append(Rolled(self.now_s, sphere.lump.colour, path.lane, path.outcome, path.crossed_s))

    def _block(self, name: str, seat: int, on: bool) -> None:
        """Note that a sphere enters or leaves a beam; tell when the beam as a whole changes."""
        before = bool(self._broken[name])
        (self._broken[name].add if on else self._broken[name].discard)(seat)
        if before != bool(self._broken[name]):
            self.on_beam(name, not before, self.now_s)

    def lift_sphere(self, seat: int) -> Deed:
        """Take a sphere off the track or the landing board."""
        return self._start("lift", self._lifting(seat))

    def _lifting(self, seat: int) -> Deeds:
        sphere = self.spheres[seat]
        x, y, z = sphere.centre_mm
        self._reach((0.45, (x, y, z + FINGER_CLEARANCE_MM)), (0.7, (x, y, z + FINGER_CLEARANCE_MM)))
        yield 0.6
        sphere.place, sphere.roll = "off", None
        for name in self._broken:
            self._block(name, seat, False)
        yield 0.45

    def put_on_pan(self, seat: int) -> Deed:
        """Lay a sphere on the pan; the reading swings for a moment."""
        if "sphere swapped" in self.faults and len(self.spheres) > 1:
            others = [other for other in sorted(self.spheres) if other != seat]
            seat = others[self._rng.randrange(len(others))]
            self.faults.switch("sphere swapped", False)
        return self._start("put on pan", self._putting(seat))

    def _putting(self, seat: int) -> Deeds:
        sphere = self.spheres[seat]
        x, y = self.rig.pan_centre_mm
        x, y = x + self._rng.gauss(0.0, 3.0), y + self._rng.gauss(0.0, 3.0)
        z = self.rig.pan_z_mm + sphere.lump.mean_diameter_mm / 2
        tip = (x, y, z + FINGER_CLEARANCE_MM)
        self._reach((0.45, tip), (0.8, tip))
        yield 0.5
        sphere.place, sphere.centre_mm = "pan", (x, y, z)
        self._press_g = self._rng.uniform(2.0, 12.0)
        self._load()
        yield 0.3
        self._press_g = 0.0
        self._load()
        self.truth.append(Weighed(self.now_s, sphere.lump.colour, sphere.lump.mass_g))
        yield 0.35

    def lift_from_pan(self) -> Deed:
        """Take whatever lies on the pan off it."""
        return self._start("lift from pan", self._unloading())

    def _unloading(self) -> Deeds:
        x, y = self.rig.pan_centre_mm
        tip = (x, y, self.rig.pan_z_mm + 30.0)
        self._reach((0.45, tip), (0.7, tip))
        yield 0.5
        for sphere in self.spheres.values():
            if sphere.place == "pan":
                sphere.place = "off"
        self._load()
        yield 0.55

    def open_sphere(self, seat: int) -> Deed:
        """Open a sphere over the tray: its gems fall in, the putty goes back behind the screen."""
        return self._start("open", self._opening(seat))

    def _opening(self, seat: int) -> Deeds:
        sphere = self.spheres[seat]
        x, y = self.rig.tray_centre_mm
        tip = (x + 4.0, y, self.rig.tray_z_mm + 40.0)
        self._reach((0.5, tip), (1.0, tip))
        yield 0.8
        self._die = None
        pieces = tuple(sorted(sphere.lump.pieces))
        self.stones = tuple(
            Stone(piece, (*self._tray_spot(k, len(pieces)), self.rig.tray_z_mm + 3.4), self._rng.uniform(0, 6.3))
            for k, piece in enumerate(pieces)
        )
        self.truth.append(Opened(self.now_s, sphere.lump.colour, pieces))
        yield 0.6

    def _tray_spot(self, k: int, of: int) -> tuple[float, float]:
        """Return a random spot in the tray, the k-th of several side by side so that gems do not overlap."""
        x, y = self.rig.tray_centre_mm
        room = self.rig.tray_side_mm / 2 - 14.0
        width = 2 * room / of
        return x - room + width * (k + self._rng.uniform(0.3, 0.7)), y + self._rng.uniform(-room, room)

    # What sensors can ask

    def _load(self) -> None:
        """Note that the load on the pan changes now."""
        on_pan = sum(s.lump.mass_g for s in self.spheres.values() if s.place == "pan")
        self._loads.append((self.now_s, on_pan + self._press_g))
        del self._loads[:-3]

    def load_g(self, t_s: float) -> float:
        """Return the force on the pan in grams: the last change rings and dies away."""
        return force_g(self._loads, t_s)

    @property
    def loads(self) -> tuple[tuple[float, float], ...]:
        """The last changes of the load, (second, grams from then on): what `force_g` takes."""
        return tuple(self._loads)

    @property
    def die_in_tray(self) -> bool:
        """Whether the die lies or tumbles in the tray."""
        return self._die is not None

    @property
    def die_value(self) -> int | None:
        """The face up of the die in the tray, None while it is away or tumbling."""
        return self._die.value if self._die and self.now_s >= self._die.still_s else None

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
            die=self._cube(),
            stones=self.stones,
            boss=self.boss,
            reaches=tuple(Reach(tip, side) for tip, side in arms if tip is not None),
            light=0.015 if "light gone" in faults else 1.0,
            covered="camera covered" in faults,
            hidden_markers=frozenset({1}) if "marker hidden" in faults else frozenset(),
        )

    def _ball(self, seat: int, sphere: Sphere) -> Ball | None:
        if sphere.place in ("off", "hand"):
            return None
        form = sphere.lump.form(self.now_s)
        path = sphere.roll
        if path is None:
            return Ball((seat, sphere.centre_mm), sphere.lump.colour, sphere.centre_mm, form)
        centre = path.centre_at(self.now_s)
        angle = path.turned_at(self.now_s)
        turn = np.array([[1, 0, 0], [0, math.cos(angle), -math.sin(angle)], [0, math.sin(angle), math.cos(angle)]])
        velocity = (0.0, 0.0, 0.0)
        if sphere.place == "rolling":
            later = path.centre_at(self.now_s + 0.004)
            velocity = tuple((b - a) / 0.004 for a, b in zip(centre, later, strict=True))  # type: ignore[assignment]  # three of them
        return Ball((seat, centre), sphere.lump.colour, centre, np.asarray(turn @ form), velocity)

    def _cube(self) -> Cube | None:
        die = self._die
        if die is None:
            return None
        share = min(max((self.now_s - die.thrown_s) / (die.still_s - die.thrown_s), 0.0), 1.0)
        left = (1 - share) ** 2
        x = die.to_mm[0] + (die.from_mm[0] - die.to_mm[0]) * left
        y = die.to_mm[1] + (die.from_mm[1] - die.to_mm[1]) * left
        hop = 26.0 * abs(math.cos(share * math.pi * 2.5)) * (1 - share) ** 2 if share < 1 else 0.0
        z = self.rig.tray_z_mm + DIE_SIDE_MM / 2 + hop
        return Cube((x, y, z), _about(die.axis, die.spin_rad * left) @ die.rest, share < 1)


def _about(axis: Array, angle: float) -> Array:
    """Return the rotation by `angle` about the unit vector `axis` (Rodrigues)."""
    x, y, z = axis
    cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.asarray(np.eye(3) + math.sin(angle) * cross + (1 - math.cos(angle)) * cross @ cross)
