"""The platform's back edge: finds the columns along which the boss's card, or anything else, hides it.

The figure's card hides a part of the platform's back edge. That edge looks the same along all lanes, so each column of
the slot, on the lines of sight through the card, is compared with the median of all columns. Rows with texture behind
the edge have a low weight. A shadow darkens a column and keeps its pattern. A card replaces the pattern over the width
of a card. The figure stands behind the platform. So an object that also hides the printed strip in front of the slot (a
waiting ball, a hand) is not the figure, but may hide it.

The thresholds were set on the recorded stills and on the drawn tables of `tests/bench`, which measure their results.
"""

from __future__ import annotations

from typing import Literal

import cv2
import msgspec
import numpy as np
from numpy.typing import NDArray

from hardware.cameras.camera_model import Array, CameraView, Image
from hardware.rig import Rig
from vision.linear_light import encoded, linear, luminance, sampled
from vision.shadows import beyond_shadow

STEP_MM = 1.0
"""Width of a column of the slot."""
CONTRAST = 18.0  # Lab units by which a card differs from the edge that it hides
FAINT = 0.5  # of CONTRAST: from this difference on there may be a card
WIDTHS = 0.7, 1.35  # of the card's width: range of the width of the differing stretch
DEEPEST_SHADOW = 0.1  # of the light elsewhere
DARK_SHARE = 0.8  # of CONTRAST is enough for a stretch darker than any shadow: dark colours differ by less
CLEARLY = 1.6  # least ratio to the difference elsewhere
RIVAL = 0.75  # of the best stretch's difference: another stretch with this difference may be the figure as well
STANDS_OUT = 2.5  # times the difference elsewhere: a faint stretch above this may be a card as dark as the edge
STANDS_OUT_LEAST = 6.0  # Lab units by which such a dark card differs: twice the texture of an even edge
TINT = 10.0  # Lab units by which the colour of skin or putty differs from the printed strip, without lightness
TINT_LEVELS = 9.0  # codes 0–255 by which they also differ from each of its shadows: four deviations, noise of 2 levels
DARKER = 4.0  # ratio of the strip in a card's shadow to the card's shaded side; for skin the ratio is at most 2
RIM_MM, SHADOW_MM = 2.0, 6.0  # within a card's sides, which the lens blurs; beside them, where its shadow begins
BRIDGE = 3  # columns of a card that may look like the edge behind it
WIDEST_GAP_MM = 10.0  # widest object in front of the slot that cannot hide a figure
DARKEST = 12.0  # L*: in front of a darker edge a dark card is not visible


class SlotProfile(msgspec.Struct, frozen=True):
    """The slot along its length, one column per `STEP_MM`.

    `xs_mm` (n,) positions; `unlike` (n,) difference from the other columns in Lab units; `lightness` (n,) L* 0–100
    relative to paper; `hidden` (n,) whether an object is in front of the slot.
    """

    xs_mm: Array
    unlike: Array
    lightness: Array
    hidden: NDArray[np.bool_]


class Hidden(msgspec.Struct, frozen=True):
    """Result from the edge alone: whether a card hides it, `x_mm` of the card's middle, and the confidence, 0–1."""

    state: Literal["card", "absent", "unknown"]
    sure: float = 0.0
    x_mm: float | None = None


UNCLEAR = Hidden("unknown")


def hidden_by_card(slot: SlotProfile, rig: Rig) -> Hidden:
    """Find the stretch of the edge that a card hides."""
    free = np.where(slot.hidden, 0.0, slot.unlike)
    width = rig.boss_size_mm[0]
    low, high, inside, outside = _best_stretch(free, round(width / STEP_MM))
    fits = WIDTHS[0] * width <= (high - low + 1) * STEP_MM <= WIDTHS[1] * width
    if inside < FAINT * CONTRAST:
        if fits and inside > max(STANDS_OUT * outside, STANDS_OUT_LEAST):
            return UNCLEAR
        behind = slot.hidden & (slot.unlike >= FAINT * CONTRAST)
        if behind.sum() * STEP_MM > WIDEST_GAP_MM or np.percentile(slot.lightness, 10) < DARKEST:
            return UNCLEAR
        return Hidden("absent", float(np.clip(1 - inside / CONTRAST, 0.5, 1)))
    near_hidden = slot.hidden[max(low - 2, 0) : high + 3].any()
    alone = _next_best(free, low, high, round(width / 2 / STEP_MM)) < RIVAL * inside
    needed = CONTRAST * (DARK_SHARE if _darker_than_shadow(slot.lightness, low, high) else 1.0)
    if inside < needed or inside < CLEARLY * outside or near_hidden or not (fits and alone):
        return UNCLEAR
    return Hidden("card", inside / (inside + 2 * outside), float(slot.xs_mm[low] + slot.xs_mm[high]) / 2)


def hides_edge(slot: SlotProfile, x_mm: float, width_mm: float) -> bool:
    """Return whether the edge is hidden behind a card at `x_mm`, even if a shadow beside it hides the edge, too."""
    away_mm = np.abs(slot.xs_mm - x_mm)
    behind = away_mm < width_mm / 2 - RIM_MM
    beside = slot.unlike[away_mm > width_mm / 2 + SHADOW_MM]
    inside = float(np.median(slot.unlike[behind]))
    return (
        inside > max(FAINT * CONTRAST, STANDS_OUT * float(np.percentile(beside, 90))) and not slot.hidden[behind].any()
    )


def is_covered(slot: SlotProfile) -> bool:
    """Return whether something larger than a card lies over the slot, such as a sheet or the board of a calibration.

    The platform's edge looks the same along all lanes. Where half of the columns differ as much as a card, there is no
    such edge. The median difference is up to 6.3 Lab units in drawn scenes and stills without a cover.
    """
    free = slot.unlike[~slot.hidden]
    return len(free) > 0 and float(np.median(free)) >= FAINT * CONTRAST


def _darker_than_shadow(lightness: Array, low: int, high: int) -> bool:
    """Return whether columns `low` to `high` are darker, in linear light, than the deepest shadow of the others."""
    others = np.concatenate([lightness[: max(low - 3, 0)], lightness[high + 4 :]])
    if not len(others):
        return False
    own, usual = (luminance(np.median(each)) for each in (lightness[low : high + 1], others))
    return bool(own < DEEPEST_SHADOW * usual)


def slot_profile(image: Image, view: CameraView, rig: Rig, white: Array) -> SlotProfile | None:
    """Compare the columns of the slot with each other.

    Return None when the slot is not wholly in the picture. When no colour is that of the strip before it, an object may
    be in front of every column: the median of a sleeve, a hand and paper is like none of them. So is that of the
    shadows of a warm and a cold lamp.
    """
    lanes_x = [lane.x_mm for lane in rig.lanes]
    reach = rig.lane_pitch_mm / 2
    xs = np.arange(min(lanes_x) - reach, max(lanes_x) + reach + STEP_MM / 2, STEP_MM)
    through = [(rig.boss_slot_y_mm, rig.boss_base_z_mm + above) for above in np.arange(1.0, 17.0)]
    # the figure's base may cover the first millimetres of the strip
    strip = [(rig.platform_end_y_mm - before, rig.ramp_top[1]) for before in np.arange(4.0, 14.0, 2.0)]
    behind, before = (_light_along(image, view, xs, np.array(rows), white) for rows in (through, strip))
    if behind is None or before is None:
        return None
    unlike, lightness = _unlike(behind)
    tinted, _ = _unlike(before, tint_only=True)
    usual = float(np.median(tinted))
    spread = 1.4826 * float(np.median(np.abs(tinted - usual)))
    own_shadow = _in_blue_shadow(before) | (_in_shadow(before) & _nothing_before(behind, before, unlike))
    before_it = ((tinted > max(TINT, usual + 6 * spread)) & ~own_shadow).astype(np.uint8)
    wide = cv2.dilate(cv2.morphologyEx(before_it[None], cv2.MORPH_OPEN, np.ones((1, 3))), np.ones((1, 7)))
    return SlotProfile(xs, unlike, lightness, np.asarray((wide.ravel() > 0) | (usual > TINT)))


def _light_along(image: Image, view: CameraView, xs: Array, rows: Array, white: Array) -> NDArray[np.float32] | None:
    """Return light relative to white paper, shape (m, n, 3), along lines of constant y and z, `rows` (m, 2) mm."""
    grid = np.stack(np.broadcast_arrays(xs[None, :], rows[:, None, 0], rows[:, None, 1]), axis=-1)
    places = view.project(grid.reshape(-1, 3)).reshape(*grid.shape[:2], 2)
    if (places < 0).any() or (places > [image.shape[1] - 1, image.shape[0] - 1]).any():
        return None
    left, top = np.floor(places.min(axis=(0, 1))).astype(int)
    right, bottom = np.floor(places.max(axis=(0, 1))).astype(int) + 2
    near = linear(image[top:bottom, left:right])
    light = (sampled(near, places - [left, top]) / white).astype(np.float32)
    return np.asarray(cv2.GaussianBlur(light, (3, 1), 0), dtype=np.float32)


def _lab(light: NDArray[np.float32]) -> NDArray[np.float32]:
    return np.asarray(cv2.cvtColor(encoded(light).astype(np.float32), cv2.COLOR_BGR2Lab), dtype=np.float32)


def _in_blue_shadow(light: NDArray[np.float32]) -> NDArray[np.bool_]:
    """Return for each column of the strip, (rows, n, 3), whether the shadow of a warm lamp explains its colour.

    A lamp behind the table casts the figure's own shadow on the strip.
    """
    return _in_shadow(light, bluer_only=True)


def _nothing_before(behind: NDArray[np.float32], before: NDArray[np.float32], unlike: Array) -> NDArray[np.bool_]:
    """Return for each column whether the skin colour on the strip, `before`, is not an object in front of the slot.

    The shadow of a cold lamp has the colour of skin. But a hand also hides the slot (`behind`), and is about as light
    there as on the strip. A card that casts its shadow towards the camera shows its shaded side, which is darker than
    the strip.
    """
    lightness = [np.median(light.mean(axis=2), axis=0) for light in (behind, before)]
    return np.asarray((unlike < FAINT * CONTRAST / 2) | (lightness[0] * DARKER < lightness[1]), dtype=np.bool_)


def _in_shadow(light: NDArray[np.float32], *, bluer_only: bool = False) -> NDArray[np.bool_]:
    """Return for each column of the strip, (rows, n, 3), whether the shadow of a lamp explains its colour."""
    codes = (255.0 * encoded(light)).astype(np.float32)
    usual = np.broadcast_to(np.median(codes, axis=1, keepdims=True), codes.shape)
    beyond = beyond_shadow(codes.reshape(-1, 3), usual.reshape(-1, 3), bluer_only=bluer_only).reshape(codes.shape[:2])
    return np.asarray(np.median(beyond, axis=0) < TINT_LEVELS, dtype=np.bool_)


def _unlike(light: NDArray[np.float32], *, tint_only: bool = False) -> tuple[Array, Array]:
    """Return each column's difference from the others, in Lab units after equalising brightness, and its lightness.

    `light` is (rows, n, 3). Rows in which all columns differ, such as those of a chequered cloth, have a low weight.
    """
    usual = np.median(light, axis=1, keepdims=True)
    scatter = np.median(np.linalg.norm(_lab(light) - _lab(usual), axis=2), axis=1)
    weight = 1 / (scatter + 3.0) ** 2
    weight /= weight.sum()
    brightness = (light.mean(axis=2) + 0.002) / (usual.mean(axis=2) + 0.002)
    order = np.argsort(brightness, axis=0)
    passed = np.cumsum(weight[order], axis=0) >= 0.5
    ranked = np.take_along_axis(brightness, order, axis=0)
    shade = np.take_along_axis(ranked, passed.argmax(axis=0)[None], axis=0)[0]  # the weighted median
    level = np.clip(shade, DEEPEST_SHADOW, 3.0)
    evened = _lab(np.clip(light / level[None, :, None], 0, 1)) - _lab(np.clip(usual, 0, 1))
    if tint_only:
        evened[..., 0] = 0
    off = np.linalg.norm(evened, axis=2)
    lightness = (weight[:, None] * _lab(light)[..., 0]).sum(axis=0)
    return np.asarray((weight[:, None] * off).sum(axis=0), dtype=np.float64), np.asarray(lightness, dtype=np.float64)


def _best_stretch(unlike: Array, count: int) -> tuple[int, int, float, float]:
    """Return first and last column of the most different stretch, about `count` wide; its difference and the rest's."""
    sums = np.convolve(unlike, np.ones(count) / count, mode="valid")
    start = int(sums.argmax())
    inside = float(np.median(unlike[start : start + count]))
    above = unlike > inside / 2
    low = high = start + count // 2
    while low > 0 and above[max(low - BRIDGE, 0) : low].any():
        low -= 1
    while high < len(unlike) - 1 and above[high + 1 : high + 1 + BRIDGE].any():
        high += 1
    outside = np.concatenate([unlike[: max(low - 3, 0)], unlike[high + 4 :]])
    return low, high, inside, float(np.percentile(outside, 90)) if len(outside) else 0.0


def _next_best(unlike: Array, low: int, high: int, count: int) -> float:
    """Return the difference of the next best stretch, `count` wide, outside columns `low` to `high`.

    A finger or a hard shadow over the slot differs as much as a card; a finger is narrower.
    """
    rest = np.array(unlike)
    rest[max(low - 3, 0) : high + 4] = 0.0
    return float(np.median(np.lib.stride_tricks.sliding_window_view(rest, count), axis=1).max())
