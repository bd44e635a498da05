"""`smugglers check` names what is wrong. Truth: the fault that was switched on."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import msgspec
import pytest
from click.testing import CliRunner

from appliance.cli import main
from appliance.commands.calibrate.camera import command as calibrate_camera
from appliance.commands.calibrate.measures import command as measures
from appliance.commands.check import command
from appliance.devices.real_table import RealTable
from appliance.devices.self_test import HealthCollector, check_ground
from appliance.settings import Settings
from appliance.words.catalogues import LANGUAGES, words_for
from calibration.camera.intrinsics import to_toml
from hardware.clock import ManualClock
from hardware.readings import Device, DeviceHealth, Status
from hardware.twin.drawing.viewpoint import twin_camera
from tests.patience import GIVEN_UP_S

pytestmark = pytest.mark.slow


def check(folder: Path, *options: str) -> tuple[int, dict[str, list[Any]]]:
    done = subprocess.run(
        [sys.executable, "-m", "appliance.commands.start", "check", "--json", "--seconds", "8", *options],
        env=os.environ | {"SMUGGLERS_DATA_DIR": str(folder)},
        capture_output=True,
        text=True,
        timeout=GIVEN_UP_S,
        check=False,
    )
    assert done.returncode in (0, 1), done.stderr
    assert "Traceback" not in done.stderr, done.stderr
    findings: dict[str, list[Any]] = {}
    for line in done.stdout.splitlines():
        finding = json.loads(line)
        findings.setdefault(finding["what"], []).append(finding)
    return done.returncode, findings


def test_a_healthy_table_is_good_all_over(tmp_path: Path) -> None:
    code, findings = check(tmp_path, "--twin")
    assert code == 0
    assert {what: [one["verdict"] for one in found] for what, found in findings.items()} == {
        device: ["good"] for device in ("camera", "beams", "scale", "panel")
    }


@pytest.mark.slow
@pytest.mark.parametrize(
    ("fault", "device", "word"),
    [
        ("scale unplugged", "scale", "DOUT"),
        ("noisy supply", "scale", "power supply"),
        ("beam inverted", "beams", "swapped"),
        ("camera covered", "camera", "lens"),
        ("light gone", "camera", "lamp"),
    ],
)
def test_a_fault_is_named_with_its_mend_and_nothing_else_is_blamed(
    tmp_path: Path, fault: str, device: str, word: str
) -> None:
    code, findings = check(tmp_path, "--twin", "--fault", fault)
    assert code == 1
    bad = {what for what, found in findings.items() if any(one["verdict"] == "bad" for one in found)}
    assert bad == {device}
    assert any(word in one["sentence"] for one in findings[device])


def test_a_machine_without_sensors_is_told_what_is_missing(tmp_path: Path) -> None:
    code, findings = check(tmp_path)
    assert code == 1
    assert findings["lens calibration"][0]["verdict"] == "look"
    assert "smugglers calibrate camera" in findings["lens calibration"][0]["sentence"]
    assert all(one["verdict"] != "good" for device in ("camera", "beams", "scale") for one in findings[device])
    assert findings["scale's wiring"][0]["verdict"] == "look", "no wire was seen"
    assert "BCM 5" in findings["scale's wiring"][0]["sentence"]


def said(*reports: tuple[Device, Status, str]) -> dict[str, str]:
    listener = HealthCollector()
    for t_s, (device, status, code) in enumerate(reports):
        listener.sense(DeviceHealth(t_s=t_s, device=device, status=status, code=code))
    return {finding.code: finding.verdict for finding in listener.findings(words_for("en")) if finding.code != "silent"}


def test_a_camera_that_is_not_there_is_told_in_the_findings_alone(tmp_path: Path) -> None:
    """Its driver logs the same in English."""
    (tmp_path / "camera.toml").write_text(to_toml(twin_camera()), encoding="utf-8")
    table = {"SMUGGLERS_DATA_DIR": str(tmp_path), "SMUGGLERS_CAMERA": "opencv:63", "SMUGGLERS_LANGUAGE": "de"}
    done = subprocess.run(
        [sys.executable, "-m", "appliance.commands.start", "check", "--seconds", "3"],
        env=os.environ | table,
        capture_output=True,
        text=True,
        timeout=GIVEN_UP_S,
        check=False,
    )
    assert "nicht gefunden: Kabel prüfen" in " ".join(done.stdout.split())
    assert done.stderr == "teste 3 s lang; den Tisch nicht berühren\n"


def test_only_the_newest_word_of_a_healthy_device_counts() -> None:
    assert said(("scale", "faulty", "scale_silent"), ("scale", "ok", "scale_ok"))["scale_ok"] == "good"
    assert "scale_silent" not in said(("scale", "faulty", "scale_silent"), ("scale", "ok", "scale_ok"))


def test_several_things_wrong_are_all_named() -> None:
    told = said(
        ("camera", "ok", "camera_ok"), ("camera", "faulty", "camera_dark"), ("camera", "faulty", "markers_lost")
    )
    assert told.keys() >= {"camera_dark", "markers_lost"}
    assert "camera_ok" not in told


def test_a_calibration_that_cannot_be_reached_is_told(tmp_path: Path) -> None:
    settings = Settings(data_dir=str(tmp_path), camera_file="/" + "x" * 400, rig_file=str(tmp_path / "none.toml"))
    found = {finding.what: finding.code for finding in check_ground(settings, words_for("en"), serving=True)}
    assert found["lens calibration"] == "unusable"
    assert found["rig"] == "missing"


def test_measures_are_shown_where_nothing_can_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    environment = {"SMUGGLERS_DATA_DIR": str(tmp_path / "file" / "data")}
    assert "hole.1" in CliRunner().invoke(measures, [], env=environment).output
    assert "store_unwritable" in CliRunner().invoke(measures, ["hole.1=31"], env=environment).stderr


@pytest.fixture
def at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A data folder; `check` finds no devices in it and does not wait."""
    monkeypatch.setenv("SMUGGLERS_DATA_DIR", str(tmp_path))
    monkeypatch.setattr("appliance.composition.senses.build_senses", lambda *_, **__: [])
    monkeypatch.setattr("appliance.commands.check._listen", lambda *_: None)
    return tmp_path


def found_at(folder: Path, what: str) -> list[tuple[str, str]]:
    lines = CliRunner().invoke(command, ["--json"]).stdout.splitlines()
    return [(one["verdict"], one["code"]) for one in map(json.loads, lines) if one["what"] == what]


def test_a_track_that_was_never_calibrated_is_not_called_good(at_once: Path) -> None:
    assert found_at(at_once, "rig") == [("look", "missing")]
    assert CliRunner().invoke(measures, ["hole.3=36.2"]).exit_code == 0
    assert found_at(at_once, "rig") == [("look", "rig_not_calibrated")]


def test_a_stale_calibration_is_told_once(at_once: Path) -> None:
    made = msgspec.structs.replace(twin_camera(), made_utc="2026-01-01")
    (at_once / "camera.toml").write_text(to_toml(made), encoding="utf-8")
    assert found_at(at_once, "lens calibration") == [("look", "lens_old")]
    (at_once / "camera.toml").write_text(to_toml(twin_camera()), encoding="utf-8")
    assert found_at(at_once, "lens calibration") == [("good", "ok")]


@pytest.mark.parametrize(
    ("name", "what"), [("camera", "lens calibration"), ("rig", "rig"), ("scale", "scale calibration")]
)
def test_a_damaged_file_is_told_with_one_advice(at_once: Path, name: str, what: str) -> None:
    (at_once / f"{name}.toml").write_text("]", encoding="utf-8")
    for language in LANGUAGES:
        environment = {"SMUGGLERS_LANGUAGE": language}
        lines = CliRunner().invoke(command, ["--json"], env=environment).stdout.splitlines()
        (sentence,) = (one["sentence"] for one in map(json.loads, lines) if one["what"] == what)
        assert sentence.count("again") + sentence.count("neu") <= 1
        assert sentence.count(str(at_once)) == 1


def test_it_speaks_the_language_of_the_settings(at_once: Path) -> None:
    german = CliRunner().invoke(command, [], env={"SMUGGLERS_LANGUAGE": "de", "COLUMNS": "200"})
    assert german.stderr == "teste 8 s lang; den Tisch nicht berühren\n"
    assert {"Teil", "Befund", "gut", "ansehen", "beheben", "Objektiv-Kalibrierung"} <= set(german.stdout.split())


def test_on_a_narrow_terminal_a_path_is_whole(at_once: Path) -> None:
    shown = CliRunner().invoke(command, [], env={"COLUMNS": "40"}).stdout
    folded = "".join(line[26:].rstrip() for line in shown.splitlines())
    assert str(at_once / "camera.toml") in folded


def test_every_part_that_a_check_names_has_words_in_every_language(at_once: Path) -> None:
    parts = [json.loads(line)["what"] for line in CliRunner().invoke(command, ["--json"]).stdout.splitlines()]
    assert {"camera", "scale", "lens calibration"} <= set(parts)
    for what in (part.replace("'", "").replace(" ", "_") for part in parts):
        assert all(f"check.part.{what}" in words_for(language) for language in LANGUAGES)


def test_a_camera_that_the_settings_switch_off_is_no_fault() -> None:
    listener = HealthCollector()
    RealTable(listener, ManualClock(0.0), Settings(data_dir="nowhere", camera="none"))
    ((verdict, code),) = [(one.verdict, one.code) for one in listener.findings(words_for("en")) if one.what == "camera"]
    assert (verdict, code) == ("look", "camera_off")
    assert all("camera" in words_for(language).say("health.camera_off") for language in LANGUAGES)


def test_a_table_without_a_camera_is_not_told_to_calibrate_one(at_once: Path) -> None:
    def parts() -> set[str]:
        lines = CliRunner().invoke(command, ["--json"], env={"SMUGGLERS_CAMERA": "none"}).stdout.splitlines()
        return {json.loads(line)["what"] for line in lines}

    assert "scale calibration" in parts()
    assert not {"lens calibration", "rig"} & parts()
    (at_once / "rig.toml").write_text("damaged")
    assert "rig" in parts(), "its measures count without a camera, too"


@pytest.mark.parametrize(("language", "remedy"), [("en", "set it to auto"), ("de", "setz sie auf auto")])
def test_a_camera_that_is_switched_off_is_not_looked_for_by_its_calibration(
    at_once: Path, language: str, remedy: str
) -> None:
    environment = {"SMUGGLERS_CAMERA": "none", "SMUGGLERS_LANGUAGE": language}
    refused = CliRunner().invoke(calibrate_camera, [], env=environment)
    assert refused.exit_code == 2
    assert remedy in refused.stderr
    assert refused.stderr.endswith("[camera_off]\n")


class Interrupted:
    """A device during whose start, or after it, somebody presses Ctrl-C."""

    def __init__(self, at_start: bool) -> None:
        self.at_start, self.told = at_start, list[str]()

    def start(self) -> None:
        self.told.append("start")
        if self.at_start:
            raise KeyboardInterrupt

    def stop(self) -> None:
        self.told.append("stop")


def test_ctrl_c_stops_what_was_started_and_has_not_the_status_of_a_broken_table(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def pressed(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setenv("SMUGGLERS_DATA_DIR", str(tmp_path))
    monkeypatch.setattr("appliance.commands.check._listen", pressed)
    for at_start in (True, False):
        device = Interrupted(at_start)
        monkeypatch.setattr("appliance.composition.senses.build_senses", lambda *_, device=device, **__: [device])
        assert CliRunner().invoke(command, ["--twin"]).exit_code == 2
        assert device.told == ["start", "stop"]


def test_an_unknown_fault_has_not_the_status_of_a_broken_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SMUGGLERS_DATA_DIR", str(tmp_path))
    result = CliRunner().invoke(main, ["check", "--twin", "--fault", "nonsense"])
    assert result.exit_code == 2
    assert "beam dead" in result.stderr


def test_a_fault_without_the_simulated_table_is_refused() -> None:
    result = CliRunner().invoke(main, ["check", "--fault", "beam dead"])
    assert result.exit_code == 2
    assert "--twin" in result.output
