"""Evening light: a shadow that another lamp colours is no sphere, and a sphere is one in every light."""

from __future__ import annotations

import numpy as np
import pytest

from tests.bench import drawn_table
from tests.bench.discs import encode
from tests.bench.lumps import RIG, weighed
from vision.shadows import beyond_shadow
from vision.sphere.saturated_blob import find_saturated_circle
from vision.sphere.sphere import read_pan

LAMPS = {  # linear BGR of black bodies, from the CIE 1931 colour-matching functions (Kang et al. 2002), green about 1
    2700: np.array([0.19, 0.81, 1.93]),
    4000: np.array([0.53, 0.92, 1.41]),
    6500: np.array([1.03, 0.98, 1.04]),
}
BOARDS = {"pale": np.array([0.7, 0.75, 0.78]), "brown": np.array([0.3, 0.42, 0.6])}
PUTTIES = dict(zip(("yellow", "green", "orange", "pink"), drawn_table.PUTTIES, strict=True))
GREY = 0.4
NOISE_LEVELS, THRESHOLD_LEVELS = 2.0, 12.0


def codes(light: np.ndarray) -> np.ndarray:
    return encode(0.45 * light).astype(np.float32).reshape(1, 3)


@pytest.mark.parametrize("board", BOARDS)
@pytest.mark.parametrize("hidden", [0.3, 0.7, 1.0])
@pytest.mark.parametrize(("key", "other"), [(2700, 6500), (6500, 2700), (2700, 4000), (4000, 4000)])
def test_what_a_hidden_lamp_leaves_is_explained_as_its_shadow(key: int, other: int, hidden: float, board: str) -> None:
    rest = 0.2 * LAMPS[other] + 0.08 * LAMPS[key]
    lit, shaded = LAMPS[key] + rest, (1 - hidden) * LAMPS[key] + rest
    balance = lit.mean() / lit  # as a camera's white balance
    off = beyond_shadow(codes(BOARDS[board] * shaded * balance), codes(BOARDS[board] * lit * balance))
    assert off[0] < 2 * NOISE_LEVELS


@pytest.mark.parametrize("board", BOARDS)
@pytest.mark.parametrize("putty", PUTTIES)
@pytest.mark.parametrize("lit_share", [0.35, 1.0])
def test_putty_is_explained_by_no_shadow(putty: str, board: str, lit_share: float) -> None:
    light = LAMPS[2700] * lit_share + 0.2 * LAMPS[6500]
    whole = LAMPS[2700] + 0.2 * LAMPS[6500]
    balance = whole.mean() / whole
    off = beyond_shadow(codes(np.array(PUTTIES[putty]) * light * balance), codes(BOARDS[board] * whole * balance))
    assert off[0] > THRESHOLD_LEVELS


@pytest.mark.parametrize("putty", PUTTIES)
@pytest.mark.parametrize(("key", "other"), [(2700, 6500), (6500, 2700)])
def test_a_sphere_is_found_beside_its_own_coloured_shadow(key: int, other: int, putty: str) -> None:
    """The shadow touches the sphere, is larger, and is saturated where it alone is lit by the other lamp."""
    rest = 0.16 * LAMPS[other] + 0.03 * LAMPS[key]
    lit = LAMPS[key] + rest
    down, across = np.mgrid[:140, :160]
    shadow = np.hypot(across - 62, down - 82) < 30
    ball = np.hypot(across - 92, down - 62) < 24
    light = np.where(shadow[..., None], rest, lit) * GREY
    light = np.where(ball[..., None], lit * PUTTIES[putty], light) * (0.45 * lit.mean() / lit)
    light = np.clip(light + np.random.default_rng(1).normal(0, 0.004, light.shape), 0, 1).astype(np.float32)
    corners = np.array([[4.0, 4.0], [155.0, 4.0], [155.0, 135.0], [4.0, 135.0]])
    found = find_saturated_circle(light, corners, np.full(3, 0.45 * lit.mean()))
    assert found is not None
    assert found[:2] == pytest.approx((92, 62), abs=1.5)
    assert found[2] == pytest.approx(24, rel=0.1)


@pytest.mark.slow
@pytest.mark.parametrize("number", [50031, 50049, 50078])
def test_a_pink_sphere_is_not_taken_for_a_shadow(number: int) -> None:
    """Pink is near the colours that a shadow under another lamp gives the ground."""
    ball = weighed(number)
    assert ball.colour == "pink"
    seen = read_pan(ball.picture, ball.view, RIG)
    assert seen is not None
    assert seen.diameter_mm == pytest.approx(ball.diameter_mm, abs=0.3)
