"""A picture is wanted once nothing has moved for a second. Truth: the frames that are drawn here."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from calibration.stillness import STILL_S, Stillness


def frame(hand_px: int | None = None) -> NDArray[np.uint8]:
    """A grey table; with a hand of 40 px from column `hand_px` on."""
    image = np.full((432, 768, 3), 90, dtype=np.uint8)
    if hand_px is not None:
        image[100:300, hand_px : hand_px + 40] = 200
    return image


def test_a_hand_that_comes_moves_or_goes_is_movement_and_a_lying_one_is_not() -> None:
    stillness = Stillness()
    frames = [frame(), frame(), frame(200), frame(260), frame(260), frame()]
    assert [stillness.moved(image) for image in frames] == [False, False, True, True, False, True]


def test_noise_of_the_sensor_is_no_movement() -> None:
    stillness, noise = Stillness(), np.random.default_rng(7)
    noisy = [np.clip(frame() + noise.normal(0.0, 6.0, frame().shape), 0, 255).astype(np.uint8) for _ in range(5)]
    assert not any(stillness.moved(image) for image in noisy)


def test_the_time_of_stillness_grows_to_the_whole_and_begins_again_after_movement() -> None:
    stillness = Stillness()
    assert [stillness.share(t_s, still=True) for t_s in (10.0, 10.0 + STILL_S / 4)] == pytest.approx([0.0, 0.25])
    assert stillness.share(10.0 + 3 * STILL_S, still=True) == 1.0
    assert stillness.share(14.0, still=False) == 0.0
    assert stillness.share(14.1, still=True) == 0.0


def test_after_a_picture_that_failed_the_time_begins_again() -> None:
    stillness = Stillness()
    stillness.share(10.0, still=True)
    assert stillness.share(12.0, still=True) == 1.0
    stillness.begin_again()
    assert stillness.share(12.1, still=True) == 0.0
