"""The noise of a recording: white noise, drift, hum and spikes are told apart."""

from __future__ import annotations

import math

import msgspec
import numpy as np
import pytest

from calibration.scale.count_recording import CountRecording, read_recording
from calibration.scale.noise import allan_deviation, guess_model, measure_noise
from tests.calibration.scale_recordings import record
from tests.hardware.scale.synthetic_cell import SyntheticCell

pytestmark = pytest.mark.slow


class TestNoise:
    @pytest.mark.parametrize("rate_hz", [10.0, 80.0])
    def test_white_noise_and_drift_are_told_apart(self, rate_hz: float) -> None:
        whites, walks = [], []
        for seed in range(12):
            cell = SyntheticCell(
                rate_hz=rate_hz, white_sd_g=0.01, walk_g_per_sqrt_s=0.004, rng=np.random.default_rng(seed)
            )
            noise = measure_noise(record(cell, 0.0, 240.0))
            whites.append(noise.white_sd / abs(cell.counts_per_gram))
            walks.append(noise.drift_per_sqrt_s / abs(cell.counts_per_gram))
        assert np.mean(whites) == pytest.approx(0.01, rel=0.05)
        assert np.sqrt(np.mean(np.square(walks))) == pytest.approx(0.004, rel=0.35)

    @pytest.mark.parametrize("hum_g", [0.02, SyntheticCell.white_sd_g])
    def test_hum_is_found_with_its_frequency_and_strength(self, hum_g: float) -> None:
        cell = SyntheticCell(rate_hz=80.0, hum_g=hum_g, hum_hz=18.37, rng=np.random.default_rng(3))
        noise = measure_noise(record(cell, 0.0, 60.0))
        assert noise.hum_hz == pytest.approx(18.37, abs=0.02)
        assert noise.hum / abs(cell.counts_per_gram) == pytest.approx(hum_g, rel=0.15)
        assert noise.white_sd / abs(cell.counts_per_gram) == pytest.approx(cell.white_sd_g, rel=0.1)

    @pytest.mark.parametrize("rate_hz", [10.0, 80.0])
    @pytest.mark.parametrize("share", [0.06, 0.075, 0.09, 0.11, 0.14, 0.2, 0.3, 0.43])
    def test_a_strong_hum_is_neither_spikes_nor_noise_at_any_frequency(self, rate_hz: float, share: float) -> None:
        t_s = 1000 + np.arange(int(60 * rate_hz)) / rate_hz
        white = np.random.default_rng(1).normal(0.0, 1.0, len(t_s))
        counts = np.round(1e5 + 10 * np.sin(2 * np.pi * share * rate_hz * t_s) + white)
        noise = measure_noise(CountRecording(name="", unit="counts", t_s=tuple(t_s), values=tuple(counts)))
        assert noise.hum_hz == pytest.approx(share * rate_hz, abs=0.001)
        assert noise.hum == pytest.approx(10.0, rel=0.03)
        assert noise.white_sd == pytest.approx(math.hypot(1.0, 1 / math.sqrt(12)), rel=0.1)
        assert noise.spikes_per_min == 0.0

    @pytest.mark.parametrize("share", [0.1, 0.3, 0.5])
    def test_the_spectrum_holds_the_power_of_the_samples(self, share: float) -> None:
        """Parseval: the density squared, over all frequencies, is the mean square, also at half the sample rate."""
        t_s = np.arange(2560) / 10
        white = np.random.default_rng(2).normal(0.0, 0.5, 2560)
        wave = 10 * np.cos(2 * np.pi * share * np.arange(2560)) + white
        noise = measure_noise(CountRecording(name="", unit="counts", t_s=tuple(t_s), values=tuple(wave)))
        power = np.sum(np.square(noise.density)) * noise.frequency_hz[0]
        assert power == pytest.approx(np.mean(wave**2), rel=0.03)

    @pytest.mark.parametrize("rate_hz", [10.0, 80.0])
    def test_no_hum_is_found_where_there_is_none(self, rate_hz: float) -> None:
        for seed in range(30):
            cell = SyntheticCell(rate_hz=rate_hz, rng=np.random.default_rng(seed))
            assert measure_noise(record(cell, 0.0, 60.0)).hum == 0.0

    def test_spikes_are_counted_and_kept_out_of_the_noise(self) -> None:
        cell = SyntheticCell(spikes_per_min=6.0, rng=np.random.default_rng(3))
        noise = measure_noise(record(cell, 0.0, 600.0))
        assert noise.spikes_per_min == pytest.approx(6.0, abs=2.0)
        assert noise.white_sd / abs(cell.counts_per_gram) == pytest.approx(cell.white_sd_g, rel=0.1)

    @pytest.mark.parametrize("place", [0, -1], ids=["first", "last"])
    def test_a_spike_at_either_end_is_kept_out_of_the_noise_too(self, place: int) -> None:
        cell = SyntheticCell(rng=np.random.default_rng(3))
        steady = record(cell, 100.0, 30.0)
        counts = list(steady.values)
        counts[place] = 0.0
        noise = measure_noise(msgspec.structs.replace(steady, values=tuple(counts)))
        assert noise.spikes_per_min == pytest.approx(2.0, rel=0.02)
        assert noise.white_sd / abs(cell.counts_per_gram) == pytest.approx(cell.white_sd_g, rel=0.2)

    def test_allan_deviation_of_white_noise_falls_as_one_over_root_tau(self) -> None:
        values = np.random.default_rng(1).normal(0, 2.0, 40_000)
        taus, allan = allan_deviation(values, 10.0)
        assert taus[0] == 0.1
        np.testing.assert_allclose(allan[:7], 2.0 / np.sqrt(taus[:7] * 10.0), rtol=0.06)

    def test_allan_deviation_of_a_ramp_rises_with_tau(self) -> None:
        taus, allan = allan_deviation(np.linspace(0.0, 499.5, 1000), 10.0)
        np.testing.assert_allclose(allan, 5.0 * taus / math.sqrt(2), rtol=1e-9)

    def test_a_guess_from_a_run_with_loads_is_not_fooled_by_them(self) -> None:
        cell = SyntheticCell(counts_per_gram=1e6, zero_counts=0.0, rng=np.random.default_rng(3))
        t_s = cell.stamps(200.0)
        values = cell.read(t_s, np.where(t_s % 20 > 10, 25.0, 0.0)) / 1e6
        run = CountRecording(name="r", unit="grams", t_s=tuple(t_s.tolist()), values=tuple(values.tolist()))
        model = guess_model(run)
        assert model.white_sd_g == pytest.approx(cell.white_sd_g, rel=0.25)
        assert model.drift_g_per_sqrt_s < 3 * cell.walk_g_per_sqrt_s

    @pytest.mark.parametrize("asked_hz", [16.0, 20.0, 47.0])
    def test_a_logger_that_asks_more_often_than_the_chip_converts_makes_no_better_scale(self, asked_hz: float) -> None:
        cell = SyntheticCell(rate_hz=10.0, rng=np.random.default_rng(5))
        once = record(cell, 0.0, 120.0)
        asked_s = np.arange(0.2, 119.0, 1 / asked_hz)
        newest = np.searchsorted(once.t_s, asked_s, side="right") - 1
        lines = [f"{t_s:.4f},{once.values[k]:.0f}" for t_s, k in zip(asked_s, newest, strict=True)]
        often = read_recording(["t_s,counts", *lines], "often.csv")
        assert often.rate_hz == pytest.approx(10.0, rel=0.07)
        assert measure_noise(often).white_sd == pytest.approx(measure_noise(once).white_sd, rel=0.1)

    def test_a_scale_that_rests_and_rounds_keeps_all_its_readings(self) -> None:
        chance = np.random.default_rng(5)
        grams = np.repeat(chance.uniform(0, 40, 60).round(2), chance.integers(1, 60, 60))
        lines = [f"{0.1 * k:.1f},{mass_g}" for k, mass_g in enumerate(grams)]
        assert len(read_recording(["t_s,grams", *lines], "display.csv").values) == len(grams)
