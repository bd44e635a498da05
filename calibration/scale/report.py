"""The scale's one-page report."""

from __future__ import annotations

import math

from calibration.messages import CalibrationVerdict, Speaker
from calibration.report.chart import Chart
from calibration.report.plot import Series, plot
from calibration.report.report_page import CaptionedChart, ReportPage, TextTable
from calibration.scale.coins import mass_said
from calibration.scale.fit import ScaleFit
from calibration.scale.noise import Noise


def scale_page(fit: ScaleFit, judged: CalibrationVerdict, speaker: Speaker) -> ReportPage:
    """Return the report of a fit."""
    say, number = speaker.say, speaker.number
    longest = max((point.noise for point in fit.points), key=lambda noise: noise.tau_s[-1])
    points = tuple(
        (
            mass_said(point.known, speaker),
            number(point.known.mass_g, ".3f"),
            f"{number(point.counts, '.1f')} ± {number(point.sd_counts, '.2g')}",
            f"{number(point.residual_g, '+.4f')} ± {number(point.residual_sd_g, '.2g')}",
        )
        for point in fit.points
    )
    heads = tuple(say(f"report.head.{name}") for name in ("on_the_pan", "g", "counts", "off_line_g"))
    return ReportPage.of(
        "scale",
        fit.model.made_utc,
        judged,
        speaker,
        tables=(
            TextTable(say("report.found"), (), _facts(fit, speaker)),
            TextTable(say("report.points"), heads, points),
        ),
        figures=(
            CaptionedChart(_residuals(fit, speaker), say("report.scale.residuals")),
            CaptionedChart(_spectrum(fit, longest, speaker), say("report.scale.spectrum")),
            CaptionedChart(_allan(fit, longest, speaker), say("report.scale.allan")),
        ),
    )


def _facts(fit: ScaleFit, speaker: Speaker) -> tuple[tuple[str, str], ...]:
    model = fit.model
    values: dict[str, dict[str, float]] = {
        "zero": {"zero_counts": model.zero_counts, "error_counts": fit.zero_se_counts},
        "span": {"counts_per_gram": model.counts_per_gram, "error": fit.span_se},
        "white": {"white_g": model.white_sd_g, "rate_hz": model.rate_hz},
        "drift": {"drift_g": model.drift_g_per_sqrt_s},
        "hum" if model.hum_g else "no_hum": {"hum_g": model.hum_g, "hum_hz": model.hum_hz},
        "spikes": {"spikes_per_min": model.spikes_per_min},
        "second": {"weighing_g": fit.weighing_sd_g},
    }
    return tuple(
        (speaker.say(f"report.fact.{name.removeprefix('no_')}"), speaker.say(f"report.fact.{name}.is", facts))
        for name, facts in values.items()
    )


def _residuals(fit: ScaleFit, speaker: Speaker) -> Chart:
    points = [(point.known.mass_g, point.residual_g, 1.96 * point.residual_sd_g) for point in fit.points]
    return plot([Series("residual", points, dots=True)], "mass", "off_line", speaker)


def _spectrum(fit: ScaleFit, noise: Noise, speaker: Speaker) -> Chart:
    model = fit.model
    gram = abs(model.counts_per_gram)
    density = [(f, d / gram, 0.0) for f, d in zip(noise.frequency_hz, noise.density, strict=True) if d > 0]
    floor = model.white_sd_g * math.sqrt(2 / model.rate_hz)
    white = [(noise.frequency_hz[0], floor, 0.0), (noise.frequency_hz[-1], floor, 0.0)]
    series = [Series("measured", density), Series("white", white, style=1)]
    return plot(series, "frequency", "density", speaker, log=True)


def _allan(fit: ScaleFit, noise: Noise, speaker: Speaker) -> Chart:
    model = fit.model
    gram = abs(model.counts_per_gram)
    measured = [(t, a / gram, 0.0) for t, a in zip(noise.tau_s, noise.allan, strict=True) if a > 0]
    white2 = model.white_sd_g**2 / model.rate_hz
    walk2 = model.drift_g_per_sqrt_s**2 / 3
    fitted = [(t, math.sqrt(white2 / t + walk2 * t), 0.0) for t, _, _ in measured]
    series = [Series("measured", measured), Series("model", fitted, style=1)]
    return plot(series, "averaging", "allan", speaker, log=True)
