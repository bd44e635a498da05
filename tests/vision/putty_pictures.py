"""Pictures of putty balls with truth, rendered independently of the code under test.

Light is computed on a grid finer than the pixels: a ball shaded by several lamps and the sky, on a ground with a
gradient, a texture and a contact shadow. Then everything a camera does to it: lens blur, noise, tone curve, smoothing
of codes, JPEG. The ball is lumpy in three dimensions; its picture shows only the one outline.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

import cv2
import msgspec
import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

OVER = 4
PUTTIES = ((0.05, 0.45, 0.7), (0.04, 0.3, 0.05), (0.03, 0.17, 0.75), (0.3, 0.12, 0.7))  # linear BGR


def srgb(light: Floats) -> Floats:
    return np.where(light <= 0.0031308, light * 12.92, 1.055 * np.maximum(light, 1e-9) ** (1 / 2.4) - 0.055)


TONES: tuple[Callable[[Floats], Floats], ...] = (
    srgb,
    lambda light: np.clip(light, 0, 1) ** (1 / 2.2),
    lambda light: np.clip(light, 0, 1) ** (1 / 1.9),
    lambda light: np.where(light < 0.018, 4.5 * light, 1.099 * np.maximum(light, 1e-9) ** 0.45 - 0.099),  # BT.709
    lambda light: 0.85 * srgb(light) + 0.15 * (3 * srgb(light) ** 2 - 2 * srgb(light) ** 3),  # more contrast
)


class Camera(msgspec.Struct, frozen=True):
    """What a camera does to light: blurs in px, noise in levels at full light, JPEG quality (None: none)."""

    lens_px: float = 0.8
    tone: int = 0
    smooth_px: float = 0.0
    colour_px: float = 0.0
    noise: float = 3.0
    jpeg: int | None = None
    halved_colour: bool = False

    def develop(self, light: Floats, random: np.random.Generator) -> NDArray[np.uint8]:
        """Return the BGR uint8 picture of linear light, shape (h, w, 3)."""
        soft = cv2.GaussianBlur(light, (0, 0), self.lens_px) if self.lens_px else light
        code = TONES[self.tone](np.clip(soft, 0, 1))
        code = code + random.normal(0, max(self.noise, 1e-9) / 255, code.shape)
        if self.smooth_px:
            code = np.asarray(cv2.GaussianBlur(code, (0, 0), self.smooth_px), dtype=np.float64)
        if self.colour_px:
            luma = code @ np.array([0.114, 0.587, 0.299])
            code = luma[..., None] + cv2.GaussianBlur(code - luma[..., None], (0, 0), self.colour_px)
        picture = np.clip(np.rint(code * 255), 0, 255).astype(np.uint8)
        if self.jpeg is None:
            return picture
        sampling = cv2.IMWRITE_JPEG_SAMPLING_FACTOR_420 if self.halved_colour else cv2.IMWRITE_JPEG_SAMPLING_FACTOR_444
        flags = [cv2.IMWRITE_JPEG_QUALITY, self.jpeg, cv2.IMWRITE_JPEG_SAMPLING_FACTOR, sampling]
        return np.asarray(cv2.imdecode(cv2.imencode(".jpg", picture, flags)[1], cv2.IMREAD_COLOR), dtype=np.uint8)


def any_camera(random: np.random.Generator) -> Camera:
    """Draw a camera."""
    return Camera(
        lens_px=float(random.uniform(0.5, 1.3)),
        tone=int(random.integers(len(TONES))),
        smooth_px=float(random.choice([0.0, random.uniform(0.3, 0.9)])),
        colour_px=float(random.choice([0.0, random.uniform(0.5, 1.5)])),
        noise=float(random.uniform(0.5, 6.0)),
        jpeg=None if random.random() < 0.3 else int(random.integers(85, 99)),
        halved_colour=bool(random.random() < 0.6),
    )


class Scene(msgspec.Struct, frozen=True):
    """A lit ball on a ground: linear BGR surface colours, lamps as rows (direction · strength), sky light."""

    ball: tuple[float, float, float]
    ground: tuple[float, float, float]
    lamps: tuple[tuple[float, float, float], ...]
    sky: float
    slope: tuple[float, float] = (0.0, 0.0)
    shadow: float = 0.0
    shadow_turn: float = 0.0
    sheen: float = 0.0
    lumps: tuple[tuple[float, float, float, float, float], ...] = ()  # wave vector, phase, share of the radius

    def radius_share(self, unit: Floats) -> Floats:
        """Return radius ÷ mean radius towards unit vectors, shape (…, 3)."""
        share = np.ones(unit.shape[:-1])
        for x, y, z, phase, size in self.lumps:
            length = np.sqrt(x * x + y * y + z * z)
            mean = np.sin(length) / length * np.cos(phase)  # of the wave over the sphere
            share += size * (np.cos(unit @ np.array([x, y, z]) + phase) - mean)
        return share


def any_scene(random: np.random.Generator, lumps: float = 0.0) -> Scene:
    """Draw a scene; `lumps` is the scatter of the radius as a share of it."""
    putty = np.array(PUTTIES[random.integers(4)]) * random.uniform(0.7, 1.15)
    lamps = []
    for _ in range(random.integers(1, 4)):
        way = np.append(random.normal(0, 0.6, 2), random.uniform(0.5, 1.0))
        lamps.append(tuple((way / np.linalg.norm(way) * random.uniform(0.2, 0.7)).tolist()))
    waves = []
    for _ in range(6 if lumps else 0):
        way = random.normal(size=3)
        x, y, z = (way / np.linalg.norm(way) * random.uniform(2.0, 5.0)).tolist()
        waves.append((x, y, z, float(random.uniform(0, 2 * np.pi)), lumps / np.sqrt(3)))
    return Scene(
        ball=tuple(putty.clip(0, 0.95).tolist()),
        ground=tuple((random.uniform(0.04, 0.7) * random.uniform(0.8, 1.2, 3)).clip(0, 0.9).tolist()),
        lamps=tuple(lamps),
        sky=float(random.uniform(0.15, 0.5)),
        slope=tuple(random.normal(0, 0.1, 2).tolist()),
        shadow=float(random.uniform(0.0, 0.6)),
        shadow_turn=float(random.uniform(0, 2 * np.pi)),
        sheen=float(random.choice([0.0, random.uniform(0.0, 0.15)])),
        lumps=tuple(waves),
    )


def light_of(scene: Scene, dx: Floats, dy: Floats, centre_is: Floats | None = None) -> Floats:
    """Return linear BGR light of a ball of mean radius 1 at places (dx, dy) from its middle, shape (h, w, 3)."""
    away = np.hypot(dx, dy)
    turn = np.stack([dx, dy, np.zeros_like(dx)], axis=-1) / np.maximum(away, 1e-9)[..., None]
    share = scene.radius_share(turn) if scene.lumps else np.ones_like(dx)
    x, y = dx / share, dy / share
    squared = x**2 + y**2
    normal = np.stack([x, y, np.sqrt(np.clip(1 - squared, 0, None))], axis=-1)
    lit, ground_lit, sheen = scene.sky, scene.sky, 0.0
    for lamp in scene.lamps:
        way = np.array(lamp)
        strength = np.linalg.norm(way)
        lit = lit + np.clip(normal @ way, 0, None)
        ground_lit = ground_lit + way[2]
        half = way / strength + np.array([0.0, 0.0, 1.0])
        sheen = sheen + strength * np.clip(normal @ (half / np.linalg.norm(half)), 0, None) ** 30
    shade_x, shade_y = 0.5 * np.cos(scene.shadow_turn), 0.5 * np.sin(scene.shadow_turn)
    shade = 1 - scene.shadow / (1 + np.exp((np.hypot(dx - shade_x, dy - shade_y) - 1.1) / 0.12))
    ground = (ground_lit * shade * (1 + scene.slope[0] * dx + scene.slope[1] * dy))[..., None] * np.array(scene.ground)
    ball = np.asarray(lit)[..., None] * np.array(scene.ball) + scene.sheen * np.asarray(sheen)[..., None]
    return np.asarray(np.where((squared < 1)[..., None], ball, ground), dtype=np.float64)


def close_up(
    scene: Scene, camera: Camera, x_px: float, y_px: float, radius_px: float, size_px: int, seed: int
) -> NDArray[np.uint8]:
    """Return a picture, `size_px` square, of a ball seen from far away. Pixel centres are at integers."""
    return camera.develop(_far_light(scene, x_px, y_px, radius_px, size_px), np.random.default_rng(seed))


@lru_cache(maxsize=8)
def _far_light(scene: Scene, x_px: float, y_px: float, radius_px: float, size_px: int) -> Floats:
    """Return what comes to any camera; several develop the same."""
    axis = (np.arange(size_px * OVER) + 0.5) / OVER - 0.5
    dx, dy = np.meshgrid((axis - x_px) / radius_px, (axis - y_px) / radius_px)
    light = light_of(scene, dx, dy).reshape(size_px, OVER, size_px, OVER, 3).mean(axis=(1, 3))
    light.flags.writeable = False
    return np.asarray(light, dtype=np.float64)
