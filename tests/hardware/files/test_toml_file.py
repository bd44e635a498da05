"""Camera and rig files as hands and broken disks leave them: one sentence with a place, never a number that is none."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from calibration.camera.intrinsics import to_toml as camera_text
from calibration.track.fit import to_toml as rig_text
from hardware.cameras.camera_model import CameraFileError, load_camera
from hardware.files.toml_file import TomlFileError
from hardware.rig import Rig
from hardware.rig_file import RigError, load_rig
from hardware.scale.scale_model import ScaleError, load_scale
from hardware.twin.drawing.viewpoint import twin_camera
from tests.fuzz import doors

CAMERA, RIG, SCALE = camera_text(twin_camera()), rig_text(Rig()), doors.SCALE.decode()


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("width_px", "0"),
        ("height_px", "-864"),
        ("focal_px", "[0.0, 0.0]"),
        ("focal_px", "[nan, 1000.0]"),
        ("centre_px", "[inf, 400.0]"),
        ("distortion", "[nan, 0.0, 0.0, 0.0, 0.0]"),
        ("distortion", "[0.0]"),
        ("width_px", '"wide"'),
    ],
)
def test_a_lens_that_cannot_be_names_the_field(field: str, value: str, tmp_path: Path) -> None:
    path = tmp_path / "camera.toml"
    path.write_text(re.sub(rf"(?m)^{field} = .*$", f"{field} = {value}", CAMERA))
    with pytest.raises(CameraFileError, match="smugglers calibrate camera") as refused:
        load_camera(path)
    assert refused.value.code == "camera_file_invalid"
    assert str(refused.value.values["path"]).startswith(f"{path} ({field}")


@pytest.mark.parametrize(
    ("before", "after", "place"),
    [
        ("marker_side_mm = 30.0", "marker_side_mm = 0.0", "marker_side_mm"),
        ("pan_z_mm = 25.0", "pan_z_mm = nan", "pan_z_mm"),
        ("hole_mm = 24.0", "hole_mm = -24.0", "lanes[1].hole_mm"),
        ("id = 1\n", "id = 0\n", "markers"),
        ("number = 2\n", "number = 1\n", "lanes"),
        ("ramp_top = [200.0,55.0]", "ramp_top = [0.0,55.0]", "ramp_top"),
        ("source = ", "source = = ", "2:10"),
    ],
)
def test_a_table_that_cannot_be_names_the_place(before: str, after: str, place: str, tmp_path: Path) -> None:
    assert before in RIG
    path = tmp_path / "rig.toml"
    path.write_text(RIG.replace(before, after, 1))
    with pytest.raises(RigError, match="smugglers calibrate track") as refused:
        load_rig(path)
    assert (refused.value.code, refused.value.values["path"]) == ("rig_file_invalid", f"{path} ({place})")


def test_what_is_not_there_is_told_from_what_is_not_text(tmp_path: Path) -> None:
    path = tmp_path / "rig.toml"
    with pytest.raises(RigError) as missing:
        load_rig(path)
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(RigError) as binary:
        load_rig(path)
    assert (missing.value.code, binary.value.code) == ("rig_file_unreadable", "rig_file_invalid")
    assert "line 1 is not UTF-8 text" in str(binary.value)
    assert load_camera(written(tmp_path / "camera.toml", CAMERA)) == twin_camera()


@pytest.mark.parametrize("rest", ["", "# Written by `smugglers calibrate track`\n"])
def test_an_emptied_file_is_not_taken_for_the_standard_table(rest: str, tmp_path: Path) -> None:
    with pytest.raises(RigError, match="it is empty; make it again with `smugglers calibrate track`") as refused:
        load_rig(written(tmp_path / "rig.toml", rest))
    assert refused.value.code == "rig_file_invalid"


def written(path: Path, text: str) -> Path:
    path.write_text(text)
    return path


@pytest.mark.parametrize(
    ("wrong", "place"),
    [
        ('width_px = "' + "w" * 9000 + '"', " (width_px)"),
        ("w" * 9000 + " = 1\n" + "w" * 9000 + " = 1", " (3:9005)"),
        ("w" * 11_000 + " = 1", " (2)"),
        ("width_px = " + "9" * 5000, ""),
    ],
)
def test_what_is_wrong_is_quoted_in_part(wrong: str, place: str, tmp_path: Path) -> None:
    path = tmp_path / "camera.toml"
    path.write_text(re.sub(r"(?m)^width_px = .*$", wrong, CAMERA))
    with pytest.raises(CameraFileError, match="smugglers calibrate camera") as refused:
        load_camera(path)
    assert len(str(refused.value)) < len(str(path)) + 500
    assert "sys." not in str(refused.value), "how a programmer would lift a limit"
    assert refused.value.values["path"] == f"{path}{place}"


@pytest.mark.parametrize("text", [RIG, CAMERA], ids=["rig", "camera"])
def test_a_file_that_is_cut_after_any_line_is_not_filled_up_with_the_standard_table(text: str, tmp_path: Path) -> None:
    lines = text.splitlines(keepends=True)
    load: Callable[[Path], object] = load_rig if text == RIG else load_camera
    for kept in range(1, len(lines)):
        with pytest.raises(TomlFileError) as refused:
            load(written(tmp_path / "cut.toml", "".join(lines[:kept])))
        assert refused.value.code.endswith("_file_invalid" if kept == 1 else "_file_cut")
        assert kept == 1 or f"it is cut after line {kept}" in str(refused.value)
        assert kept == 1 or refused.value.values == {"path": str(tmp_path / "cut.toml"), "line": kept}


def test_a_file_of_a_release_before_and_one_written_by_hand_need_no_last_line(tmp_path: Path) -> None:
    before = RIG.replace(" The last line is `# end`.", "").replace("# end\n", "")
    assert load_rig(written(tmp_path / "rig.toml", before)) == Rig()
    assert load_rig(written(tmp_path / "own.toml", "fence_top_mm = 75.0\n")).fence_top_mm == 75.0


@pytest.mark.parametrize(
    ("text", "before", "after", "says", "place"),
    [
        (RIG, "source = ", "source = = ", "it is not TOML: the mistake shows in line 2, column 10", "2:10"),
        (RIG, "pan_z_mm = 25.0", "pan_zz_mm = 25.0", "there is no field `pan_zz_mm`", "pan_zz_mm"),
        (RIG, "pan_z_mm = 25.0", "pan_z_mm = '25'", "the value of `pan_z_mm` cannot be used", "pan_z_mm"),
        (RIG, "pan_z_mm = 25.0", "pan_z_mm = nan", "`pan_z_mm` is no finite number", "pan_z_mm"),
        (RIG, "hole_mm = 24.0", "hole_mm = -1.0", "the value of `lanes[1].hole_mm` cannot be used", "lanes[1].hole_mm"),
        (RIG, "id = 1\n", "id = 0\n", "every marker once", "markers"),
        (RIG, "ramp_top = [200.0,55.0]", "ramp_top = [0.0,55.0]", "behind its foot", "ramp_top"),
        (CAMERA, "width_px = ", "wide_px = ", "there is no field `wide_px`", "wide_px"),
        (SCALE, "white_sd_g", "# white_sd_g", "the field `white_sd_g` is missing", "white_sd_g"),
        (SCALE, "counts_per_gram = ", "counts_per_gram = 0.0 # ", "`counts_per_gram` must not be 0", "counts_per_gram"),
        (SCALE, "format = ", "format = = ", "it is not TOML: the mistake shows in line", None),
    ],
)
def test_what_is_wrong_is_said_in_words_for_people_and_with_its_place(
    text: str, before: str, after: str, says: str, place: str | None, tmp_path: Path
) -> None:
    assert before in text
    path = tmp_path / "measured.toml"
    path.write_text(text.replace(before, after, 1))
    load: Callable[[Path], object] = {RIG: load_rig, CAMERA: load_camera, SCALE: load_scale}[text]
    with pytest.raises((TomlFileError, ScaleError)) as refused:
        load(path)
    assert says in str(refused.value)
    assert not re.search(r"Expected|Invalid|Object|got `|\$|\(at ", str(refused.value)), "a library's words"
    assert isinstance(refused.value, TomlFileError | ScaleError)
    named = str(refused.value.values["path"])
    assert named == f"{path} ({place})" if place is not None else re.fullmatch(r".*measured\.toml \(\d+:\d+\)", named)
