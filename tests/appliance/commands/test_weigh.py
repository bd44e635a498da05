"""`smugglers weigh`: recordings, and a scale that is read live."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console

from appliance.commands.senses.weigh import Output, weigh_live
from appliance.devices import scale_session
from appliance.devices.scale_session import LiveSample, live_samples
from appliance.journal.open_game_check import GameOpenError
from appliance.settings import Settings
from appliance.words.catalogues import LANGUAGES, words_for
from hardware.clock import ManualClock
from hardware.scale.chip.driver_on_pins import Reason
from hardware.scale.load_cell import LoadCell, ReadFailure
from hardware.scale.scale_model import FORMAT, ScaleModel
from hardware.scale.weighing_health import HEALTH
from hardware.twin.wires.chip import Hx711Chip
from hardware.twin.wires.fake_lgpio import Header, SimulatedTime, hx711_on
from hardware.twin.wires.scale_wiring import wire_scale
from tests.appliance.commands.scale_files import cell, record, run, stream, write_csv
from tests.hardware.scale.synthetic_cell import SyntheticCell, loads

SETTINGS = Settings(data_dir=".")


class TestWeigh:
    masses_g = (22.7, 18.42, 30.05)

    def test_a_recording_gives_one_line_a_load(self, calibrated: Path, tmp_path: Path) -> None:
        scale = cell(9)
        t_s = scale.stamps(30.0)
        run_csv = write_csv(tmp_path / "run.csv", t_s, scale.read(t_s, loads(t_s, list(self.masses_g))))
        result = run("weigh", "--from", run_csv, "--scale", calibrated, "--json")
        assert result.exit_code == 0
        found = [json.loads(line) for line in result.stdout.splitlines()]
        assert [list(load) for load in found] == [["t_s", "mass_g", "sd_g", "samples"]] * 3
        for load, mass_g in zip(found, self.masses_g, strict=True):
            assert abs(load["mass_g"] - mass_g) < 4 * load["sd_g"]
            assert load["sd_g"] < 0.05

    def test_a_recording_in_grams_needs_no_scale(self, tmp_path: Path) -> None:
        scale = SyntheticCell(counts_per_gram=1000.0, zero_counts=0.0, rng=np.random.default_rng(2))
        t_s = scale.stamps(30.0)
        grams = scale.read(t_s, loads(t_s, list(self.masses_g))) / 1000.0
        result = run("weigh", "--from", write_csv(tmp_path / "g.csv", t_s, grams, "grams"))
        found = [float(line.split()[3]) for line in result.stdout.splitlines()]
        assert found == pytest.approx(self.masses_g, abs=0.05)
        assert result.stdout.split()[:5:2] == ["t_s", "mass_g", "sd_g"]

    def test_ctrl_c_leaves_a_recording_unweighed_and_says_so(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def pressed(weigher: object, t_s: float, value: float) -> None:
            raise KeyboardInterrupt

        monkeypatch.setattr("hardware.scale.weighing.Weigher.feed", pressed)
        t_s = np.arange(300) / 10
        result = run("weigh", "--from", write_csv(tmp_path / "g.csv", t_s, np.sin(t_s), "grams"))
        assert (result.exit_code, result.stdout) == (1, "")
        assert "stopped before it was done" in result.stderr

    @pytest.mark.parametrize(
        ("text", "code", "line"),
        [
            ("", "recording_empty", None),
            ("t_s,counts\n", "recording_empty", 1),
            ("0,1\n0.1,2\n", "recording_header", 1),
            ("time,value\n0,1\n", "recording_header", 1),
            ("t_s,counts\n0,1\n0.1,heavy\n", "recording_value", 3),
            ("t_s,counts\n0,1\n0.1,nan\n", "recording_value", 3),
            ("t_s,counts\n0,1\n0.1,inf\n", "recording_value", 3),
            ("t_s,counts\n0,1,2\n", "recording_value", 2),
            ("t_s,counts\n0,1\n\n5,1\n4,1\n", "recording_time", 5),
            ("t_s,counts\n0," + "9" * 5000 + "\n", "recording_value", 2),
            ("t_s,grams\n0,1\n0.1,1\n", "recording_too_short", None),
            ("t_s,counts\n0,1\n0.1,1\n", "scale_missing", None),
            ("\x00\x01\n", "recording_header", 1),
        ],
    )
    def test_a_bad_recording_is_one_clear_sentence(
        self, tmp_path: Path, text: str, code: str, line: int | None
    ) -> None:
        (tmp_path / "bad.csv").write_text(text)
        result = run("weigh", "--from", tmp_path / "bad.csv")
        assert (result.exit_code, result.stdout) == (2, "")
        (sentence,) = result.stderr.splitlines()
        assert sentence.endswith(f"[{code}]")
        assert ("bad.csv, line" in sentence) == (line is not None)
        assert line is None or f"bad.csv, line {line}: " in sentence

    def test_with_json_stderr_has_sentences_as_those_of_the_other_commands(self, tmp_path: Path) -> None:
        (tmp_path / "bad.csv").write_text("time,value\n0,1\n")
        still = write_csv(tmp_path / "still.csv", np.arange(30) / 10, np.zeros(30), "grams")
        for path in (tmp_path / "bad.csv", still):
            plain, for_programs = (run("weigh", "--from", path, *more) for more in ((), ("--json",)))
            assert for_programs.stderr.startswith(f"smugglers weigh: {path}")
            assert (for_programs.exit_code, for_programs.stderr) == (plain.exit_code, plain.stderr)

    def test_a_scale_whose_counts_go_the_other_way_says_what_to_do(self, calibrated: Path, tmp_path: Path) -> None:
        rewired = SyntheticCell(counts_per_gram=-1013.0, rng=np.random.default_rng(9))
        t_s = rewired.stamps(30.0)
        run_csv = write_csv(tmp_path / "run.csv", t_s, rewired.read(t_s, loads(t_s, list(self.masses_g))))
        result = run("weigh", "--from", run_csv, "--scale", calibrated)
        assert result.stdout == ""
        assert "if a mass lies on it, calibrate the scale again [scale_below_zero]" in result.stderr

    def test_files_that_are_missing_folders_or_binary(self, tmp_path: Path) -> None:
        (tmp_path / "binary.csv").write_bytes(bytes(range(128, 256)))
        for path in (tmp_path / "none.csv", tmp_path, tmp_path / "binary.csv"):
            result = run("weigh", "--from", path)
            assert result.exit_code == 2
            assert len(result.stderr.splitlines()) == 1
            assert str(path) in result.stderr

    @pytest.mark.parametrize(
        ("text", "code"),
        [
            ("format = 1", "scale_file_format"),
            ("not toml at all", "scale_file_invalid"),
            (f'format = "{FORMAT}"\nwhite_sd_g = 0.01', "scale_file_invalid"),
            (f'format = "{FORMAT}"\nwhite_sd_g = 0.01\ncounts_per_gram = 0.0', "scale_file_invalid"),
            (f'format = "{FORMAT}"\nwhite_sd_g = -1.0\ncounts_per_gram = 9.0', "scale_file_invalid"),
            (f'format = "{FORMAT}"\nwhite_sd_g = nan\ncounts_per_gram = 9.0', "scale_file_invalid"),
            (f'format = "{FORMAT}"\nwhite_sd_g = 0.1\ncounts_per_gram = "9"', "scale_file_invalid"),
            (f'format = "{FORMAT}"\nwhite_sd_g = 0.1\ncounts_per_gram = 9.0\nfx = 2', "scale_file_invalid"),
            ("[camera]\nfx = 900", "scale_file_format"),
        ],
    )
    def test_a_bad_scale_file_is_one_clear_sentence(self, tmp_path: Path, text: str, code: str) -> None:
        (tmp_path / "scale.toml").write_text(text)
        result = run("weigh", "--from", record(tmp_path, 0.0), "--scale", tmp_path / "scale.toml")
        assert result.exit_code == 2
        assert result.stderr.endswith(f"[{code}]\n")

    def test_every_health_code_has_its_sentence(self) -> None:
        for language in LANGUAGES:
            assert all(f"health.{code}" in words_for(language) for code in HEALTH)


class TestLive:
    model = ScaleModel(
        counts_per_gram=cell().counts_per_gram,
        zero_counts=cell().zero_counts,
        white_sd_g=0.006,
        drift_g_per_sqrt_s=0.003,
    )

    def test_loads_are_printed_as_they_settle(self, capsys: pytest.CaptureFixture[str]) -> None:
        output, console = Output(words_for("en"), True), Console(file=io.StringIO())
        weigh_live(stream((4, 0), (4, 25), (4, 0)), self.model, output, console)
        (line,) = capsys.readouterr().out.splitlines()
        assert json.loads(line)["mass_g"] == pytest.approx(25.0, abs=0.03)

    def test_a_terminal_shows_the_present_reading(self, capsys: pytest.CaptureFixture[str]) -> None:
        screen = io.StringIO()
        console = Console(file=screen, force_terminal=True, width=100, color_system=None)
        weigh_live(stream((4, 0), (4, 25)), self.model, Output(words_for("en"), False), console)
        assert "settled" in screen.getvalue()
        assert "Ctrl-C ends" in screen.getvalue()

    @pytest.mark.parametrize("reason", ["no_answer", "saturated_high"])
    def test_a_terminal_shows_no_reading_of_a_cell_that_fails_and_shows_it_again(self, reason: Reason) -> None:
        screen = io.StringIO()
        console = Console(file=screen, force_terminal=True, width=100, color_system=None)

        def shown() -> str:
            drawn = screen.getvalue()
            screen.seek(0)
            screen.truncate()
            return drawn.rpartition("\x1b[2K")[2]

        def samples() -> Iterator[LiveSample]:
            yield from stream((4, 0), (4, 25))
            assert "settled" in shown()
            yield from (ReadFailure(110.0 + k, reason) for k in range(6))
            assert "no value" in (drawn := shown())
            assert " g " not in drawn.partition("no value")[0]
            yield from stream((4, 25), start_s=120.0)
            assert re.search(r"\+2[45]\.\d+ g", shown())

        weigh_live(samples(), self.model, Output(words_for("en"), False), console)

    def test_a_cell_that_fails_is_told(self, capsys: pytest.CaptureFixture[str]) -> None:
        failures = [ReadFailure(100.0 + k, "no_answer") for k in range(6)]
        railed = [ReadFailure(106.0 + k, "saturated_high") for k in range(6)]
        weigh_live([*failures, *railed], self.model, Output(words_for("en"), False), Console(file=io.StringIO()))
        told = capsys.readouterr()
        assert told.out == ""
        assert "[scale_silent]" in told.err
        assert "[scale_saturated]" in told.err

    def test_nothing_is_read_while_a_game_is_open(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def refuse(_: Settings) -> None:
            raise GameOpenError

        monkeypatch.setattr(scale_session, "refuse_if_game_open", refuse)
        monkeypatch.setattr(scale_session, "conversions", lambda _: pytest.fail("the scale was read"))
        with pytest.raises(GameOpenError):
            next(live_samples(SETTINGS))

    def test_a_game_that_opens_ends_the_weighing(self, monkeypatch: pytest.MonkeyPatch) -> None:
        answers = iter([None, None, GameOpenError()])

        def refuse(_: Settings) -> None:
            if (answer := next(answers)) is not None:
                raise answer

        monkeypatch.setattr(scale_session, "refuse_if_game_open", refuse)
        monkeypatch.setattr(scale_session, "conversions", lambda _: stream((60, 0)))
        taken: list[float] = []
        with pytest.raises(GameOpenError):
            taken.extend(sample.t_s for sample in live_samples(SETTINGS))
        assert 100.0 < taken[-1] < 103.0


@pytest.mark.parametrize("language", LANGUAGES)
def test_pins_that_fail_while_the_scale_is_read_are_one_clear_sentence(
    calibrated: Path, monkeypatch: pytest.MonkeyPatch, language: str
) -> None:
    """lgpio raises an error of its own, which is no `OSError`."""
    time = SimulatedTime(ManualClock(100.0))
    header = Header(time)

    def counts_at(t_s: float) -> float:
        if t_s > 102.0:
            header.broken.add("gpio_read")
        return 1000.0

    wire_scale(header, Hx711Chip(counts_at, start_s=100.0))
    cell = LoadCell(time, package=hx711_on(header))
    monkeypatch.setattr(scale_session, "load_cell_opener", lambda settings: lambda clock: cell)
    monkeypatch.setenv("SMUGGLERS_LANGUAGE", language)
    result = run("weigh", "--scale", calibrated)
    assert result.exit_code == 2
    told = result.stderr.splitlines()[-1]
    assert told.startswith("smugglers weigh: ")
    assert told.endswith(" [scale_pins_failed]")
    if language != "en":
        assert words_for(language).say("calibrate.why.scale_pins_failed") in told
