"""The background's own arithmetic against numpy's, and what it takes the ground below a first shadow for."""

from __future__ import annotations

import numpy as np
import pytest

from tests.bench.drawn_rolls import backgrounds
from tests.bench.drawn_table import PUTTIES
from tests.bench.lit_table import RIG, Ball, Glow, LitTable
from tests.bench.roll_lamps import lamp_colour
from vision.passages.background import BackgroundModel, _medians
from vision.passages.lanes import TrackSheet
from vision.passages.track_blobs import find_track_blobs


@pytest.mark.parametrize("count", [1, 2, 7, 8, 699, 700])
@pytest.mark.parametrize("channels", [(), (3,)])
def test_medians_are_numpy_s(count: int, channels: tuple[int, ...]) -> None:
    values = np.random.default_rng(count).normal(1.0, 0.3, (count, *channels)).astype(np.float32)
    assert np.allclose(_medians(values), np.median(values, axis=0), atol=1e-6)


@pytest.mark.parametrize("lane", [1, 7])
def test_the_coloured_shadow_of_a_sphere_in_the_first_picture_is_no_blob(lane: int) -> None:
    """A warm lamp low behind the table and to its side, and daylight: the shadow is blue and lies over a wall."""
    view, empty, white = backgrounds()[0]
    warm, daylight = 0.3 * lamp_colour(2700.0), 0.05 * lamp_colour(6500.0)
    balance = ((warm + daylight).mean() / (warm + daylight)) ** 0.6
    key = Glow(np.array([45.0 + 150.0 * np.sign(lane - 4), 900.0, 420.0]), 40.0, warm * balance)
    table = LitTable(view, empty, white, [key], daylight * balance)
    ball = Ball(np.array([RIG.lane(lane).x_mm, 220.0, RIG.ramp_top[1] + 18.0]), 18.0, PUTTIES[3])
    sheet = TrackSheet(view, RIG)
    picture = sheet.sample(table.draw([[ball]]))
    background = BackgroundModel(sheet)
    background.start(picture, 0.0)
    found = find_track_blobs(sheet, picture, background.compare(picture))
    assert [round(blob.x_mm / RIG.lane_pitch_mm) + 4 for blob in found.blobs] == [lane]
    assert found.large == ()
