"""What is said of a calibration: good or not, why, and in which report."""

from __future__ import annotations

import math
from datetime import UTC, datetime

import numpy as np
import pytest

from appliance.words.catalogues import words_for
from calibration.report.report_page import html_page
from calibration.scale.coins import KnownMass, parse_mass
from calibration.scale.fit import fit_scale
from calibration.scale.report import scale_page
from calibration.scale.verdict import scale_verdict, stale_message
from tests.calibration.scale_recordings import NOW, fit, grams, record
from tests.hardware.scale.synthetic_cell import SyntheticCell

pytestmark = pytest.mark.slow


class TestWords:
    def test_a_fine_scale_is_good_and_a_drifting_one_is_told_why(self) -> None:
        fine = SyntheticCell(white_sd_g=0.002, walk_g_per_sqrt_s=0.0005, rng=np.random.default_rng(1))
        assert scale_verdict(fit(fine, 0.0, 50.0, 100.0)).grade == "good"
        poor = SyntheticCell(walk_g_per_sqrt_s=0.4, rng=np.random.default_rng(1))
        judged = scale_verdict(fit(poor, 0.0, 100.0, 500.0))
        assert judged.grade == "poor"
        assert "verdict.scale.drift" in [each.code for each in judged.said]

    @pytest.mark.parametrize(("held_back_g", "grade"), [(0.0, "good"), (1.0, "usable"), (-1.0, "usable")])
    def test_a_pan_that_rubs_is_not_called_good(self, held_back_g: float, grade: str) -> None:
        cell = SyntheticCell(white_sd_g=0.002, walk_g_per_sqrt_s=0.0005, rng=np.random.default_rng(1))
        points = [(grams(m), record(cell, m - (held_back_g if m == 50.0 else 0.0))) for m in (0.0, 50.0, 100.0)]
        judged = scale_verdict(fit_scale(points, NOW))
        assert judged.grade == grade
        said = " ".join(words_for("en").say(each.code, each.values) for each in judged.said)
        assert ("rubs" in said) == (grade == "usable")
        assert "sets the limit" not in said, "neither drift nor noise is at fault"

    @pytest.mark.parametrize(
        ("imperfection", "masses_g", "told"),
        [
            ({}, (0.0, 50.0, 100.0), set()),
            ({"spikes_per_min": 6.0}, (0.0, 50.0, 100.0), {"spikes"}),
            ({"hum_g": 0.03, "hum_hz": 2.7183}, (0.0, 50.0, 100.0), {"hum"}),
            ({"white_sd_g": 0.3}, (0.0, 50.0, 100.0), {"noise"}),
            ({"walk_g_per_sqrt_s": 0.02}, (0.0, 2.3), {"span", "two_points"}),
        ],
        ids=["none", "spikes", "hum", "noise", "light_mass"],
    )
    def test_each_imperfection_is_told_with_what_helps(
        self, imperfection: dict[str, float], masses_g: tuple[float, ...], told: set[str]
    ) -> None:
        cell = SyntheticCell(counts_per_gram=1013.0, rng=np.random.default_rng(1), **imperfection)
        codes = {each.code.removeprefix("verdict.scale.") for each in scale_verdict(fit(cell, *masses_g)).said}
        assert codes - {"apart", "line"} == told

    def test_coins_that_are_a_little_off_do_not_make_a_scale_worse(self) -> None:
        cell = SyntheticCell(white_sd_g=0.002, walk_g_per_sqrt_s=0.0005, rng=np.random.default_rng(1))
        coins = [parse_mass(text) for text in ("0", "4*euro:2", "12*euro:2")]
        points = [(coin, record(cell, coin.mass_g * (1.004 if coin.mass_g < 50 else 0.997))) for coin in coins]
        assert scale_verdict(fit_scale(points, NOW)).grade == "good"

    def test_the_promised_precision_is_what_weighing_then_gives(self) -> None:
        cell = SyntheticCell(walk_g_per_sqrt_s=0.003, rng=np.random.default_rng(1))
        found = fit(cell, 0.0, 50.0, 100.0, lasting_s=240.0)
        # One second of ten samples against a well-known zero: white noise over √10, a zero known to √(σ √(q/f)),
        # and half a second of walk between.
        white, walk, rate = cell.white_sd_g, cell.walk_g_per_sqrt_s, cell.rate_hz
        rough = math.sqrt(white**2 / 10 + white * walk / math.sqrt(rate) + walk**2 * 0.5)
        assert found.weighing_sd_g == pytest.approx(rough, rel=0.25)

    def test_the_report_is_one_page_that_loads_nothing(self) -> None:
        found = fit(SyntheticCell(rng=np.random.default_rng(1)), 0.0, 50.0, 100.0)
        labelled = fit_scale(
            [(KnownMass(m, 0.0, f"<b>{m}</b>"), record(SyntheticCell(), m)) for m in (0.0, 50.0, 100.0)], NOW
        )
        page = html_page(scale_page(found, scale_verdict(found), words_for("en")))
        assert page.count("<svg") == 3
        for outside in ("http:", "https:", "src=", "url(", "<script", "<link", "@import", "nan"):
            assert outside not in page
        assert "<b>" not in html_page(scale_page(labelled, scale_verdict(labelled), words_for("en")))

    def test_an_old_calibration_says_so(self) -> None:
        found = fit_scale(
            [(grams(m), record(SyntheticCell(), m)) for m in (0.0, 100.0)], datetime(2026, 1, 1, tzinfo=UTC)
        )
        message = stale_message(found.model)
        assert message is not None
        assert "days ago" in words_for("en").say(message.code, message.values)
        fresh = fit_scale([(grams(m), record(SyntheticCell(), m)) for m in (0.0, 100.0)], datetime.now(UTC))
        assert stale_message(fresh.model) is None
