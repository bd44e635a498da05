"""A small ray tracer for drawn scenes: convex things on a table under lamps of some size, in linear light.

Every pixel is several rays; each meets the nearest thing, one random point of every lamp, and one random direction of
the sky, so that shadows are as soft as the lamps are wide and corners as dark as they are deep.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import cv2
import numpy as np
from numpy.typing import NDArray

from hardware.cameras.camera_model import CameraView

Floats = NDArray[np.float64]
Paint = Callable[[Floats], Floats]
"""Colour of a thing at points (n, 3) of its own frame, linear BGR (n, 3)."""

Ground = tuple[float, tuple[float, float, float, float], Paint]
"""A level sheet: its height, its rim (left, right, front, back) in mm, and its paint in table coordinates."""

STRIP_RAYS = 6000  # few at a time stay in the processor's cache


@dataclass(frozen=True)
class Solid:
    """A convex thing: the points x of its own frame with `faces` · x ≤ `depths`, inside an ellipsoid of `radii`.

    `turn` (3, 3) takes its own frame to the table's, `place_mm` is its middle. `see_through` is the share of light that
    comes from the ground behind it, in its colour; `shine` the strength and sharpness of its highlight.
    """

    paint: Paint
    place_mm: Floats
    radii: Floats
    turn: Floats = field(default_factory=lambda: np.eye(3))
    faces: Floats = field(default_factory=lambda: np.zeros((0, 3)))
    depths: Floats = field(default_factory=lambda: np.zeros(0))
    shine: tuple[float, float] = (0.0, 20.0)
    see_through: float = 0.0

    def meet(self, eyes: Floats, ways: Floats) -> tuple[Floats, Floats]:
        """Return how far along rays from `eyes`, (n, 3) or (3,), on unit `ways` it is entered, inf for never, and the
        normals there, (n, 3)."""
        enters, normals = np.full(len(ways), np.inf), np.zeros_like(ways)
        apart = np.broadcast_to(eyes - self.place_mm, ways.shape)
        beside = _dot(apart, ways)
        likely = np.flatnonzero(beside**2 > _dot(apart, apart) - self.radii.max() ** 2)
        start, way = apart[likely] @ self.turn, ways[likely] @ self.turn
        p, d = start / self.radii, way / self.radii
        a, b, c = _dot(d, d), _dot(p, d), _dot(p, p) - 1
        root = b * b - a * c
        meets = np.flatnonzero(root > 0)
        hit = likely[meets]
        root, a, b, start, way = (each[meets] for each in (root, a, b, start, way))
        if len(hit):
            reach = np.sqrt(root)
            near, far = (-b - reach) / a, (-b + reach) / a
            inward = (start + near[:, None] * way) / self.radii**2
            for face, depth in zip(self.faces, self.depths, strict=True):
                slope, gap = way @ face, depth - start @ face
                with np.errstate(divide="ignore", invalid="ignore"):
                    at = np.where(slope == 0, np.where(gap >= 0, -np.inf, np.inf), gap / slope)
                nearer = (slope <= 0) & (at > near)
                near = np.where(nearer, at, near)
                inward = np.where(nearer[:, None], face, inward)
                far = np.where((slope > 0) & (at < far), at, far)
            fair = (near < far) & (near > 1e-6)
            enters[hit] = np.where(fair, near, np.inf)
            inward /= np.maximum(_length(inward), 1e-12)[:, None]
            normals[hit] = inward @ self.turn.T
        return enters, normals


@dataclass(frozen=True)
class Lamp:
    """A round lamp: middle and radius in mm, linear BGR light on a card that faces it 1 m away."""

    place_mm: Floats
    radius_mm: float
    light: Floats


@dataclass(frozen=True)
class Room:
    """What is drawn. `grounds` are level sheets, the lowest first.

    `shade` dims the first lamp at table points (n, 3): what stands in its way outside the picture.
    """

    grounds: Sequence[Ground]
    things: Sequence[Solid]
    lamps: Sequence[Lamp]
    sky: Floats
    shade: Callable[[Floats], Floats] = lambda points: np.ones(len(points))


def _dot(one: Floats, other: Floats) -> Floats:
    return np.asarray(np.einsum("nk,nk->n", one, other))


def _length(vectors: Floats) -> Floats:
    return np.sqrt(_dot(vectors, vectors))


def light_on(room: Room, points: Floats, normals: Floats, rng: np.random.Generator) -> Floats:
    """Return the light that falls on points facing `normals`, (n, 3) each, linear BGR; a white one looks like it."""
    total = np.zeros_like(points)
    lifted = points + 1e-3 * normals
    for index, lamp in enumerate(room.lamps):
        spread = rng.normal(size=points.shape)
        spread *= (lamp.radius_mm * rng.random(len(points)) ** (1 / 3) / _length(spread))[:, None]
        way = lamp.place_mm + spread - lifted
        away = _length(way)
        way /= away[:, None]
        facing = np.clip(_dot(normals, way), 0, None) * (1000 / away) ** 2
        seen = facing > 0
        for thing in room.things:
            seen[seen] = np.isinf(thing.meet(lifted[seen], way[seen])[0])
        if index == 0:
            facing *= room.shade(points)
        total += (facing * seen)[:, None] * lamp.light
    upward = normals + _directions(len(points), rng)
    upward /= np.maximum(_length(upward), 1e-9)[:, None]
    sky = np.ones(len(points))
    for thing in room.things:
        sky[np.isfinite(thing.meet(lifted, upward)[0])] = 0.25  # what hides the sky gives some light itself
    return total + sky[:, None] * room.sky


def _directions(count: int, rng: np.random.Generator) -> Floats:
    raw = rng.normal(size=(count, 3))
    return np.asarray(raw / _length(raw)[:, None])


def trace(
    room: Room, view: CameraView, corner: Floats, shape: tuple[int, int], over: int, rng: np.random.Generator
) -> Floats:
    """Return the light that reaches a part of the picture, shape (rows, columns, 3), each pixel of `over`² rays."""
    rows, columns = shape
    step = max(STRIP_RAYS // (columns * over**2), 1)
    parts = [
        _strip(room, view, corner + np.array([0.0, top]), (min(step, rows - top), columns), over, rng)
        for top in range(0, rows, step)
    ]
    return np.concatenate(parts)


def _strip(
    room: Room, view: CameraView, corner: Floats, shape: tuple[int, int], over: int, rng: np.random.Generator
) -> Floats:
    rows, columns = shape
    down, across = np.mgrid[: rows * over, : columns * over].astype(np.float64)
    spot = np.stack([across.ravel(), down.ravel()], axis=1) + rng.random((rows * columns * over**2, 2))
    pixels = (spot / over - 0.5 + corner).reshape(-1, 1, 2)
    flat = cv2.undistortPoints(pixels, view.camera.K, view.camera.dist).reshape(-1, 2)
    ways = np.column_stack([flat, np.ones(len(flat))]) @ view.pose.R
    ways /= _length(ways)[:, None]
    eye = view.pose.camera_position_mm
    nearest, normals, whose = _ground_hits(room, eye, ways)
    for index, thing in enumerate(room.things):
        enters, outward = thing.meet(eye, ways)
        closer = enters < nearest
        nearest = np.minimum(nearest, enters)
        normals[closer], whose[closer] = outward[closer], -1 - index
    points = eye + nearest[:, None] * ways
    fallen = light_on(room, points, normals, rng)
    light = np.zeros_like(points)
    for index, (_, _, paint) in enumerate(room.grounds):
        own = whose == index
        light[own] = paint(points[own]) * fallen[own]
    for index, thing in enumerate(room.things):
        own = whose == -1 - index
        if own.any():
            light[own] = _of_thing(room, thing, points[own], normals[own], fallen[own], ways[own])
    return np.asarray(light.reshape(rows, over, columns, over, 3).mean(axis=(1, 3)))


def _ground_hits(room: Room, eye: Floats, ways: Floats) -> tuple[Floats, Floats, NDArray[np.intp]]:
    nearest = np.full(len(ways), np.inf)
    whose = np.zeros(len(ways), dtype=np.intp)
    for index, (height, (left, right, front, back), _) in enumerate(room.grounds):
        far = (height - eye[2]) / ways[:, 2]
        x, y = (eye[axis] + far * ways[:, axis] for axis in (0, 1))
        on = (x > left) & (x < right) & (y > front) & (y < back) & (far < nearest)
        nearest[on], whose[on] = far[on], index
    return nearest, np.tile([0.0, 0.0, 1.0], (len(ways), 1)), whose


def _of_thing(room: Room, thing: Solid, points: Floats, normals: Floats, fallen: Floats, ways: Floats) -> Floats:
    paint = thing.paint((points - thing.place_mm) @ thing.turn)
    light = paint * fallen
    if thing.see_through:
        height, _, ground = room.grounds[-1]
        behind = points + ways * ((height - points[:, 2]) / ways[:, 2])[:, None]
        level = room.sky + 0.4 * sum((lamp.light for lamp in room.lamps), np.zeros(3))
        light = (1 - thing.see_through) * light + thing.see_through * paint * (ground(behind) + 0.1) * level
    strength, sharpness = thing.shine
    for lamp in room.lamps:
        way = lamp.place_mm - points
        way /= _length(way)[:, None]
        half = way - ways
        half /= _length(half)[:, None]
        glint = np.clip(_dot(normals, half), 0, 1) ** sharpness * (sharpness + 2) / 8
        light = light + strength * glint[:, None] * lamp.light
    return light + strength * room.sky
