"""Creep of a load cell: the fraction of a load by which the reading grows in the minutes after the load was put on.

Twenty seconds of a light mass hardly show it, so the data sheets' value dominates. Ten minutes of a mass show it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from calibration.scale.coins import KnownMass
from calibration.scale.count_recording import CountRecording
from calibration.scale.noise import without_spikes

CREEP_S = 600.0
USUAL, USUAL_SD = 0.0005, 0.001  # data sheets of 500 g cells: 0.05 % of full scale in 30 min; cheap ones twice that
_LAID_BEFORE_S = 2.0  # time from putting the mass on to the start of a recording, when the pan has come to rest


def fit_creep(
    points: Sequence[tuple[KnownMass, CountRecording]], span: float, white_sd: float, walk2_per_s: float
) -> float:
    """Fit the creep fraction (time constant `CREEP_S`) to recordings, with data sheets as prior.

    The increase on a loaded pan from a recording's first third to its last is creep, the zero's random walk and noise.
    The increase on the empty pan is drift, and is subtracted.

    :param span: counts per gram; `white_sd` in counts per sample, `walk2_per_s` in counts² per second.
    """
    drift_per_s, drift_var = _drift([each for known, each in points if known.mass_g == 0], white_sd, walk2_per_s)
    precision, weighted = USUAL_SD**-2, USUAL / USUAL_SD**2
    for known, recording in points:
        gain, apart_s, variance = _gain(recording, white_sd, walk2_per_s)
        first_s = _LAID_BEFORE_S + apart_s / 4
        crept = math.exp(-first_s / CREEP_S) - math.exp(-(first_s + apart_s) / CREEP_S)
        reach = span * known.mass_g * crept
        if reach == 0.0:
            continue
        share = (gain - drift_per_s * apart_s) / reach
        share_var = (variance + drift_var * apart_s**2) / reach**2
        precision += 1 / share_var
        weighted += share / share_var
    return weighted / precision


def _gain(recording: CountRecording, white_sd: float, walk2_per_s: float) -> tuple[float, float, float]:
    """Return the increase from the first to the last third of a recording, the seconds between, and its variance."""
    values, _ = without_spikes(np.array(recording.values, dtype=np.float64))
    third = max(len(values) // 3, 1)
    apart_s = (recording.t_s[-1] - recording.t_s[0]) * 2 / 3
    gain = float(values[-third:].mean() - values[:third].mean())
    return gain, apart_s, 2 * white_sd**2 / third + walk2_per_s * apart_s


def _drift(empty: Sequence[CountRecording], white_sd: float, walk2_per_s: float) -> tuple[float, float]:
    """Return the empty pan's steady drift in counts per second, and its variance."""
    if not empty:
        return 0.0, 0.0
    gains = [_gain(recording, white_sd, walk2_per_s) for recording in empty]
    precisions = [apart_s**2 / variance for _, apart_s, variance in gains]
    mean = sum(p * gain / apart_s for p, (gain, apart_s, _) in zip(precisions, gains, strict=True)) / sum(precisions)
    return mean, 1 / sum(precisions)
