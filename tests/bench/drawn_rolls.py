"""Rolls drawn by lot: lamps, cameras, spheres, hands and what happens between rolls, each with its truth.

Even numbers may be looked at while the detector is built. Odd numbers are for counting alone.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.sight_report import session_camera
from hardware.cameras.camera_model import CameraView, Pose
from hardware.rig import Rig
from tests.bench.drawn_table import BLACK_BODY, KELVIN, PUTTIES
from tests.bench.lit_table import MIDDLE, RIG, Ball, Glow, LitTable
from tests.bench.page import data_folder
from tests.bench.roll_ways import PLATFORM_MM_S2, Roll, Vector, Way, height_mm, reaching, rolled, taken, wedge_y_mm
from tests.vision.staged import CAMERA, CLIPS
from vision.linear_light import paper_white

NAMES = ("yellow", "green", "orange", "pink")
SKINS = np.array([(0.32, 0.42, 0.62), (0.2, 0.3, 0.5), (0.08, 0.12, 0.22)])

Picture = NDArray[np.uint8]


@dataclass(frozen=True)
class Truth:
    """How one roll ends. `crossed_s`: when the centre crosses the fence's plane, if it passes."""

    outcome: str
    lane: int
    colour: str
    crossed_s: float | None = None


@dataclass
class Rolls:
    """A scene of so many frames at `fps`: what moves, what is true at its end, and the conditions by name."""

    number: int
    what: str
    table: LitTable
    fps: float
    conditions: tuple[str, ...]
    truths: tuple[Truth, ...] = ()
    things: list[tuple[Way, Ball]] = field(default_factory=list)
    seconds: float = 1.0
    shutter_s: float = 1 / 120
    light: Callable[[float], Vector] = lambda t_s: np.ones(3)
    banded: bool = False
    noise: float = 1.5
    jpeg: int | None = None

    @property
    def rig(self) -> Rig:
        """The table's numbers."""
        return RIG

    def frames(self) -> Iterator[tuple[Picture, float]]:
        """Yield each picture and the stamp of the middle of its exposure, s."""
        rng = np.random.default_rng([self.number, 3])
        height, width = self.table.base.shape[:2]
        grain = rng.normal(0, self.noise, (height + 40, width + 40, 3)).astype(np.float32)
        grain = (0.6 * grain + 0.4 * cv2.GaussianBlur(grain, (0, 0), 0.8) * 2.0).astype(np.int16)
        before: tuple[object, Picture] | None = None
        for index in range(round(self.seconds * self.fps)):
            t_s = index / self.fps
            times = [t_s + share * self.shutter_s for share in (-0.25, 0.25)]
            moments = [self._balls(each) for each in times]
            key = [[tuple(ball.centre.round(2)) for ball in balls] for balls in moments]
            if key[0] == key[-1]:
                moments = moments[:1]
            if before is None or before[0] != key:
                before = key, self.table.draw(moments)
            picture = self._lit(before[1], t_s)
            down, right = rng.integers(0, 40, 2)
            picture = cv2.add(picture, grain[down : down + height, right : right + width], dtype=cv2.CV_8U)
            if self.jpeg is not None:
                packed = cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, self.jpeg])[1]
                picture = cv2.imdecode(packed, cv2.IMREAD_COLOR)
            yield np.asarray(picture, np.uint8), t_s

    def _balls(self, t_s: float) -> list[Ball]:
        out = []
        for way, ball in self.things:
            at = way(t_s)
            if at is not None:
                turn = ball.turn + float(at[1]) / ball.radius_mm
                out.append(Ball(at, ball.radius_mm, ball.paint, ball.lumpy, turn))
        return out

    def _lit(self, picture: Picture, t_s: float) -> Picture:
        """Apply the lamps' level in encoded codes, by rows where the shutter rolls."""
        if not self.banded:
            level = self.light(t_s) ** (1 / 2.2)
            if np.abs(level - 1).max() < 1e-3:
                return picture
            tables = np.clip(np.arange(256)[:, None] * level, 0, 255).round().astype(np.uint8)
            return np.asarray(cv2.LUT(picture, tables[None]), np.uint8)
        rows = np.linspace(0, 0.8 / self.fps, 12)
        levels = np.array([self.light(t_s + row) for row in rows]) ** (1 / 2.2)
        height = picture.shape[0]
        every = np.stack([np.interp(np.arange(height), np.linspace(0, height, 12), levels[:, c]) for c in range(3)], 1)
        gains = np.broadcast_to(every[:, None].astype(np.float32), picture.shape)
        return np.asarray(cv2.multiply(picture, gains, dtype=cv2.CV_8U), np.uint8)


@lru_cache(maxsize=1)
def backgrounds() -> tuple[tuple[CameraView, Picture, Vector], ...]:
    """Return pictures of empty tables, 768 × 432, each with its true view and the light of its paper."""
    staged = CameraView(
        session_camera({"camera": {"modes": {"": _mode_of(CAMERA)}, "dist": CAMERA["distortion"]}}),
        Pose(tuple(CAMERA["rvec"]), tuple(CAMERA["tvec"])),
    )
    out = [(staged, np.asarray(cv2.imread(str(CLIPS / "empty.jpg")), np.uint8))]
    folder = data_folder()
    for path in sorted((Path(folder) / "table").glob("*/session.json")) if folder else ():
        session = json.loads(path.read_text())
        camera = session_camera(session).scaled_to(768, 432)
        pose = Pose(tuple(session["camera"]["rvec"]), tuple(session["camera"]["tvec"]))
        picture = cv2.resize(cv2.imread(str(path.parent / "empty.jpg")), (768, 432), interpolation=cv2.INTER_AREA)
        out.append((CameraView(camera, pose), np.asarray(picture, np.uint8)))
    return tuple((view, picture, np.asarray(paper_white(picture, view, RIG))) for view, picture in out)


def _mode_of(camera: dict[str, list[float]]) -> dict[str, object]:
    (fx, fy), (cx, cy) = camera["focal_px"], camera["centre_px"]
    return {"width": 768, "height": 432, "K": [[fx, 0, cx], [0, fy, cy], [0, 0, 1]]}


def rolls(number: int) -> Rolls:
    """Return the scene with this number."""
    rng = np.random.default_rng([number, 2026])
    kinds, shares = zip(*KINDS.items(), strict=True)
    what = str(rng.choice(kinds, p=np.array(shares) / sum(shares)))
    backs = backgrounds()
    view, empty, white = backs[int(rng.random() * len(backs))]
    glows, sky, lamp = _lamps(rng)
    conditions = [lamp]
    scene = Rolls(number, what, LitTable(view, empty, white, glows, sky), 56.0, ())
    scene.fps = float(rng.choice([56.0, 56.0, 56.0, 40.0, 30.0]))
    scene.noise = float(rng.choice([1.0, 1.5, 2.5, 4.0]))
    if rng.random() < 0.3:
        scene.jpeg = int(rng.integers(60, 93))
        conditions.append("JPEG")
    if sky.sum() + sum(glow.light.sum() for glow in glows) < 1.2:
        conditions.append("dark")
    _plan(scene, what, rng)
    light, banded, name = _flicker(glows, sky, scene, rng)
    scene.light, scene.banded = light, banded
    if name:
        conditions.append(name)
    scene.conditions = tuple(conditions)
    return scene


def _lamps(rng: np.random.Generator) -> tuple[list[Glow], Vector, str]:
    """Return a key lamp, often a second of another colour, and the sky: soft, or evening light from the side."""
    evening = rng.random() < 0.6
    turn = rng.uniform(0, 2 * np.pi)
    if evening:
        kelvin = float(rng.choice([2700, 6500])) + rng.uniform(0, 250)
        rise = np.radians(rng.uniform(18, 45))
        lamps = [(turn, rise, rng.uniform(750, 1300), rng.uniform(25, 60), 1.0, kelvin)]
        lamps += [
            (
                turn + rng.uniform(1.6, 4.2),
                np.radians(rng.uniform(45, 70)),
                1100.0,
                100.0,
                rng.uniform(0.1, 0.35),
                9200 - kelvin,
            )
        ]
        ambient, balanced = rng.uniform(0.04, 0.15), rng.uniform(0.45, 0.9)
        exposure = rng.choice([rng.uniform(0.2, 0.4), rng.uniform(0.5, 0.95)])
    else:
        kelvin = rng.uniform(2700, 6500)
        lamps = [(turn, np.radians(rng.uniform(46, 76)), rng.uniform(800, 1300), rng.uniform(65, 175), 1.0, kelvin)]
        if rng.random() < 0.6:
            lamps += [
                (
                    turn + rng.uniform(1.2, 5),
                    np.radians(rng.uniform(45, 75)),
                    1100.0,
                    120.0,
                    rng.uniform(0.2, 0.6),
                    kelvin,
                )
            ]
        ambient, balanced = rng.uniform(0.12, 0.35), rng.uniform(0.65, 0.95)
        exposure = rng.uniform(0.45, 0.85)
    glows = []
    for around, up, far, radius, level, warmth in lamps:
        way = np.array([np.cos(up) * np.cos(around), np.cos(up) * np.sin(around), np.sin(up)])
        glows.append(Glow(MIDDLE + far * way, radius, level * _lamp_colour(warmth)))
    sky = ambient * _lamp_colour(float(np.clip(kelvin + rng.uniform(-500, 900), 2700, 7000)))
    cast = sky + sum(glow.light for glow in glows)
    gain = exposure / cast.mean() * (cast.mean() / cast) ** balanced
    return (
        [Glow(each.place, each.radius_mm, each.light * gain) for each in glows],
        sky * gain,
        "evening" if evening else "soft",
    )


def _lamp_colour(kelvin: float) -> Vector:
    colour = np.array([np.interp(kelvin, KELVIN, BLACK_BODY[:, channel]) for channel in range(3)])
    return np.asarray(colour / (colour @ [0.07, 0.72, 0.21]))


def _flicker(
    glows: list[Glow], sky: Vector, scene: Rolls, rng: np.random.Generator
) -> tuple[Callable[[float], Vector], bool, str]:
    """Return the lamps' level over time, whether it differs by rows, and its name, "" where it is steady."""
    share = glows[0].light / (sky + sum(glow.light for glow in glows))
    chance = rng.random()
    if chance < 0.5:
        return (lambda t_s: np.ones(3)), False, ""
    if chance < 0.8:
        mains, depth = float(rng.choice([100.0, 120.0])), rng.uniform(0.1, 0.9)
        depth *= abs(float(np.sinc(mains * scene.shutter_s))) + 0.02
        return (lambda t_s: 1 + share * depth * np.sin(2 * np.pi * mains * t_s)), rng.random() < 0.6, "mains flicker"
    if chance < 0.92:
        a, b = np.sort(rng.uniform(0, scene.seconds, 2))
        return (lambda t_s: 1 - 0.2 * (a < t_s < b) * np.ones(3)), False, "lamp dips"
    at, gain = rng.uniform(0.2, 1.0) * scene.seconds, rng.uniform(0.8, 1.25)
    return (lambda t_s: np.full(3, gain if t_s > at else 1.0)), False, "gain steps"


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
    scene: Rolls, rng: np.random.Generator, lane: int, outcome: str, begins_s: float, colour: str | None = None
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
    scene.truths += (Truth(outcome, lane, name, roll.crossed_s),)
    return roll, ball, name


def _end_of(roll: Roll, rng: np.random.Generator) -> float:
    if roll.crossed_s is not None:
        return roll.crossed_s + float(rng.uniform(0.35, 0.6))
    return (roll.rest_s or 2.0) + float(rng.uniform(0.75, 1.1))


def _plain(scene: Rolls, rng: np.random.Generator, outcome: str) -> None:
    lane = int(rng.integers(1, 8))
    begins_s = 4.0 if rng.random() < 0.1 else float(rng.uniform(0.15, 0.3))
    roll, ball, _ = _one_roll(scene, rng, lane, outcome, begins_s)
    scene.things.append((roll.way, ball))
    scene.seconds = _end_of(roll, rng)


def _beside_another(scene: Rolls, rng: np.random.Generator) -> None:
    """A sphere lies on the landing board, or waits on the platform, while one rolls."""
    lane = int(rng.integers(1, 8))
    roll, ball, name = _one_roll(scene, rng, lane, str(rng.choice(["passed", "stuck"])), 0.25)
    other = int(rng.choice([n for n in range(1, 8) if n != lane]))
    radius = float(rng.uniform(8, 16))
    place = np.array([RIG.lane(other).x_mm, rng.uniform(-72, -35), RIG.landing_z_mm + radius])
    if rng.random() < 0.4:
        place = np.array([RIG.lane(other).x_mm, rng.uniform(214, 224), RIG.ramp_top[1] + radius])
    lying, _ = _ball(rng, radius, str(rng.choice([each for each in NAMES if each != name])))
    scene.things += [(lambda t_s: place, lying), (roll.way, ball)]
    scene.seconds = _end_of(roll, rng)


def _two(scene: Rolls, rng: np.random.Generator) -> None:
    first, second = (int(each) for each in rng.choice(np.arange(1, 8), 2, replace=False))
    colours = rng.permutation(NAMES)
    for lane, begins_s, colour in (
        (first, 0.25, colours[0]),
        (second, 0.25 + rng.choice([0.0, rng.uniform(0, 0.5)]), colours[1]),
    ):
        roll, ball, _ = _one_roll(scene, rng, lane, str(rng.choice(["passed", "stuck"])), float(begins_s), str(colour))
        scene.things.append((roll.way, ball))
        scene.seconds = max(scene.seconds, _end_of(roll, rng))


def _pushed(scene: Rolls, rng: np.random.Generator) -> None:
    lane, side = int(rng.integers(1, 8)), float(rng.choice([-1.0, 1.0]))
    begins_s = 0.6
    roll, ball, _ = _one_roll(scene, rng, lane, str(rng.choice(["passed", "passed", "stuck", "short"])), begins_s)

    def behind(t_s: float) -> Vector | None:
        at = roll.way(t_s)
        return None if at is None else at + np.array([0.0, ball.radius_mm + 8.5, 2.0])

    away = np.array([150.0 * side, 330.0, 130.0])
    tip = reaching(behind, begins_s, begins_s + 0.09, away)
    scene.things += [(roll.way, ball), *_hand(tip, rng, side)]
    scene.seconds = _end_of(roll, rng)


def _taken_away(scene: Rolls, rng: np.random.Generator) -> None:
    lane, side = int(rng.integers(1, 8)), float(rng.choice([-1.0, 1.0]))
    roll, ball, _ = _one_roll(scene, rng, lane, "stuck", 0.2)
    assert roll.rest_s is not None
    grab_s = roll.rest_s + float(rng.uniform(0.62, 1.2))

    def over(t_s: float) -> Vector | None:
        at = roll.way(t_s)
        return None if at is None else at + np.array([0.0, 0.6, 0.8]) * (ball.radius_mm + 7)

    tip = reaching(over, grab_s, grab_s + 0.07, np.array([160.0 * side, 330.0, 180.0]))
    scene.things += [(taken(roll.way, grab_s, tip), ball), *_hand(tip, rng, side)]
    scene.seconds = grab_s + 1.0


def _oozes(scene: Rolls, rng: np.random.Generator) -> None:
    """It rests in its hole and slips through after all: the later word counts."""
    lane = int(rng.integers(1, 8))
    radius = RIG.lane(lane).hole_mm / 2 * 1.01
    stop = (wedge_y_mm(radius, RIG.lane(lane).hole_mm),)
    start = 0.25, float(rng.uniform(212, 224)), float(rng.uniform(90, 300))
    roll = rolled(radius, lane, start, stops_at=stop, through_s=float(rng.uniform(0.8, 2.0)))
    ball, name = _ball(rng, radius)
    scene.truths = (Truth("passed", lane, name, roll.crossed_s),)
    scene.things.append((roll.way, ball))
    scene.seconds = (roll.crossed_s or 3.0) + 0.9


def _astray(scene: Rolls, rng: np.random.Generator) -> None:
    lane = int(rng.integers(2, 8))
    radius = min(_fits(rng, lane), _fits(rng, lane - 1))
    top = float(rng.uniform(90, 160))
    start = 0.25, float(rng.uniform(212, 224)), float(rng.uniform(120, 300))
    roll = rolled(radius, lane, start, hop=(top, top - float(rng.uniform(40, 70))))
    ball, name = _ball(rng, radius)
    scene.truths = (Truth("astray", lane, name),)
    scene.things.append((roll.way, ball))
    scene.seconds = _end_of(roll, rng)


def _laid_down(scene: Rolls, rng: np.random.Generator) -> None:
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

    scene.things += [(way, ball), *_hand(tip, rng, side)]
    scene.seconds = 2.4


def _cleared(scene: Rolls, rng: np.random.Generator) -> None:
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
    scene.things += [(taken(lambda t_s: place, 0.95, tip), ball), *_hand(tip, rng, side)]
    scene.seconds = 2.0


def _sleeve(scene: Rolls, rng: np.random.Generator) -> None:
    """An arm goes across the track and back, over a sphere that waits; or a person's shadow does."""
    ball, _ = _ball(rng, float(rng.uniform(8, 18)))
    lane = int(rng.integers(1, 8))
    place = np.array([RIG.lane(lane).x_mm, rng.uniform(214, 224), RIG.ramp_top[1] + ball.radius_mm])
    scene.things.append((lambda t_s: place, ball))
    if rng.random() < 0.5:
        glow = scene.table.glows[0]
        half = MIDDLE + 0.6 * (glow.place - MIDDLE)
        across = np.cross(glow.place - MIDDLE, [0.0, 0.0, 1.0])
        across /= np.linalg.norm(across)
        pace = float(rng.uniform(200, 500))
        scene.things.append(
            (lambda t_s: half + across * pace * (t_s - 1.0), Ball(np.zeros(3), 90.0, np.zeros(3), shown=False))
        )
    else:
        side = float(rng.choice([-1.0, 1.0]))
        to = np.array([rng.uniform(-100, 100), rng.uniform(20, 180), 100.0])
        tip = reaching(lambda t_s: to, 0.7, 1.2, np.array([280.0 * side, 250.0, 60.0]), 0.5)
        scene.things += _hand(tip, rng, side)
    scene.seconds = 2.0


KINDS = {
    "passes": 24, "sticks": 16, "falls short": 10, "beside another": 8, "two at once": 8, "pushed by a hand": 8,
    "taken by a hand": 6, "oozes through": 4, "goes astray": 4, "laid down": 4, "cleared up": 4, "sleeve or shadow": 4,
}  # fmt: skip
"""What happens, and its share."""


def _plan(scene: Rolls, what: str, rng: np.random.Generator) -> None:
    plain = {"passes": "passed", "sticks": "stuck", "falls short": "short"}
    if what in plain:
        _plain(scene, rng, plain[what])
        return
    plans: dict[str, Callable[[Rolls, np.random.Generator], None]] = {
        "beside another": _beside_another,
        "two at once": _two,
        "pushed by a hand": _pushed,
        "taken by a hand": _taken_away,
        "oozes through": _oozes,
        "goes astray": _astray,
        "laid down": _laid_down,
        "cleared up": _cleared,
        "sleeve or shadow": _sleeve,
    }
    plans[what](scene, rng)
