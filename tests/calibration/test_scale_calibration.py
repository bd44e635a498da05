"""Calibration of the scale: fits known truth, refuses what makes no scale."""

from __future__ import annotations

import math
import tomllib

import numpy as np
import pytest

from appliance.words.catalogues import words_for
from calibration.report.report_page import html_page
from calibration.scale.coins import KnownMass, parse_mass
from calibration.scale.count_recording import CountRecording
from calibration.scale.fit import fit_scale, to_toml
from calibration.scale.points import FitError
from calibration.scale.report import scale_page
from calibration.scale.verdict import scale_verdict
from hardware.scale.scale_model import ScaleError, parse_scale
from tests.calibration.scale_recordings import NOW, fit, grams, record
from tests.hardware.scale.synthetic_cell import SyntheticCell

pytestmark = pytest.mark.slow


class TestFit:
    @pytest.mark.parametrize("span", [1013.0, -101.3])
    def test_zero_and_span_with_true_standard_errors(self, span: float) -> None:
        scores = []
        for seed in range(60):
            cell = SyntheticCell(
                counts_per_gram=span, walk_g_per_sqrt_s=0.002, white_sd_g=0.02, rng=np.random.default_rng(seed)
            )
            found = fit(cell, 0.0, 50.0, 100.0, lasting_s=30.0)
            scores.append((found.model.counts_per_gram - span) / found.span_se)
        assert abs(np.mean(scores)) < 0.5
        assert 0.6 < np.std(scores) < 1.5

    def test_masses_that_are_not_what_they_say_widen_the_stated_error(self) -> None:
        masses_g, scores = (0.0, 20.0, 40.0, 60.0, 80.0, 100.0), []
        for seed in range(30):
            rng = np.random.default_rng(seed)
            cell = SyntheticCell(walk_g_per_sqrt_s=0.0, rng=rng)
            points = [(grams(mass_g), record(cell, mass_g + rng.normal(0, 0.1), 12.0)) for mass_g in masses_g]
            found = fit_scale(points, NOW)
            scores.append((found.model.counts_per_gram - cell.counts_per_gram) / found.span_se)
        # Student's t with four degrees of freedom has a standard deviation of 1.41.
        assert np.std(scores) < 2.2

    def test_a_zero_that_drifts_alike_in_all_recordings_has_a_wide_error(self) -> None:
        """A value that moves steadily by a range has a standard deviation of the range over the root of twelve."""
        cell = SyntheticCell(white_sd_g=0.002, walk_g_per_sqrt_s=0.0, rng=np.random.default_rng(1))
        points = []
        for mass_g in (0.0, 50.0, 100.0):
            t_s = cell.stamps(60.0)
            values = cell.read(t_s, mass_g + 0.5 * t_s / 60.0)
            run = CountRecording(name="run", unit="counts", t_s=tuple(t_s.tolist()), values=tuple(values.tolist()))
            points.append((grams(mass_g), run))
        found = fit_scale(points, NOW)
        assert found.zero_se_counts / abs(cell.counts_per_gram) == pytest.approx(0.5 / math.sqrt(12), rel=0.2)
        assert found.span_se / abs(cell.counts_per_gram) < 1e-3, "what is common shifts the zero alone"

    def test_recordings_of_two_rates_have_the_noise_of_one(self) -> None:
        """The same chip's noise, eight times as often: its density is what stays."""
        slow = SyntheticCell(white_sd_g=0.02, walk_g_per_sqrt_s=0.0, rng=np.random.default_rng(1))
        fast = SyntheticCell(
            rate_hz=80.0, white_sd_g=0.02 * math.sqrt(8), walk_g_per_sqrt_s=0.0, rng=np.random.default_rng(2)
        )
        points = [(grams(mass_g), record(cell, mass_g)) for cell, mass_g in ((slow, 0.0), (slow, 50.0), (fast, 100.0))]
        model = fit_scale(points, NOW).model
        assert model.rate_hz == pytest.approx(10.0, rel=0.02)
        assert model.white_sd_g == pytest.approx(0.02, rel=0.1)

    def test_the_error_of_a_point_does_not_depend_on_its_rate(self) -> None:
        """A minute of white noise of one density has one mean error, however often it was sampled."""
        shares = []
        for seed in range(6):
            rng = np.random.default_rng(seed)
            slow = SyntheticCell(rate_hz=10.0, white_sd_g=0.02, walk_g_per_sqrt_s=0.0, rng=rng)
            fast = SyntheticCell(rate_hz=80.0, white_sd_g=0.02 * math.sqrt(8), walk_g_per_sqrt_s=0.0, rng=rng)
            points = [(grams(mass), record(cell, mass)) for mass, cell in ((0, slow), (50, slow), (100, fast))]
            first, _, last = fit_scale(points, NOW).points
            shares.append(last.sd_counts / first.sd_counts)
        assert np.mean(shares) == pytest.approx(1.0, rel=0.05)

    def test_points_on_a_line_have_small_residuals(self) -> None:
        found = fit(SyntheticCell(rng=np.random.default_rng(1)), 0.0, 20.0, 50.0, 100.0)
        assert all(abs(point.residual_g) < 4 * point.residual_sd_g + 1e-3 for point in found.points)

    def test_a_curved_scale_shows_in_the_residuals(self) -> None:
        cell = SyntheticCell(walk_g_per_sqrt_s=0.0, rng=np.random.default_rng(1))
        points = [(grams(m), record(cell, m + 0.0001 * m * (100.0 - m))) for m in (0.0, 50.0, 100.0)]
        residuals = [point.residual_g for point in fit_scale(points, NOW).points]
        # A bow of 0.25 g at the middle leaves +1/6, −1/3 … of it after a line through three equal points.
        assert residuals == pytest.approx([-0.0833, 0.1667, -0.0833], abs=0.01)

    def test_a_mistyped_mass_is_refused(self) -> None:
        cell = SyntheticCell(rng=np.random.default_rng(1))
        points = [(grams(typed), record(cell, true)) for typed, true in ((0.0, 0.0), (100.0, 100.0), (200.0, 150.0))]
        with pytest.raises(FitError, match="mistyped") as refused:
            fit_scale(points, NOW)
        assert refused.value.code == "calibration_not_a_line"

    def test_two_files_swapped_are_told_from_masses_that_read_alike(self) -> None:
        cell = SyntheticCell(rng=np.random.default_rng(1))
        points = [(grams(typed), record(cell, true)) for typed, true in ((0.0, 0.0), (200.0, 100.0), (100.0, 200.0))]
        with pytest.raises(FitError) as refused:
            fit_scale(points, NOW)
        assert refused.value.code == "calibration_not_a_line"

    @pytest.mark.parametrize("typed_g", [1e-8, 0.001, 0.1])
    def test_masses_too_light_to_be_true_give_no_scale(self, typed_g: float) -> None:
        """100 g, typed as less: the scale would be at its end stop under a sphere, and seem wonderfully fine."""
        cell = SyntheticCell(rng=np.random.default_rng(1), counts_per_gram=8000.0)
        with pytest.raises(FitError, match="mistyped") as refused:
            fit_scale([(grams(0.0), record(cell, 0.0)), (grams(typed_g), record(cell, 100.0))], NOW)
        assert refused.value.code == "calibration_no_room"

    def test_a_scale_must_carry_the_heaviest_sphere(self) -> None:
        """A ball of 45 mm of putty at 1.14 g/cm³ weighs 54 g. The chip ends at 8,388,607 counts."""
        sphere_g = 1.14 * math.pi / 6 * 4.5**3

        def cell(carried_g: float) -> SyntheticCell:
            return SyntheticCell(counts_per_gram=(8_388_607 - 84_321) / carried_g, rng=np.random.default_rng(1))

        with pytest.raises(FitError) as refused:
            fit(cell(0.9 * sphere_g), 0.0, 20.0)
        assert refused.value.code == "calibration_no_room"
        fit(cell(1.1 * sphere_g), 0.0, 20.0)

    def test_one_mass_twice_does_not_show_whether_the_scale_is_linear(self) -> None:
        cell = SyntheticCell(rng=np.random.default_rng(1))
        fit = fit_scale([(grams(m), record(cell, m)) for m in (0.0, 100.0, 100.0)], NOW)
        codes = {each.code for each in scale_verdict(fit).said}
        assert "verdict.scale.two_points" in codes
        assert "verdict.scale.line" not in codes

    def test_a_mass_that_never_lay_on_the_pan_is_refused(self) -> None:
        cell = SyntheticCell(rng=np.random.default_rng(1))
        with pytest.raises(FitError) as refused:
            fit_scale([(grams(0.0), record(cell, 0.0)), (grams(100.0), record(cell, 0.0))], NOW)
        assert refused.value.code == "calibration_no_span"

    @pytest.mark.parametrize("unit_s", [1 / 86_400, 1e-6, 1e-300])
    def test_stamps_that_are_not_seconds_are_refused_and_not_reckoned_with_for_minutes(self, unit_s: float) -> None:
        cell, points = SyntheticCell(rng=np.random.default_rng(1)), []
        for mass in (0.0, 100.0):
            run = record(cell, mass)
            t_s = tuple(unit_s * t for t in run.t_s)
            points.append((grams(mass), CountRecording(name="run.csv", unit="counts", t_s=t_s, values=run.values)))
        with pytest.raises(FitError, match="must be in seconds") as refused:
            fit_scale(points, NOW)
        assert refused.value.code == "recording_too_fast"

    @pytest.mark.parametrize("samples", [20, 21, 300])
    def test_a_recording_of_a_moment_by_a_fast_converter_makes_a_scale(self, samples: int) -> None:
        rng, points = np.random.default_rng(1), []
        for mass_g in (0.0, 100.0):
            values = tuple(rng.normal(1000.0 * mass_g, 20.0, samples).round().tolist())
            t_s = tuple(number / 4000 for number in range(samples))
            points.append((grams(mass_g), CountRecording(name="run.csv", unit="counts", t_s=t_s, values=values)))
        assert fit_scale(points, NOW).model.counts_per_gram == pytest.approx(1000.0, rel=0.01)

    @pytest.mark.parametrize(
        ("masses", "lasting_s", "unit", "code"),
        [
            ((0.0,), 60.0, "counts", "calibration_points"),
            ((5.0, 5.0), 60.0, "counts", "calibration_points"),
            ((0.0, 10.0), 1.0, "counts", "recording_too_short"),
            ((0.0, 10.0), 60.0, "grams", "calibration_unit"),
        ],
    )
    def test_what_makes_no_scale_is_refused(
        self, masses: tuple[float, ...], lasting_s: float, unit: str, code: str
    ) -> None:
        cell = SyntheticCell(rng=np.random.default_rng(1))
        points = []
        for mass in masses:
            run = record(cell, mass, lasting_s)
            points.append(
                (grams(mass), CountRecording(name="run.csv", unit=unit, t_s=run.t_s, values=run.values))  # type: ignore[arg-type]  # parametrised
            )
        with pytest.raises(FitError) as refused:
            fit_scale(points, NOW)
        assert refused.value.code == code

    @pytest.mark.parametrize("rate_hz", [10.0, 80.0])
    @pytest.mark.parametrize(
        ("begins_s", "lowered_s", "ends_s"),
        [(2.0, 0.0, 60.0), (0.0, 0.0, 59.5), (15.0, 0.0, 45.0), (4.0, 3.0, 60.0)],
        ids=["laid late", "lifted early", "laid and lifted", "lowered slowly"],
    )
    def test_a_load_that_changed_while_it_was_recorded_is_refused(
        self, begins_s: float, lowered_s: float, ends_s: float, rate_hz: float
    ) -> None:
        cell = SyntheticCell(rate_hz=rate_hz, rng=np.random.default_rng(1))
        t_s = cell.stamps(60.0)
        lain = np.clip((t_s - begins_s) / max(lowered_s, 1e-9), 0.0, 1.0) * (t_s < ends_s)
        values = cell.read(t_s, 100.0 * lain)
        moved = CountRecording(name="moved.csv", unit="counts", t_s=tuple(t_s.tolist()), values=tuple(values.tolist()))
        with pytest.raises(FitError, match="for 100 changed") as refused:
            fit_scale([(grams(0.0), record(cell, 0.0)), (grams(100.0), moved)], NOW)
        assert refused.value.code == "recording_moved"

    def test_a_coin_that_slid_off_a_load_while_it_was_recorded_is_refused(self) -> None:
        cell = SyntheticCell(rng=np.random.default_rng(1))
        t_s = cell.stamps(60.0)
        values = cell.read(t_s, np.where(t_s < 30.0, 100.0, 92.5))  # a euro of 7.5 g
        slid = CountRecording(name="slid.csv", unit="counts", t_s=tuple(t_s.tolist()), values=tuple(values.tolist()))
        with pytest.raises(FitError) as refused:
            fit_scale([(grams(0.0), record(cell, 0.0)), (grams(100.0), slid)], NOW)
        assert refused.value.code == "recording_moved"

    def test_a_load_that_is_lifted_in_every_recording_is_refused(self) -> None:
        cell, points = SyntheticCell(rng=np.random.default_rng(1)), []
        for mass_g in (50.0, 100.0):
            t_s = cell.stamps(30.0)
            values = cell.read(t_s, np.where(t_s < 29.0, mass_g, 0.0))
            run = CountRecording(name="run.csv", unit="counts", t_s=tuple(t_s.tolist()), values=tuple(values.tolist()))
            points.append((grams(mass_g), run))
        with pytest.raises(FitError) as refused:
            fit_scale(points, NOW)
        assert refused.value.code == "recording_moved"

    @pytest.mark.parametrize("light_g", [2.0, 100.0])
    def test_hum_spikes_gaps_and_drift_are_no_change_of_the_load(self, light_g: float) -> None:
        for hum_hz in (0.3, 1.0, 4.3):
            cell = SyntheticCell(
                hum_g=0.05, hum_hz=hum_hz, spikes_per_min=10.0, walk_g_per_sqrt_s=0.005, rng=np.random.default_rng(4)
            )
            points = []
            for mass_g in (0.0, light_g):
                run = record(cell, mass_g)
                kept = [(t, v) for t, v in zip(run.t_s, run.values, strict=True) if t % 20 < 14]
                times, values = zip(*kept, strict=True)
                points.append((grams(mass_g), CountRecording(name="run", unit="counts", t_s=times, values=values)))
            assert fit_scale(points, NOW).model.counts_per_gram == pytest.approx(cell.counts_per_gram, rel=0.02)

    def test_a_saturated_recording_is_refused(self) -> None:
        run = record(SyntheticCell(), 0.0)
        railed = CountRecording(name="r.csv", unit="counts", t_s=run.t_s, values=(8388607.0,) * len(run.t_s))
        with pytest.raises(FitError) as refused:
            fit_scale([(grams(0.0), run), (grams(9.0), railed)], NOW)
        assert refused.value.code == "recording_saturated"

    def test_a_single_reading_at_the_end_stop_spoils_no_recording(self) -> None:
        cell = SyntheticCell(rng=np.random.default_rng(1))
        points = []
        for mass_g in (0.0, 50.0, 100.0):
            run = record(cell, mass_g)
            values = (*run.values[:99], 8388607.0, *run.values[100:])
            points.append((grams(mass_g), CountRecording(name="run.csv", unit="counts", t_s=run.t_s, values=values)))
        assert fit_scale(points, NOW).model.counts_per_gram == pytest.approx(cell.counts_per_gram, rel=0.001)

    def test_coins_carry_their_own_uncertainty_into_the_span(self) -> None:
        cell = SyntheticCell(rng=np.random.default_rng(1))
        coin = parse_mass("4*euro:2")
        exact = KnownMass(coin.mass_g, 0.0, "exact")
        empty, loaded = record(cell, 0.0), record(cell, coin.mass_g)
        by_coin = fit_scale([(grams(0.0), empty), (coin, loaded)], NOW).model.span_rel_sd
        by_mass = fit_scale([(grams(0.0), empty), (exact, loaded)], NOW).model.span_rel_sd
        assert by_coin == pytest.approx(math.hypot(by_mass, coin.sd_g / coin.mass_g), rel=0.05)
        assert parse_mass("euro:2").sd_g == pytest.approx(0.051), "0.6 % of 8.5 g"

    def test_the_stored_file_says_the_same(self) -> None:
        model = fit(SyntheticCell(rng=np.random.default_rng(1)), 0.0, 100.0).model
        again = parse_scale(to_toml(model))
        assert again.counts_per_gram == pytest.approx(model.counts_per_gram, rel=1e-8)
        assert [point.mass_g for point in again.points] == [0.0, 100.0]
        assert tomllib.loads(to_toml(model))["made_utc"] == "2026-03-01T12:00:00+00:00"

    def test_a_stored_file_that_is_cut_is_refused(self) -> None:
        lines = to_toml(fit(SyntheticCell(rng=np.random.default_rng(1)), 0.0, 100.0).model).splitlines(keepends=True)
        with pytest.raises(ScaleError, match=f"cut after line {len(lines) - 4}") as refused:
            parse_scale("".join(lines[:-4]))
        assert (refused.value.code, refused.value.values["line"]) == ("scale_file_cut", len(lines) - 4)


def laid_down(cell: SyntheticCell, mass_g: float, lasting_s: float) -> CountRecording:
    """A recording that begins two seconds after the mass was put on, when hardly any creep has happened."""
    t_s = cell.stamps(lasting_s + 3.0)
    values = cell.read(t_s, np.where(t_s < 1.0, 0.0, mass_g))
    kept = t_s > 3.0
    return CountRecording(
        name="creep.csv", unit="counts", t_s=tuple(t_s[kept].tolist()), values=tuple(values[kept].tolist())
    )


class TestCreep:
    @pytest.mark.parametrize("true", [0.0, 0.002, 0.004])
    def test_masses_that_lie_for_ten_minutes_show_it(self, true: float) -> None:
        found = []
        for seed in range(12):
            cell = SyntheticCell(
                creep_fraction=true, creep_s=600.0, walk_g_per_sqrt_s=0.0006, rng=np.random.default_rng(seed)
            )
            points = [(grams(mass), laid_down(cell, mass, 600.0)) for mass in (0.0, 100.0, 200.0)]
            found.append(fit_scale(points, NOW).model.creep_fraction)
        assert np.mean(found) == pytest.approx(true, abs=0.0003)
        assert np.std(found) < 0.0004

    def test_a_short_look_leaves_what_data_sheets_say(self) -> None:
        cell = SyntheticCell(creep_fraction=0.0, rng=np.random.default_rng(3))
        points = [(grams(mass), laid_down(cell, mass, 20.0)) for mass in (0.0, 50.0)]
        assert fit_scale(points, NOW).model.creep_fraction == pytest.approx(0.0005, abs=0.0003)

    def test_a_zero_that_drifts_steadily_is_not_taken_for_creep(self) -> None:
        cell = SyntheticCell(walk_g_per_sqrt_s=0.0003, rng=np.random.default_rng(5))
        points = []
        for mass in (0.0, 100.0):
            still = laid_down(cell, mass, 600.0)
            ramped = tuple(
                value + 0.0004 * t_s * cell.counts_per_gram for t_s, value in zip(still.t_s, still.values, strict=True)
            )
            points.append((grams(mass), CountRecording(name="ramp.csv", unit="counts", t_s=still.t_s, values=ramped)))
        assert fit_scale(points, NOW).model.creep_fraction == pytest.approx(0.0, abs=0.0006)


def strange_times(rng: np.random.Generator, count: int) -> list[float]:
    kinds = [np.arange(count) / 10, np.zeros(count), np.cumsum(rng.exponential(1e-6, count)), np.arange(count) // 3]
    return [float(t) for t in kinds[rng.integers(len(kinds))]]


def strange_values(rng: np.random.Generator, count: int) -> list[float]:
    kinds = [
        np.zeros(count),
        np.arange(count),
        rng.normal(0, 1, count).round(),
        rng.integers(-8388608, 8388607, count),
        np.repeat(rng.normal(0, 1e5, count // 5 + 1), 5)[:count],
        rng.normal(float(rng.integers(10**6)), 1.0, count).round(),
    ]
    return [float(v) for v in kinds[rng.integers(len(kinds))]]


@pytest.mark.parametrize("drawn", [1, pytest.param(100, marks=pytest.mark.soak)])
def test_strange_recordings_give_a_scale_that_can_be_stored_or_a_clear_refusal(drawn: int) -> None:
    """Every scale is stored. A report takes half a second to draw: `make test` draws that of one."""
    outcomes = set[str]()
    for seed in range(3000):
        rng = np.random.default_rng(seed)
        points = []
        for _ in range(rng.integers(1, 4)):
            count = int(rng.choice([1, 2, 19, 20, 40, 300]))
            times, values = strange_times(rng, count), strange_values(rng, count)
            run = CountRecording(name="r.csv", unit="counts", t_s=tuple(times), values=tuple(values))
            points.append((grams(float(rng.choice([0.0, 1e-9, 50.0, 100.0]))), run))
        try:
            found = fit_scale(points, NOW)
        except FitError as error:
            outcomes.add(error.code)
        else:
            assert parse_scale(to_toml(found.model)).counts_per_gram != 0
            if drawn:
                drawn -= 1
                assert "</html>" in html_page(scale_page(found, scale_verdict(found), words_for("en")))
            outcomes.add("fitted")
    refused = {"recording_too_short", "recording_too_fast", "calibration_points", "calibration_no_span"}
    assert outcomes >= {"fitted", *refused}
