"""`smugglers see`: what a person gets for good files and for bad ones."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import cv2
import numpy as np
import pytest
from click.testing import CliRunner, Result

from appliance.cli import main
from appliance.commands.senses.see import command
from calibration.camera.intrinsics import to_toml
from calibration.measures import changed
from calibration.track.fit import to_toml as rig_toml
from hardware.rig import Rig
from tests.narrowed import there
from tests.places import RECORDINGS
from tests.vision.ball_pictures import ball_picture
from tests.vision.stills import camera

pytestmark = pytest.mark.slow

PAN = RECORDINGS / "table" / "s02" / "pan" / "pan_07.jpg"
DIE = RECORDINGS / "table" / "s02" / "die" / "die_05.jpg"
BOSS = RECORDINGS / "table" / "s01" / "boss" / "boss_00.jpg"


@pytest.fixture(autouse=True)
def no_game_is_open(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SMUGGLERS_DATA_DIR", str(tmp_path / "kept"))


@pytest.fixture
def camera_file(tmp_path: Path) -> Path:
    path = tmp_path / "camera.toml"
    path.write_text(to_toml(camera(RECORDINGS / "table" / "s02")), encoding="utf-8")
    return path


def see(*arguments: object) -> Result:
    return CliRunner().invoke(command, [str(argument) for argument in arguments])


def objects(result: Result) -> list[dict[str, object]]:
    return [json.loads(line) for line in result.stdout.splitlines()]


def test_a_picture_gives_one_object_a_line_for_everything_in_it(camera_file: Path) -> None:
    result = see(PAN, "--camera", camera_file, "--json")
    assert result.exit_code == 0
    seen = {each["kind"]: each for each in objects(result)}
    assert set(seen) == {"sphere", "boss", "die", "gems"}
    assert all(each["file"] == str(PAN) and 0 <= float(str(each["confidence"])) <= 1 for each in seen.values())
    assert seen["sphere"]["where"] == "pan"
    assert seen["sphere"]["colour"] == "pink"
    assert seen["sphere"]["diameter_mm"] == pytest.approx(41.578, abs=0.5)
    assert seen["boss"]["lane"] is None
    assert seen["die"]["value"] is None
    assert (seen["gems"]["colours"], seen["gems"]["state"]) == ([], "absent")


def test_bad_files_are_named_with_a_reason_and_the_others_still_done(camera_file: Path, tmp_path: Path) -> None:
    text = tmp_path / "notes.jpg"
    text.write_text("not a picture", encoding="utf-8")
    empty = tmp_path / "empty.png"
    empty.touch()
    tiny, black, small = tmp_path / "tiny.png", tmp_path / "black.png", tmp_path / "small.png"
    cv2.imwrite(str(tiny), np.zeros((1, 1, 3), np.uint8))
    cv2.imwrite(str(black), np.zeros((432, 768, 3), np.uint8))
    cv2.imwrite(str(small), cv2.resize(there(cv2.imread(str(PAN))), (192, 108), interpolation=cv2.INTER_AREA))
    missing = tmp_path / "missing.jpg"
    folder = tmp_path / "folder"
    folder.mkdir()
    result = see(text, empty, tiny, black, small, missing, folder, BOSS, DIE, "--camera", camera_file, "--json")
    assert result.exit_code == 2
    assert {each["file"] for each in objects(result)} == {str(DIE)}
    complaints = result.stderr.splitlines()
    codes = {Path(line.split(": ")[1]).name: line.rpartition("[")[2].rstrip("]") for line in complaints}
    assert codes == {
        "notes.jpg": "unreadable_picture",
        "empty.png": "unreadable_picture",
        "tiny.png": "unreadable_picture",
        "black.png": "no_markers",
        "small.png": "picture_too_small",
        "missing.jpg": "unreadable_picture",
        "folder": "unreadable_picture",
        "boss_00.jpg": "wrong_calibration",
    }
    assert "Traceback" not in result.output


def test_without_json_a_person_reads_one_line_a_thing(camera_file: Path) -> None:
    result = see(DIE, "--camera", camera_file)
    assert result.exit_code == 0
    assert any(line.startswith(f"{DIE}  die  ") and "value 4" in line for line in result.stdout.splitlines())
    assert any(line.startswith(f"{DIE}  gems  ") and "state unknown" in line for line in result.stdout.splitlines())


def test_a_close_up_needs_no_camera_file(tmp_path: Path) -> None:
    path = tmp_path / "ball.png"
    cv2.imwrite(str(path), ball_picture(100, 98, 50))
    result = see(path, "--as", "sphere", "--json")
    assert result.exit_code == 0
    (sphere,) = objects(result)
    assert sphere["diameter_mm"] is None
    assert sphere["diameter_px"] == pytest.approx(100, abs=0.5)


def test_a_close_up_of_nothing_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "grey.png"
    cv2.imwrite(str(path), np.full((200, 200, 3), 128, np.uint8))
    result = see(path, "--as", "sphere")
    assert result.exit_code == 2
    assert "not_there" in result.stderr


@pytest.mark.parametrize("content", ["", "width_px = 'wide'", "]["])
def test_a_broken_camera_file_is_one_sentence(tmp_path: Path, content: str) -> None:
    broken = tmp_path / "camera.toml"
    broken.write_text(content, encoding="utf-8")
    result = see(DIE, "--camera", broken)
    assert result.exit_code == 2
    assert len(result.stderr.splitlines()) == 1
    assert "not a camera file" in result.stderr


def test_ctrl_c_is_one_sentence(camera_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def pressed(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("vision.observe_file.observe_file", pressed)
    result = CliRunner().invoke(main, ["see", str(DIE), "--camera", str(camera_file)])
    assert (result.exit_code, result.stderr) == (1, "Error: stopped before it was done [stopped]\n")


def test_without_camera_or_close_up_it_says_what_to_give() -> None:
    result = see(DIE)
    assert result.exit_code == 2
    assert "--camera" in result.stderr
    assert result.stderr.endswith("[camera_missing]\n")


def test_the_tables_own_files_are_used(tmp_path: Path, camera_file: Path) -> None:
    kept = tmp_path / "kept"
    kept.mkdir()
    shutil.copy(camera_file, kept / "camera.toml")
    own = see(PAN, "--json")
    assert (own.exit_code, own.stdout) == (0, see(PAN, "--json", "--camera", camera_file).stdout)
    (kept / "rig.toml").write_text(rig_toml(changed(Rig(), ["pan_z_mm=0"])), encoding="utf-8")
    lower = see(PAN, "--json", "--camera", camera_file)
    assert lower.stdout != own.stdout
    (kept / "rig.toml").write_text("]", encoding="utf-8")
    assert "[rig_file_invalid]" in see(PAN).stderr


def test_while_a_game_is_open_it_refuses(camera_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("appliance.journal.open_game_check.game_is_open", lambda settings: True)
    result = CliRunner().invoke(main, ["see", str(PAN), "--camera", str(camera_file), "--json"])
    assert result.exit_code == 1
    assert result.stdout == ""
    assert "a game is open" in result.stderr


def test_a_folder_stands_for_the_pictures_in_it(tmp_path: Path, camera_file: Path) -> None:
    (tmp_path / "table" / "deep").mkdir(parents=True)
    for name, source in (("a.jpg", PAN), ("deep/b.JPG", DIE)):
        (tmp_path / "table" / name).write_bytes(source.read_bytes())
    (tmp_path / "table" / "notes.txt").write_text("not a picture")
    result = CliRunner().invoke(command, [str(tmp_path / "table"), "--json", "--camera", str(camera_file)])
    assert {Path(json.loads(line)["file"]).name for line in result.stdout.splitlines()} == {"a.jpg", "b.JPG"}


@pytest.mark.parametrize("name", ["clip.mp4", "try.rec"])
def test_a_clip_or_a_recording_is_no_close_up(tmp_path: Path, name: str) -> None:
    shutil.copy2(DIE, tmp_path / DIE.name)
    (tmp_path / name).write_bytes(b"no picture")
    result = see("--as", "die", "--json", tmp_path)
    assert result.exit_code == 2
    assert result.stderr == (
        f"smugglers see: {tmp_path / name}: --as is for pictures; leave it out for clips and recordings, "
        "or give a picture [not_a_close_up]\n"
    )
    assert [Path(str(each["file"])).name for each in objects(result)] == [DIE.name]


def test_clips_are_offered_only_where_they_are_read(tmp_path: Path, camera_file: Path) -> None:
    (tmp_path / "letter.jpg").write_text("a letter")
    close_up = see("--as", "die", tmp_path / "letter.jpg")
    assert "give a JPEG or PNG [unreadable_picture]" in close_up.stderr
    of_the_table = see("--camera", camera_file, tmp_path / "letter.jpg")
    assert "give a JPEG or PNG, or a clip such as MP4 [unreadable_picture]" in of_the_table.stderr
