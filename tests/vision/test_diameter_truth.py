"""Diameters against rendered truth: bias, and whether stated intervals hold on pictures nothing was tuned on."""

from __future__ import annotations

import numpy as np
import pytest

from tests.bench.discs import Disc, taken
from tests.vision.pan_pictures import RIG, any_pan_picture
from tests.vision.putty_pictures import PUTTIES, Camera, Scene, close_up
from vision.sphere.sphere import read_pan, read_sphere_close_up

pytestmark = [pytest.mark.slow, pytest.mark.thorough]

FLAT = Scene(PUTTIES[2], (0.2, 0.2, 0.2), ((0.0, 0.0, 1e-6),), 1.0)
SHADED = Scene(PUTTIES[2], (0.2, 0.2, 0.2), ((0.3, -0.24, 0.46),), 0.4)
FIRST_UNSEEN = 10_000  # the stated deviation was set on seeds below 320


@pytest.mark.parametrize(
    ("scene", "camera", "bias_px"),
    [
        (FLAT, Camera(), 0.02),
        (SHADED, Camera(), 0.05),
        (SHADED, Camera(lens_px=0.5, smooth_px=0.8, colour_px=1.2), 0.05),
        (SHADED, Camera(tone=4), 0.1),
    ],
    ids=["flat", "shaded", "smoothed codes", "contrasty tone"],
)
def test_diameters_are_not_biased(scene: Scene, camera: Camera, bias_px: float) -> None:
    errors = []
    for seed in range(6):
        x, y, radius = np.random.default_rng(seed).uniform([78, 78, 28], [82, 82, 55]).tolist()
        seen = read_sphere_close_up(close_up(scene, camera, x, y, radius, 160, seed))
        assert seen is not None
        assert seen.diameter_px is not None
        errors.append(seen.diameter_px - 2 * radius)
    assert abs(float(np.mean(errors))) < bias_px


def _kept(seeds: range) -> list[bool]:
    kept = []
    for seed in seeds:
        truth = any_pan_picture(seed)
        seen = read_pan(truth.image, truth.view, RIG)
        if seen is not None and seen.diameter_mm is not None and seen.diameter_sd_mm is not None:
            kept.append(abs(seen.diameter_mm - truth.diameter_mm) < 1.96 * seen.diameter_sd_mm)
    return kept


def test_the_scatter_on_discs_is_near_the_least_that_noise_allows() -> None:
    rng = np.random.default_rng(7)
    errors, bounds = [], []
    for seed in range(24):
        x, y = 139.5 + rng.uniform(-2, 2, 2)
        disc = Disc(x, y, rng.uniform(60, 200))
        picture, bound = taken(disc, 100 + seed)
        seen = read_sphere_close_up(picture)
        assert seen is not None
        assert seen.diameter_px is not None
        errors.append(seen.diameter_px - disc.diameter_px)
        bounds.append(bound)
    assert abs(np.mean(errors)) < 0.02
    # twice the Cramér–Rao bound; 24 discs tell a scatter to 15 %
    assert np.sqrt(np.mean((errors / np.array(bounds)) ** 2)) < 2 * 1.15


def test_most_stated_intervals_hold() -> None:
    kept = _kept(range(FIRST_UNSEEN, FIRST_UNSEEN + 8))
    assert len(kept) == 8
    assert sum(kept) >= 6


@pytest.mark.soak
def test_of_stated_95_percent_intervals_93_to_97_percent_hold() -> None:
    kept = _kept(range(FIRST_UNSEEN, FIRST_UNSEEN + 2000))
    assert len(kept) > 1980
    assert 0.93 <= float(np.mean(kept)) <= 0.97
