"""Rolls of lumpy balls down the ramp, drawn without any code under test, with the diameter of their volume known.

A ball is a `Lump` that turns as it rolls. Each frame is the mean of moments of its exposure, drawn with three points a
pixel in each direction, under lamps by lot. Lens, shot noise, the camera's own smoothing and JPEG with halved colour
follow. Numbers from 110,500 on are for counting alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from hardware.cameras.camera_model import CameraView
from tests.bench.discs import encode
from tests.bench.drawn_rolls import backgrounds
from tests.bench.drawn_table import PUTTIES
from tests.bench.lit_table import RIG, SLOPE, Ball, LitTable, Vector, around
from tests.bench.lumps import Lump, even_directions
from tests.bench.roll_kinds import NAMES
from tests.bench.roll_lamps import lamps_by_lot
from tests.bench.roll_ways import STEP_S, Way, rolled
from tests.narrowed import there

Picture = NDArray[np.uint8]
Floats = NDArray[np.float64]
Soft = NDArray[np.float32]
OVER, MOMENTS = 3, 7
FPS, SHUTTER_S = 56.0, 1 / 120
PLANES, LIFTS = 180, np.radians(np.linspace(-22, 22, 45))
SURFACE = even_directions(1500)


@dataclass(frozen=True)
class LumpyBall(Ball):
    """A ball whose radius is that of a `Lump`, `unit_mm` large, with a highlight of some strength and sharpness."""

    lump: Lump = field(default_factory=lambda: Lump(np.random.default_rng(0), 1.0))
    unit_mm: float = 1.0
    start: Floats = field(default_factory=lambda: np.eye(3))
    shine: tuple[float, float] = (0.0, 20.0)

    @property
    def to_body(self) -> Floats:
        """The rotation from the table to the body: it turns about the table's X axis."""
        c, s = np.cos(self.turn), np.sin(self.turn)
        return np.asarray(self.start @ np.array([[1, 0, 0], [0, c, s], [0, -s, c]]))

    def reach_mm(self, way: Floats) -> float:
        """Return how far the surface reaches from the middle along `way`, mm."""
        radius = self.unit_mm * self.lump.radius(SURFACE @ self.to_body.T)
        return float((radius * (SURFACE @ way)).max())

    def rim_mm(self, eye: Floats, sideways: Floats, upwards: Floats) -> tuple[Floats, Floats]:
        """Return angles about the line to the eye, and how far beside the middle the outermost rays pass, mm."""
        to = self.centre - eye
        far = float(np.linalg.norm(to))
        turn = np.arange(PLANES) * 2 * np.pi / PLANES - np.pi
        outward = np.cos(turn)[:, None] * sideways + np.sin(turn)[:, None] * upwards
        lift = LIFTS[None, :, None]
        ways = np.cos(lift) * outward[:, None] - np.sin(lift) * (to / far)
        radius = self.unit_mm * self.lump.radius(ways.reshape(-1, 3) @ self.to_body.T).reshape(PLANES, -1)
        beside, along = radius * np.cos(LIFTS), far - radius * np.sin(LIFTS)
        return turn, far * np.sin(np.arctan2(beside, along).max(axis=1))


class LumpyTable(LitTable):
    """A table on which lumpy balls are drawn."""

    def light_of(self, moments: list[LumpyBall]) -> tuple[tuple[slice, slice], Soft] | None:
        """Return a window of whole pixels of the small picture and its linear light, (h, w, 3); None without a ball."""
        windows = [self._window(ball) for ball in moments]
        window = around([each for each in windows if each is not None])
        if window is None:
            return None
        rows, columns = (slice(s.start // OVER * OVER, -(-s.stop // OVER) * OVER) for s in window)
        total = sum(self._part((rows, columns), [b], [own]) for b, own in zip(moments, windows, strict=True))
        mean = np.asarray(total / np.float32(len(moments)), np.float32)
        top, left = (slice(s.start // OVER, s.stop // OVER) for s in (rows, columns))
        return (top, left), pixels_of(mean)

    def _over(self, out: Soft, nearest: Soft, ways: Soft, ball: Ball) -> Soft:
        assert isinstance(ball, LumpyBall), "only lumpy balls roll here"
        to = (ball.centre - self.eye).astype(np.float32)
        far = float(np.linalg.norm(to))
        sideways = np.cross(to / far, [0.0, 1.0, 0.0])
        sideways /= np.linalg.norm(sideways)
        upwards = np.cross(sideways, to / far)
        along = ways @ to
        across = ways * along[..., None] - to
        apart = np.sqrt(np.maximum(far**2 - along**2, 0.0))
        turn, rim = ball.rim_mm(np.asarray(self.eye, np.float64), sideways, upwards)
        angle = np.arctan2(across @ upwards.astype(np.float32), across @ sideways.astype(np.float32))
        edge = np.interp(angle, turn, rim, period=2 * np.pi).astype(np.float32)
        pixel = far / self.view.camera.focal_px[0]
        share = np.clip(0.5 + (edge - apart) / pixel, 0.0, 1.0)
        depth = np.sqrt(np.maximum(edge**2 - apart**2, 0.0))
        share = np.where(along - depth < nearest, share, 0.0)
        normal = (across - ways * depth[..., None]) / edge[..., None]
        normal /= np.maximum(np.linalg.norm(normal, axis=-1, keepdims=True), 1e-6)
        card = self._on_card().astype(np.float32)
        lit = self.sky.astype(np.float32) * (0.6 + 0.4 * normal[..., 2:3])
        lit = lit + 0.25 * np.clip(-normal[..., 2:3], 0, 1) * card
        gloss = np.zeros_like(lit)
        for glow in self.glows:
            way = glow.place - ball.centre
            level = float(np.linalg.norm(glow.place - np.array([45.0, 80.0, 10.0])) / np.linalg.norm(way)) ** 2
            way = (way / np.linalg.norm(way)).astype(np.float32)
            light = (level * glow.light).astype(np.float32)
            lit = lit + np.clip(normal @ way, 0.0, None)[..., None] * light
            half = way - ways
            half /= np.linalg.norm(half, axis=-1, keepdims=True)
            glint = np.clip((normal * half).sum(axis=-1), 0, 1) ** ball.shine[1]
            gloss = gloss + (ball.shine[0] * glint)[..., None] * light
        body = normal @ ball.to_body.T.astype(np.float32)
        mottle = 1 + 0.03 * np.sin(7 * body[..., 0] + 5 * body[..., 1]) * np.sin(6 * body[..., 2] + 1)
        colour = lit * ball.paint.astype(np.float32) * mottle[..., None] + gloss
        nearest[share > 0.5] = (along - depth)[share > 0.5]
        return np.asarray(out + share[..., None] * (colour - out), np.float32)


def pixels_of(light: Soft) -> Soft:
    """Return the mean of OVER × OVER points for each pixel."""
    rows, columns = light.shape[:2]
    return np.asarray(light.reshape(rows // OVER, OVER, columns // OVER, OVER, 3).mean(axis=(1, 3)), np.float32)


@dataclass
class LumpyRoll:
    """One roll: what rolls, its true diameter of the ball of equal volume, and the camera."""

    number: int
    view: CameraView
    table: LumpyTable
    ball: LumpyBall
    way: Way
    diameter_mm: float
    out_of_round_pct: float
    colour: str
    lamp: str
    seconds: float

    def balls(self) -> Iterator[LumpyBall]:
        """Yield the ball as it truly is in the middle of each exposure."""
        times, places, paths = self._ways()
        for index in range(round(self.seconds * FPS)):
            yield self._at(index / FPS, times, places, paths)

    def frames(self) -> Iterator[tuple[Picture, float, Vector]]:
        """Yield each picture, the time of the middle of its exposure, s, and the ball's true middle there, mm."""
        rng = np.random.default_rng([self.number, 3])
        base = pixels_of(self.table.lin)
        lens_px, full, read = rng.uniform(0.6, 0.85), rng.uniform(650, 1300), rng.uniform(0.002, 0.004)
        luma_px, colour_px, jpeg = rng.uniform(0.35, 0.6), rng.uniform(0.8, 1.2), int(rng.integers(85, 97))
        times, places, paths = self._ways()
        for index in range(round(self.seconds * FPS)):
            t_s = index / FPS
            moments = [
                self._at(t_s + share * SHUTTER_S, times, places, paths)
                for share in (np.arange(MOMENTS) + 0.5) / MOMENTS - 0.5
            ]
            light = base.copy()
            if np.ptp([ball.turn for ball in moments]) == 0:
                moments = moments[:1]
            part = self.table.light_of(moments)
            if part is not None:
                light[part[0]] = part[1]
            soft = cv2.GaussianBlur(light, (0, 0), lens_px, borderType=cv2.BORDER_REPLICATE)
            soft = soft + rng.standard_normal(soft.shape, np.float32) * np.sqrt(np.maximum(soft, 0) / full + read**2)
            code = encode(np.clip(soft, 0, 1)).astype(np.float32)
            ycc = cv2.cvtColor(code / 255, cv2.COLOR_BGR2YCrCb)
            ycc[..., 0] = cv2.GaussianBlur(ycc[..., 0], (0, 0), luma_px)
            ycc[..., 1:] = cv2.GaussianBlur(np.ascontiguousarray(ycc[..., 1:]), (0, 0), colour_px)
            smooth = np.clip(np.rint(255 * cv2.cvtColor(ycc, cv2.COLOR_YCrCb2BGR)), 0, 255).astype(np.uint8)
            packed = cv2.imencode(".jpg", smooth, [cv2.IMWRITE_JPEG_QUALITY, jpeg])[1]
            picture = np.asarray(there(cv2.imdecode(packed, cv2.IMREAD_COLOR)), np.uint8)
            yield picture, t_s, self._at(t_s, times, places, paths).centre

    def _ways(self) -> tuple[Floats, Floats, Floats]:
        """Return times, s, where the ball is then, (n, 3) mm, and the length of its path so far, mm."""
        times = np.arange(0.0, self.seconds + 0.02, STEP_S)
        places = np.array([there(self.way(float(t_s))) for t_s in times])
        paths = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(places[:, 1:], axis=0), axis=1))])
        return times, places, paths

    def _at(self, t_s: float, times: Floats, places: Floats, paths: Floats) -> LumpyBall:
        t_s = max(t_s, 0.0)
        x, y = (float(np.interp(t_s, times, places[:, axis])) for axis in (0, 1))
        turned = replace(self.ball, turn=float(np.interp(t_s, times, paths)) / self.ball.radius_mm)
        flat = y > RIG.ramp_top[0]
        normal = np.array([0.0, 0.0, 1.0]) if flat else np.array([0.0, -SLOPE, 1.0]) / np.hypot(1, SLOPE)
        above = turned.reach_mm(-normal) * (1.0 if flat else float(np.hypot(1, SLOPE)))
        floor = min(RIG.ramp_foot[1] + SLOPE * y, RIG.ramp_top[1]) if not flat else RIG.ramp_top[1]
        return replace(turned, centre=np.array([x, y, min(floor + above, RIG.ramp_top[1] + turned.reach_mm(-normal))]))


@lru_cache(maxsize=1)
def _backs() -> tuple[tuple[CameraView, Picture, Vector], ...]:
    """Return the empty tables of `backgrounds`, enlarged: a view and a picture with OVER times as many pixels."""
    out = []
    for view, picture, white in backgrounds():
        large = CameraView(view.camera.scaled_to(768 * OVER, 432 * OVER), view.pose)
        soft = cv2.resize(picture, (768 * OVER, 432 * OVER), interpolation=cv2.INTER_CUBIC)
        out.append((large, np.asarray(soft, np.uint8), white))
    return tuple(out)


def lumpy_roll(number: int) -> LumpyRoll:
    """Return the roll of this number: 16–37 mm, 0.6–4 % out of round, one of four colours, in some lane and light."""
    rng = np.random.default_rng([number, 2027])
    backs = _backs()
    view, empty, white = backs[int(rng.random() * len(backs))]
    glows, sky, lamp = lamps_by_lot(rng)
    out_of_round_pct = float(rng.uniform(0.6, 4.0))
    lump = Lump(rng, out_of_round_pct)
    diameter_mm = float(rng.uniform(16, 37))
    colour = int(rng.integers(4))
    ball = LumpyBall(
        np.zeros(3),
        diameter_mm / 2,
        PUTTIES[colour] * rng.uniform(0.85, 1.1),
        lump=lump,
        unit_mm=diameter_mm / 2 / lump.volume_radius,
        start=np.linalg.qr(rng.normal(size=(3, 3)))[0],
        shine=(float(rng.uniform(0, 0.15)), float(rng.uniform(10, 50))),
    )
    lane = int(rng.integers(1, 8))
    begins = float(rng.uniform(0.1, 0.2)), float(rng.uniform(212, 226)), float(rng.uniform(100, 320))
    roll = rolled(diameter_mm / 2, lane, begins, weave=(float(rng.uniform(0, 1.5)), float(rng.uniform(0, 6))))
    seconds = there(roll.crossed_s) + 0.05
    table = LumpyTable(view, empty, white, glows, sky)
    small = CameraView(view.camera.scaled_to(768, 432), view.pose)
    return LumpyRoll(number, small, table, ball, roll.way, diameter_mm, out_of_round_pct, NAMES[colour], lamp, seconds)
