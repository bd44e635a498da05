"""The verdict on a fitted scale: what it can distinguish in a game, and what could be improved."""

from __future__ import annotations

import math

from calibration.messages import CalibrationVerdict, Grade, Message
from calibration.scale.fit import PointFit, ScaleFit
from calibration.store import STALE_DAYS, age_days
from hardware.scale.scale_model import ScaleModel

TIE_BAND_G = 0.2
"""Largest difference at which the rules count spheres as equal (SM-54). A scale should resolve much less."""
_STRAIGHT_SHARE = 0.003
"""Largest distance from the line, as a share of the heaviest mass, that a cheap cell's own linearity explains."""


def scale_verdict(fit: ScaleFit) -> CalibrationVerdict:
    """Judge a fit: what it can distinguish, and what could be improved in the hardware."""
    model = fit.model
    apart_g = 2.5 * math.sqrt(2) * fit.weighing_sd_g
    fine: Grade = "good" if apart_g <= TIE_BAND_G / 2 else "usable" if apart_g <= 2 * TIE_BAND_G else "poor"
    worst = max(fit.points, key=lambda point: abs(point.residual_g))
    bent = _is_off_the_line(worst, fit)
    said = [
        Message("verdict.scale.apart", {"weighing_g": fit.weighing_sd_g, "apart_g": apart_g, "tie_band_g": TIE_BAND_G})
    ]
    if fine != "good":
        walk_g = model.drift_g_per_sqrt_s * math.sqrt(0.5)
        drifts = walk_g > 2 * model.white_sd_g / math.sqrt(model.rate_hz)
        said.append(Message("verdict.scale.drift" if drifts else "verdict.scale.noise"))
    if model.hum_g > model.white_sd_g:
        said.append(Message("verdict.scale.hum", {"hum_g": model.hum_g, "hum_hz": model.hum_hz}))
    if model.spikes_per_min > 1:
        said.append(Message("verdict.scale.spikes", {"spikes_per_min": model.spikes_per_min}))
    if model.span_rel_sd > 0.01 and not bent:
        said.append(Message("verdict.scale.span", {"span_pct": 100 * model.span_rel_sd}))
    if len({point.known.mass_g for point in fit.points}) < 3:
        said.append(Message("verdict.scale.two_points"))
    else:
        off = {"off_g": abs(worst.residual_g), "mass_g": worst.known.mass_g}
        said.append(Message("verdict.scale.bent" if bent else "verdict.scale.line", off))
    if model.counts_per_gram < 0:
        said.append(Message("verdict.scale.reversed"))
    return CalibrationVerdict("usable" if bent and fine == "good" else fine, tuple(said))


def _is_off_the_line(worst: PointFit, fit: ScaleFit) -> bool:
    """Return whether the worst point is farther from the line than noise, coins and a healthy cell explain."""
    heaviest_g = max(point.known.mass_g for point in fit.points)
    return abs(worst.residual_g) > max(TIE_BAND_G, _STRAIGHT_SHARE * heaviest_g, 4 * worst.residual_sd_g)


def stale_message(model: ScaleModel) -> Message | None:
    """Return a message if a stored calibration is too old, or None."""
    days = age_days(model.made_utc)
    return Message("weigh.stale", {"days": days}) if days is not None and days > STALE_DAYS else None
