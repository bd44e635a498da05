"""The camera's pose from the markers: accuracy, hidden markers, other lenses, pictures of nothing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import cv2
import msgspec
import numpy as np
import pytest

from tests.bench.discs import decode, encode
from tests.vision.stills import RIG, camera, items, picture, sessions, true_view
from vision.markers import (
    NoMarkers,
    Overexposed,
    PictureTooSmall,
    WrongCalibration,
    corner_gaps_mm,
    estimate_pose,
    find_view,
    marker_corners_mm,
)

PAN_MM = np.array([[205.0, 60.0, 45.0]])
SOME = items("pan")[:1] + items("die")[:1]


def hide(image: Any, session: Path, *numbers: int) -> Any:
    image = image.copy()
    view = true_view(session, image.shape[1])
    for number in numbers:
        corners = marker_corners_mm(RIG.markers[number], RIG.marker_side_mm * 1.3)
        cv2.fillPoly(image, [view.project(corners).round().astype(np.int32)], (90, 120, 140))
    return image


@pytest.mark.parametrize(("session", "item"), SOME)
def test_the_pose_places_the_pan_within_hundredths_of_a_millimetre(session: Path, item: dict[str, Any]) -> None:
    image = picture(session, item)
    fix = estimate_pose(image, RIG, camera(session))
    truth = true_view(session, image.shape[1])
    assert np.abs(fix.view.project(PAN_MM) - truth.project(PAN_MM)).max() < 0.05
    assert np.abs(fix.view.pose.camera_position_mm - truth.pose.camera_position_mm).max() < 0.15
    assert fix.marker_ids == (0, 1, 2, 3)


@pytest.mark.parametrize("hidden", [(0,), (1,), (2,), (3,), (0, 3), (1, 2)])
@pytest.mark.parametrize(("session", "item"), SOME)
def test_a_pose_from_the_markers_in_sight_places_the_pan_within_a_pixel(
    session: Path, item: dict[str, Any], hidden: tuple[int, ...]
) -> None:
    image = picture(session, item)
    fix = estimate_pose(hide(image, session, *hidden), RIG, camera(session))
    assert set(fix.marker_ids) == {0, 1, 2, 3} - set(hidden)
    truth = true_view(session, image.shape[1])
    assert np.abs(fix.view.project(PAN_MM) - truth.project(PAN_MM)).max() < 1.0


def under_a_card(image: Any, session: Path, number: int, turns: int) -> Any:
    """Lay a red card's corner on a marker's rim, so that its pattern stays free and the detector reads it."""
    side = RIG.marker_side_mm
    card = np.array([[-0.9, 0.42], [0.2, 0.36], [0.25, 1.2], [-0.9, 1.25]]) * side
    cos, sin = np.cos(turns * np.pi / 2), np.sin(turns * np.pi / 2)
    marker = RIG.markers[number]
    places = card @ np.array([[cos, sin], [-sin, cos]]) + (marker.x_mm, marker.y_mm)
    view = true_view(session, image.shape[1])
    outline = view.project(np.column_stack([places, np.full(4, marker.z_mm)]))
    image = image.copy()
    cv2.fillPoly(image, [(outline * 16).round().astype(np.int32)], (60, 60, 180), cv2.LINE_AA, shift=4)
    return image


@pytest.mark.parametrize("turns", range(4))
@pytest.mark.parametrize(("session", "item"), SOME)
def test_a_marker_with_a_card_on_its_rim_counts_as_hidden(session: Path, item: dict[str, Any], turns: int) -> None:
    image = hide(picture(session, item), session, 3)
    fix = estimate_pose(under_a_card(image, session, 0, turns), RIG, camera(session))
    assert set(fix.marker_ids) <= {0, 1, 2}
    truth = true_view(session, image.shape[1])
    assert np.abs(fix.view.project(PAN_MM) - truth.project(PAN_MM)).max() < 1.0


@pytest.mark.parametrize("turns", range(4))
def test_a_marker_with_a_card_on_its_rim_has_not_moved(turns: int) -> None:
    session, item = SOME[0].values
    image = under_a_card(picture(session, item), session, 0, turns)
    assert all(gap_mm < 1.0 for gap_mm in corner_gaps_mm(image, RIG, camera(session)).values())


def test_one_marker_is_too_few() -> None:
    session, item = items("die")[0].values
    with pytest.raises(NoMarkers, match="only marker 3"):
        find_view(hide(picture(session, item), session, 0, 1, 2), RIG, camera(session))


def test_the_calibration_of_the_sister_lens_is_refused() -> None:
    first, second = sessions()[:2]
    session, item = next(each.values for each in items("pan") if each.values[0] == first)
    with pytest.raises(WrongCalibration, match="another lens"):
        find_view(picture(session, item), RIG, camera(second))


def brighter(session: Path, stops: float) -> Any:
    """Return a picture of the pan as an exposure longer by `stops` gives it."""
    item = next(each.values[1] for each in items("pan") if each.values[0] == session)
    levels = np.rint(encode(np.clip(decode(np.arange(256.0)) * 2**stops, 0, 1))).astype(np.uint8)
    return levels[picture(session, item)]


@pytest.mark.parametrize("session", sessions())
@pytest.mark.parametrize("stops", [0.5, 1.0])
def test_a_bright_picture_is_measured_rightly(session: Path, stops: float) -> None:
    image = brighter(session, stops)
    truth = true_view(session, image.shape[1])
    assert np.abs(find_view(image, RIG, camera(session)).project(PAN_MM) - truth.project(PAN_MM)).max() < 0.5


@pytest.mark.parametrize("session", sessions())
@pytest.mark.parametrize("stops", [2.5, 4.0])
def test_too_bright_a_picture_is_said_to_be_too_bright(session: Path, stops: float) -> None:
    with pytest.raises(Overexposed, match="exposure"):
        find_view(brighter(session, stops), RIG, camera(session))


@pytest.mark.parametrize("method", [cv2.INTER_AREA, cv2.INTER_LINEAR, cv2.INTER_CUBIC])
@pytest.mark.parametrize(("session", "item"), SOME)
def test_too_small_a_picture_is_told_as_that_and_the_width_it_names_is_enough(
    session: Path, item: dict[str, Any], method: int
) -> None:
    least_px = set[int]()
    for width_px in range(96, 400, 32):
        small = cv2.resize(picture(session, item), (width_px, width_px * 9 // 16), interpolation=method)
        try:
            find_view(small, RIG, camera(session))
        except PictureTooSmall as error:
            least_px.add(int(str(error.values["least_px"])))
    assert least_px
    assert max(least_px) < 768
    for width_px in least_px:
        size = (width_px, width_px * 9 // 16)
        view = find_view(cv2.resize(picture(session, item), size, interpolation=method), RIG, camera(session))
        assert np.abs(view.project(PAN_MM) - true_view(session, width_px).project(PAN_MM)).max() < 0.5


def test_a_picture_of_another_shape_is_refused() -> None:
    session, item = items("die")[0].values
    with pytest.raises(WrongCalibration, match="another field of view"):
        find_view(picture(session, item)[:, 100:], RIG, camera(session))


def test_one_marker_is_too_few_in_a_small_picture_of_a_table_that_has_one() -> None:
    rig = msgspec.structs.replace(RIG, markers=RIG.markers[:1])
    with pytest.raises(NoMarkers, match="none of the table's 1 markers"):
        find_view(np.zeros((108, 192, 3), np.uint8), rig, camera(sessions()[0]))


@pytest.mark.parametrize("level", [0, 128, 255])
def test_a_blank_picture_holds_no_markers(level: int) -> None:
    session = sessions()[0]
    with pytest.raises(NoMarkers, match="none of the table's 4 markers"):
        find_view(np.full((432, 768, 3), level, np.uint8), RIG, camera(session))


def test_a_rig_that_says_a_marker_lies_elsewhere_is_refused() -> None:
    session, item = items("die")[0].values
    moved = msgspec.structs.replace(RIG.markers[1], x_mm=RIG.markers[1].x_mm + 6)
    also = msgspec.structs.replace(RIG.markers[2], y_mm=RIG.markers[2].y_mm + 6)
    rig = msgspec.structs.replace(RIG, markers=(RIG.markers[0], moved, also, RIG.markers[3]))
    with pytest.raises(WrongCalibration):
        find_view(picture(session, item), rig, camera(session))
