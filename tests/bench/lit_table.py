"""Frames of balls on the track under lamps: shading, cast shadows, their penumbra, and the colour that putty throws.

Backgrounds are pictures of an empty table. What its paper gives is its light, so it can be lit anew. Rays, lamps and
balls are geometry in linear light. Nothing here is shared with what it tests but the camera's and the rig's numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from hardware.cameras.camera_model import CameraView
from hardware.rig import Rig
from tests.bench.discs import encode
from tests.bench.drawn_camera import project

RIG = Rig()
SLOPE = (RIG.ramp_top[1] - RIG.ramp_foot[1]) / (RIG.ramp_top[0] - RIG.ramp_foot[0])
MIDDLE = np.array([45.0, 80.0, 10.0])
PAPER = 0.8
NEAREST_MM = 5.0
"""In front of the camera from here on."""
LONGEST_SHADOW_MM, REACHES = 170.0, 1.7
BLEED = 0.35  # share of the light on a ball that leaves it towards the ground: the lower half is lit by it alone

Floats = NDArray[np.float32]
Picture = NDArray[np.uint8]
Vector = NDArray[np.float64]
Window = tuple[slice, slice]
_CUBE = np.array([[s, t, u] for s in (-1, 1) for t in (-1, 1) for u in (-1, 1)])
_STEPS = 4096
_CODES = np.rint(encode(np.arange(_STEPS) / (_STEPS - 1))).astype(np.uint8)


@dataclass(frozen=True)
class Ball:
    """A ball: middle and radius in mm, linear BGR colour, how lumpy it is (share of its radius) and how it is turned.

    One that is not `shown` hangs outside the picture and throws its shadow into it.
    """

    centre: Vector
    radius_mm: float
    paint: Vector
    lumpy: float = 0.0
    turn: float = 0.0
    shown: bool = True


@dataclass(frozen=True)
class Glow:
    """A round lamp: middle and radius in mm, and the linear BGR light that it throws on a card in `MIDDLE`."""

    place: Vector
    radius_mm: float
    light: Vector


@dataclass
class LitTable:
    """A table under lamps that `view` sees.

    `empty` is its picture, BGR uint8, and `white` the linear light of paper in it. `lin` is the light under the lamps.
    """

    view: CameraView
    empty: Picture
    white: Vector
    glows: Sequence[Glow]
    sky: Vector
    lin: Floats = field(init=False)
    base: Picture = field(init=False)

    def __post_init__(self) -> None:
        self.ways, self.reach = _seen_by(self.view)
        self.eye = np.asarray(self.view.pose.camera_position_mm, dtype=np.float32)
        self.points = self.eye + self.reach[..., None] * self.ways
        self.towards = [_towards(self.points, glow) for glow in self.glows]
        self.falls = [self._fall(glow) for glow in self.glows]
        light = self.sky.astype(np.float32) + sum(
            fall[..., None] * glow.light.astype(np.float32) for fall, glow in zip(self.falls, self.glows, strict=True)
        )
        before = _linear(self.empty)
        self.lin = np.asarray(before / self.white.astype(np.float32) * PAPER * light, dtype=np.float32)
        self._light = np.maximum(light, 1e-6)
        self.base = _coded(self.lin)

    def draw(self, moments: Sequence[Sequence[Ball]]) -> Picture:
        """Return one exposure, BGR uint8: the mean of what each of its `moments` shows."""
        picture = self.base.copy()
        windows = [[self._window(ball) for ball in balls] for balls in moments]
        window = around([each for some in windows for each in some if each is not None])
        if window is None:
            return picture
        total = sum(self._part(window, balls, own) for balls, own in zip(moments, windows, strict=True))
        picture[window] = _coded(np.asarray(total / np.float32(len(moments)), dtype=np.float32))
        return picture

    def _fall(self, glow: Glow) -> Floats:
        """Return the light of a lamp at every pixel's point, over that in `MIDDLE`: nearer is brighter."""
        away = glow.place - MIDDLE
        there = np.linalg.norm(away)
        gap = glow.place.astype(np.float32) - self.points
        far = np.linalg.norm(gap, axis=2)
        facing = np.clip(gap[..., 2], 0.0, None) / far
        return np.asarray(facing / (away[2] / there) * (there / far) ** 2, dtype=np.float32)

    def _window(self, ball: Ball) -> Window | None:
        """Return the part of the picture that a ball and its shadows can change."""
        if not ball.shown:
            return slice(0, self.base.shape[0]), slice(0, self.base.shape[1])
        reaches = [ball.centre]
        for glow in self.glows:
            way = ball.centre - glow.place
            way /= np.linalg.norm(way)
            length = min(max(ball.centre[2], 1.0) / -way[2] + 10, LONGEST_SHADOW_MM)
            reaches += [ball.centre + way * length * share for share in (0.3, 0.65, 1.0)]
        return self._box(np.array(reaches), REACHES * ball.radius_mm)

    def _box(self, middles: Vector, reach_mm: float) -> Window | None:
        corners = (middles[:, None] + reach_mm * _CUBE).reshape(-1, 3)
        corners[:, 2] = np.clip(corners[:, 2], 0.0, 200.0)
        size = np.array([self.base.shape[1], self.base.shape[0]])
        seen = (corners - self.eye) @ self.view.pose.R[2] > NEAREST_MM
        if not seen.all():  # it reaches behind the camera, where nothing can be projected
            return (slice(0, int(size[1])), slice(0, int(size[0]))) if seen.any() else None
        pixels = project(self.view, corners)
        left, top = np.clip(np.floor(pixels.min(axis=0)).astype(int) - 2, 0, size)
        right, bottom = np.clip(np.ceil(pixels.max(axis=0)).astype(int) + 3, 0, size)
        return (slice(top, bottom), slice(left, right)) if left < right and top < bottom else None

    def _part(self, window: Window, balls: Sequence[Ball], windows: Sequence[Window | None]) -> Floats:
        light = self._light[window].copy()
        hidden = [np.zeros(light.shape[:2], np.float32) for _ in self.glows]
        near = []
        for ball, own in zip(balls, windows, strict=True):
            if own is None:
                continue
            inside = _within(own, window)
            points = self.points[own]
            for dark, glow, (way, far) in zip(hidden, self.glows, self.towards, strict=True):
                dark[inside] = np.maximum(dark[inside], _shadow(points, ball, glow, way[own], far[own]))
            if not ball.shown:
                continue
            body = self._box(ball.centre[None], 1.1 * ball.radius_mm)
            if body is not None:
                near.append((ball, body, _within(body, window)))
            gap = ball.centre.astype(np.float32) - points
            squared = np.maximum(np.einsum("ijk,ijk->ij", gap, gap), ball.radius_mm**2)
            form = np.float32(ball.radius_mm**2) / squared * np.clip(gap[..., 2] / np.sqrt(squared), 0.05, 1.0)
            light[inside] += form[..., None] * (BLEED * ball.paint * self._on_card() - self.sky).astype(np.float32)
        for dark, fall, glow in zip(hidden, self.falls, self.glows, strict=True):
            light -= (dark * fall[window])[..., None] * glow.light.astype(np.float32)
        out = self.lin[window] * np.clip(light / self._light[window], 0.0, None)
        nearest = self.reach[window].copy()
        for ball, own, inside in sorted(near, key=lambda each: -float(np.linalg.norm(each[0].centre - self.eye))):
            out[inside] = self._over(out[inside], nearest[inside], self.ways[own], ball)
        return np.asarray(out, dtype=np.float32)

    def _on_card(self) -> Vector:
        return np.asarray(self.sky + sum((glow.light for glow in self.glows), np.zeros(3)))

    def _over(self, out: Floats, nearest: Floats, ways: Floats, ball: Ball) -> Floats:
        to = (ball.centre - self.eye).astype(np.float32)
        along = ways @ to
        apart = np.sqrt(np.maximum(float(to @ to) - along**2, 0.0))
        pixel = float(np.linalg.norm(to)) / self.view.camera.focal_px[0]
        across = ways * along[..., None] - to
        radius: float | NDArray[np.floating[Any]] = ball.radius_mm
        if ball.lumpy:
            angle = np.arctan2(across[..., 1], across[..., 0])
            radius = radius * (1 + ball.lumpy * np.cos(2 * angle + ball.turn))
        share = np.clip(0.5 + (radius - apart) / (2.2 * pixel), 0.0, 1.0)
        depth = np.sqrt(np.maximum(radius**2 - apart**2, 0.0))
        hit = along - depth
        share = np.where(hit < nearest, share, 0.0)
        if not share.any():
            return out
        normal = (across - ways * depth[..., None]) / ball.radius_mm
        place = ball.centre
        lit = self.sky.astype(np.float32) * (0.6 + 0.4 * normal[..., 2:3])
        lit = lit + 0.25 * np.clip(-normal[..., 2:3], 0, 1) * self._on_card().astype(np.float32)
        for glow in self.glows:
            way = glow.place - place
            far = np.linalg.norm(way)
            way = way / far
            level = (np.linalg.norm(glow.place - MIDDLE) / far) ** 2 / max(
                float((glow.place - MIDDLE)[2] / np.linalg.norm(glow.place - MIDDLE)), 0.1
            )
            facing = np.clip(normal @ way.astype(np.float32), 0.0, None)
            lit = lit + (facing * level)[..., None] * glow.light.astype(np.float32)
        mottle = 1 + 0.04 * np.sin(0.5 * across[..., 0] + ball.turn) * np.sin(0.5 * across[..., 1] + 2 * ball.turn)
        colour = lit * ball.paint.astype(np.float32) * mottle[..., None]
        nearest[share > 0.5] = hit[share > 0.5]
        return np.asarray(out + share[..., None] * (colour - out), dtype=np.float32)


def _towards(points: Floats, glow: Glow) -> tuple[Floats, Floats]:
    """Return the way from each point to a lamp's middle, (h, w, 3), and its length, (h, w), mm."""
    way = glow.place.astype(np.float32) - points
    return way, np.asarray(np.sqrt(np.einsum("ijk,ijk->ij", way, way)), np.float32)


def _shadow(points: Floats, ball: Ball, glow: Glow, way: Floats, far: Floats) -> Floats:
    """Return the share of a lamp, 0–1, that a ball hides from each point: a disc before a disc, its edge linear.

    `way` and `far` are what `_towards` gives for the points and the lamp.
    """
    gap = ball.centre.astype(np.float32) - points
    along = np.einsum("ijk,ijk->ij", gap, way) / far
    apart = np.sqrt(np.maximum(np.einsum("ijk,ijk->ij", gap, gap) - along**2, 0.0))
    edge = np.maximum(along * glow.radius_mm / far, 0.8)
    most = np.minimum(1.0, (ball.radius_mm / edge) ** 2)
    return np.where(along > 0, most * np.clip(0.5 + (ball.radius_mm - apart) / (2 * edge), 0.0, 1.0), 0.0)


def around(windows: Sequence[Window]) -> Window | None:
    if not windows:
        return None
    rows, columns = ([window[axis] for window in windows] for axis in (0, 1))
    return (
        slice(min(each.start for each in rows), max(each.stop for each in rows)),
        slice(min(each.start for each in columns), max(each.stop for each in columns)),
    )


def _within(own: Window, window: Window) -> Window:
    rows, columns = (slice(a.start - b.start, a.stop - b.start) for a, b in zip(own, window, strict=True))
    return rows, columns


@lru_cache(maxsize=4)
def _seen_by(view: CameraView) -> tuple[Floats, Floats]:
    """Return each pixel's unit way, (h, w, 3), and how far along it meets the table or the fence, mm, (h, w)."""
    h, w = view.camera.height_px, view.camera.width_px
    grid = np.stack(np.meshgrid(np.arange(w), np.arange(h)), axis=-1).reshape(-1, 1, 2).astype(np.float64)
    flat = cv2.undistortPoints(grid, view.camera.K, view.camera.dist).reshape(-1, 2)
    ways = np.column_stack([flat, np.ones(len(flat))]) @ view.pose.R
    ways /= np.linalg.norm(ways, axis=1, keepdims=True)
    eye = view.pose.camera_position_mm
    half = RIG.half_width_mm
    best = np.full(len(ways), 5000.0)

    def meet(reach: Vector, inside: NDArray[np.bool_]) -> None:
        ok = inside & (reach > 0) & (reach < best)
        best[ok] = reach[ok]

    for z, low, high, wide in (
        (0.0, -1e4, 1e4, 1e4),
        (RIG.landing_z_mm, *RIG.landing_y_mm, half),
        (RIG.ramp_top[1], RIG.ramp_top[0], RIG.platform_end_y_mm, half),
    ):
        reach = (z - eye[2]) / ways[:, 2]
        at = eye + reach[:, None] * ways
        meet(reach, (at[:, 1] > low) & (at[:, 1] < high) & (np.abs(at[:, 0]) < wide))
    ramp = np.array([0.0, -SLOPE, 1.0])
    reach = (RIG.ramp_foot[1] - eye @ ramp) / (ways @ ramp)
    at = eye + reach[:, None] * ways
    meet(reach, (at[:, 1] > 0) & (at[:, 1] < RIG.ramp_top[0]) & (np.abs(at[:, 0]) < half))
    reach = (RIG.fence_y_mm - RIG.fence_thickness_mm / 2 - eye[1]) / ways[:, 1]
    at = eye + reach[:, None] * ways
    solid = (np.abs(at[:, 0]) < half) & (at[:, 2] > 0) & (at[:, 2] < RIG.fence_top_mm)
    for lane in RIG.lanes:
        solid &= np.hypot(at[:, 0] - lane.x_mm, at[:, 2] - RIG.ramp_foot[1] - lane.hole_mm / 2) > lane.hole_mm / 2
    meet(reach, solid)
    shape = (h, w)
    return np.asarray(ways.reshape(*shape, 3), np.float32), np.asarray(best.reshape(shape), np.float32)


def _linear(picture: Picture) -> Floats:
    code = np.arange(256) / 255
    table = np.where(code <= 0.04045, code / 12.92, ((code + 0.055) / 1.055) ** 2.4).astype(np.float32)
    return np.asarray(table[picture])


def _coded(light: Floats) -> Picture:
    return np.asarray(_CODES[np.clip(light * (_STEPS - 1), 0, _STEPS - 1).astype(np.uint16)])
