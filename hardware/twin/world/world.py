"""The simulated table with hands: each action takes the time that a hand would take.

It is seeded, single-threaded and deterministic. The true events are appended to `truth`.
"""

from __future__ import annotations

from functools import partial

from hardware.readings import Piece, PuttyColour
from hardware.twin.world.die import throw
from hardware.twin.world.physics import PushedSphere, centre_height_mm, roll
from hardware.twin.world.putty import roll_between_hands, sculpt
from hardware.twin.world.scene import BossFigure, Stone
from hardware.twin.world.simulated_roll import beam_blocks
from hardware.twin.world.tabletop import Arm, HandAction, HandSteps, Side, TableSphere, Tabletop
from hardware.twin.world.truth import BossMoved, DieFell, Rolled, SphereOpened, Weighed

START_Y_MM = 219.0
FINGER_CLEARANCE_MM = 14.0


class World(Tabletop):
    """The simulated table. Action methods return at once; the action proceeds as time advances (`advance_to`)."""

    # Hands

    def _reach(self, *stops: tuple[float, tuple[float, float, float]]) -> None:
        """Move a hand over the table: from outside to each stop (seconds from now, place), and out again."""
        x, y, _ = stops[0][1]
        side: Side = "right" if x > 150 else "back" if y > 150 else "front"
        out = {"right": (x + 190.0, y - 110.0, 160.0), "back": (x, 430.0, 190.0), "front": (x, -260.0, 120.0)}[side]
        arm = Arm(side, [(self.now_s, out)])
        for after_s, place in stops:
            arm.keys.append((self.now_s + after_s, place))
        arm.keys.append((arm.keys[-1][0] + 0.35, out))
        self._arms.append(arm)

    def throw_die(self, value: int | None = None) -> HandAction:
        """Pick the die up and throw it into the tray. It shows `value`, or a face drawn by the seed."""
        return self._start("throw die", self._throwing(value))

    def _throwing(self, value: int | None) -> HandSteps:
        x, y = self.rig.tray_centre_mm
        over = (x + 8.0, y + 4.0, self.rig.tray_z_mm + 45.0)
        self._reach((0.45, over), (0.75, over))
        yield 0.45
        self._die = None
        yield 0.25
        die = throw(self.rig, self._rng, value=value, from_mm=(over[0], over[1]), now_s=self.now_s)
        self._die = die
        yield die.still_s - self.now_s
        self.truth.append(DieFell(self.now_s, die.value))

    def clear_tray(self) -> HandAction:
        """Take the die and all gems out of the tray."""
        return self._start("clear tray", self._clearing())

    def _clearing(self) -> HandSteps:
        x, y = self.rig.tray_centre_mm
        place = (x, y, self.rig.tray_z_mm + 20.0)
        self._reach((0.4, place), (0.75, place))
        yield 0.6
        self._die = None
        self.stones = ()
        yield 0.5

    def place_boss(self, lane: int) -> HandAction:
        """Carry the boss figure to its place behind `lane`."""
        return self._start("place boss", self._placing(lane))

    def _placing(self, lane: int) -> HandSteps:
        y, z = self.rig.boss_slot_y_mm + 6.0, self.rig.boss_base_z_mm + 40.0
        start = self.boss.x_mm if self.boss else 0.0
        end = self.rig.lane(lane).x_mm + self._rng.gauss(0.0, 1.2)
        self._reach((0.4, (start, y, z)), (0.6, (start, y, z)), (1.1, (end, y, z)), (1.2, (end, y, z)))
        yield 0.6
        for step in range(1, 11):
            self.boss = BossFigure(start + (end - start) * step / 10)
            yield 0.05
        self.boss = BossFigure(end, self._rng.gauss(0.0, 3.0))
        self.truth.append(BossMoved(self.now_s, lane))
        yield 0.4

    def press_hourglass(self) -> HandAction:
        """Press the hourglass button for a moment."""
        return self._start("press hourglass", self._pressing())

    def _pressing(self) -> HandSteps:
        yield 0.3
        self.on_button("hourglass", True, self.now_s)
        yield 0.12
        self.on_button("hourglass", False, self.now_s)

    # Putty

    def seat(self, colours: tuple[PuttyColour, ...]) -> None:
        """Replace the players: putty colours by seat. Spheres, gems and the die are removed from the table."""
        self.colours = colours
        for number in self.spheres:
            self._take_up(number)
        self.spheres = {}
        self.stones = ()
        self._die = None
        self._press_g = 0.0
        self._load()

    def sculpt(self, seat: int, diameter_mm: float, pieces: tuple[Piece, ...], *, spread: float = 0.015) -> TableSphere:
        """Give the player a new sphere behind the screen, instantly and out of view."""
        lump = sculpt(self.colours[seat], diameter_mm, pieces, rng=self._rng, spread=spread, now_s=self.now_s)
        self.spheres[seat] = TableSphere(lump)
        return self.spheres[seat]

    def round_again(self, seat: int, *, spread: float = 0.015) -> None:
        """Roll a sphere between the hands until it is round again, off the table (SM-34, SM-45)."""
        sphere = self.spheres[seat]
        sphere.lump = roll_between_hands(sphere.lump, self._rng, spread, self.now_s)

    def start_roll(self, seat: int, lane: int, push: float = 0.5, *, drift_to: int | None = None) -> HandAction:
        """Set the sphere on its circle and push it. `push` is 0–1; below about 0.12 the sphere stops short (SM-40)."""
        return self._start("roll", self._rolling(seat, lane, push, drift_to))

    def _rolling(self, seat: int, lane: int, push: float, drift_to: int | None) -> HandSteps:
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
        self._take_up(seat)
        sphere.place, sphere.centre_mm = "start", centre
        yield 0.8
        pushed = PushedSphere(
            mean_diameter_mm=sphere.lump.mean_diameter_mm,
            largest_caliper_mm=sphere.lump.calipers_mm(self.now_s)[1],
            lane=lane,
            strength=push,
            start_mm=(x, y),
            drift_to=drift_to,
        )
        path = roll(self.rig, pushed, self.now_s, self._rng)
        sphere.place, sphere.roll = "rolling", path
        for beam in self.rig.beams:
            for t_s, broken in beam_blocks(path.times_s, path.centres_mm, radius, beam.y_mm, beam.z_mm):
                self.at(t_s, partial(self._block, beam.name, seat, broken))
        yield path.rest_s - self.now_s
        sphere.place, sphere.centre_mm = "track", path.centre_at(path.rest_s)
        self.truth.append(Rolled(self.now_s, sphere.lump.colour, path.lane, path.outcome, path.crossed_s))

    def lift_sphere(self, seat: int) -> HandAction:
        """Take a sphere off the track or the landing board."""
        return self._start("lift", self._lifting(seat))

    def _lifting(self, seat: int) -> HandSteps:
        sphere = self.spheres[seat]
        x, y, z = sphere.centre_mm
        self._reach((0.45, (x, y, z + FINGER_CLEARANCE_MM)), (0.7, (x, y, z + FINGER_CLEARANCE_MM)))
        yield 0.6
        self._take_up(seat)
        yield 0.45

    def _take_up(self, seat: int) -> None:
        """Take a sphere from where it lies. It no longer breaks a beam."""
        sphere = self.spheres[seat]
        sphere.place, sphere.roll = "off", None
        for name in self._broken:
            self._block(name, seat, False)

    def put_on_pan(self, seat: int) -> HandAction:
        """Put a sphere on the pan. The load oscillates for a moment."""
        if "sphere swapped" in self.faults and len(self.spheres) > 1:
            others = [other for other in sorted(self.spheres) if other != seat]
            seat = others[self._rng.randrange(len(others))]
            self.faults.switch("sphere swapped", False)
        return self._start("put on pan", self._putting(seat))

    def _putting(self, seat: int) -> HandSteps:
        sphere = self.spheres[seat]
        x, y = self.rig.pan_centre_mm
        x, y = x + self._rng.gauss(0.0, 3.0), y + self._rng.gauss(0.0, 3.0)
        z = self.rig.pan_z_mm + sphere.lump.mean_diameter_mm / 2
        tip = (x, y, z + FINGER_CLEARANCE_MM)
        self._reach((0.45, tip), (0.8, tip))
        yield 0.5
        self._take_up(seat)
        sphere.place, sphere.centre_mm = "pan", (x, y, z)
        self._press_g = self._rng.uniform(2.0, 12.0)
        self._load()
        yield 0.3
        self._press_g = 0.0
        self._load()
        self.truth.append(Weighed(self.now_s, sphere.lump.colour, sphere.lump.mass_g))
        yield 0.35

    def lift_from_pan(self) -> HandAction:
        """Take everything off the pan."""
        return self._start("lift from pan", self._unloading())

    def _unloading(self) -> HandSteps:
        x, y = self.rig.pan_centre_mm
        tip = (x, y, self.rig.pan_z_mm + 30.0)
        self._reach((0.45, tip), (0.7, tip))
        yield 0.5
        for sphere in self.spheres.values():
            if sphere.place == "pan":
                sphere.place = "off"
        self._load()
        yield 0.55

    def open_sphere(self, seat: int) -> HandAction:
        """Open a sphere over the tray: its gems replace everything in the tray. The sphere's place does not change."""
        return self._start("open", self._opening(seat))

    def _opening(self, seat: int) -> HandSteps:
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
        self.truth.append(SphereOpened(self.now_s, sphere.lump.colour, pieces))
        yield 0.6

    def _tray_spot(self, k: int, of: int) -> tuple[float, float]:
        """Return a random spot in the tray, the k-th of several side by side so that gems do not overlap."""
        x, y = self.rig.tray_centre_mm
        room = self.rig.tray_side_mm / 2 - 14.0
        width = 2 * room / of
        return x - room + width * (k + self._rng.uniform(0.3, 0.7)), y + self._rng.uniform(-room, room)
