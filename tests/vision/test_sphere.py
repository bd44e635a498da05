"""Spheres rendered by an independent, supersampled generator: bias, scatter and refusal."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hardware.rig import Putty, Rig
from tests.vision.ball_pictures import ball_levels, ball_picture, noisy
from vision.colour import DEFAULT, log_ratios, palette_of
from vision.sphere.sphere import read_sphere_close_up

pytestmark = pytest.mark.slow


@pytest.mark.thorough
@settings(max_examples=25)
@given(
    x_px=st.floats(85, 115),
    y_px=st.floats(85, 115),
    radius_px=st.floats(25, 60),
    blur_px=st.floats(0.7, 1.8),
    noise=st.floats(0, 4),
)
def test_diameter_and_centre_of_a_shaded_ball(
    x_px: float, y_px: float, radius_px: float, blur_px: float, noise: float
) -> None:
    seen = read_sphere_close_up(ball_picture(x_px, y_px, radius_px, blur_px=blur_px, noise=noise))
    assert seen is not None
    assert seen.diameter_px == pytest.approx(2 * radius_px, abs=0.45)
    assert seen.centre_px == pytest.approx((x_px, y_px), abs=0.25)
    assert seen.colour == "orange"


def test_noise_moves_the_diameter_by_hundredths_of_a_pixel() -> None:
    diameters, clean = [], ball_levels(100.3, 99.6, 45.0)
    for seed in range(12):
        seen = read_sphere_close_up(noisy(clean, sd=3.0, seed=seed))
        assert seen is not None
        assert seen.diameter_px is not None
        diameters.append(seen.diameter_px)
    assert np.std(diameters) < 0.05


@pytest.mark.parametrize("level", [0, 90, 255])
def test_a_blank_close_up_holds_no_sphere(level: int) -> None:
    assert read_sphere_close_up(np.full((200, 200, 3), level, np.uint8)) is None


@pytest.mark.parametrize(("size_px", "middle_px", "radius_px"), [((53, 59), (35, 94), 39), ((54, 58), (63, 153), 101)])
def test_a_close_up_of_the_rim_of_something_orange_holds_no_sphere(
    size_px: tuple[int, int], middle_px: tuple[int, int], radius_px: int
) -> None:
    """What can be seen of it is part of a circle whose middle is below the picture."""
    width_px, height_px = size_px
    picture = np.full((height_px, width_px, 3), 230, np.uint8)
    cv2.circle(picture, middle_px, radius_px, (30, 120, 235), -1)
    assert read_sphere_close_up(picture) is None


@pytest.mark.parametrize("seed", range(3))
def test_noise_holds_no_sphere(seed: int) -> None:
    noise = np.random.default_rng(seed).integers(0, 256, (160, 160, 3)).astype(np.uint8)
    seen = read_sphere_close_up(noise)
    assert seen is None or seen.colour == "unknown"


def test_warm_light_changes_no_colour_when_paper_is_seen_in_it() -> None:
    lamp = np.array([0.35, 0.75, 1.0])  # linear BGR of a bulb
    for name, (red, blue) in DEFAULT.means.items():
        surface = np.array([np.exp(blue), 1.0, np.exp(red)])
        assert DEFAULT.name(surface * lamp, lamp)[0] in (name, "unknown")


@pytest.mark.parametrize("surface", [(0.5, 0.5, 0.5), (0.8, 0.2, 0.1), (0.02, 0.02, 0.02)])
def test_what_is_no_putty_is_unknown(surface: tuple[float, float, float]) -> None:
    assert DEFAULT.name(np.array(surface), np.ones(3))[0] == "unknown"


def test_a_putty_that_the_table_was_shown_replaces_the_usual_one() -> None:
    own = np.array([0.9, 0.3, 0.4])  # violet
    red, blue = log_ratios(own[None], np.ones(3))[0].tolist()
    shown = palette_of(Rig(putties=(Putty("pink", red, blue),)))
    assert shown.name(own, np.ones(3))[0] == "pink"
    assert DEFAULT.name(own, np.ones(3))[0] != "pink"
    assert {**shown.means, "pink": None} == {**DEFAULT.means, "pink": None}
