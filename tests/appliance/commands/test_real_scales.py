"""Recordings of real scales, calibrated and weighed by the commands."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from hardware.scale.scale_model import parse_scale
from tests.appliance.commands.scale_files import run

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
