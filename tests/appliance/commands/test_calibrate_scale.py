"""`smugglers calibrate scale`: from recordings, and guided in a terminal."""

from __future__ import annotations

import io
import re
import tomllib
from collections.abc import Generator
from pathlib import Path

import msgspec
import numpy as np
import pytest
from click.testing import CliRunner
from rich.console import Console

from appliance.cli import main
from appliance.commands.calibrate.terminal_dialogue import TerminalDialogue
from appliance.devices.scale_session import LiveSample
from appliance.guided_calibration.devices import SimulatedDevices
from appliance.guided_calibration.procedures import masses_on_the_pan
from appliance.guided_calibration.results import store_scale
from appliance.words.catalogues import LANGUAGES, words_for
from calibration.save_results import Places
from calibration.scale.points import FitError
from hardware.scale.scale_model import parse_scale
from tests.appliance.commands.scale_files import cell, record, run, stream, write_csv
from tests.hardware.scale.synthetic_cell import SyntheticCell


class TestCalibrate:
    def test_truth_comes_back_and_is_judged(self, calibrated: Path) -> None:
        model = parse_scale(calibrated.read_text())
        assert model.counts_per_gram == pytest.approx(cell().counts_per_gram, rel=1e-3)
        assert model.zero_counts == pytest.approx(cell().zero_counts, abs=30)
        assert model.white_sd_g == pytest.approx(0.006, rel=0.2)

    @pytest.mark.slow
    def test_it_says_what_it_found_and_writes_a_report(self, tmp_path: Path) -> None:
        page = tmp_path / "report.html"
        points = ["--point", f"0={record(tmp_path, 0.0)}", "--point", f"4*euro:2={record(tmp_path, 34.0)}"]
        result = run("calibrate", "scale", *points, "--out", tmp_path / "new" / "scale.toml", "--report", page)
        assert result.exit_code == 0
        for word in ("zero", "span", "noise", "verdict", "4*euro:2", str(page)):
            assert word in result.stdout
        assert page.read_text().startswith("<!doctype html>")

    @pytest.mark.slow
    @pytest.mark.parametrize(
        ("report", "there", "code"),
        [
            ("100g.csv", "100g.csv", "store_report_name"),
            ("rep.pdf", "rep.png", "store_report_name"),
            ("data.png", "data.html", "store_no_report"),
            ("data.html", "data.html", "store_no_report"),
            ("data.HTML", "data.png", "store_no_report"),
        ],
    )
    def test_a_report_replaces_nothing_else(self, report: str, there: str, code: str, tmp_path: Path) -> None:
        points = [part for mass in (0.0, 100.0) for part in ("--point", f"{mass:g}={record(tmp_path, mass)}")]
        kept, out = tmp_path / there, tmp_path / "scale.toml"
        if not kept.exists():
            kept.write_text("mine")
        before = kept.read_bytes()
        result = run("calibrate", "scale", *points, "--out", out, "--report", tmp_path / report)
        assert result.exit_code == 2
        assert result.stderr.rstrip().endswith(f"[{code}]")
        assert kept.read_bytes() == before
        assert not out.exists()

    @pytest.mark.slow
    @pytest.mark.parametrize("name", ["report.html", "report.png", "report.PNG"])
    def test_a_report_replaces_a_former_one(self, name: str, tmp_path: Path) -> None:
        points = [part for mass in (0.0, 100.0) for part in ("--point", f"{mass:g}={record(tmp_path, mass)}")]
        for _ in range(2):
            result = run("calibrate", "scale", *points, "--out", tmp_path / "s.toml", "--report", tmp_path / name)
            assert result.exit_code == 0, result.stderr
        written = {path.suffix.lower(): path.read_bytes() for path in tmp_path.glob("report.*")}
        assert written[".html"].startswith(b"<!doctype html>")
        assert written[".png"].startswith(b"\x89PNG")

    def test_a_load_lifted_before_the_recording_ended_leaves_the_calibration(
        self, calibrated: Path, tmp_path: Path
    ) -> None:
        before = calibrated.read_bytes()
        scale = cell(5)
        t_s = scale.stamps(30.0)
        lifted = write_csv(tmp_path / "lifted.csv", t_s, scale.read(t_s, np.where(t_s < 29.0, 100.0, 0.0)))
        points = ["--point", f"0={record(tmp_path, 0.0)}", "--point", f"100={lifted}"]
        result = run("calibrate", "scale", *points, "--out", calibrated)
        assert result.exit_code == 2
        assert "[recording_moved]" in result.stderr
        assert "before you lift it" in result.stderr
        assert calibrated.read_bytes() == before

    @pytest.mark.parametrize("times", [2, 3])
    def test_a_reading_that_a_logger_wrote_several_times_counts_once(self, times: int, tmp_path: Path) -> None:
        made = []
        for copies in (1, times):
            arguments: list[str | Path] = []
            for mass_g in (0.0, 100.0):
                scale = cell(int(mass_g))
                t_s = scale.stamps(30.0)
                counts = scale.read(t_s, np.full(t_s.size, mass_g))
                file = write_csv(tmp_path / f"{mass_g:g}-{copies}.csv", t_s.repeat(copies), counts.repeat(copies))
                arguments += ["--point", f"{mass_g:g}={file}"]
            out = tmp_path / f"{copies}.toml"
            assert run("calibrate", "scale", *arguments, "--out", out).exit_code == 0
            made.append(msgspec.structs.replace(parse_scale(out.read_text()), made_utc=""))
        assert made[1] == made[0]

    def test_a_quiet_scale_under_stamps_of_whole_seconds_keeps_all_its_readings(self, tmp_path: Path) -> None:
        arguments: list[str | Path] = []
        for mass_g in (0.0, 100.0):
            rng = np.random.default_rng(int(mass_g))
            scale = SyntheticCell(counts_per_gram=1013.0, white_sd_g=0.0003, walk_g_per_sqrt_s=0.0, rng=rng)
            t_s = scale.stamps(30.0)
            counts = scale.read(t_s, np.full(t_s.size, mass_g))
            arguments += ["--point", f"{mass_g:g}={write_csv(tmp_path / f'{mass_g:g}.csv', np.floor(t_s), counts)}"]
        assert run("calibrate", "scale", *arguments, "--out", tmp_path / "scale.toml").exit_code == 0
        assert parse_scale((tmp_path / "scale.toml").read_text()).rate_hz == pytest.approx(10.0, rel=0.05)

    def test_undo_brings_the_one_before_back(self, calibrated: Path, tmp_path: Path) -> None:
        first = calibrated.read_text()
        again = ["--point", f"0={record(tmp_path, 0.0)}", "--point", f"60={record(tmp_path, 60.0)}"]
        assert run("calibrate", "scale", *again, "--out", calibrated).exit_code == 0
        second = calibrated.read_text()
        assert second != first
        assert run("calibrate", "scale", "--undo", "--out", calibrated).exit_code == 0
        assert calibrated.read_text() == first
        assert run("calibrate", "scale", "--undo", "--out", calibrated).exit_code == 0
        assert calibrated.read_text() == second

    def test_nothing_to_undo(self, calibrated: Path) -> None:
        result = run("calibrate", "scale", "--undo", "--out", calibrated)
        assert result.exit_code == 2
        assert "[store_nothing_to_undo]" in result.stderr

    @pytest.mark.parametrize(
        ("points", "code"),
        [
            (["0={0}"], "calibration_points"),
            (["0={0}", "heavy={0}"], "calibration_mass"),
            (["0={0}", "100"], "calibration_no_recording"),
            (["0={0}", "100="], "calibration_no_recording"),
            (["0={0}", "100=missing.csv"], "recording_unreadable"),
            (["0={0}", "100={0}"], "calibration_no_span"),
            (["0={50}", "50={0}"], "calibration_reversed"),
            (["0={100}", "50={50}", "100={0}"], "calibration_reversed"),
            (["50={100}", "100={50}"], "calibration_reversed"),
            (["0={0}", "50={100}", "100={50}"], "calibration_not_a_line"),
            (["0={0}", "100={100}", "100={100}"], "calibration_copied"),
            (["0={0}", "50={50}", "100={50}"], "calibration_copied"),
        ],
    )
    def test_what_cannot_be_fitted_changes_nothing(
        self, calibrated: Path, tmp_path: Path, points: list[str], code: str
    ) -> None:
        before = calibrated.read_text()
        runs = {name: tmp_path / f"{name}g.csv" for name in ("0", "50", "100")}
        given = [part for p in points for part in ("--point", re.sub(r"{(\d+)}", lambda m: str(runs[m[1]]), p))]
        result = run("calibrate", "scale", *given, "--out", calibrated)
        assert result.exit_code == 2
        assert len(result.stderr.splitlines()) == 1
        assert f"[{code}]" in result.stderr
        assert calibrated.read_text() == before

    @pytest.mark.parametrize("typed", ["50", "50g", "50 g"])
    @pytest.mark.parametrize("language", LANGUAGES)
    def test_a_mass_off_the_line_is_named_with_its_unit(
        self, typed: str, language: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("SMUGGLERS_LANGUAGE", language)
        points = [f"0={record(tmp_path, 0.0)}", f"{typed}={record(tmp_path, 70.0)}", f"100={record(tmp_path, 100.0)}"]
        refused = run("calibrate", "scale", *[part for point in points for part in ("--point", point)])
        assert refused.stderr.rstrip().endswith("[calibration_not_a_line]")
        assert " 50 g " in refused.stderr

    def test_a_cell_wired_the_other_way_round_must_be_said_to_be_once(self, tmp_path: Path) -> None:
        """Its right recordings look exactly like swapped ones of another cell."""
        t_s = cell().stamps(30.0)
        for mass_g in (0.0, 50.0):
            scale = SyntheticCell(counts_per_gram=-1013.0, rng=np.random.default_rng(int(mass_g)))
            write_csv(tmp_path / f"{mass_g:g}.csv", t_s, scale.read(t_s, np.full(t_s.size, mass_g)))
        right = ["--point", f"0={tmp_path}/0.csv", "--point", f"50={tmp_path}/50.csv", "--out", f"{tmp_path}/s.toml"]
        swapped = ["--point", f"0={tmp_path}/50.csv", "--point", f"50={tmp_path}/0.csv", "--out", f"{tmp_path}/s.toml"]

        def told(*arguments: str | Path) -> str:
            result = run("calibrate", "scale", *arguments)
            return "kept" if result.exit_code == 0 else result.stderr.rsplit("[", 1)[1].rstrip("]\n")

        assert told(*right) == "calibration_reversed"
        assert told(*swapped, "--inverted") == "calibration_not_reversed"
        assert told(*right, "--inverted") == "kept"
        assert told(*right) == "kept", "the file before has said it"
        assert told(*swapped) == "calibration_not_reversed"
        assert parse_scale((tmp_path / "s.toml").read_text()).counts_per_gram < 0
        assert told(*right, "--not-inverted") == "calibration_reversed"
        assert told(*swapped, "--not-inverted") == "kept", "rewired, and said so"

    def test_the_verdict_does_not_call_falling_counts_fine(self, tmp_path: Path) -> None:
        points = ["--point", f"0={record(tmp_path, 50.0)}", "--point", f"50={record(tmp_path, 0.0)}"]
        result = run("calibrate", "scale", *points, "--inverted", "--out", tmp_path / "scale.toml")
        assert result.exit_code == 0
        assert "as you said" in result.stdout

    def test_a_folder_that_cannot_be_written_is_told(self, tmp_path: Path) -> None:
        (tmp_path / "file").write_text("")
        points = ["--point", f"0={record(tmp_path, 0.0)}", "--point", f"50={record(tmp_path, 50.0)}"]
        result = run("calibrate", "scale", *points, "--out", tmp_path / "file" / "scale.toml")
        assert result.exit_code == 2
        assert "[store_unwritable]" in result.stderr

    def test_coins_are_listed_with_their_source(self) -> None:
        result = run("calibrate", "scale", "--coins")
        assert "euro:2" in result.stdout
        assert "8.500 g" in result.stdout
        assert "729/2014" in result.stdout


class ScaleDevices(SimulatedDevices):
    """Devices whose pan carries one mass after the other, whatever was said to lie on it."""

    def __init__(self, masses_g: list[float]) -> None:
        super().__init__()
        self._masses_g = iter(masses_g)
        self._on_it_g = 0.0

    def samples(self) -> Generator[LiveSample]:
        yield from stream((3, 0.0), (40, self._on_it_g))

    def laid(self, mass_g: float) -> None:
        self._on_it_g = next(self._masses_g)


class TestGuide:
    def walk(self, answers: list[str], masses_g: list[float], out: Path) -> str:
        screen = io.StringIO()
        console = Console(file=screen, force_terminal=True, width=120, color_system=None)
        said = iter(answers)

        def answer(prompt: str = "", **_: object) -> str:
            screen.write(prompt)
            word = next(said)
            if word == "^C":
                raise KeyboardInterrupt
            return word

        console.input = answer  # type: ignore[method-assign,assignment]  # stands in for the keyboard
        devices = ScaleDevices(masses_g)
        with TerminalDialogue(console, words_for("en"), lambda: False) as dialogue:
            points = masses_on_the_pan(dialogue, devices)
        store_scale(points, Places(out, None, words_for("en")))
        return screen.getvalue()

    def test_it_leads_from_the_empty_pan_to_a_stored_scale(self, tmp_path: Path) -> None:
        out = tmp_path / "scale.toml"
        shown = self.walk(["", "?", "lots", "1:euro:2", "0", "50", "100", ""], [0.0, 50.0, 100.0], out)
        assert tomllib.loads(out.read_text())["counts_per_gram"] == pytest.approx(cell().counts_per_gram, rel=1e-3)
        assert "the scale is measuring" in shown
        assert "'lots' is not a mass" in shown
        assert "'1:euro:2': no such coin" in shown
        assert shown.count("The empty pan is known already") == 1

    def test_a_mass_left_on_the_empty_pan_gives_no_scale(self, tmp_path: Path) -> None:
        """100 g lay on it when it was said to be empty, then 50 g alone."""
        with pytest.raises(FitError) as refused:
            self.walk(["", "50", ""], [100.0, 50.0], tmp_path / "scale.toml")
        assert refused.value.code == "calibration_reversed"
        assert list(tmp_path.iterdir()) == []

    def test_aborting_leaves_everything_as_it_is(self, tmp_path: Path) -> None:
        out = tmp_path / "scale.toml"
        out.write_text("before")
        with pytest.raises(KeyboardInterrupt):
            self.walk(["", "50", "^C"], [0.0, 50.0], out)
        assert [path.name for path in tmp_path.iterdir()] == ["scale.toml"]
        assert out.read_text() == "before"

    def test_the_command_says_that_it_was_aborted(self, tmp_path: Path) -> None:
        result = CliRunner().invoke(
            main, ["calibrate", "scale", "--twin", "--out", str(tmp_path / "scale.toml")], input=""
        )
        assert result.exit_code == 1
        assert "as it was" in result.stderr
        assert list(tmp_path.iterdir()) == []
