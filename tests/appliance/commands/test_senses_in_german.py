"""`smugglers weigh`, `see` and `record` speak the language of the settings; what programs read stays as it is."""

from __future__ import annotations

import io
import json
import re
from pathlib import Path

import cv2
import numpy as np
import pytest
from rich.console import Console

from appliance.commands.senses.weigh import Output, weigh_live
from appliance.words.catalogues import words_for
from calibration.camera.intrinsics import to_toml as camera_text
from calibration.scale.fit import to_toml
from calibration.track.fit import to_toml as rig_text
from hardware.recording.recording_format import Head
from hardware.recording.recording_writer import RecordingWriter
from hardware.rig import Rig
from hardware.scale.load_cell import ReadFailure
from hardware.scale.scale_model import FORMAT, ScaleModel
from hardware.twin.drawing.viewpoint import twin_camera
from tests.appliance.commands.scale_files import cell, record, run, stream, write_csv

MODEL = ScaleModel(counts_per_gram=cell().counts_per_gram, zero_counts=cell().zero_counts, white_sd_g=0.006)
ENGLISH = re.compile(r"\b(the|is|cannot|give|has|holds|must|not|with)\b")
HEAD = Head(made_utc="2026-01-01T00:00:00+00:00", hardware="pi", picture="track", consent="ja", calibration={})


@pytest.fixture(autouse=True)
def german(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A German table with an empty data folder."""
    monkeypatch.setenv("SMUGGLERS_LANGUAGE", "de")
    monkeypatch.setenv("SMUGGLERS_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.chdir(tmp_path)


def refused(*arguments: str) -> tuple[str, str]:
    """Return the sentence and the code with which a command is refused."""
    result = run(*arguments)
    assert result.exit_code == 2
    (line,) = result.stderr.splitlines()
    found = re.fullmatch(rf"smugglers {arguments[0]}: (.*) \[(\w+)\]", line)
    assert found is not None, line
    return found[1], found[2]


@pytest.mark.parametrize(
    ("content", "code", "says"),
    [
        (b"", "recording_empty", "x.csv: enthält keine Messwerte"),
        (b"0,1\n", "recording_header", "x.csv:1: "),
        (b"t_s,counts\n0,1\n0.1,heavy\n", "recording_value", "x.csv:3: das ist kein Messwert"),
        (b"t_s,counts\n0,1,2\n", "recording_value", "x.csv:2: das ist kein Messwert"),
        (b"t_s,counts\n\xff\n", "recording_value", "x.csv: das ist kein Messwert"),
        (b"t_s,counts\n5,1\n4.5,1\n", "recording_time", "erst 5 s, dann 4,5 s"),
        (b"t_s,grams\n0,1\n0.1,1\n", "recording_too_short", "mindestens 20"),
        (b"t_s,counts\n0,1\n0.1,1\n", "scale_missing", "--scale"),
        (None, "recording_unreadable", "x.csv: die Aufnahme ist nicht zu lesen (es gibt keine solche Datei"),
    ],
)
def test_a_recording_that_cannot_be_weighed(content: bytes | None, code: str, says: str) -> None:
    if content is not None:
        Path("x.csv").write_bytes(content)
    sentence, given = refused("weigh", "--from", "x.csv")
    assert given == code
    assert says in sentence
    assert not ENGLISH.search(sentence)


def test_a_folder_is_called_one() -> None:
    Path("loads").mkdir()
    sentence, _ = refused("weigh", "--from", "loads")
    assert sentence.startswith("loads: die Aufnahme ist nicht zu lesen (es ist ein Ordner)")


@pytest.mark.parametrize(
    ("text", "code"),
    [(None, "scale_file_unreadable"), ("]", "scale_file_invalid"), ("format = 1", "scale_file_format")],
)
def test_a_scale_file_that_cannot_be_used(tmp_path: Path, text: str | None, code: str) -> None:
    if text is not None:
        Path("s.toml").write_text(text)
    sentence, given = refused("weigh", "--from", str(record(tmp_path, 0.0)), "--scale", "s.toml")
    assert given == code
    assert "s.toml" in sentence
    assert "smugglers calibrate scale" in sentence
    assert not ENGLISH.search(sentence)


def test_a_scale_that_was_never_calibrated_is_told_so_with_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    for language, never in (("de", "noch nie kalibriert"), ("en", "never calibrated")):
        monkeypatch.setenv("SMUGGLERS_LANGUAGE", language)
        sentence, code = refused("weigh")
        assert code == "scale_not_calibrated"
        assert never in sentence
        assert "smugglers calibrate scale" in sentence
        assert "again" not in sentence


def test_an_old_calibration_and_a_cell_that_is_not_there(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    old = ScaleModel(made_utc="2026-01-01T00:00:00+00:00", counts_per_gram=1013.0, white_sd_g=0.01)
    (tmp_path / "data" / "scale.toml").write_text(to_toml(old), encoding="utf-8")
    result = run("weigh")
    assert result.exit_code == 2
    age, why = result.stderr.splitlines()
    assert "vor" in age
    assert "Tagen kalibriert" in age
    assert not ENGLISH.search(why)


def test_faults_and_the_line_on_a_terminal_are_german_and_loads_stay_as_they_are(
    capsys: pytest.CaptureFixture[str],
) -> None:
    screen = io.StringIO()
    console = Console(file=screen, force_terminal=True, width=100, color_system=None)
    weigh_live(stream((4, 0), (4, 25)), MODEL, Output(words_for("de"), False), console)
    assert "ruhig" in screen.getvalue()
    assert "Strg-C beendet" in screen.getvalue()
    weigh_live([ReadFailure(100.0 + k, "no_answer") for k in range(6)], MODEL, Output(words_for("de"), False), console)
    told = capsys.readouterr()
    assert re.match(r"t_s \d+\.\d\d  mass_g 2[45]\.\d{3}  sd_g \d\.\d{3}  samples \d+$", told.out.strip())
    assert f"s: Waage: {words_for('de').say('health.scale_silent')} [scale_silent]" in told.err


def test_a_recording_in_which_nothing_settles(tmp_path: Path) -> None:
    path = write_csv(tmp_path / "g.csv", np.arange(30) / 10, np.zeros(30), "grams")
    assert run("weigh", "--from", path).stderr == f"smugglers weigh: {path}: keine Last kam zur Ruhe\n"


def test_a_recording_without_what_is_asked_of_it(tmp_path: Path) -> None:
    RecordingWriter(tmp_path / "a.rec", HEAD, most_bytes=10**6).close()
    assert refused("weigh", "--from", "a.rec") == ("a.rec: enthält keine Messwerte der Waage.", "recording_no_counts")
    sentence, code = refused("see", "a.rec")
    assert (sentence, code) == ("a.rec: enthält keine Kalibrierung der Kamera; gib --camera an.", "recording_no_lens")
    (tmp_path / "b.rec").write_bytes(b"no recording")
    for command in (("weigh", "--from", "b.rec"), ("see", "b.rec")):
        sentence, code = refused(*command)
        assert code == "recording_invalid"
        assert sentence.startswith("b.rec: ist beschädigt")


def test_a_recording_that_cannot_be_made(monkeypatch: pytest.MonkeyPatch) -> None:
    Path("there.rec").touch()
    for arguments, code, names in (
        (("--out", "a.rec"), "recording_no_senses", "smugglers check"),
        (("--twin", "--out", "there.rec"), "recording_exists", "there.rec"),
        (("--twin", "--out", "there.rec/a.rec"), "recording_unwritable", "there.rec/a.rec"),
    ):
        sentence, given = refused("record", *arguments)
        assert (given, names in sentence) == (code, True)
        assert not ENGLISH.search(sentence)
    monkeypatch.setattr("hardware.recording.recording_writer.free_bytes", lambda _: 0)
    sentence, code = refused("record", "--twin", "--out", "a.rec")
    assert (code, "200 MB" in sentence) == ("recording_no_room", True)
    assert not ENGLISH.search(sentence)


def test_a_recording_in_which_nothing_was_recorded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("appliance.composition.senses.build_recording", lambda *_, **__: [])
    monkeypatch.setattr("appliance.commands.senses.record._record", lambda *_: None)
    result = run("record", "--twin", "--out", "a.rec", "--consent")
    assert result.exit_code == 2
    assert result.stderr.startswith("smugglers record: a.rec: nichts wurde aufgenommen")
    assert result.stderr.endswith("[recording_empty]\n")


def test_pictures_that_cannot_be_evaluated(tmp_path: Path) -> None:
    (tmp_path / "x.jpg").write_bytes(b"no picture")
    cv2.imwrite(str(tmp_path / "grey.png"), np.full((200, 200, 3), 128, np.uint8))
    for name, code in (("x.jpg", "unreadable_picture"), ("grey.png", "not_there")):
        sentence, given = refused("see", name, "--as", "sphere")
        assert given == code
        assert sentence.startswith(f"{name}: ")
        assert sentence.count(name) == 1
        assert not ENGLISH.search(sentence)


@pytest.mark.parametrize("name", ["nowhere.jpg", "data"])
def test_a_picture_that_is_not_there_is_not_called_a_bad_one(name: str, tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    sentence, code = refused("see", name, "--as", "die")
    assert (code, "prüf Namen und Rechte" in sentence) == ("unreadable_picture", True)


def test_a_camera_that_was_never_calibrated_or_whose_file_is_damaged(tmp_path: Path) -> None:
    (tmp_path / "x.mp4").write_bytes(b"no clip")
    sentence, code = refused("see", "x.mp4")
    assert code == "camera_missing"
    assert "smugglers calibrate camera" in sentence
    assert not ENGLISH.search(sentence)
    (tmp_path / "c.toml").write_text("]")
    sentence, code = refused("see", "x.mp4", "--camera", "c.toml")
    assert code == "camera_file_invalid"
    assert sentence.startswith("Die Kamera-Datei c.toml (1:1) ist beschädigt: ")


@pytest.mark.parametrize("kind", ["rig", "camera"])
def test_a_file_that_is_cut_is_said_to_be_cut_and_where(kind: str, tmp_path: Path) -> None:
    text = rig_text(Rig()) if kind == "rig" else camera_text(twin_camera())
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / f"{kind}.toml").write_text("".join(text.splitlines(keepends=True)[:7]))
    (tmp_path / "x.mp4").write_bytes(b"no clip")
    result = run("calibrate", "measures") if kind == "rig" else run("see", "x.mp4")
    assert f"{kind}.toml ist nach Zeile 7 abgeschnitten, der Rest fehlt" in result.stderr
    assert not ENGLISH.search(result.stderr.partition("[")[0])


def test_a_mass_without_a_recording_is_told_how_to_name_one(tmp_path: Path) -> None:
    result = run("calibrate", "scale", "--point", "100", "--out", "s.toml")
    told = "--point 100: schreib MASSE=DATEI, etwa 100=hundert.csv. [calibration_no_recording]"
    assert result.stderr == f"smugglers calibrate scale: {told}\n"


@pytest.mark.parametrize(
    ("out", "reason"),
    [
        (".", "es ist ein Ordner"),
        ("/dev/null", "es ist keine gewöhnliche Datei"),
        ("file/rig.toml", "ein Teil des Pfads ist kein Ordner"),
    ],
)
def test_a_place_that_cannot_be_written_is_told_with_the_reason(out: str, reason: str, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    told = run("calibrate", "measures", "hole.3=36", "--out", out).stderr
    assert told.startswith(f"smugglers calibrate measures: {out} ist nicht zu schreiben ({reason}): ")
    assert told.endswith(" [store_unwritable]\n")


def test_check_speaks_of_a_damaged_scale_file_in_german(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("appliance.composition.senses.build_senses", lambda *_, **__: [])
    monkeypatch.setattr("appliance.commands.check._listen", lambda *_: None)
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "scale.toml").write_text(f'format = "{FORMAT}"\nwhite_sd_g = 0.01')
    found = [json.loads(line) for line in run("check", "--json").stdout.splitlines()]
    (sentence,) = (one["sentence"] for one in found if one["what"] == "scale calibration")
    assert sentence.startswith("Die Kalibrierung der Waage")


def test_a_clip_that_is_given_as_a_close_up() -> None:
    said, code = refused("see", "--as", "die", "clip.mp4")
    assert (said, code) == (
        "clip.mp4: --as gilt für Bilder; lass es bei Filmen und Aufnahmen weg, oder gib ein Bild an.",
        "not_a_close_up",
    )
