"""The fixed parts of the simulated table as flat textured surfaces in table coordinates."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import cv2
import numpy as np

from hardware.cameras.camera_model import Image
from hardware.rig import Rig

MARKER_BORDER_MM = 6.0
_PAPER, _INK = (170, 212, 222), (62, 58, 66)


@dataclass(frozen=True)
class Surface:
    """A textured rectangle. `corner_mm` is the outer corner of the texture's first pixel.

    `across` and `down` are unit vectors along texture rows and columns. `texture` is BGR. `mask` marks where the
    surface is solid; None means everywhere. `normal` points to the lit side.
    """

    name: str
    corner_mm: tuple[float, float, float]
    across: tuple[float, float, float]
    down: tuple[float, float, float]
    size_mm: tuple[float, float]
    texture: Image
    normal: tuple[float, float, float]
    mask: Image | None = None


_X, _Y_DOWN, _UP = (1.0, 0.0, 0.0), (0.0, -1.0, 0.0), (0.0, 0.0, 1.0)


def surfaces(rig: Rig) -> Iterator[Surface]:
    """Yield all fixed surfaces of the table. Each is made when it is asked for, which takes time."""
    grain = np.random.default_rng(1981)
    yield _table(grain)
    yield _landing(rig, grain)
    for several in (_ramp, _platform, _fence, _pan):
        yield from several(rig, grain)
    yield _tray(rig, grain)
    for number in range(len(rig.markers)):
        yield _marker(rig, number)


def _flat(
    name: str,
    left: float,
    back: float,
    z_mm: float,
    texture: Image,
    size: tuple[float, float],
    mask: Image | None = None,
) -> Surface:
    """Return a horizontal surface. Its left back corner is the texture's upper left one, so that print is upright."""
    return Surface(name, (left, back, z_mm), _X, _Y_DOWN, size, texture, _UP, mask)


def _speckle(grain: np.random.Generator, shape: tuple[int, int], colour: tuple[int, int, int], amount: float) -> Image:
    """Return a plain colour with fine grain and larger clouds."""
    fine = grain.normal(0, amount, shape).astype(np.float32)
    clouds = cv2.resize(
        grain.normal(0, amount, (6, 6)).astype(np.float32), (shape[1], shape[0]), interpolation=cv2.INTER_CUBIC
    )
    shade = (cv2.GaussianBlur(fine, (3, 3), 0) + clouds)[..., None]
    return np.asarray(np.clip(np.asarray(colour, dtype=np.float32) + shade, 0, 255).astype(np.uint8))


def _table(grain: np.random.Generator) -> Surface:
    """Return the table top of dark oak planks, 1 px per mm."""
    left, back, width, height = -620, 860, 1320, 1240
    y, x = np.mgrid[0:height, 0:width].astype(np.float32)
    plank = np.floor(y / 118).astype(np.int32)
    shift = grain.uniform(0, 900, plank.max() + 1).astype(np.float32)[plank]
    tone = grain.uniform(0.86, 1.10, plank.max() + 1).astype(np.float32)[plank]
    bend = cv2.resize(grain.normal(0, 1, (40, 14)).astype(np.float32), (width, height), interpolation=cv2.INTER_CUBIC)
    rings = np.sin((y + 9 * bend + 12 * np.sin((x + shift) / 210)) / 3.1 + shift)
    fibre = cv2.GaussianBlur(grain.normal(0, 1, (height, width)).astype(np.float32), (0, 0), sigmaX=14, sigmaY=0.7)
    shade = tone * (1 + 0.085 * rings + 0.55 * fibre + 0.05 * bend)
    seam = (y % 118) < 1.6
    shade[seam] *= 0.45
    wood = np.clip(shade[..., None] * np.array([52, 78, 112], dtype=np.float32), 0, 255).astype(np.uint8)
    return _flat("table", left, back, 0.0, wood, (width, height))


def _print(
    texture: Image, text: str, centre_px: tuple[float, float], height_px: float, ink: tuple[int, int, int]
) -> None:
    face, thick = cv2.FONT_HERSHEY_DUPLEX, max(round(height_px / 9), 1)
    scale = height_px / cv2.getTextSize(text, face, 1.0, thick)[0][1]
    (width, height), _ = cv2.getTextSize(text, face, scale, thick)
    corner = (round(centre_px[0] - width / 2), round(centre_px[1] + height / 2))
    cv2.putText(texture, text, corner, face, scale, ink, thick, cv2.LINE_AA)


def _disc(texture: Image, centre_px: tuple[float, float], radius_px: float, ink: tuple[int, ...]) -> None:
    """Paint a disc of exactly this radius with an edge one pixel soft; `centre_px` is from the outer corner."""
    rows, columns = texture.shape[:2]
    (x, y), reach = centre_px, radius_px + 1.5
    top, left = max(int(y - reach), 0), max(int(x - reach), 0)
    bottom, right = min(int(y + reach) + 1, rows), min(int(x + reach) + 1, columns)
    v, u = np.ogrid[top:bottom, left:right]
    share = np.clip(radius_px + 0.5 - np.hypot(u + 0.5 - x, v + 0.5 - y), 0.0, 1.0)
    layers = texture.reshape(rows, columns, -1)[top:bottom, left:right]
    layers[:] = np.round(layers + share[..., None] * (np.array(ink) - layers.astype(np.float64)))


def _landing(rig: Rig, grain: np.random.Generator) -> Surface:
    """Return the landing board: parchment with a chart of the coast, one column per lane with its number."""
    scale = 4
    half = rig.half_width_mm
    near, far = rig.landing_y_mm
    width, height = round(2 * half * scale), round((far - near) * scale)
    paper = _speckle(grain, (height, width), _PAPER, 4)
    rhumb = np.asarray(paper * 0.9, dtype=np.uint8)
    for angle in np.arange(0, np.pi, np.pi / 8):
        middle = np.array([width * 0.5, height * 0.45])
        arm = np.array([np.cos(angle), np.sin(angle)]) * width
        ends = [tuple(int(v) for v in middle + sign * arm) for sign in (-1, 1)]
        cv2.line(paper, ends[0], ends[1], tuple(int(v) for v in rhumb.mean(axis=(0, 1))), 2, cv2.LINE_AA)
    for lane in rig.lanes:
        x = (lane.x_mm + half) * scale
        edge = round(x - rig.lane_pitch_mm / 2 * scale)
        cv2.line(paper, (edge, 0), (edge, height), _INK, 3, cv2.LINE_AA)
        _print(paper, str(lane.number), (x, height - 13 * scale), 11 * scale, _INK)
    cv2.rectangle(paper, (4, 4), (width - 5, height - 5), _INK, 5)
    return _flat("landing", -half, far, rig.landing_z_mm, paper, (2 * half, far - near))


def _ramp(rig: Rig, grain: np.random.Generator) -> list[Surface]:
    """Return the running surface of the ramp and the walls between the lanes."""
    half = rig.half_width_mm
    (y0, z0), (y1, z1) = rig.ramp_foot, rig.ramp_top
    length = float(np.hypot(y1 - y0, z1 - z0))
    down = (0.0, (y0 - y1) / length, (z0 - z1) / length)
    normal = (0.0, -(z1 - z0) / length, (y1 - y0) / length)
    plastic = _speckle(grain, (round(length * 2), round(half * 4)), (176, 186, 192), 2.5)
    found = [Surface("ramp", (-half, y1, z1), _X, down, (2 * half, length), plastic, normal)]
    wall, thick, run = rig.wall_height_mm, rig.wall_thickness_mm, length - 3.0
    for x in (np.arange(len(rig.lanes) + 1) * rig.lane_pitch_mm + rig.wall_thickness_mm / 2) * 2:
        foot = slice(max(round(float(x)) - 5, 0), round(float(x)) + 6)
        plastic[:, foot] = (plastic[:, foot] * 0.86).astype(np.uint8)
    rim = _speckle(grain, (round(length), 8), (168, 178, 186), 1.5)
    side = _speckle(grain, (round(length), 16), (150, 160, 168), 1.5)
    edges = [lane.x_mm - rig.lane_pitch_mm / 2 for lane in rig.lanes]
    for x in [*edges, edges[-1] + rig.lane_pitch_mm]:
        top_y, top_z = y1 + wall * normal[1], z1 + wall * normal[2]
        inwards = (0.0, -normal[1], -normal[2])
        found.append(Surface("rim", (x - thick / 2, top_y, top_z), _X, down, (thick, run), rim, normal))
        for face, sign in ((x - thick / 2, -1.0), (x + thick / 2, 1.0)):
            found.append(Surface("wall", (face, top_y, top_z), inwards, down, (wall, run), side, (sign, 0.0, 0.0)))
    riser = _speckle(grain, (16, round(half * 4)), (150, 160, 168), 2)
    found.append(Surface("riser", (-half, y0, z0), _X, (0, 0, -1), (2 * half, z0), riser, (0, -1.0, 0)))
    return found


def _platform(rig: Rig, grain: np.random.Generator) -> list[Surface]:
    """Return the platform: one printed circle per lane, of the size of its hole; behind it the boss's slot."""
    scale = 4
    half = rig.half_width_mm
    (near, z), far = rig.ramp_top, rig.platform_end_y_mm
    aid = _speckle(grain, (round((far - near) * scale), round(2 * half * scale)), (188, 220, 230), 2.5)
    for lane in rig.lanes:
        centre = ((lane.x_mm + half) * scale, (far - near) / 2 * scale)
        radius = lane.hole_mm / 2 * scale  # the outer edge of the line has the size of the hole
        _disc(aid, centre, radius, (70, 92, 70))
        _disc(aid, centre, radius - scale, (168, 204, 208))
        _print(aid, f"{lane.hole_mm:g}", centre, 4.4 * scale, (66, 84, 66))
    slot = _speckle(grain, (40, round(half * 2)), (176, 186, 192), 2)
    cv2.line(slot, (0, 14), (slot.shape[1], 14), (96, 104, 110), 2)
    return [
        _flat("aid", -half, far, z, aid, (2 * half, far - near)),
        _flat("slot", -half, far + 15, rig.boss_base_z_mm, slot, (2 * half, 15.0)),
    ]


def _fence(rig: Rig, grain: np.random.Generator) -> list[Surface]:
    """Return the fence (the harbour wall): its front with the holes, and its upper edge."""
    scale = 4
    half = rig.half_width_mm + rig.fence_overhang_mm
    top, thick = rig.fence_top_mm, rig.fence_thickness_mm
    width, height = round(2 * half * scale), round(top * scale)
    x = np.mgrid[0:height, 0:width][1]
    tone = grain.uniform(0.82, 1.12, 64).astype(np.float32)[(x / (23 * scale)).astype(np.int32)]
    fibre = cv2.GaussianBlur(grain.normal(0, 1, (height, width)).astype(np.float32), (0, 0), sigmaX=0.9, sigmaY=16)
    shade = tone * (1 + 0.8 * fibre)
    shade[:, ((np.arange(width) % (23 * scale)) < 3)] *= 0.5
    boards = np.clip(shade[..., None] * np.array([46, 74, 122], dtype=np.float32), 0, 255).astype(np.uint8)
    mask = np.full((height, width), 255, dtype=np.uint8)
    for lane in rig.lanes:
        radius = lane.hole_mm / 2
        middle = ((lane.x_mm + half) * scale, (top - rig.ramp_foot[1] - radius) * scale)
        _disc(boards, middle, (radius + 1.6) * scale, (30, 46, 78))
        _disc(mask, middle, radius * scale, (0,))
    rim = _speckle(grain, (8, width), (70, 104, 150), 4)
    face_y = rig.fence_y_mm - thick / 2
    return [
        Surface("fence", (-half, face_y, top), _X, (0, 0, -1), (2 * half, top), boards, (0, -1.0, 0), mask),
        _flat("fence top", -half, face_y + thick, top, rim, (2 * half, thick)),
    ]


def _pan(rig: Rig, grain: np.random.Generator) -> list[Surface]:
    """Return the scale: a dark box with a round pan."""
    x, y = rig.pan_centre_mm
    side, z = rig.pan_diameter_mm * 0.97, rig.pan_z_mm
    low = z - 4
    box = _speckle(grain, (160, 160), (46, 44, 42), 2)
    disc = _speckle(grain, (240, 240), (104, 101, 98), 2)
    mask = np.zeros((240, 240), dtype=np.uint8)
    _disc(mask, (120, 120), 120, (255,))
    cv2.circle(disc, (119, 119), 110, (116, 113, 110), 2, cv2.LINE_AA)
    radius = rig.pan_diameter_mm / 2
    left, front = x - side / 2, y - side / 2
    return [
        _flat("scale", left, front + side, low, box, (side, side)),
        Surface("scale front", (left, front, low), _X, (0, 0, -1), (side, low), box, (0, -1.0, 0)),
        Surface("scale left", (left, front + side, low), _Y_DOWN, (0, 0, -1), (side, low), box, (-1.0, 0, 0)),
        _flat("pan rim", x - radius, y + radius, z - 1.6, np.asarray(disc // 2), (2 * radius, 2 * radius), mask),
        _flat("pan", x - radius, y + radius, z, disc, (2 * radius, 2 * radius), mask),
    ]


def _tray(rig: Rig, grain: np.random.Generator) -> Surface:
    x, y = rig.tray_centre_mm
    side = rig.tray_side_mm
    felt = _speckle(grain, (210, 210), (44, 92, 28), 6)
    return _flat("tray", x - side / 2, y + side / 2, rig.tray_z_mm, felt, (side, side))


def _marker(rig: Rig, number: int) -> Surface:
    """Return an ArUco marker with its white border, printed upright."""
    marker, cell = rig.markers[number], 20
    dictionary = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50)
    code = cv2.aruco.generateImageMarker(dictionary, marker.id, 6 * cell)
    border = round(MARKER_BORDER_MM / rig.marker_side_mm * 6 * cell)
    card = cv2.copyMakeBorder(code, border, border, border, border, cv2.BORDER_CONSTANT, value=255)
    card = cv2.cvtColor(np.clip(card, 22, 236).astype(np.uint8), cv2.COLOR_GRAY2BGR)
    side = rig.marker_side_mm + 2 * MARKER_BORDER_MM
    left, back = marker.x_mm - side / 2, marker.y_mm + side / 2
    return _flat(f"marker {marker.id}", left, back, marker.z_mm, np.asarray(card, dtype=np.uint8), (side, side))
