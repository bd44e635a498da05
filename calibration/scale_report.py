"""The scale's one-page report."""

from __future__ import annotations

import math

from calibration.drawing import Drawing
from calibration.noise import Noise
from calibration.plot import Series, plot
from calibration.report_page import Figure, ReportPage, Table
from calibration.scale import ScaleFit
from calibration.scale_verdict import Verdict


def scale_page(fit: ScaleFit, judged: Verdict) -> ReportPage:
    """Return the report of a fit."""
    longest = max((point.noise for point in fit.points), key=lambda noise: noise.tau_s[-1])
    points = tuple(
        (
            point.known.label,
            f"{point.known.mass_g:.3f}",
            f"{point.counts:.1f} ± {point.sd_counts:.2g}",
            f"{point.residual_g:+.4f} ± {point.residual_sd_g:.2g}",
        )
        for point in fit.points
    )
    return ReportPage(
        title="Scale calibration",
        made=fit.model.made_utc,
        grade=judged.grade,
        sentences=judged.sentences,
        tables=(
            Table("What was found", (), tuple(_facts(fit))),
            Table("Points", ("on the pan", "g", "counts", "off the line, g"), points),
        ),
        figures=(
            Figure(_residuals(fit), "Distance of each point from the straight line, with 95 % bars."),
            Figure(
                _spectrum(fit, longest),
                "Noise spectrum. Dashed: the model's white noise. A lone peak is hum, a rise to the left is drift.",
            ),
            Figure(_allan(fit, longest), "Allan deviation: averaging helps until drift takes over. Dashed: the model."),
        ),
    )


def _facts(fit: ScaleFit) -> list[tuple[str, str]]:
    model = fit.model
    return [
        ("Zero", f"{model.zero_counts:.1f} ± {fit.zero_se_counts:.2g} counts"),
        ("Span", f"{model.counts_per_gram:.4f} ± {fit.span_se:.2g} counts per gram"),
        ("White noise", f"{model.white_sd_g:.3g} g a sample at {model.rate_hz:.1f} samples a second"),
        ("Drift", f"{model.drift_g_per_sqrt_s:.3g} g per √s"),
        ("Hum", f"{model.hum_g:.3g} g at {model.hum_hz:.2f} Hz" if model.hum_g else "none stands out"),
        ("Spikes", f"{model.spikes_per_min:.1f} a minute"),
        ("One second of weighing", f"± {fit.weighing_sd_g:.3g} g"),
    ]


def _residuals(fit: ScaleFit) -> Drawing:
    points = [(point.known.mass_g, point.residual_g, 1.96 * point.residual_sd_g) for point in fit.points]
    return plot([Series("residual", points, dots=True)], "mass, g", "off the line, g")


def _spectrum(fit: ScaleFit, noise: Noise) -> Drawing:
    model = fit.model
    gram = abs(model.counts_per_gram)
    density = [(f, d / gram, 0.0) for f, d in zip(noise.frequency_hz, noise.density, strict=True) if d > 0]
    floor = model.white_sd_g * math.sqrt(2 / model.rate_hz)
    white = [(noise.frequency_hz[0], floor, 0.0), (noise.frequency_hz[-1], floor, 0.0)]
    return plot([Series("measured", density), Series("white", white, style=1)], "frequency, Hz", "g per √Hz", log=True)


def _allan(fit: ScaleFit, noise: Noise) -> Drawing:
    model = fit.model
    gram = abs(model.counts_per_gram)
    measured = [(t, a / gram, 0.0) for t, a in zip(noise.tau_s, noise.allan, strict=True) if a > 0]
    white2 = model.white_sd_g**2 / model.rate_hz
    walk2 = model.drift_g_per_sqrt_s**2 / 3
    fitted = [(t, math.sqrt(white2 / t + walk2 * t), 0.0) for t, _, _ in measured]
    series = [Series("measured", measured), Series("model", fitted, style=1)]
    return plot(series, "averaging time, s", "Allan deviation, g", log=True)
