"""`smugglers check` names the processor's governor, the rate of refused frames and what helps."""

from __future__ import annotations

from pathlib import Path

import pytest

from appliance.devices.processor_check import ProcessorCheck
from appliance.words.catalogues import words_for
from hardware.clock import ManualClock
from hardware.scale.load_cell import ReadCounters
from hardware.scale.process.child import ScaleReader
from hardware.twin.wires.fake_lgpio import Stalls
from hardware.twin.wires.scale_wiring import open_twin_load_cell


def governed(folder: Path, *names: str) -> Path:
    for core, name in enumerate(names):
        policy = folder / f"policy{core}"
        policy.mkdir()
        (policy / "scaling_governor").write_text(f"{name}\n")
    return folder


def test_a_processor_that_saves_power_is_named_with_what_helps(tmp_path: Path) -> None:
    (finding,) = ProcessorCheck().findings(words_for("en"), governed(tmp_path, "ondemand", "powersave"))
    assert (finding.verdict, finding.code) == ("look", "processor_saves_power")
    assert "performance" in finding.sentence


def test_another_governor_is_named(tmp_path: Path) -> None:
    (finding,) = ProcessorCheck().findings(words_for("en"), governed(tmp_path, "ondemand", "ondemand"))
    assert (finding.verdict, finding.sentence) == ("good", "its clock is set by the governor ondemand")


def test_a_processor_that_steers_its_own_clock_is_not_blamed_for_the_name_of_its_governor(tmp_path: Path) -> None:
    (governed(tmp_path, "powersave") / "policy0" / "scaling_driver").write_text("intel_pstate\n")
    assert list(ProcessorCheck().findings(words_for("en"), tmp_path)) == []


def test_a_machine_that_tells_no_governor_is_not_blamed(tmp_path: Path) -> None:
    assert list(ProcessorCheck().findings(words_for("en"), tmp_path)) == []


@pytest.mark.parametrize(
    ("read", "refused", "verdict", "rate"),
    [(1_000, 0, "good", "0.0 %"), (990, 10, "good", "1.0 %"), (95, 5, "look", "5.0 %")],
)
def test_the_rate_of_refused_frames_is_named(tmp_path: Path, read: int, refused: int, verdict: str, rate: str) -> None:
    check = ProcessorCheck()
    check.take(ReadCounters(1.0, 3, 3))
    check.take(ReadCounters(9.0, read, refused))
    (finding,) = check.findings(words_for("en"), tmp_path)
    assert finding.verdict == verdict
    assert finding.sentence.startswith(rate)
    assert (verdict == "look") == ("performance" in finding.sentence)


def test_from_a_few_frames_no_rate_is_told(tmp_path: Path) -> None:
    check = ProcessorCheck()
    check.take(ReadCounters(1.0, 20, 1))
    assert list(check.findings(words_for("en"), tmp_path)) == []


@pytest.mark.parametrize(
    "code", ["processor_governor", "processor_saves_power", "scale_frames", "scale_frames_refused"]
)
def test_every_sentence_is_there_in_german(code: str) -> None:
    values = {"governor": "ondemand", "percent": "1"}
    assert words_for("de").say(f"check.{code}", values) != words_for("en").say(f"check.{code}", values)


def test_a_scale_beside_a_busy_processor_tells_how_many_frames_it_refused() -> None:
    stalls = Stalls(0.002, duration_s=100e-6, where=frozenset({"high"}))
    reader = ScaleReader(open_twin_load_cell(ManualClock(0.0), lambda t_s: 5, rate_sps=80, stalls=stalls, seed=1))
    told = [report for _ in range(200) for report in reader.wait() if isinstance(report, ReadCounters)]
    assert told[-1].read > 100
    assert 0 < told[-1].refused < 40
