"""Pictures of the tray and of the boss's slot, traced under lamps, lenses and tables drawn by lot, with truth."""

from __future__ import annotations

from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from hardware.cameras.camera_model import CameraView
from hardware.rig import Rig
from tests.bench import toys
from tests.bench.discs import encode
from tests.bench.drawn_camera import as_found, project, some_view, taken, vignette
from tests.bench.drawn_lamps import Lamps, lamps_alike
from tests.bench.traced import Floats, Ground, Paint, Room, Solid, light_on, trace

RIG = Rig()
OVER = 2
"""Rays in each direction of a pixel."""
TRAY_X, TRAY_Y = RIG.tray_centre_mm
TRAY_Z = RIG.tray_z_mm
EVERYWHERE = (-1e4, 1e4, -1e4, 1e4)
PUTTIES = np.array([(0.01, 0.55, 0.8), (0.04, 0.28, 0.03), (0.01, 0.15, 0.78), (0.28, 0.13, 0.75)])


@dataclass(frozen=True)
class Scene:
    """One drawn picture with the view its markers would give, what it shows, and what should be read from it.

    `truth` of boss: (state, lane); of die: its value, or "absent", or None where no answer can be right but "unknown";
    of gems: their colours, sorted, or None.
    """

    picture: NDArray[np.uint8]
    view: CameraView
    shows: str
    truth: object


def die_scene(number: int, lamps: Lamps = lamps_alike) -> Scene:
    """Return a picture of the tray: mostly with a die, else empty or with something that is no die."""
    rng = np.random.default_rng(number)
    shows = str(rng.choice(["die", "hand", "two dice", "empty", "no die"], p=[0.7, 0.07, 0.06, 0.07, 0.1]))
    x, y = _in_tray(rng, 24)
    value = int(rng.integers(1, 7))
    things: list[Solid] = []
    truth: object = value
    if shows == "die":
        things.append(toys.die(value, x, y, TRAY_Z, rng))
        if rng.random() < 0.1:
            shows = "die and hand"
            things += toys.hand(x + rng.uniform(-20, 20), y - rng.uniform(10, 25), TRAY_Z, rng.uniform(60, 120), rng)
    elif shows == "two dice":
        turn = rng.uniform(0, 2 * np.pi)
        away = rng.uniform(24, 34) / 2 * np.array([np.cos(turn), np.sin(turn)])
        places = [np.array([TRAY_X, TRAY_Y]) + side * away for side in (1, -1)]
        things = [toys.die(int(rng.integers(1, 7)), float(x), float(y), TRAY_Z, rng) for x, y in places]
        truth = None
    elif shows == "hand":
        things, truth = toys.hand(x, y, TRAY_Z, rng.uniform(0, 360), rng), "absent"
    else:
        truth = "absent"
    if shows == "no die":
        shows, thing = _foreign(x, y, rng)
        things = [thing]
    return tray_scene(things, shows, truth, rng, lamps)


def gems_scene(number: int, lamps: Lamps = lamps_alike) -> Scene:
    """Return a picture of the tray with none to three gems, apart or touching, or with something else in it."""
    rng = np.random.default_rng(number)
    shows = str(rng.choice(["gems", "touching gems", "empty", "hand", "die"], p=[0.7, 0.1, 0.1, 0.05, 0.05]))
    things: list[Solid] = []
    truth: tuple[str, ...] | None = ()
    if shows in ("gems", "touching gems"):
        count = 2 if shows == "touching gems" else int(rng.integers(1, 4))
        names = [str(rng.choice(list(toys.GEMS))) for _ in range(count)]
        places: list[Floats] = []
        while len(places) < count:
            place = np.array(_in_tray(rng, 29))
            if shows == "touching gems" and places:
                turn = rng.uniform(0, 2 * np.pi)
                place = places[0] + rng.uniform(6.5, 8.5) * np.array([np.cos(turn), np.sin(turn)])
                if np.abs(place - [TRAY_X, TRAY_Y]).max() > 29:
                    continue
            elif any(np.linalg.norm(place - other) < 12 for other in places):
                continue
            places.append(place)
        things = [toys.gem(name, x, y, TRAY_Z, rng) for name, (x, y) in zip(names, places, strict=True)]
        truth = tuple(sorted(names))
    elif shows == "hand":
        x, y = _in_tray(rng, 15)
        things, truth = toys.hand(x, y, TRAY_Z, rng.uniform(0, 360), rng), None
    elif shows == "die":
        x, y = _in_tray(rng, 20)
        things, truth = [toys.die(int(rng.integers(1, 7)), x, y, TRAY_Z, rng)], None
    return tray_scene(things, shows, truth, rng, lamps)


def heap_scene(number: int) -> Scene:
    """Return a picture of the tray with three gems that touch, in a triangle or in a row."""
    rng = np.random.default_rng(number)
    names = [str(rng.choice(list(toys.GEMS))) for _ in range(3)]
    turn, apart_mm = rng.uniform(0, 2 * np.pi), rng.uniform(6.5, 8.5)
    middle = np.array([TRAY_X, TRAY_Y]) + rng.uniform(-15, 15, 2)
    if rng.random() < 0.5:
        turns, far_mm = turn + np.radians([0, 120, 240]), np.full(3, apart_mm / 3**0.5)
    else:
        turns, far_mm = np.full(3, turn), apart_mm * np.array([-1, 0, 1])
    places = middle + far_mm[:, None] * np.column_stack([np.cos(turns), np.sin(turns)])
    things = [toys.gem(name, x, y, TRAY_Z, rng) for name, (x, y) in zip(names, places.tolist(), strict=True)]
    return tray_scene(things, "heap of gems", tuple(sorted(names)), rng)


def boss_scene(number: int, lamps: Lamps = lamps_alike) -> Scene:
    """Return a picture of the boss's slot: at a lane, between two, absent; a hand or a waiting ball may be there.

    A camera that was set up badly cuts the slot off; that is said in `shows`.
    """
    rng = np.random.default_rng(number)
    shows = str(rng.choice(["lane", "between", "absent"], p=[0.6, 0.15, 0.25]))
    things: list[Solid] = []
    index = int(rng.integers(7))
    truth: tuple[str, int | None] = (shows, None)
    x = 0.0
    if shows == "lane":
        truth = (shows, index + 1)
        x = RIG.lanes[index].x_mm + rng.uniform(-4, 4)
    elif shows == "between":
        x = RIG.lanes[min(index, 5)].x_mm + RIG.lane_pitch_mm / 2 + rng.uniform(-4, 4)
    if shows != "absent":
        things += toys.boss(x, RIG.boss_slot_y_mm, RIG.boss_base_z_mm, rng.uniform(-8, 8), rng)
    chance = rng.random()
    if chance < 0.12:
        shows += ", ball waits"
        lane = RIG.lanes[int(rng.integers(7))]
        diameter = rng.uniform(18, 40)
        things.append(toys.ball(lane.x_mm, 220 + rng.uniform(-6, 6), 55.0, diameter, PUTTIES[rng.integers(4)]))
    elif chance < 0.24:
        shows += ", hand"
        place = rng.uniform(-130, 130), rng.uniform(205, 250)
        things += toys.hand(*place, 56.0, rng.choice([rng.uniform(40, 140), rng.uniform(-140, -40)]), rng)
    return _of_the_slot(things, shows, truth, rng, lamps)


def ball_before_boss_scene(number: int, lamps: Lamps) -> Scene:
    """Return a picture of the boss at a lane, and of a ball that waits before them or beside them."""
    rng = np.random.default_rng(number)
    lane = RIG.lanes[int(rng.integers(7))]
    x = lane.x_mm + rng.uniform(-4, 4)
    things = [*toys.boss(x, RIG.boss_slot_y_mm, RIG.boss_base_z_mm, rng.uniform(-8, 8), rng)]
    place = x + rng.uniform(-25, 25), 220 + rng.uniform(-10, 12)
    things.append(toys.ball(*place, 55.0, rng.uniform(22, 42), PUTTIES[rng.integers(4)]))
    return _of_the_slot(things, "lane, ball before", ("lane", lane.number), rng, lamps)


def _of_the_slot(things: list[Solid], shows: str, truth: object, rng: np.random.Generator, lamps: Lamps) -> Scene:
    centre = np.array([[s * 152.0, y, z] for s in (-1, 1) for y, z in ((212, 55), (256, 53), (247, 104))])
    grounds = [(0.0, EVERYWHERE, _table_paint(rng)), *_track(rng)]
    scene = _scene(grounds, things, centre, shows, truth, rng, lamps)
    return scene if _is_whole(scene) else replace(scene, shows=f"{shows}, cut by the picture's rim")


def _is_whole(scene: Scene) -> bool:
    """Whether the picture shows all the length of the slot, up to a third of a card's height over it."""
    reach = RIG.lanes[-1].x_mm + RIG.lane_pitch_mm / 2
    up = RIG.boss_base_z_mm + RIG.boss_size_mm[2] / 3
    ends = project(scene.view, np.array([[side * reach, RIG.boss_slot_y_mm, up] for side in (-1, 1)]))
    return bool(((ends >= 0) & (ends < [scene.view.camera.width_px, scene.view.camera.height_px])).all())


def _foreign(x: float, y: float, rng: np.random.Generator) -> tuple[str, Solid]:
    kind = str(rng.choice(["coin", "ball", "pencil"]))
    if kind == "coin":
        return kind, toys.coin(x, y, TRAY_Z, rng)
    if kind == "pencil":
        return kind, toys.pencil(x, y, TRAY_Z, rng)
    return kind, toys.ball(x, y, TRAY_Z, rng.uniform(15, 30), PUTTIES[rng.integers(4)])


def _in_tray(rng: np.random.Generator, reach_mm: float) -> tuple[float, float]:
    x, y = np.array([TRAY_X, TRAY_Y]) + rng.uniform(-reach_mm, reach_mm, 2)
    return float(x), float(y)


def tray_scene(
    things: list[Solid], shows: str, truth: object, rng: np.random.Generator, lamps: Lamps = lamps_alike
) -> Scene:
    half = RIG.tray_side_mm / 2
    felt = np.array([0.02, 0.09, 0.02]) * rng.uniform(0.4, 2.5) * rng.uniform(0.6, 1.5, 3)
    rim = (TRAY_X - half, TRAY_X + half, TRAY_Y - half, TRAY_Y + half)
    woven = _woven(felt, rng.uniform(0.02, 0.15), rng.uniform(1, 3), rng)
    grounds = [(0.0, EVERYWHERE, _papers(_table_paint(rng))), (TRAY_Z, rim, woven)]
    reach = half + 11
    corners = np.array([[TRAY_X + s * reach, TRAY_Y + t * reach, z] for s in (-1, 1) for t in (-1, 1) for z in (0, 20)])
    return _scene(grounds, things, corners, shows, truth, rng, lamps)


def _scene(
    grounds: list[Ground],
    things: list[Solid],
    corners_mm: Floats,
    shows: str,
    truth: object,
    rng: np.random.Generator,
    lamps: Lamps,
) -> Scene:
    view = some_view(rng)
    camera = view.camera
    room = lamps(grounds, things, rng)
    pixels = project(view, corners_mm)
    low = np.clip(np.floor(pixels.min(axis=0)) - 6, 0, None)
    high = np.minimum(np.ceil(pixels.max(axis=0)) + 7, [camera.width_px, camera.height_px])
    columns, rows = (high - low).astype(int).tolist()
    light = trace(room, view, low, (rows, columns), OVER, rng)
    part = taken(light * vignette(view, low, (rows, columns)), rng)
    whole = np.full((camera.height_px, camera.width_px, 3), 90, np.uint8)
    for marker in RIG.markers:
        _lay_paper(whole, view, room, marker.x_mm, marker.y_mm, rng)
    left, top = low.astype(int)
    whole[top : top + rows, left : left + columns] = part
    return Scene(whole, as_found(view, rng), shows, truth)


def _lay_paper(
    whole: NDArray[np.uint8], view: CameraView, room: Room, x: float, y: float, rng: np.random.Generator
) -> None:
    half = RIG.marker_side_mm / 2
    points = np.tile([x, y, 0.5], (32, 1))
    fallen = light_on(room, points, np.tile([0.0, 0.0, 1.0], (32, 1)), rng).mean(axis=0)
    for side, paint in ((half + 6, 0.8), (half, 0.03)):
        square = [[x + s * side, y + t * side, 0.5] for s, t in ((-1, -1), (1, -1), (1, 1), (-1, 1))]
        corners = project(view, np.array(square))
        level = np.rint(encode(np.clip(paint * fallen, 0, 1)))
        cv2.fillPoly(whole, [np.rint(corners).astype(np.int32)], level.tolist())


def _papers(table: Paint) -> Paint:
    """Lay the markers' papers on a table."""

    def paint(points: Floats) -> Floats:
        out = np.array(table(points))
        for marker in RIG.markers:
            away = np.abs(points[:, :2] - [marker.x_mm, marker.y_mm]).max(axis=1)
            out[away < RIG.marker_side_mm / 2 + 6] = 0.8
            out[away < RIG.marker_side_mm / 2] = 0.03
        return out

    return paint


def _table_paint(rng: np.random.Generator) -> Paint:
    kind = str(rng.choice(["wood", "check", "plain"]))
    base = np.array([0.05, 0.1, 0.18]) * rng.uniform(0.3, 3.5) if kind == "wood" else rng.uniform(0.02, 0.7, 3)
    other = base * rng.uniform(0.3, 0.8) if kind == "check" else base
    side, turn = rng.uniform(20, 60), rng.uniform(0, np.pi)
    grain = _woven(np.ones(3), rng.uniform(0, 0.15), rng.uniform(1, 5), rng, stretch=12.0 if kind == "wood" else 1.0)

    def paint(points: Floats) -> Floats:
        x = points[:, 0] * np.cos(turn) + points[:, 1] * np.sin(turn)
        y = points[:, 1] * np.cos(turn) - points[:, 0] * np.sin(turn)
        even = (np.floor(x / side) + np.floor(y / side)) % 2 == 0
        return np.where(even[:, None], base, other) * grain(points)

    return paint


def _woven(colour: Floats, rough: float, size_mm: float, rng: np.random.Generator, stretch: float = 1.0) -> Paint:
    """Return a colour that varies by `rough` over patches of `size_mm`, longer along X by `stretch`."""
    tile = cv2.GaussianBlur(rng.normal(size=(256, 256)), (0, 0), 2.0, borderType=cv2.BORDER_REFLECT)
    tile = np.clip(1 + rough * tile / tile.std(), 0.2, 2.0)

    def paint(points: Floats) -> Floats:
        x = np.floor(points[:, 0] / size_mm * 4 / stretch).astype(int) % 256
        y = np.floor(points[:, 1] / size_mm * 4).astype(int) % 256
        return np.asarray(tile[y, x][:, None] * colour)

    return paint


def _track(rng: np.random.Generator) -> list[Ground]:
    """Return the platform's printed strip, and the ledge with the slot behind it."""
    wood = rng.uniform(0.2, 0.6) * rng.uniform(0.8, 1.2, 3) if rng.random() < 0.8 else rng.uniform(0.03, 0.6, 3)
    strip = rng.uniform(0.4, 0.85) * rng.uniform(0.85, 1.1, 3)
    ink = np.full(3, 0.08)
    grain = _woven(np.ones(3), rng.uniform(0.01, 0.12), rng.uniform(1, 4), rng)

    def platform(points: Floats) -> Floats:
        x, y = points[:, 0], points[:, 1] - 220
        out = np.tile(strip, (len(points), 1))
        for lane in RIG.lanes:
            away = np.hypot(x - lane.x_mm, y)
            out[np.abs(away - lane.hole_mm / 2) < 0.6] = ink
            out[(np.abs(x - lane.x_mm) < 4) & (np.abs(y) < 2.5) & (np.floor(x / 1.3) % 2 == 0)] = ink
        return out * grain(points)

    def ledge(points: Floats) -> Floats:
        out = np.tile(wood, (len(points), 1))
        out[np.abs(points[:, 1] - RIG.boss_slot_y_mm) < 1.1] = wood * 0.3
        return out * grain(points)

    return [(53.0, (-143, 143, 240, 254), ledge), (55.0, (-143, 143, 190, 240), platform)]
