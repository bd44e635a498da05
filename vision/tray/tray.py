"""The tray: rectifies its picture and segments the objects on the felt, as blobs that differ from the felt's colour."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import cv2
import msgspec
import numpy as np
from numpy.typing import NDArray

from hardware.cameras.camera_model import Array, CameraView, Image
from hardware.rig import Rig
from vision.linear_light import DARKEST_PAPER, MOST_VEIL, linear, linear_over, paper_white, sampled, veil
from vision.tray.die_outline import CameraOverTray
from vision.tray.felt import (
    GEM_MM,
    LEAST_SD,
    STANDS_OUT,
    Light,
    apart_from,
    faintest_gem,
    felt_of,
    fitted_felt,
    scatter_of,
    tint_of,
)
from vision.tray.lit_felt import is_felt_in_light, is_felt_in_shadow, lit_felt

STEP_MM = 0.4  # one pixel of the rectified tray
LARGEST_GEM_MM2 = 110.0  # two 8 mm gems that touch; a 12 mm die with its side faces covers more
SMALLEST_GEM_MM2 = 20.0
GEM_STRETCH_MOST = 2.2  # largest ratio of length to width of a single gem
SMALLEST_MM2 = 3.0  # a die's pip, the highlight of a black object
FELT_MARGIN_MM = 1.5
SPREAD_MM = 2.0  # beside an object: lens and compression spread its colour over the felt
RIM_MM = 2.0  # width of the felt's rim into which a lens mixes the light of the table
OVERHANG_MM = 8.0  # a die at the rim extends over it
FINE_MM, WIDE_MM = 0.4, (1.2, 2.4)  # blur for fine segmentation, and wider blurs against the noise of little light
NEARLY = 5.0  # by how much a gem stands out at the fine blur if noise hides no part of it from a wider one
GLIMMER = 0.12  # of the strongest difference nearby: less is the blurred rim of an object


class TrayBlob(msgspec.Struct, frozen=True):
    """One object on the felt: its area, its centre in the rectified picture, in px of `STEP_MM`, and its label.

    `may_be_shadow`: it looks like felt in a shadow of any lamp, as a black object does. `may_be_lit`: it looks like
    felt in more light than most, as a yellow gem may.
    """

    area_mm2: float
    middle_px: tuple[float, float]
    label: int
    may_be_shadow: bool
    may_be_lit: bool


class Tray(msgspec.Struct, frozen=True):
    """The rectified tray, seen from straight above, with Y upwards and `STEP_MM` per pixel.

    `picture`: BGR uint8 (h, w, 3). `light`: the same as linear light relative to white paper, slightly smoothed.
    `labels`: (h, w), labels of the blobs. `lumps`: the blobs, largest first. `inside`: (h, w), mask of the felt.
    `touched`: pixels of `inside` that differ from felt, including blurred rims and reflected light. `felt`: (3,), the
    felt's own light. `fitted`: (h, w, 3), the felt's light under lamps of any colour that fits each pixel best.
    `shade`: (h, w), that light as a factor of the felt's own. `clear`: False if there is too little light, too much
    noise or too little felt to rule out other objects.
    """

    picture: Image
    light: Light
    labels: NDArray[np.int32]
    lumps: tuple[TrayBlob, ...]
    inside: Image
    touched: Image
    felt: Light
    fitted: Light
    shade: Light
    clear: bool


def rectify_tray(image: Image, view: CameraView, rig: Rig, height_mm: float) -> Tray | None:
    """Rectify the tray at `height_mm` above its felt and segment it.

    :returns: None when it is outside the picture, or when white paper is darker than `DARKEST_PAPER`.
    """
    places, inside, shares, seen = _geometry(view, rig, height_mm)
    if (seen < 0).any() or (seen >= [image.shape[1], image.shape[0]]).any():
        return None
    paper = paper_white(image, view, rig)
    if paper.min() <= DARKEST_PAPER:
        return None
    picture = np.asarray(np.rint(sampled(image, places)), dtype=np.uint8)
    tray = _on_felt(picture, linear_over(picture, paper), inside, shares)
    return tray if veil(image, view, rig, paper) < MOST_VEIL else msgspec.structs.replace(tray, clear=False)


@lru_cache(maxsize=4)  # two heights (die and gems), before and after the camera was moved
def _geometry(
    view: CameraView, rig: Rig, height_mm: float
) -> tuple[NDArray[np.float32], NDArray[np.uint8], tuple[Light, ...], Array]:
    """Return the geometry of the rectified tray.

    It is: the picture pixel of each rectified pixel, (h, w, 2) px; the mask of the felt, (h, w), 0 or 1; for each blur,
    the fraction of felt in it; and the felt's corners in the picture, (4, 2) px.
    """
    x, y = rig.tray_centre_mm
    half = rig.tray_side_mm / 2
    span = np.arange(-half - OVERHANG_MM, half + OVERHANG_MM + STEP_MM / 2, STEP_MM)
    z = rig.tray_z_mm + height_mm
    grid = np.stack(np.broadcast_arrays(x + span[None, :], y - span[:, None], np.full((1, 1), z)), axis=-1)
    places = view.project(grid.reshape(-1, 3)).reshape(*grid.shape[:2], 2).astype(np.float32)
    rim = half - FELT_MARGIN_MM
    square = np.array([[-rim, -rim], [rim, -rim], [rim, rim], [-rim, rim]])
    seen = view.project(np.column_stack([square + np.array([x, y]), np.full(4, rig.tray_z_mm)]))
    lifted = (view.on_plane(seen, z)[:, :2] - [x + span[0], y - span[0]]) * [1, -1] / STEP_MM
    inside = np.zeros((len(span), len(span)), np.uint8)
    cv2.fillPoly(inside, [lifted.round().astype(np.int32)], 1)
    return places, inside, _felt_shares(inside), seen


def camera_over_tray(view: CameraView, rig: Rig, height_mm: float) -> CameraOverTray:
    """Return the camera's position over the tray that is rectified at `height_mm`."""
    x, y, z = view.pose.camera_position_mm.tolist()
    reach = rig.tray_side_mm / 2 + OVERHANG_MM
    foot = np.array([x - rig.tray_centre_mm[0] + reach, rig.tray_centre_mm[1] + reach - y]) / STEP_MM
    return CameraOverTray(foot, (z - rig.tray_z_mm) / STEP_MM, height_mm / STEP_MM)


def segment_close_up(picture: Image) -> Tray:
    """Segment the objects on the even ground of a close-up; a pixel counts as `STEP_MM`."""
    inside = np.ones(picture.shape[:2], np.uint8)
    return _on_felt(picture, linear(picture), inside, _felt_shares(inside))


def _on_felt(picture: Image, light: Light, inside: Image, shares: tuple[Light, ...]) -> Tray:
    of_felt = light * inside[..., None].astype(np.float32)
    fine, *wide = (_smoothed(of_felt, size, share) for size, share in zip((FINE_MM, *WIDE_MM), shares, strict=True))
    fine = np.where(inside[..., None] > 0, fine, _blurred(light, FINE_MM))  # the table beside the felt: plain blur
    sample = _sample(fine, inside)
    felt = felt_of(sample)
    fine_scatter = scatter_of(sample, felt)
    fitted = fitted_felt(fine, felt, fine_scatter)
    shade = fitted @ fine_scatter.weights
    apart = apart_from(fitted, fine, felt, fine_scatter)
    near = cv2.dilate(apart, np.ones((15, 15), np.uint8))
    mask: NDArray[Any] = ((apart > np.maximum(STANDS_OUT, GLIMMER * near)) & (inside > 0)).astype(np.uint8)
    by_light = apart_from(fitted, fine, felt, fine_scatter, noise_of_light=True)
    touched = (by_light > STANDS_OUT) & (inside > 0)
    mask |= _in_the_dark(touched, mask)
    mask = _without_specks(mask)
    scatters = [fine_scatter]
    before = apart
    for soft in wide:
        scatters.append(scatter_of(_sample(soft, inside), felt))
        beside = cv2.dilate(mask, np.ones((11, 11), np.uint8))  # do not enlarge objects that a finer blur found
        wider, in_shade = np.zeros_like(before), np.zeros_like(before)
        places = np.nonzero((np.maximum(before, by_light) > STANDS_OUT / 2) & (inside > 0))
        soft_fitted = fitted_felt(soft[places], felt, scatters[-1])
        wider[places] = apart_from(soft_fitted, soft[places], felt, scatters[-1])
        in_shade[places] = apart_from(soft_fitted, soft[places], felt, scatters[-1], noise_of_light=True)
        mask |= ((wider > STANDS_OUT) & (beside == 0)).astype(np.uint8)
        mask |= _in_the_dark(in_shade > STANDS_OUT, mask)
        mask = _without_specks(mask)
        touched |= wider > STANDS_OUT
        before = wider
    count, labels, stats, middles = cv2.connectedComponentsWithStats(mask, connectivity=8)
    lit = lit_felt([labels == index for index in range(1, count)], fine, inside, felt, fine_scatter, 1 / STEP_MM)
    if lit.any():
        mask[lit], touched[lit] = 0, False
        count, labels, stats, middles = cv2.connectedComponentsWithStats(mask, connectivity=8)
    rim = (inside > 0) & (cv2.erode(inside, np.ones((2 * round(RIM_MM / STEP_MM) + 1,) * 2, np.uint8)) == 0)
    at_rim = np.bincount(labels[rim], minlength=count) * STEP_MM**2
    lumps = []
    for index in range(1, count):
        area = float(stats[index, cv2.CC_STAT_AREA]) * STEP_MM**2
        if area < SMALLEST_GEM_MM2 and _is_halo(fine[labels == index], felt):
            continue
        if area - at_rim[index] >= SMALLEST_MM2:  # at the rim the lens mixes in light of the table
            place = (float(middles[index, 0]), float(middles[index, 1]))
            own = fine[labels == index], felt, fine_scatter
            lumps.append(TrayBlob(area, place, index, is_felt_in_shadow(*own), is_felt_in_light(*own)))
    lumps.sort(key=lambda lump: -lump.area_mm2)
    darkest = _darkest(shade, (inside > 0) & (touched == 0))
    fine_gem, soft_gem = (faintest_gem(felt, scatter, darkest) for scatter in scatters[:2])
    shows = fine_gem > STANDS_OUT or (soft_gem > STANDS_OUT and fine_gem > NEARLY)
    clear = shows and felt.max() > LEAST_SD and mask.sum() < 0.5 * inside.sum()
    blobs = tuple(lumps)
    return Tray(
        picture, fine, labels.astype(np.int32), blobs, inside, touched.astype(np.uint8), felt, fitted, shade, clear
    )


def _without_specks(mask: NDArray[Any]) -> Image:
    """Return a mask without what is smaller than 3×3 pixels: no object, and in the way of a wider blur."""
    return np.asarray(cv2.morphologyEx(mask, cv2.MORPH_OPEN, np.ones((3, 3), np.uint8)), dtype=np.uint8)


def _in_the_dark(touched: NDArray[np.bool_], found: Image) -> Image:
    """Return the mask of objects as large as a gem that only stand out because there is little light about them."""
    beside = cv2.dilate(found, np.ones((2 * round(SPREAD_MM / STEP_MM) + 1,) * 2, np.uint8)) > 0
    _, labels, stats, _ = cv2.connectedComponentsWithStats(
        np.where(beside, 0, touched).astype(np.uint8), connectivity=8
    )
    large = stats[:, cv2.CC_STAT_AREA] * STEP_MM**2 >= SMALLEST_GEM_MM2
    large[0] = False
    return np.asarray(large[labels], dtype=np.uint8)


def _darkest(shade: Light, free: NDArray[np.bool_]) -> float:
    """Return the least shade, averaged over the size of a gem, of places at which most of that size is free felt."""
    share = free.astype(np.float32)
    size = (2 * round(GEM_MM / STEP_MM / 2) + 1,) * 2
    room = cv2.blur(share, size)
    mean = cv2.blur(shade * share, size) / np.maximum(room, 0.5)
    return float(mean[room > 0.5].min(initial=1.0))


def _felt_shares(inside: Image) -> tuple[Light, ...]:
    felt = inside.astype(np.float32)
    return tuple(np.maximum(_blurred(felt, size), 0.1)[..., None] for size in (FINE_MM, *WIDE_MM))


def _smoothed(of_felt: Light, size_mm: float, share: Light) -> Light:
    """Smooth the felt without the table beside it."""
    return np.asarray(_blurred(of_felt, size_mm) / share)


def _blurred(light: Light, size_mm: float) -> Light:
    return np.asarray(cv2.GaussianBlur(light, (0, 0), size_mm / STEP_MM), dtype=np.float32)


def _sample(soft: Light, inside: Image) -> Light:
    """Return every second pixel of the felt in each direction, (n, 3): smoothed neighbours are alike."""
    return np.asarray(soft[::2, ::2][inside[::2, ::2] > 0])


def stretch_of(shape: Image) -> float:
    """Return the ratio of length to width of a shape's smallest box, with the pixel that its rim adds."""
    width, length = sorted(cv2.minAreaRect(cv2.findNonZero(shape))[1])
    return (length + 1) / (width + 1)


def _is_halo(light: Light, felt: Light) -> bool:
    """Return whether light, (n, 3), is felt of higher saturation: an artefact of sharpening or compression."""
    tint, own = tint_of(light.mean(axis=0)), tint_of(felt)
    main = int(own.argmax())
    return bool(tint[main] > own[main] - 0.02)
