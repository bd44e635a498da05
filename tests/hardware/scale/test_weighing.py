"""Counts with known truth through the weigher: masses, their stated errors, and nothing that is not there."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hardware.readings import DeviceHealth, LoadRemoved, MassSettled
from hardware.scale.scale_model import COUNTS_MAX, COUNTS_MIN, ScaleModel
from hardware.scale.weighing import ScaleReading, Weigher
from hardware.scale.weighing_health import HEALTH
from tests.hardware.scale.synthetic_cell import Floats, SyntheticCell, loads
from tests.hardware.scale.weighed import codes, model_of, settled, weigh

pytestmark = pytest.mark.slow


def bound_g(cell: SyntheticCell, load_samples: int, gap_s: float, empty_s: float = 4.0) -> float:
    """The Cramér–Rao bound of a mass by generalised least squares, from the noise's covariance alone."""
    step_s = 1 / cell.rate_hz
    empty = np.arange(round(empty_s * cell.rate_hz)) * step_s
    loaded = empty[-1] + gap_s + np.arange(load_samples) * step_s
    t_s = np.concatenate([empty, loaded])
    cov = cell.walk_g_per_sqrt_s**2 * np.minimum.outer(t_s, t_s) + cell.white_sd_g**2 * np.eye(t_s.size)
    design = np.stack([np.ones(t_s.size), np.r_[np.zeros(empty.size), np.ones(load_samples)]], axis=1)
    return math.sqrt(np.linalg.inv(design.T @ np.linalg.solve(cov, design))[1, 1])


CELLS = {
    "quiet_10": {"rate_hz": 10.0, "white_sd_g": 0.0012, "walk_g_per_sqrt_s": 0.0005},
    "quiet_80": {"rate_hz": 80.0, "white_sd_g": 0.0021, "walk_g_per_sqrt_s": 0.0005},
    "cheap_10": {"rate_hz": 10.0, "white_sd_g": 0.0058, "walk_g_per_sqrt_s": 0.003, "spikes_per_min": 6.0},
    "cheap_80": {"rate_hz": 80.0, "white_sd_g": 0.0105, "walk_g_per_sqrt_s": 0.003, "clock_jitter": 0.4},
    "drifting": {"rate_hz": 10.0, "white_sd_g": 0.006, "walk_g_per_sqrt_s": 0.05, "landing_s": 0.1},
    "humming_10": {"rate_hz": 10.0, "white_sd_g": 0.006, "hum_g": 0.02, "hum_hz": 2.7183},
    "humming_80": {"rate_hz": 80.0, "white_sd_g": 0.0105, "hum_g": 0.03, "hum_hz": 29.871},
    "creeping": {"rate_hz": 10.0, "white_sd_g": 0.0012, "walk_g_per_sqrt_s": 0.0005, "creep_fraction": 0.0005},
}


def weigh_many(name: str, count: int, seed: int) -> tuple[SyntheticCell, Floats, Floats, list[MassSettled]]:
    """Weigh `count` known loads; return the cell, errors, stated deviations, readings."""
    cell = SyntheticCell(rng=np.random.default_rng(seed), **CELLS[name])
    masses_g = list(cell.rng.uniform(4.0, 40.0, count))
    t_s = cell.stamps(count * 10.0)
    readings = weigh(Weigher(model_of(cell)), t_s, cell.read(t_s, loads(t_s, masses_g)))
    found = settled(readings)
    turns = [int(reading.t_s // 10) for reading in found]
    assert turns == list(range(count)), "one settled mass for every load, and none besides"
    errors = np.array([reading.mass_g - masses_g[turn] for reading, turn in zip(found, turns, strict=True)])
    return cell, errors, np.array([reading.sd_g for reading in found]), found


@pytest.mark.parametrize("name", CELLS)
def test_masses_are_true_and_so_are_their_errors(name: str) -> None:
    _, errors, stated, found = weigh_many(name, 60, seed=11)
    assert abs(errors.mean()) < 4 * stated.mean() / math.sqrt(60)
    assert np.abs(errors / stated).max() < 4.5
    assert 0.75 < np.sqrt(np.mean((errors / stated) ** 2)) < 1.3
    waited = [reading.t_s % 10 - 5 for reading in found]
    assert np.median(waited) < 2.5
    assert max(waited) < 4.5


def test_weighing_goes_on_while_it_helps_and_never_longer_than_its_limit() -> None:
    def weighed(white_sd_g: float, mass_g: float) -> tuple[float, float]:
        """Return the seconds from the landing to the mass, and the stated deviation."""
        cell = SyntheticCell(rng=np.random.default_rng(5), rate_hz=10.0, white_sd_g=white_sd_g)
        t_s = cell.stamps(20.0)
        (mass,) = settled(weigh(Weigher(model_of(cell)), t_s, cell.read(t_s, loads(t_s, [mass_g], 20.0))))
        return mass.t_s - 15.0, mass.sd_g

    # A mean of n samples errs by white / √n: 0.02 g takes 16 samples of 0.08 g; 100 of 0.2 g are never waited for.
    quiet, noisy, coarse = (weighed(white_sd_g, 20.0) for white_sd_g in (0.005, 0.08, 0.2))
    assert quiet[0] < 2.0
    assert quiet[0] + 0.3 < noisy[0]
    assert noisy[1] == pytest.approx(0.02, abs=0.004)
    assert noisy[0] + 0.5 < coarse[0] < 4.0
    assert coarse[1] > 0.03
    # How long it takes says nothing of the mass.
    assert [weighed(0.08, mass_g)[0] for mass_g in (20.01, 20.2, 35.0)] == [pytest.approx(noisy[0], abs=0.11)] * 3


@pytest.mark.parametrize("name", ["quiet_10", "quiet_80", "cheap_10", "cheap_80", "drifting"])
def test_as_precise_as_twice_the_bound(name: str) -> None:
    cell, errors, _, found = weigh_many(name, 60, seed=12)
    bounds = np.array([bound_g(cell, reading.samples, 0.5) for reading in found])
    assert np.sqrt(np.mean((errors / bounds) ** 2)) < 2.0


@pytest.mark.soak
@pytest.mark.parametrize("name", CELLS)
def test_stated_intervals_hold(name: str) -> None:
    _, errors, stated, _ = weigh_many(name, 2500, seed=13)
    held = float(np.mean(np.abs(errors) < 1.96 * stated))
    print(f"{name}: of 2500 95 % intervals {100 * held:.1f} % hold; bias {errors.mean() / stated.mean():+.3f} sd")
    assert 0.93 <= held <= 0.97


@pytest.mark.parametrize("name", CELLS)
def test_an_idle_hour_weighs_nothing(name: str) -> None:
    cell = SyntheticCell(rng=np.random.default_rng(21), **(CELLS[name] | {"spikes_per_min": 10.0}))
    t_s = cell.stamps(3600.0 if cell.rate_hz == 10 else 900.0)
    readings = weigh(Weigher(model_of(cell)), t_s, cell.read(t_s, np.zeros(t_s.size)))
    assert settled(readings) == []
    assert not [reading for reading in readings if isinstance(reading, LoadRemoved)]
    assert set(codes(readings)) <= {"scale_ok", "scale_warming_up"}


class TestLoads:
    """What lies on the pan, over time."""

    cell = SyntheticCell(rate_hz=10.0)

    def run(self, *stretches: tuple[float, float], model: ScaleModel | None = None) -> list[ScaleReading]:
        """Weigh stretches of (seconds, grams)."""
        load_g = np.concatenate([np.full(round(s * self.cell.rate_hz), float(g)) for s, g in stretches])
        cell = SyntheticCell(rate_hz=self.cell.rate_hz, rng=np.random.default_rng(5))
        t_s = np.arange(load_g.size) / cell.rate_hz
        return weigh(Weigher(model or model_of(cell)), t_s, cell.read(t_s, load_g))

    def test_a_long_load_is_said_once_and_its_removal_once(self) -> None:
        readings = self.run((5, 0), (300, 22.7), (5, 0))
        assert [type(r) for r in readings if not isinstance(r, DeviceHealth)] == [MassSettled, LoadRemoved]
        assert settled(readings)[0].mass_g == pytest.approx(22.7, abs=0.02)

    def test_a_swap_without_emptying_is_a_new_load(self) -> None:
        found = settled(self.run((5, 0), (5, 22.7), (5, 18.1), (5, 30.0), (5, 0)))
        assert [reading.mass_g for reading in found] == pytest.approx([22.7, 18.1, 30.0], abs=0.03)

    def test_a_swap_for_one_that_weighs_almost_the_same_is_a_new_load(self) -> None:
        found = settled(self.run((5, 0), (5, 22.7), (0.4, 60), (5, 22.2), (5, 21.5), (5, 0)))
        assert [reading.mass_g for reading in found] == pytest.approx([22.7, 22.2, 21.5], abs=0.03)

    def test_a_nudge_of_the_load_is_no_new_load(self) -> None:
        assert len(settled(self.run((5, 0), (5, 22.7), (0.4, 60), (5, 22.7), (0.3, 10), (5, 22.7)))) == 1

    def test_a_touch_of_the_empty_pan_is_no_load(self) -> None:
        readings = self.run((5, 0), (0.4, 80), (3, 0), (0.2, -30), (5, 0))
        assert settled(readings) == []
        assert codes(readings)[-1] == "scale_ok"

    def test_a_crumb_left_on_the_pan_is_told_and_not_weighed_with_the_next(self) -> None:
        readings = self.run((5, 0), (5, 25.0), (5, 0.4), (5, 20.4), (5, 0.4))
        assert [reading.mass_g for reading in settled(readings)] == pytest.approx([25.0, 20.0], abs=0.02)
        assert "scale_residue" in codes(readings)

    def test_a_load_from_before_the_start_rests_on_the_calibrated_zero(self) -> None:
        readings = self.run((5, 25.0), (5, 0), (5, 12.0), model=model_of(self.cell, zero_sd_g=0.5))
        removed = next(number for number, reading in enumerate(readings) if isinstance(reading, LoadRemoved))
        assert codes(readings[:removed]) == ["scale_not_empty_at_start"], "it lasts until the pan was empty"
        first, second = settled(readings)
        assert abs(first.mass_g - 25.0) < 3 * first.sd_g
        assert first.sd_g == pytest.approx(0.5, rel=0.05)
        assert second.mass_g == pytest.approx(12.0, abs=0.02)

    def test_a_zero_that_moved_under_a_load_is_told_when_the_load_is_gone(self) -> None:
        for moved_g in (-0.3, 0.3):
            readings = self.run((5, 0), (5, 20.0 + moved_g), (5, moved_g))
            assert codes(readings)[-1] == ("scale_bumped" if moved_g < 0 else "scale_residue")

    def test_a_pan_lifted_off_with_its_load_is_a_load_removed(self) -> None:
        readings = self.run((5, 0), (5, 20.0), (28, -60), (5, 0), (5, 25.0))
        told = [type(reading) for reading in readings if not isinstance(reading, DeviceHealth)]
        assert told == [MassSettled, LoadRemoved, MassSettled]

    def test_a_load_lifted_before_it_is_weighed_is_a_load_removed(self) -> None:
        readings = self.run((5, 0), (1.2, 20.0), (5, 0))
        assert [type(reading) for reading in readings if not isinstance(reading, DeviceHealth)] == [LoadRemoved]

    def test_a_pan_lifted_off_and_put_back(self) -> None:
        readings = self.run((5, 0), (10, -80), (3, 0), (5, 25.0))
        assert "scale_below_zero" in codes(readings)
        assert [reading.mass_g for reading in settled(readings)] == pytest.approx([25.0], abs=0.02)

    def test_a_pan_lifted_off_for_long_and_put_back_is_no_load(self) -> None:
        readings = self.run((5, 0), (60, -80), (5, 0), (5, 25.0), (5, 0), (60, -80), (5, 0), (5, 12.0))
        assert [reading.mass_g for reading in settled(readings)] == pytest.approx([25.0, 12.0], abs=0.02)

    def test_another_lighter_pan_becomes_the_new_zero(self) -> None:
        found = settled(self.run((5, 0), (25, -15), (5, 10), (5, -15)))
        assert [reading.mass_g for reading in found] == pytest.approx([25.0], abs=0.02)

    def test_a_load_as_heavy_as_a_pan_that_was_taken_away_is_weighed(self) -> None:
        """After the first load on the new pan nobody puts the old one back."""
        found = settled(self.run((5, 0), (25, -15), (5, 10), (5, -15), (5, 0), (5, -15)))
        assert [reading.mass_g for reading in found] == pytest.approx([25.0, 15.0], abs=0.02)

    def test_a_zero_that_was_higher_minutes_ago_hides_no_load(self) -> None:
        t_s = np.arange(9000) / 10.0
        zero_g = np.interp(t_s, [0, 100, 200, 300], [0.0, 10.0, 10.0, 0.0])
        cell = SyntheticCell(rng=np.random.default_rng(8))
        readings = weigh(Weigher(model_of(cell)), t_s, cell.read(t_s, zero_g + np.where(t_s > 880, 6.0, 0.0)))
        assert [reading.mass_g for reading in settled(readings)] == pytest.approx([6.0], abs=0.05)

    def test_touches_that_move_the_zero_widen_no_error(self) -> None:
        touches = [stretch for k in range(40) for stretch in ((3, 0.2 * (k % 2)), (0.2, 60))]
        (calm,), (touched,) = settled(self.run((150, 0), (5, 20.0))), settled(self.run(*touches, (5, 0), (5, 20.0)))
        assert touched.sd_g < 1.5 * calm.sd_g

    def test_what_creeps_has_an_error_that_covers_it(self) -> None:
        """The load goes on sinking while it is averaged, so that no average removes it."""
        cell = SyntheticCell(
            white_sd_g=0.001, walk_g_per_sqrt_s=0.0002, creep_fraction=0.01, creep_s=60.0, rng=np.random.default_rng(3)
        )
        t_s = cell.stamps(100.0)
        found = settled(weigh(Weigher(model_of(cell)), t_s, cell.read(t_s, loads(t_s, [40.0] * 10))))
        assert len(found) == 10
        assert all(abs(reading.mass_g - 40.0) < 3 * reading.sd_g for reading in found)

    def test_a_span_that_is_known_to_a_hundredth_leaves_a_hundredth_of_a_mass_unsure(self) -> None:
        (sure,) = settled(self.run((5, 0), (5, 40.0)))
        (unsure,) = settled(self.run((5, 0), (5, 40.0), model=model_of(self.cell, span_rel_sd=0.01)))
        assert unsure.mass_g == sure.mass_g
        assert unsure.sd_g == pytest.approx(math.hypot(sure.sd_g, 0.4), rel=0.01)

    @pytest.mark.parametrize(("lowered_s", "masses_g"), [(1.5, [10.0]), (5.0, [])])
    def test_a_load_of_which_half_takes_longer_than_a_second_to_arrive_is_drift(
        self, lowered_s: float, masses_g: list[float]
    ) -> None:
        cell = SyntheticCell(rng=np.random.default_rng(5))
        t_s = np.arange(250) / 10.0
        load_g = np.clip((t_s - 8.0) / lowered_s, 0.0, 1.0) * 10.0
        readings = weigh(Weigher(model_of(cell)), t_s, cell.read(t_s, load_g))
        assert [reading.mass_g for reading in settled(readings)] == pytest.approx(masses_g, abs=0.05)

    def test_slow_drift_is_followed_and_not_weighed(self) -> None:
        cell = SyntheticCell(rng=np.random.default_rng(8))
        t_s = np.arange(6000) / 10.0
        drift_g = 40.0 * (1 - np.exp(-t_s / 200))
        readings = weigh(Weigher(model_of(cell)), t_s, cell.read(t_s, drift_g + np.where(t_s > 590, 20.0, 0.0)))
        assert [reading.mass_g for reading in settled(readings)] == pytest.approx([20.0], abs=0.15)

    def test_a_heavier_load_than_the_range_is_told_not_weighed(self) -> None:
        readings = self.run((5, 0), (5, 400.0), (5, 0), (5, 20.0), model=model_of(self.cell, range_g=200.0))
        assert "scale_overloaded" in codes(readings)
        assert [reading.mass_g for reading in settled(readings)] == pytest.approx([20.0], abs=0.02)


Numbers = st.one_of(
    st.floats(allow_nan=True, allow_infinity=True),
    st.integers(COUNTS_MIN - 10, COUNTS_MAX + 10).map(float),
    st.floats(-1e5, 1e5),
)


@given(
    st.lists(st.tuples(st.one_of(st.floats(-10, 1e3), Numbers), Numbers), max_size=80),
    st.sampled_from([0.0, 0.05]),
)
@settings(max_examples=200)
def test_no_numbers_ever_raise(samples: list[tuple[float, float]], hum_g: float) -> None:
    weigher = Weigher(model_of(SyntheticCell(), hum_g=hum_g, hum_hz=2.5))
    for t_s, counts in samples:
        for reading in weigher.feed(t_s, counts) + weigher.tick(t_s):
            assert math.isfinite(reading.t_s)
            if isinstance(reading, DeviceHealth):
                assert reading.status == HEALTH[reading.code]
            if isinstance(reading, MassSettled):
                assert math.isfinite(reading.mass_g)
                assert reading.sd_g > 0


@given(st.lists(st.sampled_from([0.0, 0.3, 5.0, 12.0, 38.0, -20.0, 300.0, 1e9]), max_size=12), st.integers(0, 2**31))
@settings(max_examples=40)
def test_readings_come_in_order_and_removals_follow_masses(steps: list[float], seed: int) -> None:
    cell = SyntheticCell(rng=np.random.default_rng(seed), spikes_per_min=20.0, clock_jitter=0.5)
    load_g = np.repeat([0.0, *steps], 40)
    t_s = np.cumsum(cell.rng.uniform(0.05, 0.15, load_g.size))
    readings = weigh(Weigher(model_of(cell)), t_s, cell.read(t_s, load_g))
    stamps = [reading.t_s for reading in readings]
    assert stamps == sorted(stamps)
    loaded = False
    for reading in readings:
        if isinstance(reading, LoadRemoved):
            assert loaded
            loaded = False
        loaded = loaded or isinstance(reading, MassSettled)
