"""Renders the simulated camera's pictures: the empty table once, then patches for the objects, with sensor noise."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from functools import cached_property, partial

import cv2
import numpy as np

from hardware.cameras.camera_model import CameraView, Image
from hardware.rig import Rig
from hardware.twin.drawing.empty_table import cast, hide
from hardware.twin.drawing.patch import Patch
from hardware.twin.drawing.shading import Floats, pixels
from hardware.twin.drawing.sprites import Sprites
from hardware.twin.world.scene import Scene

BLUR_PX = 0.55
"""Blur of the lens, one standard deviation."""
NOISE_SD = 1.9
"""Sensor noise at mid level, in levels of 255."""
NOISE_FRAMES = 8
"""Number of prepared exposures of the empty table, which differ only in noise."""
_CACHED_PATCHES = 64


@dataclass(frozen=True)
class _Studio:
    """Inputs of every picture: the empty table without noise, the drawer of objects, and the noise."""

    clean: Image
    sprites: Sprites
    noise: Floats


class Renderer:
    """Renders pictures of the simulated table for one camera.

    :param view: camera and pose; its size is the picture's size.
    :param seed: seed of the sensor's noise.
    """

    def __init__(self, rig: Rig, view: CameraView, *, seed: int = 0) -> None:
        self.rig, self.view = rig, view
        self._rng = np.random.default_rng(seed)
        self._grounds: dict[frozenset[int], list[Image]] = {}
        self._patches: dict[Hashable, Patch | None] = {}

    def prepare(self, given_up: threading.Event) -> None:
        """Ray cast the empty table now. It takes a second or more, and else happens at the first picture.

        :raises GivenUpError: `given_up` was set meanwhile.
        """
        cast(self.rig, self.view, given_up)
        _ = self._studio

    @cached_property
    def _studio(self) -> _Studio:
        empty_table = cast(self.rig, self.view)
        clean = _softened(pixels(empty_table.light))
        height, width = clean.shape[:2]
        noise = self._rng.normal(0, 1, (height + 64, width + 64, 3)).astype(np.float32)
        noise = np.asarray(cv2.GaussianBlur(noise, (0, 0), 0.45), dtype=np.float32)
        noise *= np.float32(NOISE_SD / noise.std())
        return _Studio(clean, Sprites(self.rig, self.view, empty_table), noise)

    def picture(self, scene: Scene) -> Image:
        """Return the picture of a scene, 8-bit BGR, shape (h, w, 3); the caller owns it."""
        if scene.covered:
            return self._covered()
        grounds = self._ground(scene.hidden_markers)
        frame = np.array(grounds[int(self._rng.integers(len(grounds)))])
        for patch in self._patches_of(scene):
            if patch is not None:
                self._lay(frame, patch)
        if scene.light != 1.0:
            frame = self._dimmed(frame, scene.light)
        return frame

    def _patches_of(self, scene: Scene) -> list[Patch | None]:
        """Return the patches of all objects, the farthest first."""
        things: list[Patch | None] = []
        sprites = self._studio.sprites
        if scene.boss is not None:
            things.append(self._kept(("boss", scene.boss), partial(sprites.boss, scene.boss)))
        for ball in sorted(scene.balls, key=lambda one: -one.centre_mm[1]):
            if any(ball.velocity_mm_s):
                things.append(sprites.ball(ball))
            else:
                shape = tuple(np.round(ball.form, 1).ravel())
                things.append(self._kept(("ball", ball.key, ball.colour, shape), partial(sprites.ball, ball)))
        things.extend(self._kept(("stone", stone), partial(sprites.stone, stone)) for stone in scene.stones)
        if scene.die is not None:
            die = scene.die
            if die.moving:
                things.append(sprites.die(die))
            else:
                pose = tuple(np.round(die.turn, 3).ravel())
                things.append(self._kept(("die", die.centre_mm, pose), partial(sprites.die, die)))
        things.extend(sprites.reach(reach) for reach in scene.reaches)
        return things

    def _kept(self, key: Hashable, draw: Callable[[], Patch | None]) -> Patch | None:
        """Return the cached patch of an object at rest; draw it the first time."""
        if key not in self._patches:
            while len(self._patches) >= _CACHED_PATCHES:
                self._patches.pop(next(iter(self._patches)))
            self._patches[key] = draw()
        return self._patches[key]

    def _lay(self, frame: Image, patch: Patch) -> None:
        """Composite one patch, in place."""
        grain = self._studio.noise
        part = frame[patch.box]
        rows, columns = part.shape[:2]
        top, left = (int(v) for v in self._rng.integers(0, 64, 2))
        noise = grain[top : top + rows, left : left + columns]
        laid = part * (patch.shade * (1 - patch.cover)) + (patch.colour + noise) * patch.cover
        np.clip(laid, 0, 255, out=laid)
        part[:] = laid.astype(np.uint8)

    def _ground(self, hidden: frozenset[int]) -> list[Image]:
        """Return several exposures of the empty table that differ only in noise."""
        if hidden not in self._grounds:
            clean = self._studio.clean
            if hidden:
                clean = clean.copy()
                for marker_id in hidden:
                    hide(clean, self.view, self.rig, marker_id)
            self._grounds = {hidden: [self._exposed(clean.astype(np.float32)) for _ in range(NOISE_FRAMES)]}
        return self._grounds[hidden]

    def _exposed(self, clean: Floats) -> Image:
        height, width = clean.shape[:2]
        noise = self._studio.noise
        top, left = (int(v) for v in self._rng.integers(0, 64, 2))
        flip = int(self._rng.integers(-1, 3))
        noise = noise if flip == 2 else np.asarray(cv2.flip(noise, flip))
        noisy = clean + noise[top : top + height, left : left + width] * (0.6 + clean / 320)
        return np.asarray(np.clip(noisy + 0.5, 0, 255).astype(np.uint8))

    def _dimmed(self, frame: Image, light: float) -> Image:
        """Apply another lamp level. When it is nearly dark, add sensor noise again."""
        gain = light ** (1 / 2.2)
        dim = cv2.convertScaleAbs(frame, alpha=gain)
        if light < 0.3:
            dim = self._exposed(dim.astype(np.float32))
        return np.asarray(dim, dtype=np.uint8)

    def _covered(self) -> Image:
        """Return the picture with a thumb on the lens: dark, reddish, out of focus."""
        height, width = self._studio.clean.shape[:2]
        glow = np.linspace(6, 20, width, dtype=np.float32)[None, :, None] * np.array([0.4, 0.5, 1.0], dtype=np.float32)
        return self._exposed(np.broadcast_to(glow, (height, width, 3)))


def _softened(picture: Image) -> Image:
    return np.asarray(cv2.GaussianBlur(picture, (0, 0), BLUR_PX), dtype=np.uint8)
