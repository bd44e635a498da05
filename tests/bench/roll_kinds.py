"""What happens in drawn rolls, by lot: how spheres roll and end, and what hands do meanwhile."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from tests.bench.drawn_table import PUTTIES
from tests.bench.lit_table import MIDDLE, RIG, Ball, Glow
from tests.bench.roll_ways import (
    PLATFORM_MM_S2,
    Roll,
    Vector,
    Way,
    flown,
    height_mm,
    reaching,
    rolled,
    taken,
    wedge_y_mm,
)

NAMES = ("yellow", "green", "orange", "pink")
SKINS = np.array([(0.32, 0.42, 0.62), (0.2, 0.3, 0.5), (0.08, 0.12, 0.22)])


@dataclass(frozen=True)
class Truth:
    """How one roll ends. `crossed_s`: when the centre crosses the fence's plane, if it passes."""

    outcome: str
    lane: int
    colour: str
    crossed_s: float | None = None


@dataclass
class Staged:
    """What moves in a scene under its key lamp, what is true at its end, and how long it takes, s."""

    glow: Glow
    truths: tuple[Truth, ...] = ()
    things: list[tuple[Way, Ball]] = field(default_factory=list)
    seconds: float = 1.0


def _ball(rng: np.random.Generator, radius_mm: float, colour: str | None = None) -> tuple[Ball, str]:
    name = colour or str(rng.choice(NAMES))
    paint = PUTTIES[NAMES.index(name)] * rng.uniform(0.85, 1.1)
    return Ball(np.zeros(3), radius_mm, paint, rng.uniform(0, 0.02), rng.uniform(0, 6)), name


def _fits(rng: np.random.Generator, lane: int) -> float:
    return max(RIG.lane(lane).hole_mm / 2 * float(rng.uniform(0.74, 0.965)), 7.6)


def _stuck_radius(rng: np.random.Generator, lane: int) -> float:
    return min(RIG.lane(lane).hole_mm / 2 * float(rng.choice([rng.uniform(1.012, 1.05), rng.uniform(1.05, 1.2)])), 21.0)


def _hand(tip: Way, rng: np.random.Generator, side: float) -> list[tuple[Way, Ball]]:
    """Return a finger, a palm and a sleeve as balls behind a tip; sleeves may have a putty's colour."""
    skin = SKINS[rng.integers(3)]
    sleeve = PUTTIES[rng.integers(4)] if rng.random() < 0.3 else rng.uniform(0.02, 0.5, 3)
    back = np.array([0.35 * side, 0.85, 0.4])
    back /= np.linalg.norm(back)
    parts = [(14.0 * k, 8.5, skin) for k in range(5)]
    parts += [(85.0, 25.0, skin), (120.0, 29.0, skin)]
    parts += [(160.0 + 38 * k, 36.0, sleeve) for k in range(6)]

    def at(offset: float) -> Way:
        def way(t_s: float) -> Vector | None:
            place = tip(t_s)
            return None if place is None else place + back * offset

        return way

    return [(at(offset), Ball(np.zeros(3), radius, paint)) for offset, radius, paint in parts]


def _one_roll(
    staged: Staged, rng: np.random.Generator, lane: int, outcome: str, begins_s: float, colour: str | None = None
) -> tuple[Roll, Ball, str]:
    weave = (float(rng.uniform(0, 2.5)), float(rng.uniform(0, 6)))
    if outcome == "stuck":
        radius = _stuck_radius(rng, lane)
        start = begins_s, float(rng.uniform(212, 224)), float(rng.uniform(90, 300))
        stop = (wedge_y_mm(radius, RIG.lane(lane).hole_mm),)
        roll = rolled(
            radius,
            lane,
            start,
            stops_at=stop,
            rebound=float(rng.choice([0.0, rng.uniform(0.1, 0.4)])),
            weave=(0.0, 0.0),
        )
    elif outcome == "short":
        radius = _fits(rng, lane)
        y, room = float(rng.uniform(216, 226)), float(rng.uniform(5, 14))
        roll = rolled(radius, lane, (begins_s, y, math.sqrt(2 * PLATFORM_MM_S2 * room * 0.75)))
    else:
        radius = _fits(rng, lane)
        tight = radius > 0.45 * RIG.lane(lane).hole_mm
        start = begins_s, float(rng.uniform(212, 226)), float(rng.uniform(100, 320))
        roll = rolled(radius, lane, start, squeeze=float(rng.uniform(0.3, 1.0)) if tight else 1.0, weave=weave)
    ball, name = _ball(rng, radius, colour)
    staged.truths += (Truth(outcome, lane, name, roll.crossed_s),)
    return roll, ball, name


def _end_of(roll: Roll, rng: np.random.Generator) -> float:
    if roll.crossed_s is not None:
        return roll.crossed_s + float(rng.uniform(0.35, 0.6))
    return (roll.rest_s or 2.0) + float(rng.uniform(0.75, 1.1))


def _plain(staged: Staged, rng: np.random.Generator, outcome: str) -> None:
    lane = int(rng.integers(1, 8))
    begins_s = 4.0 if rng.random() < 0.1 else float(rng.uniform(0.15, 0.3))
    roll, ball, _ = _one_roll(staged, rng, lane, outcome, begins_s)
    staged.things.append((roll.way, ball))
    staged.seconds = _end_of(roll, rng)


def _beside_another(staged: Staged, rng: np.random.Generator) -> None:
    """A sphere lies on the landing board, or waits on the platform, while one rolls."""
    lane = int(rng.integers(1, 8))
    roll, ball, name = _one_roll(staged, rng, lane, str(rng.choice(["passed", "stuck"])), 0.25)
    other = int(rng.choice([n for n in range(1, 8) if n != lane]))
    radius = float(rng.uniform(8, 16))
    place = np.array([RIG.lane(other).x_mm, rng.uniform(-72, -35), RIG.landing_z_mm + radius])
    if rng.random() < 0.4:
        place = np.array([RIG.lane(other).x_mm, rng.uniform(214, 224), RIG.ramp_top[1] + radius])
    lying, _ = _ball(rng, radius, str(rng.choice([each for each in NAMES if each != name])))
    staged.things += [(lambda t_s: place, lying), (roll.way, ball)]
    staged.seconds = _end_of(roll, rng)


def _two(staged: Staged, rng: np.random.Generator) -> None:
    first, second = (int(each) for each in rng.choice(np.arange(1, 8), 2, replace=False))
    colours = rng.permutation(NAMES)
    for lane, begins_s, colour in (
        (first, 0.25, colours[0]),
        (second, 0.25 + rng.choice([0.0, rng.uniform(0, 0.5)]), colours[1]),
    ):
        roll, ball, _ = _one_roll(staged, rng, lane, str(rng.choice(["passed", "stuck"])), float(begins_s), str(colour))
        staged.things.append((roll.way, ball))
        staged.seconds = max(staged.seconds, _end_of(roll, rng))


def _pushed(staged: Staged, rng: np.random.Generator) -> None:
    lane, side = int(rng.integers(1, 8)), float(rng.choice([-1.0, 1.0]))
    begins_s = 0.6
    roll, ball, _ = _one_roll(staged, rng, lane, str(rng.choice(["passed", "passed", "stuck", "short"])), begins_s)

    def behind(t_s: float) -> Vector | None:
        at = roll.way(t_s)
        return None if at is None else at + np.array([0.0, ball.radius_mm + 8.5, 2.0])

    away = np.array([150.0 * side, 330.0, 130.0])
    tip = reaching(behind, begins_s, begins_s + 0.09, away)
    staged.things += [(roll.way, ball), *_hand(tip, rng, side)]
    staged.seconds = _end_of(roll, rng)


def _taken_away(staged: Staged, rng: np.random.Generator) -> None:
    lane, side = int(rng.integers(1, 8)), float(rng.choice([-1.0, 1.0]))
    roll, ball, _ = _one_roll(staged, rng, lane, "stuck", 0.2)
    assert roll.rest_s is not None
    grab_s = roll.rest_s + float(rng.uniform(0.62, 1.2))

    def over(t_s: float) -> Vector | None:
        at = roll.way(t_s)
        return None if at is None else at + np.array([0.0, 0.6, 0.8]) * (ball.radius_mm + 7)

    tip = reaching(over, grab_s, grab_s + 0.07, np.array([160.0 * side, 330.0, 180.0]))
    staged.things += [(taken(roll.way, grab_s, tip), ball), *_hand(tip, rng, side)]
    staged.seconds = grab_s + 1.0


def _oozes(staged: Staged, rng: np.random.Generator) -> None:
    """It rests in its hole and slips through after all: the later word counts."""
    lane = int(rng.integers(1, 8))
    radius = RIG.lane(lane).hole_mm / 2 * 1.01
    stop = (wedge_y_mm(radius, RIG.lane(lane).hole_mm),)
    start = 0.25, float(rng.uniform(212, 224)), float(rng.uniform(90, 300))
    roll = rolled(radius, lane, start, stops_at=stop, through_s=float(rng.uniform(0.8, 2.0)))
    ball, name = _ball(rng, radius)
    staged.truths = (Truth("passed", lane, name, roll.crossed_s),)
    staged.things.append((roll.way, ball))
    staged.seconds = (roll.crossed_s or 3.0) + 0.9


def _astray(staged: Staged, rng: np.random.Generator) -> None:
    lane = int(rng.integers(2, 8))
    radius = min(_fits(rng, lane), _fits(rng, lane - 1))
    top = float(rng.uniform(90, 160))
    start = 0.25, float(rng.uniform(212, 224)), float(rng.uniform(120, 300))
    roll = rolled(radius, lane, start, hop=(top, top - float(rng.uniform(40, 70))))
    ball, name = _ball(rng, radius)
    staged.truths = (Truth("astray", lane, name),)
    staged.things.append((roll.way, ball))
    staged.seconds = _end_of(roll, rng)


def _flies(staged: Staged, rng: np.random.Generator) -> None:
    """It leaves the ramp and flies over the fence."""
    lane, radius = int(rng.integers(1, 8)), float(rng.uniform(8, 19))
    start = 0.25, float(rng.uniform(212, 224)), float(rng.uniform(120, 320))
    ball, name = _ball(rng, radius)
    way = flown(radius, lane, start, float(rng.uniform(60, 150)), float(rng.uniform(1, 40)))
    staged.truths = (Truth("astray", lane, name),)
    staged.things.append((way, ball))
    staged.seconds = 1.9


def _laid_down(staged: Staged, rng: np.random.Generator) -> None:
    """A hand lays the next sphere on the platform and lets go; it does not roll."""
    lane, side = int(rng.integers(1, 8)), float(rng.choice([-1.0, 1.0]))
    ball, _ = _ball(rng, float(rng.uniform(8, 18)))
    place = np.array([RIG.lane(lane).x_mm, rng.uniform(214, 224), RIG.ramp_top[1] + ball.radius_mm])
    grip = place + np.array([0.0, 0.5, 0.85]) * (ball.radius_mm + 7)
    tip = reaching(lambda t_s: grip, 0.8, 0.9, np.array([120.0 * side, 330.0, 150.0]))

    def way(t_s: float) -> Vector | None:
        if t_s >= 0.8:
            return place
        now = tip(t_s)
        return None if now is None else now - grip + place

    staged.things += [(way, ball), *_hand(tip, rng, side)]
    staged.seconds = 2.4


def _cleared(staged: Staged, rng: np.random.Generator) -> None:
    """A hand fetches what lies on the landing board or on the ramp: a sphere, or a die that fell there."""
    side = float(rng.choice([-1.0, 1.0]))
    ball, _ = _ball(rng, float(rng.uniform(8, 15)))
    x = float(rng.uniform(-120, 120))
    place = np.array([x, rng.uniform(-70, -30), RIG.landing_z_mm + ball.radius_mm])
    if rng.random() < 0.5:
        ball = Ball(np.zeros(3), 9.0, np.full(3, 0.75))
        y = float(rng.uniform(30, 190))
        place = np.array([x, y, height_mm(y, 9.0)])
    tip = reaching(
        lambda t_s: place + np.array([0.0, 0.5, 0.85]) * (ball.radius_mm + 7),
        0.9,
        1.0,
        np.array([140.0 * side, 330.0, 160.0]),
    )
    staged.things += [(taken(lambda t_s: place, 0.95, tip), ball), *_hand(tip, rng, side)]
    staged.seconds = 2.0


def _sleeve(staged: Staged, rng: np.random.Generator) -> None:
    """An arm goes across the track and back, over a sphere that waits; or a person's shadow does."""
    ball, _ = _ball(rng, float(rng.uniform(8, 18)))
    lane = int(rng.integers(1, 8))
    place = np.array([RIG.lane(lane).x_mm, rng.uniform(214, 224), RIG.ramp_top[1] + ball.radius_mm])
    staged.things.append((lambda t_s: place, ball))
    if rng.random() < 0.5:
        glow = staged.glow
        half = MIDDLE + 0.6 * (glow.place - MIDDLE)
        across = np.cross(glow.place - MIDDLE, [0.0, 0.0, 1.0])
        across /= np.linalg.norm(across)
        pace = float(rng.uniform(200, 500))
        staged.things.append(
            (lambda t_s: half + across * pace * (t_s - 1.0), Ball(np.zeros(3), 90.0, np.zeros(3), shown=False))
        )
    else:
        side = float(rng.choice([-1.0, 1.0]))
        to = np.array([rng.uniform(-100, 100), rng.uniform(20, 180), 100.0])
        tip = reaching(lambda t_s: to, 0.7, 1.2, np.array([280.0 * side, 250.0, 60.0]), 0.5)
        staged.things += _hand(tip, rng, side)
    staged.seconds = 2.0


KINDS = {
    "passes": 24, "sticks": 16, "falls short": 10, "beside another": 8, "two at once": 8, "pushed by a hand": 8,
    "taken by a hand": 6, "oozes through": 4, "goes astray": 4, "laid down": 4, "cleared up": 4, "sleeve or shadow": 4,
}  # fmt: skip
"""What happens, and its share. "flies over" happens only where it is asked for."""


def stage(what: str, glow: Glow, rng: np.random.Generator) -> Staged:
    """Return what happens in one scene of a kind of `KINDS`, under this key lamp."""
    scene = Staged(glow)
    plain = {"passes": "passed", "sticks": "stuck", "falls short": "short"}
    if what in plain:
        _plain(scene, rng, plain[what])
        return scene
    plans: dict[str, Callable[[Staged, np.random.Generator], None]] = {
        "beside another": _beside_another,
        "two at once": _two,
        "pushed by a hand": _pushed,
        "taken by a hand": _taken_away,
        "oozes through": _oozes,
        "goes astray": _astray,
        "flies over": _flies,
        "laid down": _laid_down,
        "cleared up": _cleared,
        "sleeve or shadow": _sleeve,
    }
    plans[what](scene, rng)
    return scene
