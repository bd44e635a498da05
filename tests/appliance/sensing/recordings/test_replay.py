"""A recording replayed through the real senses says what happened when it was made."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
from click.testing import CliRunner

from appliance.commands.senses.see import command as see
from appliance.commands.senses.weigh import command as weigh
from appliance.sensing.recordings.replay import recorded_passages, replayed
from hardware.readings import BeamPassage, MassSettled, PassageSeen, Reading
from hardware.recording.recording_format import SenseRecordingError
from hardware.recording.recording_reader import Recording
from hardware.recording.recording_writer import RecordingWriter
from hardware.twin.drawing.viewpoint import twin_camera
from tests.hardware.recording.a_recording import HEAD, RECORDED

pytestmark = pytest.mark.slow


def truth() -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(RECORDED.with_suffix(".truth.json").read_text(encoding="utf-8"))
    return found


@pytest.fixture(scope="module")
def readings() -> list[Reading]:
    return list(replayed(Recording(RECORDED)))


def test_the_regression_recording_is_small() -> None:
    assert RECORDED.stat().st_size <= 10**6


def test_the_camera_sees_the_pass_that_happened(readings: list[Reading]) -> None:
    rolled = truth()[0]
    (seen,) = [reading for reading in readings if isinstance(reading, PassageSeen)]
    assert (seen.outcome, seen.lane, seen.colour) == (rolled["outcome"], rolled["lane"], rolled["colour"])
    assert seen.crossed_s == pytest.approx(rolled["crossed_s"], abs=0.5 / 28)


def test_the_beams_see_the_pass_and_the_stuck_sphere(readings: list[Reading]) -> None:
    passed, stuck = [reading for reading in readings if isinstance(reading, BeamPassage)]
    assert passed.outcome == "passed"
    assert passed.crossed_s == pytest.approx(truth()[0]["crossed_s"], abs=0.03)
    assert stuck.outcome == "blocked"
    assert truth()[2]["outcome"] == "stuck"


def test_the_scale_weighs_what_lay_on_the_pan(readings: list[Reading]) -> None:
    (mass,) = [reading for reading in readings if isinstance(reading, MassSettled)]
    assert mass.mass_g == pytest.approx(truth()[1]["mass_g"], abs=4 * mass.sd_g + 0.01)


def test_a_recording_replays_the_same_every_time(readings: list[Reading]) -> None:
    assert list(replayed(Recording(RECORDED))) == readings


def test_see_and_weigh_read_recordings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SMUGGLERS_DATA_DIR", str(tmp_path))
    result = CliRunner().invoke(see, [str(RECORDED), "--json"])
    assert result.exit_code == 0, result.output
    passage = json.loads(result.stdout)
    assert (passage["kind"], passage["outcome"], passage["lane"]) == ("passage", "passed", truth()[0]["lane"])
    result = CliRunner().invoke(weigh, ["--from", str(RECORDED), "--json"])
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)["mass_g"] == pytest.approx(truth()[1]["mass_g"], abs=0.05)


def test_see_and_weigh_say_that_a_recording_was_cut_short(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SMUGGLERS_DATA_DIR", str(tmp_path))
    cut = tmp_path / "cut.rec"
    cut.write_bytes(RECORDED.read_bytes()[: RECORDED.stat().st_size // 2])
    for result in (CliRunner().invoke(see, [str(cut)]), CliRunner().invoke(weigh, ["--from", str(cut)])):
        assert result.exit_code == 0
        assert "cut short" in result.stderr


def test_a_calibration_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    broken = msgspec.structs.replace(HEAD, calibration={"camera.toml": "width_px = 'wide'"})
    writer = RecordingWriter(tmp_path / "a.rec", broken, most_bytes=10**6)
    writer.close()
    with pytest.raises(SenseRecordingError) as refused:
        recorded_passages(Recording(tmp_path / "a.rec"))
    assert refused.value.code == "recording_calibration"


def test_the_lens_in_the_recording_is_the_one_that_took_it() -> None:
    text = Recording(RECORDED).head.calibration["camera.toml"]
    assert f"focal_px = [{twin_camera().focal_px[0]}" in text
