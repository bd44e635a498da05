"""What lies on the table, as solids to be traced: dice, gems, the boss's card, coins, hands and balls."""

from __future__ import annotations

import cv2
import numpy as np

from tests.bench.traced import Floats, Paint, Solid

BOX = np.vstack([np.eye(3), -np.eye(3)])
PIPS = {  # on a face's 3 × 3 places
    1: ((0, 0),),
    2: ((-1, -1), (1, 1)),
    3: ((-1, -1), (0, 0), (1, 1)),
    4: ((-1, -1), (-1, 1), (1, -1), (1, 1)),
    5: ((-1, -1), (-1, 1), (0, 0), (1, -1), (1, 1)),
    6: ((-1, -1), (-1, 0), (-1, 1), (1, -1), (1, 0), (1, 1)),
}
DICE = {  # linear BGR of the body, and of the pips that go with it
    "white": ((0.78, 0.8, 0.8), "dark"),
    "ivory": ((0.42, 0.62, 0.72), "dark"),
    "red": ((0.03, 0.03, 0.5), "light"),
    "blue": ((0.5, 0.12, 0.04), "light"),
    "black": ((0.02, 0.02, 0.02), "light"),
    "yellow": ((0.04, 0.5, 0.7), "dark"),
    "green": ((0.06, 0.3, 0.05), "light"),
}
PIP_COLOURS = {
    "dark": ((0.015, 0.015, 0.015), (0.03, 0.03, 0.45), (0.35, 0.06, 0.03)),
    "light": ((0.8, 0.8, 0.8), (0.3, 0.6, 0.7)),
}
GEMS = {  # linear BGR, least and most of each
    "red": ((0.005, 0.005, 0.28), (0.03, 0.03, 0.6)),
    "yellow": ((0.005, 0.24, 0.55), (0.05, 0.55, 0.8)),
    "purple": ((0.16, 0.01, 0.07), (0.40, 0.05, 0.2)),
}
METALS = ((0.1, 0.24, 0.4), (0.3, 0.32, 0.34), (0.06, 0.12, 0.3))
SKIN = ((0.35, 0.45, 0.62), (0.12, 0.2, 0.36), (0.04, 0.07, 0.15))


def plain(colour: Floats) -> Paint:
    return lambda points: np.broadcast_to(colour, points.shape)


def turned(yaw_deg: float, tilt_deg: float = 0.0) -> Floats:
    """Return the rotation by `tilt_deg` about X, then by `yaw_deg` about Z."""
    tilt = cv2.Rodrigues(np.array([np.radians(tilt_deg), 0.0, 0.0]))[0]
    return np.asarray(cv2.Rodrigues(np.array([0.0, 0.0, np.radians(yaw_deg)]))[0] @ tilt, dtype=np.float64)


def box(paint: Paint, low: Floats, high: Floats, **more: object) -> Solid:
    half = (np.asarray(high) - low) / 2
    depths = np.concatenate([half, half])
    return Solid(paint, (np.asarray(high) + low) / 2, 1.75 * half, faces=BOX, depths=depths, **more)  # type: ignore[arg-type]


def die(value: int, x_mm: float, y_mm: float, z_mm: float, rng: np.random.Generator) -> Solid:
    """Return a die of 14–18 mm, mostly 16, that lies on the height `z_mm`, as people have them."""
    half = (8.0 if rng.random() < 0.6 else rng.uniform(7, 9)) * np.ones(3)
    name = str(rng.choice(list(DICE), p=[0.34, 0.2, 0.12, 0.1, 0.1, 0.08, 0.06]))
    body, family = DICE[name]
    colour = np.array(body) * rng.uniform(0.8, 1.2, 3)
    inks = PIP_COLOURS[family]
    ink = np.array(inks[rng.integers(len(inks))])
    other = np.array(inks[rng.integers(len(inks))]) if rng.random() < 0.3 else ink
    coloured = set(rng.choice(np.arange(1, 7), 2).tolist())
    pairs = [[1, 6], [2, 5], [3, 4]]
    upright = next(pair for pair in pairs if value in pair)
    rest = [pair for pair in pairs if pair is not upright]
    rng.shuffle(rest)
    sides = [pair if rng.random() < 0.5 else pair[::-1] for pair in rest]
    faces = {(0, 1): sides[0][0], (0, -1): sides[0][1], (1, 1): sides[1][0], (1, -1): sides[1][1]}
    faces |= {(2, 1): value, (2, -1): 7 - value}
    spacing, radius = rng.uniform(0.46, 0.56), rng.uniform(0.16, 0.22)
    mirrored = {face: bool(rng.integers(2)) for face in faces}

    def paint(points: Floats) -> Floats:
        part = points / half
        axis = np.abs(part).argmax(axis=1)
        out = np.tile(colour, (len(points), 1))
        for (along, sign), number in faces.items():
            on = (axis == along) & (np.sign(part[np.arange(len(part)), axis]) == sign)
            across, down = part[on][:, [index for index in range(3) if index != along]].T
            if mirrored[(along, sign)]:
                across = -across
            size = radius * (1.5 if number == 1 and 1 in coloured else 1.0)
            hit = np.zeros(on.sum(), bool)
            for right, up in PIPS[number]:
                hit |= np.hypot(across - spacing * right, down - spacing * up) < size
            out[np.flatnonzero(on)[hit]] = other if number in coloured else ink
        return out

    place = np.array([x_mm, y_mm, z_mm + half[2]])
    shine = (float(rng.uniform(0, 0.06)), float(rng.uniform(20, 150)))
    roundness = rng.uniform(1.42, 1.68) * half
    depths = np.concatenate([half, half])
    return Solid(paint, place, roundness, turned(rng.uniform(0, 360)), BOX, depths, shine)


def gem(colour: str, x_mm: float, y_mm: float, z_mm: float, rng: np.random.Generator) -> Solid:
    """Return a cut stone about 8 mm long that lies on the height `z_mm`, glossy or letting light through."""
    low, high = np.array(GEMS[colour])
    paint = plain(low + (high - low) * rng.random(3))
    radii = np.array([rng.uniform(3.8, 4.3), rng.uniform(2.7, 4.0), rng.uniform(2.3, 3.6)])
    count = int(rng.integers(14, 40))
    faces = rng.normal(size=(count, 3))
    faces /= np.linalg.norm(faces, axis=1, keepdims=True)
    depths = np.linalg.norm(faces * radii, axis=1) * rng.uniform(0.9, 0.99, count)
    clear = rng.random() < 0.5
    return Solid(
        paint,
        np.array([x_mm, y_mm, z_mm + 0.95 * radii[2]]),
        radii,
        turned(rng.uniform(0, 360)),
        faces,
        depths,
        (float(rng.uniform(0.01, 0.05)), float(rng.uniform(20, 120))),
        float(rng.uniform(0.3, 0.7)) if clear else 0.0,
    )


def boss(x_mm: float, y_mm: float, z_mm: float, yaw_deg: float, rng: np.random.Generator) -> list[Solid]:
    """Return the card of 26 × 2 × 48 mm with its foot: a man in a suit of some colour, mostly dark."""
    suit = np.array([rng.uniform(0.01, 0.06)] * 3) * rng.uniform(0.6, 1.4, 3)
    if rng.random() < 0.3:
        suit = rng.uniform(0.01, 0.5, 3)
    tie, face, hair = rng.uniform(0.01, 0.4, 3), np.array(SKIN[rng.integers(3)]), rng.uniform(0.005, 0.05, 3)

    def paint(points: Floats) -> Floats:
        x, _, z = points.T
        out = np.tile(suit, (len(points), 1))
        out[(np.abs(x) < 1.0 + 0.12 * (8 - z)) & (z < 6) & (z > -14)] = tie
        out[(x / 7) ** 2 + ((z - 12) / 8) ** 2 < 1] = face
        out[((x / 8) ** 2 + ((z - 19) / 4) ** 2 < 1) & (z > 15)] = hair
        return out

    half = np.array([13.0, 1.0, 24.0])
    turn = turned(yaw_deg, rng.uniform(-4, 4))
    card = Solid(
        paint, np.array([x_mm, y_mm, z_mm + 24.0]), 1.75 * half, turn, BOX, np.concatenate([half, half]), (0.01, 10.0)
    )
    foot = np.array([7.0, 4.0, 2.5])
    dark = plain(np.full(3, 0.012))
    return [
        card,
        Solid(dark, np.array([x_mm, y_mm, z_mm + 2.5]), 1.75 * foot, turn, BOX, np.concatenate([foot, foot])),
    ]


def hand(x_mm: float, y_mm: float, z_mm: float, towards_deg: float, rng: np.random.Generator) -> list[Solid]:
    """Return fingers whose tips are about (x, y, z), and the palm, sleeve and arm behind them."""
    skin = plain(np.array(SKIN[rng.integers(3)]) * rng.uniform(0.8, 1.2))
    sleeve = plain(rng.uniform(0.02, 0.6, 3))
    turn = turned(towards_deg)
    parts = []
    fingers = int(rng.integers(1, 5))
    for finger in range(fingers):
        length, off = rng.uniform(28, 42), 17.0 * (finger - (fingers - 1) / 2)
        middle = np.array([x_mm, y_mm, z_mm + 9]) + turn @ np.array([-length + rng.uniform(-6, 6), off, 10.0])
        parts.append(Solid(skin, middle, np.array([length, 8.5, 8.5]), turn, shine=(0.01, 12.0)))
    palm = np.array([x_mm, y_mm, z_mm + 40]) + turn @ np.array([-85.0, 0.0, 0.0])
    arm = np.array([x_mm, y_mm, z_mm + 60]) + turn @ np.array([-250.0, 0.0, 0.0])
    parts.append(Solid(skin, palm, np.array([50.0, 42.0, 20.0]), turn))
    parts.append(Solid(sleeve, arm, np.array([150.0, 45.0, 40.0]), turn))
    return parts


def coin(x_mm: float, y_mm: float, z_mm: float, rng: np.random.Generator) -> Solid:
    """Return a coin of 16–26 mm with a raised rim and some relief."""
    radius = rng.uniform(8, 13)
    metal = np.array(METALS[rng.integers(len(METALS))])
    spots = rng.uniform(-0.6, 0.6, (int(rng.integers(1, 8)), 2)) * radius

    def paint(points: Floats) -> Floats:
        away = np.linalg.norm(points[:, :2], axis=1)
        relief = np.where(away > 0.85 * radius, 1.3, 1.0)
        for spot in spots:
            relief *= np.where(np.linalg.norm(points[:, :2] - spot, axis=1) < 0.2 * radius, 0.5, 1.0)
        return np.asarray(relief[:, None] * metal)

    flat = np.array([[0.0, 0.0, 1.0], [0.0, 0.0, -1.0]])
    radii = np.array([radius, radius, 40.0])
    return Solid(paint, np.array([x_mm, y_mm, z_mm + 1]), radii, faces=flat, depths=np.ones(2), shine=(0.05, 15.0))


def ball(x_mm: float, y_mm: float, z_mm: float, diameter_mm: float, colour: Floats) -> Solid:
    radius = diameter_mm / 2
    return Solid(plain(colour), np.array([x_mm, y_mm, z_mm + radius]), np.full(3, radius), shine=(0.01, 20.0))


def pencil(x_mm: float, y_mm: float, z_mm: float, rng: np.random.Generator) -> Solid:
    colour = plain(rng.uniform(0.02, 0.6, 3))
    return Solid(colour, np.array([x_mm, y_mm, z_mm + 4]), np.array([90.0, 4.0, 4.0]), turned(rng.uniform(0, 360)))
