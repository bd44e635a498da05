"""Camera and track calibration: printed squares, a rendered board, the data folder's pictures against their truth."""

from __future__ import annotations

import tomllib
from pathlib import Path

import cv2
import msgspec
import numpy as np
import pytest
from click.testing import CliRunner, Result
from numpy.typing import NDArray

from appliance.cli import main
from appliance.commands.calibrate.camera import command as calibrate_camera
from appliance.commands.calibrate.sheets import command as calibrate_sheets
from appliance.commands.calibrate.track import command as calibrate_track
from calibration.camera.intrinsics import BoardView, CameraFitError, find_board, fit_camera, to_toml
from calibration.messages import Message
from calibration.sheets.squares import BlackCell, board_squares, marker_squares
from calibration.track.fit import fit_track
from hardware.cameras.camera_model import load_camera
from hardware.rig import Rig
from hardware.rig_file import load_rig
from hardware.twin.drawing.renderer import Renderer
from hardware.twin.drawing.viewpoint import twin_camera, twin_view
from hardware.twin.world.scene import Scene
from tests.vision.stills import RIG, camera, items, needs_data, picture, sessions
from vision.markers import NoMarkers, PictureTooSmall, WrongCalibration, estimate_pose
from vision.observe_file import load_picture

pytestmark = pytest.mark.slow

DOTS = 5  # a millimetre


def drawn(squares: list[BlackCell], width_mm: float, height_mm: float, margin_mm: float = 10.0) -> NDArray[np.uint8]:
    sheet = np.full(
        (round((height_mm + 2 * margin_mm) * DOTS), round((width_mm + 2 * margin_mm) * DOTS)), 255, np.uint8
    )
    for square in squares:
        left, top = (square.x_mm + margin_mm) * DOTS, (square.y_mm + margin_mm) * DOTS
        right, bottom = left + square.width_mm * DOTS, top + square.height_mm * DOTS
        sheet[round(top) : round(bottom), round(left) : round(right)] = 0
    return sheet


def photographed(turn: tuple[float, float, float], away: tuple[float, float, float]) -> NDArray[np.uint8]:
    """A picture of the printed board by a lens of 1200 px without distortion, centre (640, 360)."""
    K = np.array([[1200.0, 0, 640], [0, 1200, 360], [0, 0, 1]])
    R, _ = cv2.Rodrigues(np.array(turn))
    plane = K @ np.column_stack([R[:, 0], R[:, 1], np.array(away) - R @ [135.0, 90.0, 0.0]])
    paper = np.array([[1 / DOTS, 0, -10 + 0.5 / DOTS], [0, 1 / DOTS, -10 + 0.5 / DOTS], [0, 0, 1]])
    board = drawn(board_squares(), 270, 180)
    grey = cv2.warpPerspective(board, plane @ paper, (1280, 720), flags=cv2.INTER_AREA, borderValue=(120,))
    return np.asarray(cv2.cvtColor(cv2.GaussianBlur(grey, (0, 0), 0.8), cv2.COLOR_GRAY2BGR), dtype=np.uint8)


@pytest.fixture(scope="module")
def views() -> list[BoardView]:
    turns = [
        (0.4, 0, 0.1),
        (-0.4, 0.1, 0),
        (0.1, 0.5, 0),
        (0, -0.5, 0.2),
        (0.3, 0.3, 1.5),
        (0.05, 0, 3.0),
        (0.3, -0.4, 0.4),
    ]
    found = [
        find_board(f"view {n}", photographed(turn, (20.0 * n - 60, 25.0 * (n % 3) - 20, 330 + 25.0 * n)))
        for n, turn in enumerate(turns)
    ]
    assert all(found)
    return [view for view in found if view is not None]


def test_the_printed_board_calibrates_the_lens_that_photographed_it(views: list[BoardView]) -> None:
    fit = fit_camera(views)
    assert fit.camera.focal_px == pytest.approx((1200, 1200), rel=0.004)
    assert fit.camera.centre_px == pytest.approx((640, 360), abs=3)
    assert fit.camera.rms_px is not None
    assert fit.camera.rms_px < 0.3
    assert [wish.code for wish in fit.wishes] == ["verdict.camera.wish.more"]


def test_a_picture_that_contradicts_the_others_is_left_out(views: list[BoardView]) -> None:
    bent = msgspec.structs.replace(
        views[0],
        name="bent",
        corners_px=views[0].corners_px + np.random.default_rng(0).normal(0, 6, (len(views[0].corners_px), 2)),
    )
    fit = fit_camera([*views[1:], bent])
    assert [view.name for view in fit.views if not view.used] == ["bent"]
    assert fit.camera.focal_px == pytest.approx((1200, 1200), rel=0.004)


def test_few_or_mixed_pictures_are_refused_with_advice(views: list[BoardView]) -> None:
    with pytest.raises(CameraFitError, match="near and far, tilted") as few:
        fit_camera(views[:3])
    assert few.value.code == "few_views"
    other = msgspec.structs.replace(views[0], name="phone.jpg", size_px=(640, 360))
    with pytest.raises(CameraFitError, match=r"different sizes \(1280×720; 640×360: phone\.jpg\)") as mixed:
        fit_camera([other, *views])
    assert mixed.value.code == "mixed_sizes"


def test_a_picture_without_board_gives_none() -> None:
    assert find_board("grey", np.full((720, 1280, 3), 128, np.uint8)) is None


@pytest.mark.parametrize("number", range(4))
def test_the_printed_markers_are_the_markers(number: int) -> None:
    sheet = drawn(marker_squares(cv2.aruco.DICT_4X4_50, number, 30.0), 30, 30)
    detector = cv2.aruco.ArucoDetector(cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50))
    corners, ids, _ = detector.detectMarkers(sheet)
    assert ids.ravel().tolist() == [number]
    assert np.ptp(np.asarray(corners[0]).reshape(4, 2), axis=0) == pytest.approx([30 * DOTS, 30 * DOTS], abs=1.5)


@pytest.mark.parametrize("paper", ["a4", "letter"])
def test_sheets_are_written_as_pdf(tmp_path: Path, paper: str) -> None:
    out = tmp_path / "sheets.pdf"
    result = CliRunner().invoke(calibrate_sheets, ["--out", str(out), "--paper", paper])
    assert result.exit_code == 0
    assert out.read_bytes().startswith(b"%PDF-")
    assert [path.name for path in tmp_path.iterdir()] == ["sheets.pdf"]


def test_the_camera_command_refuses_pictures_of_something_else(tmp_path: Path) -> None:
    grey = tmp_path / "grey.png"
    cv2.imwrite(str(grey), np.full((720, 1280, 3), 128, np.uint8))
    result = CliRunner().invoke(calibrate_camera, [str(grey), "--out", str(tmp_path / "camera.toml")])
    assert result.exit_code == 2
    assert "few_views" in result.stderr
    assert not (tmp_path / "camera.toml").exists()


def test_a_folder_stands_for_the_pictures_in_it_and_below(tmp_path: Path) -> None:
    out = tmp_path / "camera.toml"
    empty = CliRunner().invoke(calibrate_camera, [str(tmp_path), "--out", str(out)])
    assert "there is no picture, clip or recording in this folder" in empty.stderr
    (tmp_path / "deep").mkdir()
    (tmp_path / "notes.txt").write_text("no picture")
    for name in ("a.png", "deep/b.PNG"):
        cv2.imwrite(str(tmp_path / name), np.full((720, 1280, 3), 128, np.uint8))
    result = CliRunner().invoke(calibrate_camera, [str(tmp_path), "--out", str(out)])
    read = [line for line in result.stdout.splitlines() if line.startswith(str(tmp_path))]
    assert [line.partition("  ")[0] for line in read] == [str(tmp_path / name) for name in ("a.png", "deep/b.PNG")]
    assert "few_views" in result.stderr


@needs_data
@pytest.mark.parametrize("session", sessions(), ids=lambda path: path.name)
def test_real_pictures_give_the_true_lens_and_table(session: Path, tmp_path: Path) -> None:
    out, rig_out = tmp_path / "camera.toml", tmp_path / "rig.toml"
    boards = sorted(str(path) for path in (session / "charuco").glob("*.jpg"))
    result = CliRunner().invoke(calibrate_camera, [*boards, "--out", str(out)])
    assert result.exit_code == 0, result.output
    assert "verdict good" in result.output
    fitted, truth = load_camera(out), camera(session).scaled_to(1536, 864)
    assert fitted.focal_px == pytest.approx(truth.focal_px, rel=0.004)
    assert fitted.centre_px == pytest.approx(truth.centre_px, abs=2.0)

    empty = str(session / "empty.jpg")
    result = CliRunner().invoke(calibrate_track, [empty, "--camera", str(out), "--out", str(rig_out)])
    assert result.exit_code == 0, result.output
    rig = load_rig(rig_out)
    for lane, meant in zip(rig.lanes, RIG.lanes, strict=True):
        assert lane.x_mm == pytest.approx(meant.x_mm, abs=0.3)
        assert lane.hole_mm == pytest.approx(meant.hole_mm, abs=0.5)
    for marker, meant_marker in zip(rig.markers, RIG.markers, strict=True):
        assert (marker.x_mm, marker.y_mm) == pytest.approx((meant_marker.x_mm, meant_marker.y_mm), abs=0.2)
    assert estimate_pose(load_picture(session / "empty.jpg"), rig, fitted).rms_px < 0.15


@needs_data
def test_a_marker_glued_askew_is_measured() -> None:
    session = sessions()[0]
    image = load_picture(session / "empty.jpg")
    wrong = msgspec.structs.replace(RIG.markers[3], x_mm=RIG.markers[3].x_mm + 1.5, turn_deg=1.0)
    rig = msgspec.structs.replace(RIG, markers=(*RIG.markers[:3], wrong))
    fit = fit_track([image], rig, camera(session))
    placed = fit.rig.markers[3]
    others = np.array([[m.x_mm, m.y_mm] for m in fit.rig.markers[:3]])
    meant = np.array([[m.x_mm, m.y_mm] for m in RIG.markers[:3]])
    assert np.linalg.norm([placed.x_mm, placed.y_mm] - others, axis=1) == pytest.approx(
        np.linalg.norm([270.0, 265.0] - meant, axis=1), abs=0.6
    )
    assert estimate_pose(image, fit.rig, camera(session)).rms_px < 0.2


def test_one_place_shown_many_times_is_one_picture(views: list[BoardView]) -> None:
    rng = np.random.default_rng(0)
    shape = views[0].corners_px.shape
    held = [msgspec.structs.replace(views[0], corners_px=views[0].corners_px + rng.normal(0, 1, shape)) for _ in views]
    for given in ([views[0]] * 8, held):
        with pytest.raises(CameraFitError) as refused:
            fit_camera(given)
        assert (refused.value.code, refused.value.values["pictures"]) == ("few_views", 1)


def test_a_board_that_was_never_tilted_leaves_the_lens_unsure() -> None:
    flat = [
        find_board(f"{n}", photographed((0.05 * (-1) ** n, 0.05 * (n % 3 - 1), 0.0), (25.0 * n - 60, 0.0, 400)))
        for n in range(6)
    ]
    fit = fit_camera([view for view in flat if view is not None])
    assert abs(fit.camera.focal_px[0] - 1200.0) > 5 * 1.2, "what a good calibration is off by, five times over"
    assert fit.grade == "poor"
    assert Message("verdict.camera.wish.tilt") in fit.wishes


def track(*arguments: str | Path) -> Result:
    return CliRunner().invoke(main, ["calibrate", "track", *map(str, arguments)])


@pytest.mark.parametrize("hole", ["3=0", "3=00", "3=99", "3=49", "9=30", "3=abc", "3=nan", "3=٣٠", "3"])
def test_a_hole_that_cannot_be_is_refused(hole: str, tmp_path: Path) -> None:
    result = track("empty.jpg", "--hole", hole, "--out", tmp_path / "rig.toml")
    assert result.exit_code == 2
    assert "such as 3=36.2" in result.stderr
    assert not (tmp_path / "rig.toml").exists()


@pytest.mark.parametrize(("hole", "status"), [("3=36.2", 0), ("3=26.2", 2), ("3=39.9", 2)])
def test_a_measured_hole_is_compared_with_its_circle(hole: str, status: int, tmp_path: Path) -> None:
    empty, lens, out = tmp_path / "empty.png", tmp_path / "camera.toml", tmp_path / "rig.toml"
    cv2.imwrite(str(empty), Renderer(Rig(), twin_view()).picture(Scene(0.0)))
    lens.write_text(to_toml(twin_camera()), encoding="utf-8")
    done = CliRunner().invoke(calibrate_track, [str(empty), "--camera", str(lens), "--hole", hole, "--out", str(out)])
    assert (done.exit_code, out.exists()) == (status, status == 0)
    if status == 0:
        assert "lane 3  hole 36.20 mm stored" in done.stdout
        assert load_rig(out).lanes[2].hole_mm == 36.2
    else:
        assert done.stderr.rstrip().endswith("[hole_unlike_circle]")


def test_the_range_of_holes_is_that_of_the_table(tmp_path: Path) -> None:
    result = track("e.jpg", "--hole", "3=45", "--out", tmp_path / "rig.toml")
    assert "16 to 40 mm" in result.stderr


def test_a_hole_that_is_given_twice_is_refused(tmp_path: Path) -> None:
    result = track("empty.jpg", "--hole", "3=36.2", "--hole", "3=35.2", "--out", tmp_path / "rig.toml")
    assert result.exit_code == 2
    assert "lane 3 is given twice" in result.stderr


def test_pictures_of_the_table_with_another_size_than_most_are_named(tmp_path: Path) -> None:
    folder = tmp_path / "pictures"
    folder.mkdir()
    for name, size_px in (("a", 720), ("b", 360), ("c", 720), ("d", 360), ("e", 720)):
        cv2.imwrite(str(folder / f"{name}.png"), np.full((size_px, size_px, 3), 128, np.uint8))
    lens, out = tmp_path / "camera.toml", tmp_path / "rig.toml"
    lens.write_text(to_toml(twin_camera()), encoding="utf-8")
    refused = CliRunner().invoke(calibrate_track, [str(folder), "--camera", str(lens), "--out", str(out)])
    assert (refused.exit_code, out.exists()) == (2, False)
    assert f"(720×720; 360×360: {folder / 'b.png'}, {folder / 'd.png'})" in refused.stderr


def test_track_needs_every_marker_and_the_right_lens() -> None:
    first, second = sessions()[:2]
    session, item = next(each.values for each in items("pan") if each.values[0] == first)
    image = picture(session, item)
    with pytest.raises(WrongCalibration):
        fit_track([image], RIG, camera(second))
    with pytest.raises(NoMarkers, match="cannot be seen"):
        fit_track([np.zeros_like(image)], RIG, camera(session))
    with pytest.raises(PictureTooSmall, match="only 320 px wide"):
        fit_track([cv2.resize(image, (320, 180), interpolation=cv2.INTER_LINEAR)], RIG, camera(session))


def test_camera_files_come_back_as_written(tmp_path: Path) -> None:
    model = camera(sessions()[0])
    path = tmp_path / "camera.toml"
    path.write_text(to_toml(model), encoding="utf-8")
    assert load_camera(path) == model
    assert tomllib.loads(path.read_text(encoding="utf-8"))["width_px"] == 2304
