"""Noise of a scale at rest: white noise, drift, hum and spikes, separated by Allan deviation and spectrum.

A load cell's reading at rest is white noise plus a drifting zero (random walk). Their Allan variances are N²/τ and
q·τ/3, and a steady ramp R adds R²τ²/2 (IEEE Std 952, annex C), so a fit over τ separates them.
"""

from __future__ import annotations

import math

import msgspec
import numpy as np
from numpy.typing import NDArray

from calibration.scale.count_recording import LEAST_SAMPLES, CountRecording
from hardware.scale.scale_model import ScaleModel

Floats = NDArray[np.float64]
_PART_OF_A_BIN = 0.005
"""Accuracy of a hum's frequency, in parts of the reciprocal of the recording's duration."""
_PASSES = 3
"""Each leaves less than half of the hum that the one before took for spikes."""


class Noise(msgspec.Struct, frozen=True, kw_only=True):
    """Noise of a recording, in the recording's unit. Amplitudes are per sample; `hum` is 0 if there is no line.

    `tau_s` and `allan` are the Allan deviation; `frequency_hz` and `density` are the amplitude spectrum (unit/√Hz).
    """

    rate_hz: float
    white_sd: float
    drift_per_sqrt_s: float
    ramp_per_s: float
    hum: float
    hum_hz: float
    spikes_per_min: float
    tau_s: tuple[float, ...]
    allan: tuple[float, ...]
    frequency_hz: tuple[float, ...]
    density: tuple[float, ...]


def without_spikes(values: Floats) -> tuple[Floats, NDArray[np.bool_]]:
    """Return the values with single spikes replaced by the median of five, and the mask of the spikes."""
    padded = np.pad(values, 2, mode="reflect")  # "edge" would repeat a spike at an end: it would be the median
    middle = np.median(np.lib.stride_tricks.sliding_window_view(padded, 5), axis=1)
    away = values - middle
    spread = 1.4826 * np.median(np.abs(away))
    step = np.min(np.abs(np.diff(np.unique(values))), initial=np.inf)
    spikes = np.abs(away) > max(8 * spread, 3 * float(step if np.isfinite(step) else 0.0))
    return np.where(spikes, middle, values), spikes


def allan_deviation(values: Floats, rate_hz: float) -> tuple[Floats, Floats]:
    """Return averaging times in s (in octaves) and the overlapping Allan deviation at each."""
    sums = np.concatenate([[0.0], np.cumsum(values - values.mean())])
    taus, deviations = [], []
    m = 1
    while 3 * m <= len(values):
        means = (sums[m:] - sums[:-m]) / m
        steps = means[m:] - means[:-m]
        taus.append(m / rate_hz)
        deviations.append(math.sqrt(0.5 * float(np.mean(steps**2))))
        m *= 2
    return np.array(taus), np.array(deviations)


def sample_rate_hz(recording: CountRecording) -> float:
    """Return the sample rate: that of the median step, or the mean rate where most stamps repeat; 0 without duration.

    A gap or a burst changes the mean rate, but not the median step.
    """
    step_s = float(np.median(np.diff(recording.t_s))) if len(recording.t_s) > 1 else 0.0
    return 1.0 / step_s if step_s > 1e-300 else recording.rate_hz


def measure_noise(recording: CountRecording) -> Noise:
    """Measure the noise of a recording of a constant load.

    :raises ValueError: there are fewer than `LEAST_SAMPLES` samples, or the recording has no duration.
    """
    if len(recording.values) < LEAST_SAMPLES or recording.rate_hz <= 0:
        raise ValueError(f"at least {LEAST_SAMPLES} samples over some seconds are needed")
    raw = np.array(recording.values, dtype=np.float64)
    values, spikes = without_spikes(raw)
    rate_hz = sample_rate_hz(recording)
    frequency, density = _spectrum(values, rate_hz)
    hum = 0.0
    if hum_hz := _hum_hz(values, rate_hz, frequency, density):
        t_s = np.array(recording.t_s, dtype=np.float64)
        hum_hz = _refined_hz(values, t_s, hum_hz, 0.5 / (t_s[-1] - t_s[0]))
        wave = _sine(values, t_s, hum_hz)
        # The crests of a strong hum look like spikes, so spikes are looked for beside it.
        for _ in range(_PASSES):
            values, spikes = without_spikes(raw - wave)
            wave = _sine(values + wave, t_s, hum_hz)
        values, spikes = without_spikes(raw - wave)
        frequency, density = _spectrum(values + wave, rate_hz)
        hum = float(np.sqrt(2) * wave.std())
    taus, allan = allan_deviation(values, rate_hz)
    white, drift, ramp = _fit_allan(taus, allan, rate_hz, len(values))
    return Noise(
        rate_hz=rate_hz,
        white_sd=white,
        drift_per_sqrt_s=drift,
        ramp_per_s=ramp,
        hum=hum,
        hum_hz=hum_hz,
        spikes_per_min=60 * float(spikes.sum()) / (recording.t_s[-1] - recording.t_s[0]),
        tau_s=tuple(taus.tolist()),
        allan=tuple(allan.tolist()),
        frequency_hz=tuple(frequency.tolist()),
        density=tuple(density.tolist()),
    )


def guess_model(recording: CountRecording) -> ScaleModel:
    """Return a scale in grams with the noise estimated from a recording in which loads may change.

    Medians of differences over up to a second are not affected by the steps: their squares are 2σ² + q·lag.

    :raises ValueError: as `measure_noise`.
    """
    if len(recording.values) < LEAST_SAMPLES or recording.rate_hz <= 0:
        raise ValueError(f"at least {LEAST_SAMPLES} samples over some seconds are needed")
    values = np.array(recording.values, dtype=np.float64)
    rate_hz = recording.rate_hz
    steps = np.abs(np.diff(np.unique(values)))
    quantum = float(steps.min()) if steps.size else 1e-3
    longest = min(max(rate_hz, 2.0), len(values) / 4)
    lags = np.unique(np.geomspace(1, longest, 6).astype(int))
    spread = np.array([1.4826 * float(np.median(np.abs(values[lag:] - values[:-lag]))) for lag in lags]) ** 2
    drift2, white2 = np.polyfit(lags / rate_hz, spread, 1)
    white2 = white2 / 2 if white2 > 0 else spread[0] / 2
    return ScaleModel(
        counts_per_gram=1.0,
        rate_hz=rate_hz,
        white_sd_g=max(math.sqrt(max(white2, 0.0)), quantum / math.sqrt(12), 1e-6),
        drift_g_per_sqrt_s=math.sqrt(max(float(drift2), 0.0)),
        range_g=1e5,
    )


def _fit_allan(taus: Floats, allan: Floats, rate_hz: float, samples: int) -> tuple[float, float, float]:
    """Return white noise per sample, random walk per √s and ramp per s, by non-negative least squares."""
    independent = np.maximum(samples / (taus * rate_hz) - 1, 1.0)
    weight = np.sqrt(independent) / np.maximum(allan**2, 1e-300)
    basis = np.stack([1 / (taus * rate_hz), taus / 3, taus**2 / 2], axis=1)
    active = [0, 1, 2]
    while True:
        solved, *_ = np.linalg.lstsq(basis[:, active] * weight[:, None], allan**2 * weight, rcond=None)
        if (solved >= 0).all() or len(active) == 1:
            break
        active.pop(int(np.argmin(solved)))
    terms = np.zeros(3)
    terms[active] = np.maximum(solved, 0.0)
    return math.sqrt(terms[0]), math.sqrt(terms[1]), math.sqrt(terms[2])


def _spectrum(values: Floats, rate_hz: float) -> tuple[Floats, Floats]:
    """Return frequencies in Hz and the amplitude spectral density (Welch: half-overlapping Hann windows)."""
    length = min(256, len(values) // 2 * 2)
    window = np.hanning(length)
    pieces = []
    for start in range(0, len(values) - length + 1, length // 2):
        piece = values[start : start + length]
        trend = np.polyval(np.polyfit(np.arange(length), piece, 1), np.arange(length))
        pieces.append(np.abs(np.fft.rfft((piece - trend) * window)) ** 2)
    power = 2 * np.mean(pieces, axis=0) / (rate_hz * np.sum(window**2))
    power[-1] /= 2  # half the sample rate has no mirror image
    return np.asarray(np.fft.rfftfreq(length, 1 / rate_hz)[1:]), np.asarray(np.sqrt(power[1:]))


def _hum_hz(values: Floats, rate_hz: float, frequency: Floats, density: Floats) -> float:
    """Return the frequency of a line that exceeds its surroundings, to a part of a bin, or 0."""
    if len(values) < 128:
        return 0.0
    floor = np.array([np.median(density[max(0, i - 12) : i + 13]) for i in range(len(density))])
    outside = frequency > 0.05 * rate_hz
    excess = np.where(outside & (floor > 0), density / np.maximum(floor, 1e-300), 0.0)
    peak = int(np.argmax(excess))
    if excess[peak] < 4.0:
        return 0.0
    trend = _without_trend(values)
    size = 1 << (len(trend) * 4 - 1).bit_length()
    fine = np.abs(np.fft.rfft(trend * np.hanning(len(trend)), size))
    grid = np.fft.rfftfreq(size, 1 / rate_hz)
    near = np.abs(grid - frequency[peak]) <= 2 * (frequency[1] - frequency[0])
    return float(grid[near][np.argmax(fine[near])])


def _refined_hz(values: Floats, t_s: Floats, hum_hz: float, within_hz: float) -> float:
    """Return the frequency near `hum_hz` at which a sine at the samples' own stamps is strongest.

    A sine that is off by a fifth of a bin keeps a tenth of the hum as noise.
    """
    weighted = _without_trend(values) * np.hanning(len(values))
    while within_hz * (t_s[-1] - t_s[0]) > _PART_OF_A_BIN:
        near = hum_hz + np.linspace(-within_hz, within_hz, 9)
        hum_hz = float(max(near, key=lambda hz: abs(weighted @ np.exp(-2j * np.pi * hz * (t_s - t_s[0])))))
        within_hz /= 4
    return hum_hz


def _without_trend(values: Floats) -> Floats:
    return values - np.convolve(np.pad(values, 8, mode="edge"), np.ones(17) / 17, mode="valid")


def _sine(values: Floats, t_s: Floats, hum_hz: float) -> Floats:
    angle = 2 * np.pi * hum_hz * t_s
    basis = np.stack([np.sin(angle), np.cos(angle), np.ones_like(angle), t_s - t_s.mean()], axis=1)
    solved, *_ = np.linalg.lstsq(basis, values, rcond=None)
    return np.asarray(basis[:, :2] @ solved[:2])
