"""What a fitted scale means for play, in words."""

from __future__ import annotations

import math
from datetime import datetime
from typing import Literal

import msgspec

from calibration.scale import ScaleFit
from calibration.store import STALE_DAYS, age_days
from hardware.scale_model import ScaleModel

TIE_BAND_G = 0.2
"""The rules' band within which spheres count as equal (SM-54); a scale should see far below it."""

Grade = Literal["good", "usable", "poor"]


class Verdict(msgspec.Struct, frozen=True):
    """A grade and sentences, the most important first."""

    grade: Grade
    sentences: tuple[str, ...]


def verdict(fit: ScaleFit) -> Verdict:
    """Judge a fit: what it can tell apart, and what a maker could mend."""
    model = fit.model
    apart_g = 2.5 * math.sqrt(2) * fit.weighing_sd_g
    grade: Grade = "good" if apart_g <= TIE_BAND_G / 2 else "usable" if apart_g <= 2 * TIE_BAND_G else "poor"
    sentences = [
        f"One second of weighing is good to ±{fit.weighing_sd_g:.3g} g, "
        f"so two spheres {apart_g:.2g} g apart are told apart (the rules' tie band is {TIE_BAND_G} g)."
    ]
    walk_g = model.drift_g_per_sqrt_s * math.sqrt(0.5)
    if walk_g > 2 * model.white_sd_g / math.sqrt(model.rate_hz) and grade != "good":
        sentences.append(
            "Drift sets the limit: let the scale warm up for 20 minutes, keep it out of sun and draught, repeat."
        )
        grade = "poor" if grade == "poor" else "usable"
    elif grade != "good":
        sentences.append(
            "White noise sets the limit: check the supply, twist and shorten the cell's wires, use a smaller cell."
        )
    if model.hum_g > model.white_sd_g:
        sentences.append(
            f"It hums: {model.hum_g:.3g} g at {model.hum_hz:.2f} Hz. Look for a mains lead, a fan or a pump nearby."
        )
    if model.spikes_per_min > 1:
        sentences.append(
            f"{model.spikes_per_min:.0f} spikes a minute: shorten the wires to the HX711, keep them off mains leads."
        )
    if model.span_rel_sd > 0.01:
        sentences.append(
            f"The span is known to {100 * model.span_rel_sd:.1f} % only: use a heavier mass or more coins."
        )
    if len(fit.points) < 3:
        sentences.append("Two points cannot show whether the scale is linear; a third mass would.")
    else:
        worst = max(fit.points, key=lambda point: abs(point.residual_g))
        sentences.append(
            f"The largest distance from a straight line is {abs(worst.residual_g):.3g} g, at {worst.known.label}."
        )
    if model.counts_per_gram < 0:
        sentences.append("Counts fall as mass grows: the cell is mounted or wired the other way round, which is fine.")
    return Verdict(grade, tuple(sentences))


def stale_sentence(model: ScaleModel, now: datetime | None = None) -> str | None:
    """Return why a stored calibration should be made again, or None."""
    days = age_days(model.made_utc, now)
    if days is not None and days > STALE_DAYS:
        return f"the scale was calibrated {days:.0f} days ago; run `smugglers calibrate scale` again"
    return None
