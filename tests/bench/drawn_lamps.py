"""Lamps of a drawn room, and the sky that they leave in shadows: of nearly one colour, or warm beside cold."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from hardware.rig import Rig
from tests.bench.traced import Floats, Ground, Lamp, Room, Solid, light_on

KELVIN = (2700, 3200, 4000, 5000, 6500, 8000)
BLACK_BODY = np.array(  # linear BGR
    [(0.1, 0.4, 1.0), (0.17, 0.48, 1.0), (0.37, 0.64, 1.0), (0.62, 0.78, 1.0), (1.0, 0.98, 1.0), (1.0, 0.81, 0.76)]
)
MIDDLE_MM = np.array([45.0, 80.0, 0.0])
"""Between tray and track."""
Lamps = Callable[[list[Ground], list[Solid], np.random.Generator], Room]
"""Returns a room with these grounds and things, and with lamps by lot."""


def lamps_alike(grounds: list[Ground], things: list[Solid], rng: np.random.Generator) -> Room:
    """Return the room with one to three lamps of nearly one colour, warm or cold, hard or soft, and some sky."""
    lamps = []
    harsh = rng.random() < 0.3
    ambient = rng.uniform(0.08, 0.2) if harsh else rng.uniform(0.2, 0.5)
    kelvin = rng.uniform(2700, 7000)
    for index in range(int(rng.integers(1, 4))):
        place = _place(rng)
        warmth = np.clip(kelvin + rng.normal(0, 400), 2700, 8000)
        strength = (1.0 if index == 0 else rng.uniform(0.1, 0.6)) * float(np.linalg.norm(place) / 1000) ** 2
        lamps.append(Lamp(place, rng.uniform(10, 40) if harsh else rng.uniform(60, 150), black_body(warmth) * strength))
    cast = np.sum([lamp.light for lamp in lamps], axis=0)
    sky = ambient * cast / len(lamps)
    balance = (cast.mean() / cast) ** rng.uniform(0.7, 1.05)
    return _exposed(Room(grounds, things, lamps, sky), balance, _sometimes_dim, rng)


def lamps_apart(grounds: list[Ground], things: list[Solid], rng: np.random.Generator) -> Room:
    """Return the room with two small lamps, one of 2700 K and one of 6500 K, and hardly any sky.

    The stronger one may be either. White is balanced for it. What hides it is in the other one's coloured light.
    """
    lamps = []
    for kelvin, strength in zip(rng.permutation([2700, 6500]), (1.0, rng.uniform(0.1, 0.3)), strict=True):
        place = _place(rng)
        colour = black_body(kelvin)
        lamps.append(Lamp(place, rng.uniform(10, 40), colour * strength * float(np.linalg.norm(place) / 1000) ** 2))
    main = lamps[0].light
    sky = rng.uniform(0.05, 0.1) * main
    balance = (main.mean() / main) ** rng.uniform(0.7, 1.05)
    return _exposed(Room(grounds, things, lamps, sky), balance, _as_set_by_itself, rng)


def _place(rng: np.random.Generator) -> Floats:
    return MIDDLE_MM + rng.uniform([-800, -800, 650], [800, 800, 1300])


def black_body(kelvin: float) -> Floats:
    """Return the colour of a lamp, (3,), linear BGR."""
    return np.array([np.interp(kelvin, KELVIN, BLACK_BODY[:, channel]) for channel in range(3)])


def _exposed(
    room: Room, balance: Floats, white_of: Callable[[np.random.Generator], float], rng: np.random.Generator
) -> Room:
    """Return the room as a camera shows it that sets white by `balance`, (3,), with a cast shadow or none.

    :param white_of: draws the linear level that the camera gives white paper.
    """
    above = MIDDLE_MM[None] + [0.0, 0.0, 10.0]
    card = light_on(Room((), (), room.lamps, room.sky), above, np.array([[0.0, 0.0, 1.0]]), rng)[0] * balance
    gain = balance * white_of(rng) / card.max()
    lamps = [Lamp(lamp.place_mm, lamp.radius_mm, lamp.light * gain) for lamp in room.lamps]
    return Room(room.grounds, room.things, lamps, room.sky * gain, _cast_shadow(rng))


def _sometimes_dim(rng: np.random.Generator) -> float:
    return rng.uniform(0.35, 0.85) if rng.random() < 0.8 else rng.uniform(0.1, 0.35)


def _as_set_by_itself(rng: np.random.Generator) -> float:
    return rng.uniform(0.5, 0.95)


def _cast_shadow(rng: np.random.Generator) -> Callable[[Floats], Floats]:
    """Return how a sleeve or a head outside the picture dims the first lamp: a soft edge across tray or slot."""
    if rng.random() < 0.6:
        return lambda points: np.ones(len(points))
    about = np.array(Rig().tray_centre_mm if rng.random() < 0.6 else (rng.uniform(-120, 120), 247.0))
    turn = rng.uniform(0, 2 * np.pi)
    across = np.array([np.cos(turn), np.sin(turn)])
    edge, soft = rng.uniform(-30, 30), rng.uniform(1, 15)
    return lambda points: 1 / (1 + np.exp(-np.clip(((points[:, :2] - about) @ across - edge) / soft, -40, 40)))
