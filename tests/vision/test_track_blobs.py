"""Patches of putty's colour on a sheet: which of them may be spheres, and which are what is left of a hand."""

from __future__ import annotations

import cv2

from tests.bench.drawn_rolls import backgrounds
from tests.bench.lit_table import RIG
from vision.passages.sheet.background import BackgroundModel
from vision.passages.sheet.lanes import CELL_MM, TrackSheet
from vision.passages.sheet.track_blobs import SheetBlobs, find_track_blobs

ORANGE = (20, 110, 230)
SLEEVE = [(6, 57, 7), (16, 64, 4), (24, 68, 3), (31, 71, 3), (38, 73, 3), (45, 75, 3)]
"""Row, column and radius in cells of what a dark picture leaves of an arm: a line of patches, 5 mm from each other."""


def found_on_sheet(patches: list[tuple[int, int, int]]) -> SheetBlobs:
    view, empty, _ = backgrounds()[0]
    sheet = TrackSheet(view, RIG)
    bare = sheet.sample(empty)
    background = BackgroundModel(sheet)
    background.start(bare, 0.0)
    painted = bare.copy()
    for row, column, radius in patches:
        cv2.circle(painted, (column, row), radius, ORANGE, -1)
    return find_track_blobs(sheet, painted, background.compare(painted))


def test_a_line_of_patches_is_a_hand() -> None:
    found = found_on_sheet(SLEEVE)
    assert found.blobs == ()
    assert len(found.large) == len(SLEEVE)


def test_one_of_these_patches_alone_may_be_a_sphere() -> None:
    found = found_on_sheet(SLEEVE[1:2])
    assert [blob.compact for blob in found.blobs] == [True]


def test_a_sphere_with_the_specks_round_it_is_a_sphere() -> None:
    row, column = 30, 69
    specks = [(row - 15, column, 1), (row - 19, column, 1), (row + 15, column, 1), (row + 19, column, 2)]
    found = found_on_sheet([(row, column, 10), *specks, (row + 24, column, 1)])
    assert found.large == ()
    assert max(blob.radius_mm for blob in found.blobs if blob.compact) > 20.0


def test_two_spheres_side_by_side_are_spheres() -> None:
    pitch = round(RIG.lane_pitch_mm / CELL_MM)
    found = found_on_sheet([(30, 60, 7), (30, 60 + pitch, 7)])
    assert found.large == ()
    assert [blob.compact for blob in found.blobs] == [True, True]
