"""`smugglers weigh` and `smugglers calibrate scale`, as a maker runs them."""

from __future__ import annotations

import io
import json
import os
import re
import tomllib
from collections.abc import Generator, Iterator
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result
from rich.console import Console

from appliance.cli import main
from appliance.commands.calibrate.terminal_dialogue import TerminalDialogue
from appliance.commands.weigh import weigh_live
from appliance.devices import scale_session
from appliance.devices.scale_session import LiveSample, live_samples
from appliance.guided_calibration.devices import SimulatedDevices
from appliance.guided_calibration.procedures import masses_on_the_pan
from appliance.guided_calibration.results import Places, store_scale
from appliance.journal.open_game_check import GameOpenError
from appliance.settings import Settings
from appliance.words import LANGUAGES, words
from calibration.scale.points import FitError
from hardware.scale.load_cell import ReadFailure, Sample
from hardware.scale.scale_model import FORMAT, ScaleModel, parse_scale
from hardware.scale.weighing_health import HEALTH
from tests.hardware.scale.synthetic_cell import Floats, SyntheticCell, loads

SETTINGS = Settings(data_dir=".")


def run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(main, [str(argument) for argument in arguments], catch_exceptions=False)


def write_csv(path: Path, t_s: Floats, values: Floats, unit: str = "counts") -> Path:
    rows = [f"{t:.4f},{v:.10g}" for t, v in zip(t_s, values, strict=True)]
    path.write_text("\n".join([f"t_s,{unit}", *rows]) + "\n")
    return path


def cell(seed: int = 1) -> SyntheticCell:
    return SyntheticCell(counts_per_gram=1013.0, rng=np.random.default_rng(seed))


def record(folder: Path, mass_g: float, lasting_s: float = 30.0) -> Path:
    scale = cell(int(mass_g))
    t_s = scale.stamps(lasting_s)
    return write_csv(folder / f"{mass_g:g}g.csv", t_s, scale.read(t_s, np.full(t_s.size, mass_g)))


@pytest.fixture
def calibrated(tmp_path: Path) -> Path:
    out = tmp_path / "scale.toml"
    points = [f"{mass:g}={record(tmp_path, mass)}" for mass in (0.0, 50.0, 100.0)]
    result = run("calibrate", "scale", *[part for point in points for part in ("--point", point)], "--out", out)
    assert result.exit_code == 0, result.stderr
    return out


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
        result = run("weigh", "--from", tmp_path / "bad.csv", "--json")
        assert result.exit_code == 2
        assert result.stdout == ""
        error = json.loads(result.stderr)
        assert (error["code"], error.get("line")) == (code, line)
        plain = run("weigh", "--from", tmp_path / "bad.csv")
        assert plain.exit_code == 2
        assert len(plain.stderr.splitlines()) == 1
        assert f"[{code}]" in plain.stderr

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
        result = run("weigh", "--from", record(tmp_path, 0.0), "--scale", tmp_path / "scale.toml", "--json")
        assert result.exit_code == 2
        assert json.loads(result.stderr)["code"] == code

    def test_every_health_code_has_its_sentence(self) -> None:
        for language in LANGUAGES:
            assert all(f"health.{code}" in words(language) for code in HEALTH)


def stream(*stretches: tuple[float, float], start_s: float = 100.0) -> Iterator[LiveSample]:
    """Yield live samples of stretches of (seconds, grams)."""
    scale = cell(4)
    load_g = np.concatenate([np.full(round(s * 10), float(g)) for s, g in stretches])
    t_s = start_s + np.arange(load_g.size) / 10
    for t, counts in zip(t_s, scale.read(t_s, load_g), strict=True):
        yield Sample(float(t), int(counts))


class TestLive:
    model = ScaleModel(
        counts_per_gram=cell().counts_per_gram,
        zero_counts=cell().zero_counts,
        white_sd_g=0.006,
        drift_g_per_sqrt_s=0.003,
    )

    def test_loads_are_printed_as_they_settle(self, capsys: pytest.CaptureFixture[str]) -> None:
        weigh_live(stream((4, 0), (4, 25), (4, 0)), self.model, True, Console(file=io.StringIO()))
        (line,) = capsys.readouterr().out.splitlines()
        assert json.loads(line)["mass_g"] == pytest.approx(25.0, abs=0.03)

    def test_a_terminal_shows_the_present_reading(self, capsys: pytest.CaptureFixture[str]) -> None:
        screen = io.StringIO()
        console = Console(file=screen, force_terminal=True, width=100, color_system=None)
        weigh_live(stream((4, 0), (4, 25)), self.model, False, console)
        assert "settled" in screen.getvalue()
        assert "Ctrl-C ends" in screen.getvalue()

    def test_a_cell_that_fails_is_told(self, capsys: pytest.CaptureFixture[str]) -> None:
        failures = [ReadFailure(100.0 + k, "no_answer") for k in range(6)]
        railed = [ReadFailure(106.0 + k, "saturated_high") for k in range(6)]
        weigh_live([*failures, *railed], self.model, False, Console(file=io.StringIO()))
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


class TestCalibrate:
    def test_truth_comes_back_and_is_judged(self, calibrated: Path) -> None:
        model = parse_scale(calibrated.read_text())
        assert model.counts_per_gram == pytest.approx(cell().counts_per_gram, rel=1e-3)
        assert model.zero_counts == pytest.approx(cell().zero_counts, abs=30)
        assert model.white_sd_g == pytest.approx(0.006, rel=0.2)

    def test_it_says_what_it_found_and_writes_a_report(self, tmp_path: Path) -> None:
        page = tmp_path / "report.html"
        points = ["--point", f"0={record(tmp_path, 0.0)}", "--point", f"4*euro:2={record(tmp_path, 34.0)}"]
        result = run("calibrate", "scale", *points, "--out", tmp_path / "new" / "scale.toml", "--report", page)
        assert result.exit_code == 0
        for word in ("zero", "span", "noise", "verdict", "4*euro:2", str(page)):
            assert word in result.stdout
        assert page.read_text().startswith("<!doctype html>")

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
            (["0={0}", "100"], "calibration_mass"),
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

    def test_a_cell_wired_the_other_way_round_must_be_said_to_be_once(self, tmp_path: Path) -> None:
        """Its right recordings look exactly like swapped ones of another cell."""
        t_s = cell().stamps(30.0)
        for mass_g in (0.0, 50.0):
            scale = SyntheticCell(counts_per_gram=-1013.0, rng=np.random.default_rng(int(mass_g)))
            write_csv(tmp_path / f"{mass_g:g}.csv", t_s, scale.read(t_s, np.full(t_s.size, mass_g)))
        right = ["--point", f"0={tmp_path}/0.csv", "--point", f"50={tmp_path}/50.csv", "--out", tmp_path / "s.toml"]
        swapped = ["--point", f"0={tmp_path}/50.csv", "--point", f"50={tmp_path}/0.csv", "--out", tmp_path / "s.toml"]

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
        assert "as was said" in result.stdout

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
        with TerminalDialogue(console, words("en"), lambda: False) as dialogue:
            points = masses_on_the_pan(dialogue, devices)
        store_scale(points, Places(out, None, words("en")))
        return screen.getvalue()

    def test_it_leads_from_the_empty_pan_to_a_stored_scale(self, tmp_path: Path) -> None:
        out = tmp_path / "scale.toml"
        shown = self.walk(["", "?", "lots", "0", "50", "100", ""], [0.0, 50.0, 100.0], out)
        assert tomllib.loads(out.read_text())["counts_per_gram"] == pytest.approx(cell().counts_per_gram, rel=1e-3)
        assert "holding still" in shown
        assert "is not a mass" in shown

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


DATA = os.environ.get("SMUGGLERS_DATA")


@pytest.mark.skipif(DATA is None, reason="SMUGGLERS_DATA names no folder with recordings")
class TestRealRecordings:
    """One real bench scale (drifting by tens of grams) and one real idle scale (drift, spikes, knocks)."""

    counts = Path(DATA or ".") / "counts"

    @pytest.fixture
    def scale(self, tmp_path: Path) -> Path:
        out = tmp_path / "scale.toml"
        points = [f"{mass}={self.counts}/bench_scale_{mass:03d}g.csv" for mass in (0, 100, 200)]
        given = [part for point in points for part in ("--point", point)]
        result = run("calibrate", "scale", *given, "--inverted", "--out", out)
        assert result.exit_code == 0, result.stderr
        return out

    def test_its_recordings_are_refused_swapped_and_until_it_is_said_to_be_inverted(self, tmp_path: Path) -> None:
        """The bench scale's counts fall by 101 a gram, as the repository it comes from has it."""

        def told(*masses: int, options: tuple[str, ...] = ()) -> str:
            names = (f"{self.counts}/bench_scale_{mass:03d}g.csv" for mass in (0, 100, 200))
            given = [f"--point={mass}={name}" for mass, name in zip(masses, names, strict=False)]
            result = run("calibrate", "scale", *given, *options, "--out", tmp_path / "scale.toml")
            assert not (tmp_path / "scale.toml").exists()
            return result.stderr.rsplit("[", 1)[1].rstrip("]\n")

        assert told(0, 100) == told(0, 100, 200) == "calibration_reversed"
        assert told(100, 0, options=("--inverted",)) == "calibration_not_reversed"
        assert told(200, 100, 0, options=("--inverted",)) == "calibration_not_reversed"
        assert told(100, 0, 200, options=("--inverted",)) == "calibration_not_a_line"
        assert told(0, 200, 100, options=("--inverted",)) == "calibration_not_a_line"

    def lines(self, stretch: int) -> list[tuple[float, list[str]]]:
        """100 samples of each mass from the same stretch of the three recordings: empty, 100 g, empty, 200 g."""
        found = []
        for mass in (0, 100, 0, 200):
            rows = (self.counts / f"bench_scale_{mass:03d}g.csv").read_text().splitlines()[1:]
            found.append((float(mass), [row.split(",")[1] for row in rows[stretch * 300 : stretch * 300 + 100]]))
        return found

    def test_span_is_about_101_counts_per_gram_downwards(self, scale: Path) -> None:
        model = parse_scale(scale.read_text())
        assert model.counts_per_gram == pytest.approx(-101.0, abs=4.0)
        assert abs(model.counts_per_gram + 101.0) < 2 * model.span_rel_sd * 101.0

    def test_steps_of_100_and_200_g_are_told_apart_while_it_drifts(self, scale: Path, tmp_path: Path) -> None:
        rows = [row for stretch in range(2, 9) for _, part in self.lines(stretch) for row in part]
        text = "t_s,counts\n" + "".join(f"{0.2 * k:.1f},{row}\n" for k, row in enumerate(rows))
        (tmp_path / "steps.csv").write_text(text)
        result = run("weigh", "--from", tmp_path / "steps.csv", "--scale", scale, "--json")
        found = [json.loads(line) for line in result.stdout.splitlines()]
        assert len(found) == 14
        truth = [100.0, 200.0] * 7
        for load, mass_g in zip(found, truth, strict=True):
            assert load["mass_g"] == pytest.approx(mass_g, rel=0.1)
            assert abs(load["mass_g"] - mass_g) < 4 * load["sd_g"]

    @pytest.mark.parametrize("mass", [100, 200])
    def test_a_load_from_before_the_start(self, scale: Path, mass: int) -> None:
        result = run("weigh", "--from", self.counts / f"bench_scale_{mass}g.csv", "--scale", scale, "--json")
        (load,) = [json.loads(line) for line in result.stdout.splitlines()]
        assert abs(load["mass_g"] - mass) < 2.5 * load["sd_g"]

    def test_the_drifting_empty_pan_weighs_nothing(self, scale: Path) -> None:
        result = run("weigh", "--from", self.counts / "bench_scale_000g.csv", "--scale", scale)
        assert (result.exit_code, result.stdout) == (0, "")

    def test_the_knocked_idle_scale_weighs_nothing(self) -> None:
        result = run("weigh", "--from", self.counts / "idle_drift_10hz.csv")
        assert (result.exit_code, result.stdout) == (0, "")
        assert "[scale_below_zero]" in result.stderr
