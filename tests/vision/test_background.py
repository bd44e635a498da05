"""The background's own arithmetic against numpy's, and what it takes the ground below a first shadow for."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from tests.bench.drawn_rolls import backgrounds
from tests.bench.drawn_table import PUTTIES
from tests.bench.lit_table import RIG, Ball, Glow, LitTable, Picture
from tests.bench.roll_lamps import lamp_colour
from vision.passages.sheet.background import BackgroundModel, _medians
from vision.passages.sheet.lanes import TrackSheet
from vision.passages.sheet.track_blobs import SheetBlobs, find_track_blobs


@pytest.mark.parametrize("count", [1, 2, 7, 8, 699, 700])
@pytest.mark.parametrize("channels", [(), (3,)])
def test_medians_are_numpy_s(count: int, channels: tuple[int, ...]) -> None:
    values = np.random.default_rng(count).normal(1.0, 0.3, (count, *channels)).astype(np.float32)
    assert np.allclose(_medians(values), np.median(values, axis=0), atol=1e-6)


def blobs_of_a_first_picture(empty: Picture, lane: int, lamp_x_mm: float) -> SheetBlobs:
    """Return what is found on a table under a warm lamp low behind it, and daylight, where a sphere waits in a lane."""
    view, _, white = backgrounds()[0]
    warm, daylight = 0.3 * lamp_colour(2700.0), 0.05 * lamp_colour(6500.0)
    balance = ((warm + daylight).mean() / (warm + daylight)) ** 0.6
    key = Glow(np.array([lamp_x_mm, 900.0, 420.0]), 40.0, warm * balance)
    table = LitTable(view, empty, white, [key], daylight * balance)
    ball = Ball(np.array([RIG.lane(lane).x_mm, 220.0, RIG.ramp_top[1] + 18.0]), 18.0, PUTTIES[3])
    sheet = TrackSheet(view, RIG)
    picture = sheet.sample(table.draw([[ball]]))
    background = BackgroundModel(sheet)
    background.start(picture, 0.0)
    return find_track_blobs(sheet, picture, background.compare(picture))


def lanes_of(found: SheetBlobs) -> list[int]:
    return [round(blob.x_mm / RIG.lane_pitch_mm) + 4 for blob in found.blobs]


@pytest.mark.parametrize(("lane", "lamp_x_mm"), [(1, -105.0), (7, 195.0)])
def test_the_coloured_shadow_of_a_sphere_in_the_first_picture_is_no_blob(lane: int, lamp_x_mm: float) -> None:
    """It is blue, lies over a wall, and the lamp is nearer to its lane than to the others."""
    found = blobs_of_a_first_picture(backgrounds()[0][1], lane, lamp_x_mm)
    assert lanes_of(found) == [lane]
    assert found.large == ()


def test_the_table_beside_the_ramp_is_not_taken_for_ramp_where_a_sphere_waits() -> None:
    """The cloth is green, and the sphere's shadow lies over the outer wall of lane 1."""
    view, empty, _ = backgrounds()[0]
    half, foot, top = RIG.half_width_mm, (-10.0, RIG.ramp_foot[1]), RIG.ramp_top
    back = (RIG.platform_end_y_mm, top[1])
    outline = [(side * half, *at) for side, way in ((-1, (foot, top, back)), (1, (back, top, foot))) for at in way]
    cloth = np.full_like(empty, (60, 110, 70))
    inside = cv2.fillPoly(np.zeros(empty.shape[:2], np.uint8), [view.project(np.array(outline)).round().astype(int)], 1)
    found = blobs_of_a_first_picture(np.where(inside[..., None] > 0, empty, cloth), 1, 250.0)
    assert lanes_of(found) == [1]
    assert found.large == ()


@pytest.mark.parametrize("lane", [1, 4, 7])
def test_a_sphere_in_the_first_picture_leaves_nothing_behind(lane: int) -> None:
    """It is so large that it hides the table beside the outer lanes, too."""
    view, empty, white = backgrounds()[0]
    above = Glow(np.array([45.0, 80.0, 1200.0]), 150.0, 0.2 * lamp_colour(5000.0))
    table = LitTable(view, empty, white, [above], 0.2 * lamp_colour(5000.0))
    ball = Ball(np.array([RIG.lane(lane).x_mm, 215.0, RIG.ramp_top[1] + 17.0]), 17.0, PUTTIES[3])
    sheet = TrackSheet(view, RIG)
    background = BackgroundModel(sheet)
    background.start(sheet.sample(table.draw([[ball]])), 0.0)
    bare = sheet.sample(table.draw([[]]))
    assert find_track_blobs(sheet, bare, background.compare(bare)) == ((), ())


@pytest.mark.parametrize("x_mm", [-140.0, -60.0, 20.0, 140.0])
def test_a_line_drawn_on_the_ramp_is_where_the_sheet_says_its_ground_is(x_mm: float) -> None:
    view, empty, _ = backgrounds()[0]
    (y0, z0), (y1, z1) = RIG.ramp_foot, RIG.ramp_top
    ends = view.project(np.array([[x_mm, y0, z0], [x_mm, y1, z1]]))
    first, last = (ends * 16).round().astype(int).tolist()
    drawn = cv2.line(np.zeros_like(empty), first, last, (255, 255, 255), 1, cv2.LINE_AA, 4)
    line = np.asarray(drawn, dtype=np.uint8)
    sheet = TrackSheet(view, RIG)
    seen = sheet.sample(line).sum(axis=2)
    rows = np.flatnonzero((sheet.y_mm > 30.0) & (sheet.y_mm < RIG.ramp_top[0] - 20.0))
    found_mm = sheet.ground_x_mm[rows, seen[rows].argmax(axis=1)]
    assert np.abs(found_mm - x_mm).max() < 2.5
