"""The background's own arithmetic against numpy's."""

from __future__ import annotations

import numpy as np
import pytest

from vision.passages.background import _medians


@pytest.mark.parametrize("count", [1, 2, 7, 8, 699, 700])
@pytest.mark.parametrize("channels", [(), (3,)])
def test_medians_are_numpy_s(count: int, channels: tuple[int, ...]) -> None:
    values = np.random.default_rng(count).normal(1.0, 0.3, (count, *channels)).astype(np.float32)
    assert np.allclose(_medians(values), np.median(values, axis=0), atol=1e-6)
