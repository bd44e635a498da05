"""Lamps for drawn rolls by lot: soft light and evening light from the side, and how their level varies over time."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from tests.bench.drawn_lamps import black_body
from tests.bench.lit_table import MIDDLE, Glow

Vector = NDArray[np.float64]


def lamps_by_lot(rng: np.random.Generator) -> tuple[list[Glow], Vector, str]:
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
        glows.append(Glow(MIDDLE + far * way, radius, level * lamp_colour(warmth)))
    sky = ambient * lamp_colour(float(np.clip(kelvin + rng.uniform(-500, 900), 2700, 7000)))
    cast = sky + sum(glow.light for glow in glows)
    gain = exposure / cast.mean() * (cast.mean() / cast) ** balanced
    return (
        [Glow(each.place, each.radius_mm, each.light * gain) for each in glows],
        sky * gain,
        "evening" if evening else "soft",
    )


def lamp_colour(kelvin: float) -> Vector:
    """Return the linear BGR light, shape (3,), of a black body at `kelvin`, its luminance 1."""
    colour = black_body(kelvin)
    return np.asarray(colour / (colour @ [0.07, 0.72, 0.21]))


def flicker_by_lot(
    glows: list[Glow], sky: Vector, seconds: float, shutter_s: float, rng: np.random.Generator
) -> tuple[Callable[[float], Vector], bool, str]:
    """Return the lamps' level over time, whether it differs by rows, and its name, "" where it is steady."""
    share = glows[0].light / (sky + sum(glow.light for glow in glows))
    chance = rng.random()
    if chance < 0.5:
        return (lambda t_s: np.ones(3)), False, ""
    if chance < 0.8:
        mains, depth = float(rng.choice([100.0, 120.0])), rng.uniform(0.1, 0.9)
        depth *= abs(float(np.sinc(mains * shutter_s))) + 0.02
        return (lambda t_s: 1 + share * depth * np.sin(2 * np.pi * mains * t_s)), rng.random() < 0.6, "mains flicker"
    if chance < 0.92:
        a, b = np.sort(rng.uniform(0, seconds, 2))
        return (lambda t_s: 1 - 0.2 * (a < t_s < b) * np.ones(3)), False, "lamp dips"
    at, gain = rng.uniform(0.2, 1.0) * seconds, rng.uniform(0.8, 1.25)
    return (lambda t_s: np.full(3, gain if t_s > at else 1.0)), False, "gain steps"
