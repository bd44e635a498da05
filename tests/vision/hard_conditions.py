"""Recorded passages made hard: the same clip under poorer cameras, light, links and hands. The truth stays the same."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

Picture = NDArray[np.uint8]


class Moments(NamedTuple):
    """Frames and the stamps, in seconds, of the middles of their exposures."""

    frames: list[Picture]
    stamps_s: list[float]


Condition = Callable[[Moments], Moments]


def each_frame(change: Callable[[Picture, int], Picture]) -> Condition:
    """Change every picture by itself, given its number too."""
    return lambda clip: clip._replace(frames=[change(frame, number) for number, frame in enumerate(clip.frames)])


def every(step: int, first: int = 0) -> Condition:
    """Keep one frame in `step`: a camera so much slower."""
    return lambda clip: Moments(clip.frames[first::step], clip.stamps_s[first::step])


def then(*steps: Condition) -> Condition:
    """One condition after the other."""

    def all_of(clip: Moments) -> Moments:
        for step in steps:
            clip = step(clip)
        return clip

    return all_of


def jpeg(quality: int, width_px: int = 768) -> Condition:
    """Shrunk to `width_px` and squeezed as by a USB camera that sends JPEGs."""

    def squeeze(frame: Picture, number: int) -> Picture:
        small = _shrunk(frame, width_px)
        _, data = cv2.imencode(".jpg", small, [cv2.IMWRITE_JPEG_QUALITY, quality])
        return np.asarray(cv2.imdecode(data, cv2.IMREAD_COLOR), dtype=np.uint8)

    return each_frame(squeeze)


def _shrunk(frame: Picture, width_px: int) -> Picture:
    if frame.shape[1] == width_px:
        return frame
    size = (width_px, frame.shape[0] * width_px // frame.shape[1])
    return np.asarray(cv2.resize(frame, size, interpolation=cv2.INTER_AREA), dtype=np.uint8)


def dropped(share: float, seed: int) -> Condition:
    """Frames that never came, drawn one by one; the first one is kept."""

    def drop(clip: Moments) -> Moments:
        random = np.random.default_rng(seed)
        kept = [n for n in range(len(clip.frames)) if n == 0 or random.random() > share]
        return Moments([clip.frames[n] for n in kept], [clip.stamps_s[n] for n in kept])

    return drop


def noise(sd: float) -> Condition:
    """A sensor with so many levels of noise."""

    def add(frame: Picture, number: int) -> Picture:
        grain = np.random.default_rng(number).normal(0, sd, frame.shape)
        return np.clip(frame + grain, 0, 255).astype(np.uint8)

    return each_frame(add)


def light(level: Callable[[int], float], tint: float = 0.0) -> Condition:
    """A lamp whose level follows the frame's number; `tint` moves blue against red with it."""

    def lit(frame: Picture, number: int) -> Picture:
        gain = level(number)
        warm = tint * (gain - 1.0)
        bgr = np.array([gain * (1 + warm), gain, gain * (1 - warm)], dtype=np.float32)
        return np.asarray(np.clip(frame * bgr, 0, 255), dtype=np.uint8)

    return each_frame(lit)


def flicker(depth: float) -> Condition:
    """A lamp on the mains beside a shutter that does not wait for it."""
    return light(lambda number: 1.0 + depth * np.sin(2 * np.pi * 0.213 * number), tint=0.3)


def bump(at: int, reach_px: float) -> Condition:
    """Somebody knocks at the table at a frame: the picture swings for a third of a second."""

    def shaken(frame: Picture, number: int) -> Picture:
        after = number - at
        if not 0 <= after < 20:
            return frame
        swing = reach_px * np.exp(-after / 7.0)
        shift = np.array([[1, 0, swing * np.sin(1.1 * after)], [0, 1, swing * np.cos(1.7 * after)]], dtype=np.float32)
        size = (frame.shape[1], frame.shape[0])
        return np.asarray(cv2.warpAffine(frame, shift, size, borderMode=cv2.BORDER_REPLICATE), dtype=np.uint8)

    return each_frame(shaken)


def soft(sd_px: float) -> Condition:
    """A lens out of focus."""
    return each_frame(lambda frame, number: np.asarray(cv2.GaussianBlur(frame, (0, 0), sd_px), dtype=np.uint8))


CONDITIONS: dict[str, Condition] = {
    "as recorded": lambda clip: clip,
    "JPEG, quality 75": jpeg(75),
    "JPEG, quality 50": jpeg(50),
    "JPEG, quality 30": jpeg(30),
    "512×288, JPEG 75": jpeg(75, 512),
    "512×288, JPEG 50": jpeg(50, 512),
    "512×288, JPEG 30": jpeg(30, 512),
    "384×216, JPEG 50": jpeg(50, 384),
    "28 frames a second": every(2),
    "28 frames a second, between": every(2, 1),
    "19 frames a second": every(3),
    "28 a second, 512×288, JPEG 50": then(every(2, 1), jpeg(50, 512)),
    "a fifth of the frames missing": dropped(0.2, 1),
    "two fifths missing": dropped(0.4, 2),
    "noise of 8 levels": noise(8.0),
    "flicker of ±25 %": flicker(0.25),
    "half the light, noise of 4": then(light(lambda number: 0.5), noise(4.0)),
    "a lamp goes on": light(lambda number: 0.75 if number < 35 else 1.0, tint=0.5),
    "bumped early": bump(15, 5.0),
    "bumped at the crossing": bump(38, 5.0),
    "out of focus by 2 px": soft(2.0),
    "flicker, 28 a second, JPEG 50": then(every(2), flicker(0.25), jpeg(50)),
}
