"""Finds the boss's card by its two upright edges.

The picture is rectified to the upright plane of the slot, where the card is a rectangle of known size for any camera
position. Its two sides contrast with the background along most of its height, and their distance is the card's width.
The pattern of a cloth or the edge of a shadow is oblique on that plane, or has no second edge at that distance.

The lowest part of the card is in front of the ledge, the rest in front of the table. Both sides of a card stand out in
front of both, while a cloth's pattern is on the table alone. A card has one colour, so it differs from ledge or table
by at least half of their difference. Where they differ by more than the sides that are found along the slot, no card of
any colour stands. A shadow has other edges on the ledge than on the table, and leaves this difference.
"""

from __future__ import annotations

import cv2
import msgspec
import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from hardware.cameras.camera_model import Array, CameraView, Image
from hardware.rig import Rig
from vision.linear_light import encoded, linear_over, luminance, sampled

STEP_MM = 1.0
ROW_MM = 1.5
FOOT_MM, TOP_MM = 3.0, 2.0  # margins of the card's height: its shadow on the ledge, and its blurred top edge
LEAST_HEIGHT_MM = 13.5
LEANS = np.tan(np.radians(np.arange(-5.0, 5.1, 1.25)))  # people place a card upright to within a few degrees
ACROSS = 2  # columns on either side of an edge that are compared, because the lens blurs the edge
SLACK = 2  # columns by which the width may differ: a card that is turned by 15° is narrower by 1 mm
HIDDEN_PERCENT = 25  # part of an edge that an object in front of it, or the card's print beside it, may hide
BROKEN_PERCENT = 10  # part of an unbroken edge that noise may hide
BLUR_MM = 1.0  # on either side of the ledge's far edge, which the lens blurs
MIDDLE, BESIDE = 5, 4  # columns on either side of a card's middle, and columns from a side to what is beside it
ROWS_PERCENT = 75  # rows of a card in which its print may have the colour of what is beside it
EVEN = 3.0  # Lab units between a side and what is beside it, below which the noise of a picture decides
FOOT_PERCENT = 90  # of a foot's columns, the darkest ones, show how dark it is
LEAST_LIGHT = 0.01  # of white paper's: a ledge counts as no darker
NEXT_ROWS = 3  # rows of the table, 4.5 mm, that are seen just above the ledge
GRAIN = 7  # columns over which the grain and the noise of ledge and table are averaged


class Sides(msgspec.Struct, frozen=True):
    """The place where two sides at a card's distance stand out most, `x_mm` of their middle.

    `strength` is the contrast of the fainter side in Lab units. `rival` is the strength of the next best place, at
    least a quarter of a card's width aside.
    """

    x_mm: float
    strength: float
    rival: float

    @property
    def sure(self) -> float:
        """The confidence, 0–1, that the two sides are those of the card."""
        return self.strength / (self.strength + self.rival)


class UprightEdges(msgspec.Struct, frozen=True):
    """The likeliest card, and what its foot and the rest of it would hide. All contrasts are in Lab units.

    `card` is the likeliest card by its whole height, `foot` by what is in front of the ledge alone. `foot_light` is how
    much light comes from most of that foot, as a fraction of what comes from most of the ledge. `twice` is the
    likeliest by the fainter of two contrasts: in front of the ledge, and in front of the table. `explained` is the
    largest sum of a place's contrasts in front of the ledge and along the whole height. `unbroken` is the contrast that
    both sides of `card` have along nine tenths of their height; a finger's outline leaves them. `solid` is the
    difference of the middle of `card` from what is beside it, as a fraction of that of its sides; between two fingers
    shows what is beside them. `solid_foot` is the same in front of the ledge alone, where between the shadows of two
    fingers shows the lit ledge; 1 where the ledge is not seen. `backdrop` is the tenth percentile of the plane's L*,
    0–100. `ledge` is the difference between ledge and table: the least one along the slot, and the one exceeded along
    three quarters of it. `ledge_end` is the same where the ledge ends: what is before the slot hides both there.
    """

    card: Sides
    foot: Sides
    foot_light: float
    twice: Sides
    explained: float
    unbroken: float
    solid: float
    solid_foot: float
    backdrop: float
    ledge: tuple[float, float]
    ledge_end: tuple[float, float]


def find_card(image: Image, view: CameraView, rig: Rig, white: Array) -> UprightEdges | None:
    """Return the likeliest card in the slot; None when too little of the slot's plane is in the picture.

    :param image: BGR uint8 picture of the size `view` is for.
    :param white: the light of white paper in the picture (`vision.linear_light.paper_white`).
    """
    half = round(rig.boss_size_mm[0] / 2 / STEP_MM)
    lanes_x = [lane.x_mm for lane in rig.lanes]
    reach = rig.lane_pitch_mm / 2
    aside = (half + SLACK + ACROSS) * STEP_MM
    xs = np.arange(min(lanes_x) - reach - aside, max(lanes_x) + reach + aside + STEP_MM / 2, STEP_MM)
    heights = np.arange(FOOT_MM, rig.boss_size_mm[2] - TOP_MM, ROW_MM)
    lab = _on_plane(image, view, rig, white, xs, heights)
    if lab is None:
        return None
    heights, sharp = heights[: len(lab)], _contrast(lab)
    whole = _of_a_card(sharp, heights, half)
    foot, rest = np.zeros_like(whole), np.zeros_like(whole)
    step, end, light, solid_foot = np.zeros(len(xs)), np.zeros(len(xs)), np.zeros(len(xs)), 1.0
    ends_mm = _ledge_ends_mm(view, rig)
    low, high = heights < ends_mm - BLUR_MM, heights > ends_mm + BLUR_MM
    card, unbroken = _likeliest(whole, xs, half), _of_a_card(sharp, heights, half, BROKEN_PERCENT)
    column = int(np.abs(xs - card.x_mm).argmin())
    if low.any() and high.any():
        foot, rest = (_of_a_card(sharp[part], heights[part], half) for part in (low, high))
        step, end = _steps_behind(lab[low], lab[high])
        light, solid_foot = luminance(np.median(lab[low][..., 0], axis=0)), _solid(lab[low], column, half)
    in_slot = slice(half + SLACK + ACROSS, -half - SLACK - ACROSS)
    at_foot = _likeliest(foot, xs, half)
    within_foot = np.abs(xs - at_foot.x_mm) <= (half - ACROSS) * STEP_MM
    return UprightEdges(
        card=card,
        foot=at_foot,
        foot_light=float(np.percentile(light[within_foot], FOOT_PERCENT) / max(float(np.median(light)), LEAST_LIGHT)),
        twice=_likeliest(np.minimum(foot, rest), xs, half),
        explained=float((whole + foot).max()),
        unbroken=float(unbroken[np.abs(xs - card.x_mm) <= SLACK * STEP_MM].max()),
        solid=_solid(lab, column, half),
        solid_foot=solid_foot,
        backdrop=float(np.percentile(lab[..., 0], 10)),
        ledge=_least_and_usual(step[in_slot], half),
        ledge_end=_least_and_usual(end[in_slot], half),
    )


def _likeliest(sides: NDArray[np.float32], xs: Array, half: int) -> Sides:
    best = half + int(sides[half:-half].argmax())
    plateau = np.nonzero((sides >= 0.97 * sides[best]) & (np.abs(np.arange(len(sides)) - best) <= half // 2))[0]
    x_mm = float(xs[plateau].mean())
    clear = np.abs(xs - x_mm) > half * STEP_MM / 2
    return Sides(x_mm, float(sides[best]), float(sides[clear].max()))


def _solid(lab: NDArray[np.float32], column: int, half: int) -> float:
    """Return `UprightEdges.solid` of the card that is centred at `column` of the plane, (rows, n, 3)."""
    last = lab.shape[1] - 1
    beside = lab[:, [max(column - half - BESIDE, 0), min(column + half + BESIDE, last)]]
    within = lab[:, [max(column - half + BESIDE, 0), min(column + half - BESIDE, last)]]
    middle = lab[:, max(column - MIDDLE, 0) : column + MIDDLE + 1]
    at_sides = np.linalg.norm(within - beside, axis=2).min(axis=1)
    at_middle = np.linalg.norm(middle[:, None] - beside[:, :, None], axis=3).min(axis=(1, 2))
    return float(np.percentile(at_middle / np.maximum(at_sides, EVEN), ROWS_PERCENT))


def _on_plane(
    image: Image, view: CameraView, rig: Rig, white: Array, xs: Array, heights: Array
) -> NDArray[np.float32] | None:
    """Rectify the visible rows of the slot's upright plane: Lab (rows, n, 3), the lowest row first; None if too few."""
    grid = np.stack(
        np.broadcast_arrays(xs[None, :], np.array(rig.boss_slot_y_mm), rig.boss_base_z_mm + heights[:, None]), axis=-1
    )
    places = view.project(grid.reshape(-1, 3)).reshape(*grid.shape[:2], 2)
    within = (places >= 0) & (places <= [image.shape[1] - 1, image.shape[0] - 1])
    seen = np.all(within, axis=(1, 2))
    rows = len(seen) if seen.all() else int(seen.argmin())
    if rows * ROW_MM < LEAST_HEIGHT_MM:
        return None
    codes = np.rint(sampled(image, places[:rows])).astype(np.uint8)
    light = encoded(linear_over(codes, white)).astype(np.float32)
    lab = cv2.cvtColor(light, cv2.COLOR_BGR2Lab)
    return np.asarray(cv2.GaussianBlur(lab, (3, 3), 0), dtype=np.float32)


def _ledge_ends_mm(view: CameraView, rig: Rig) -> float:
    """Return the height on the slot's plane above which the table is behind it, and the ledge below.

    The ledge is about as deep behind the slot as before it.
    """
    _, eye_y, eye_z = view.pose.camera_position_mm
    deep = rig.boss_slot_y_mm - rig.platform_end_y_mm
    return float(deep * (eye_z - rig.boss_base_z_mm) / (rig.boss_slot_y_mm + deep - eye_y))


def _steps_behind(ledge: NDArray[np.float32], table: NDArray[np.float32]) -> tuple[Array, Array]:
    """Return by how much the table, (rows, n, 3), lowest row first, differs from the ledge in each column, (n,).

    The first is that of most rows, the second that of the rows next to the ledge.
    """
    near, far = (np.asarray(cv2.blur(each, (GRAIN, 1)), dtype=np.float32) for each in (ledge, table))
    apart = np.linalg.norm(far - np.median(near, axis=0), axis=2).astype(np.float64)
    return np.percentile(apart, HIDDEN_PERCENT, axis=0), np.median(apart[:NEXT_ROWS], axis=0)


def _least_and_usual(differs: Array, count: int) -> tuple[float, float]:
    """Return the least difference along `count` columns, and the one exceeded along three quarters of them."""
    return float(np.median(sliding_window_view(differs, count), axis=1).min()), float(np.percentile(differs, 25))


def _contrast(lab: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the contrast across each place of the plane, (rows, n), in Lab units."""
    steps = np.zeros_like(lab)
    steps[:, ACROSS:-ACROSS] = lab[:, 2 * ACROSS :] - lab[:, : -2 * ACROSS]
    return np.asarray(np.linalg.norm(steps, axis=2), dtype=np.float32)


def _of_a_card(
    sharp: NDArray[np.float32], heights: Array, half: int, hidden_percent: float = HIDDEN_PERCENT
) -> NDArray[np.float32]:
    """Return for each column, (n,), the contrast of the fainter side of a card that is centred there and may lean."""
    leaning = [_two_edges(_leaning(sharp, heights, lean, hidden_percent), half) for lean in LEANS]
    return np.asarray(np.max(leaning, axis=0), dtype=np.float32)


def _leaning(sharp: NDArray[np.float32], heights: Array, lean: float, hidden_percent: float) -> NDArray[np.float32]:
    """Return for each column, (n,), the contrast that a line from its foot has along all but `hidden_percent` of it."""
    moved = np.rint(heights * lean / STEP_MM).astype(int)
    columns = np.clip(np.arange(sharp.shape[1]) + moved[:, None], 0, sharp.shape[1] - 1)
    lines = np.take_along_axis(sharp, columns, axis=1)
    return np.asarray(np.percentile(lines, hidden_percent, axis=0), dtype=np.float32)


def _two_edges(line: NDArray[np.float32], half: int) -> NDArray[np.float32]:
    """Return for each column, (n,), the contrast of the fainter side of a card centred at the column."""
    near = cv2.dilate(line[None], np.ones((1, 2 * SLACK + 1)))[0]
    both = np.zeros_like(line)
    both[half:-half] = np.minimum(near[: -2 * half], near[2 * half :])
    return both
