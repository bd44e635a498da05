"""The guided calibration of the scale: masses that people name, and points that hold still."""

from __future__ import annotations

import math

import numpy as np
import pytest

from calibration.scale.coins import CURRENCIES, KnownMass, MassError, parse_mass
from calibration.scale.guide import PointCollector
from tests.calibration.scale_recordings import grams
from tests.hardware.scale.synthetic_cell import SyntheticCell

pytestmark = pytest.mark.slow


class TestCoins:
    def test_masses_and_coins_are_read(self) -> None:
        assert parse_mass("100") == KnownMass(100.0, 0.0, "100")
        assert parse_mass(" 12.5g ").mass_g == parse_mass("12,5").mass_g == 12.5
        assert parse_mass("4*euro:2 + pound:1").mass_g == pytest.approx(4 * 8.5 + 8.75)
        assert 0 < parse_mass("4*euro:2").sd_g / 34.0 < parse_mass("euro:2").sd_g / 8.5

    @pytest.mark.parametrize(
        "text",
        ["", "heavy", "nan", "-5", "inf", "euro:3", "x*euro:1", "1e9", "2*", "=", "١٢g+", "1,000", "1e-9", "0.05"],
    )
    def test_what_is_no_mass_is_refused(self, text: str) -> None:
        with pytest.raises(MassError):
            parse_mass(text)

    def test_every_coin_has_a_source_and_a_plausible_mass(self) -> None:
        for key, currency in CURRENCIES.items():
            assert currency.source
            assert all(0.9 < mass_g < 20 for mass_g in currency.coins.values())
            assert all(parse_mass(f"{key}:{coin}").mass_g == mass_g for coin, mass_g in currency.coins.items())


class TestGuide:
    cell = SyntheticCell(rng=np.random.default_rng(6))

    def test_a_point_is_done_after_it_held_still_long_enough(self) -> None:
        collector = PointCollector(grams(20.0), wanted_s=10.0)
        t_s = self.cell.stamps(30.0)
        counts = self.cell.read(t_s, np.full(t_s.size, 20.0))
        done = [t for t, c in zip(t_s, counts, strict=True) if collector.feed(float(t), float(c)).done]
        assert 10.0 < done[0] < 13.0
        assert len(collector.recording().values) >= 100

    def test_a_nudge_starts_it_again(self) -> None:
        collector = PointCollector(grams(20.0), wanted_s=10.0)
        t_s = self.cell.stamps(30.0)
        counts = self.cell.read(t_s, np.where((t_s > 8) & (t_s < 9), 60.0, 20.0))
        progress = [collector.feed(float(t), float(c)) for t, c in zip(t_s, counts, strict=True)]
        shares = [p.share for p in progress]
        nudged = next(i for i in range(1, len(shares)) if shares[i] < shares[i - 1])
        assert 7.9 < t_s[nudged] < 8.5
        first_done = next(t for t, p in zip(t_s, progress, strict=True) if p.done)
        assert 19.0 < first_done < 23.0
        assert max(abs(v - np.median(collector.recording().values)) for v in collector.recording().values) < 60

    def test_a_drifting_scale_is_still_enough(self) -> None:
        collector = PointCollector(grams(0.0), wanted_s=5.0)
        assert any(collector.feed(k / 10, 1000.0 + 0.5 * k + (k % 3)).done for k in range(100))

    def test_numbers_that_are_none_are_left_out(self) -> None:
        collector = PointCollector(grams(0.0), wanted_s=5.0)
        for t_s, counts in ((math.nan, 1.0), (0.0, math.nan), (math.inf, 1.0), (0.0, 1.0), (0.0, 1.0), (-5.0, 1.0)):
            assert not collector.feed(t_s, counts).done
