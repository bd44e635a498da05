"""The scale's one-page report: self-contained HTML with its plots inline."""

from __future__ import annotations

import math
from pathlib import Path

from jinja2 import Environment
from markupsafe import Markup

from calibration.noise import Noise
from calibration.scale import ScaleFit
from calibration.scale_verdict import Verdict
from calibration.svg_plot import Series, plot

_TEMPLATE = Path(__file__).with_suffix(".html")


def html_report(fit: ScaleFit, judged: Verdict) -> str:
    """Return the report of a fit as one HTML page that loads nothing."""
    longest = max((point.noise for point in fit.points), key=lambda noise: noise.tau_s[-1])
    template = Environment(autoescape=True).from_string(_TEMPLATE.read_text(encoding="utf-8"))
    return template.render(
        verdict=judged,
        made=fit.model.made_utc,
        facts=_facts(fit),
        points=fit.points,
        residuals=Markup(_residuals(fit)),  # noqa: S704  # our own SVG; its only text is escaped in svg_plot
        spectrum=Markup(_spectrum(fit, longest)),  # noqa: S704  # as above
        allan=Markup(_allan(fit, longest)),  # noqa: S704  # as above
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


def _residuals(fit: ScaleFit) -> str:
    points = [(point.known.mass_g, point.residual_g, 1.96 * point.residual_sd_g) for point in fit.points]
    return plot([Series("residual", points, dots=True)], "mass, g", "off the line, g")


def _spectrum(fit: ScaleFit, noise: Noise) -> str:
    model = fit.model
    gram = abs(model.counts_per_gram)
    density = [(f, d / gram, 0.0) for f, d in zip(noise.frequency_hz, noise.density, strict=True) if d > 0]
    floor = model.white_sd_g * math.sqrt(2 / model.rate_hz)
    white = [(noise.frequency_hz[0], floor, 0.0), (noise.frequency_hz[-1], floor, 0.0)]
    return plot([Series("measured", density), Series("white", white, style=1)], "frequency, Hz", "g per √Hz", log=True)


def _allan(fit: ScaleFit, noise: Noise) -> str:
    model = fit.model
    gram = abs(model.counts_per_gram)
    measured = [(t, a / gram, 0.0) for t, a in zip(noise.tau_s, noise.allan, strict=True) if a > 0]
    white2 = model.white_sd_g**2 / model.rate_hz
    walk2 = model.drift_g_per_sqrt_s**2 / 3
    fitted = [(t, math.sqrt(white2 / t + walk2 * t), 0.0) for t, _, _ in measured]
    series = [Series("measured", measured), Series("model", fitted, style=1)]
    return plot(series, "averaging time, s", "Allan deviation, g", log=True)
