"""Wires, chips and elbows: what goes wrong at a scale is told, and is no mass."""

from __future__ import annotations

import math

import numpy as np
import pytest

from hardware.scale.scale_model import COUNTS_MAX, COUNTS_MIN, ScaleModel
from hardware.scale.weighing import Weigher
from tests.hardware.scale.synthetic_cell import Floats, SyntheticCell
from tests.hardware.scale.weighed import codes, model_of, settled, weigh

pytestmark = pytest.mark.slow


class TestTrouble:
    """Wires, chips and elbows."""

    cell = SyntheticCell(rate_hz=10.0)

    def quiet(self, lasting_s: float, start_s: float = 0.0, load_g: float = 0.0) -> tuple[Floats, Floats]:
        t_s = np.arange(round(lasting_s * 10)) / 10.0
        cell = SyntheticCell(rng=np.random.default_rng(4))
        return start_s + t_s, cell.read(t_s, np.full(t_s.size, load_g))

    @pytest.mark.parametrize("rail", [COUNTS_MAX, COUNTS_MIN])
    def test_a_loose_wire_saturates_and_mends(self, rail: int) -> None:
        weigher = Weigher(model_of(self.cell))
        weigh(weigher, *self.quiet(5))
        torn = weigh(weigher, 5 + np.arange(20) / 10, np.full(20, rail))
        assert codes(torn) == ["scale_saturated"]
        assert codes(weigh(weigher, *self.quiet(5, start_s=7)))[-1] == "scale_ok"

    def test_one_saturated_sample_is_a_spike(self) -> None:
        weigher = Weigher(model_of(self.cell))
        t_s, counts = self.quiet(10)
        counts[50] = COUNTS_MAX
        assert codes(weigh(weigher, t_s, counts)) == ["scale_ok"]

    @pytest.mark.parametrize("noise_counts", [0.1, 0.3, 0.6, 1.0])
    @pytest.mark.parametrize("calibrated_counts", [1.0, 5.0])
    def test_a_quiet_scale_is_not_called_frozen(self, noise_counts: float, calibrated_counts: float) -> None:
        """Calibrated on a noisy afternoon, it rests on one value for a minute at night."""
        model = ScaleModel(counts_per_gram=8_000, white_sd_g=calibrated_counts / 8_000)
        rng, weigher = np.random.default_rng(3), Weigher(model)
        night = np.where(np.arange(12_000) < 6_000, 1.0, 0.55)
        counts = np.round(0.3 + np.arange(12_000) / 8_000 + rng.normal(0, noise_counts, 12_000) * night)
        assert "scale_frozen" not in codes(weigh(weigher, np.arange(12_000) / 10, counts))

    def test_what_stops_moving_is_told_within_two_seconds(self) -> None:
        """30 counts of noise, as a cell of 500 g shows."""
        rng, weigher = np.random.default_rng(3), Weigher(ScaleModel(counts_per_gram=8_000, white_sd_g=30 / 8_000))
        counts = np.round(rng.normal(84_000, 30, 320))
        counts[300:] = counts[300]
        told = weigh(weigher, np.arange(320) / 10, counts)
        assert codes(told)[-1] == "scale_frozen"
        assert told[-1].t_s - 30.0 <= 2.0

    def test_a_stuck_value_is_frozen_until_it_moves(self) -> None:
        weigher = Weigher(model_of(self.cell))
        t_s, counts = self.quiet(30)
        counts[100:200] = counts[100]
        assert codes(weigh(weigher, t_s, counts)) == ["scale_ok", "scale_frozen", "scale_ok"]

    def test_a_value_that_was_stuck_before_the_start_is_frozen_within_a_minute(self) -> None:
        stuck = np.full(600, self.cell.zero_counts)
        assert codes(weigh(Weigher(model_of(self.cell)), np.arange(600) / 10, stuck))[-1] == "scale_frozen"

    def test_silence_is_told_once_and_ends(self) -> None:
        weigher = Weigher(model_of(self.cell))
        t_s, counts = self.quiet(5, load_g=0.0)
        weigh(weigher, t_s, counts)
        told = [reading for k in range(100) for reading in weigher.tick(5.0 + 0.2 * k)]
        assert codes(told) == ["scale_silent"]
        assert told[0].t_s == pytest.approx(6.9, abs=0.31)
        assert codes(weigh(weigher, *self.quiet(3, start_s=25)))[-1] == "scale_ok"

    def test_silence_from_the_start_is_told(self) -> None:
        weigher = Weigher(model_of(self.cell))
        assert codes([r for k in range(20) for r in weigher.tick(1000.0 + 0.2 * k)]) == ["scale_silent"]

    def test_a_pan_that_never_rests_is_told_and_not_weighed(self) -> None:
        weigher = Weigher(model_of(self.cell))
        weigh(weigher, *self.quiet(5))
        t_s = 5 + np.arange(150) / 10
        shaking = self.cell.zero_counts + 3000 * np.sin(2 * np.pi * 0.7 * t_s) - 20_000
        readings = weigh(weigher, t_s, shaking)
        assert codes(readings) == ["scale_shaking"]
        assert settled(readings) == []

    def test_time_that_jumps_back_starts_afresh(self) -> None:
        weigher = Weigher(model_of(self.cell))
        weigh(weigher, *self.quiet(5, start_s=5000))
        readings = weigh(weigher, *self.quiet(5)) + weigh(weigher, *self.quiet(5, start_s=5, load_g=20.0))
        assert [reading.mass_g for reading in settled(readings)] == pytest.approx([20.0], abs=0.03)

    def test_repeated_and_late_stamps_are_left_out(self) -> None:
        t_s, counts = self.quiet(5)
        t2_s, counts2 = self.quiet(5, start_s=5, load_g=20.0)
        t_s, counts = np.r_[t_s, t2_s], np.r_[counts, counts2]
        plain = settled(weigh(Weigher(model_of(self.cell)), t_s, counts))
        doubled = np.repeat(t_s, 2)
        doubled[1::2] -= np.where(np.arange(t_s.size) % 3 == 0, 0.05, 0.0)
        muddled = settled(weigh(Weigher(model_of(self.cell)), doubled, np.repeat(counts, 2)))
        assert muddled == plain

    def test_a_gap_in_the_samples_widens_the_error(self) -> None:
        cell = SyntheticCell(walk_g_per_sqrt_s=0.01, rng=np.random.default_rng(2))
        t_s = np.r_[np.arange(100) / 10, 190 + np.arange(50) / 10]
        counts = cell.read(t_s, np.where(t_s >= 190, 20.0, 0.0))
        (reading,) = settled(weigh(Weigher(model_of(cell)), t_s, counts))
        assert reading.sd_g == pytest.approx(0.01 * math.sqrt(180), rel=0.1)
        assert abs(reading.mass_g - 20.0) < 4 * reading.sd_g

    def test_a_warming_scale_says_so(self) -> None:
        cell = SyntheticCell(rng=np.random.default_rng(2))
        t_s = np.arange(9000) / 10
        counts = cell.read(t_s, np.where(t_s < 400, t_s * 0.02, 8.0))
        found = codes(weigh(Weigher(model_of(cell)), t_s, counts))
        assert found == ["scale_ok", "scale_warming_up", "scale_ok"]
