"""Fits a scale from recordings of known masses: zero, span, linearity and noise, with their standard errors."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from calibration.scale.coins import KnownMass
from calibration.scale.count_recording import CountRecording
from calibration.scale.creep import CREEP_S, fit_creep
from calibration.scale.noise import Noise, sample_rate_hz, without_spikes
from calibration.scale.points import FitError, check_copies, check_rest, check_room, checked_noise
from hardware.files.toml_file import written_by
from hardware.scale.kalman_filter import MassFilter
from hardware.scale.scale_model import FORMAT, ScaleModel, ScalePoint

_RAMP_HORIZON_S = 3.0  # duration of a weighing, over which a ramp is converted to an equivalent random walk
_SHIFT_SD_G = 1.0  # possible shift of the zero between calibration and start, by a moved pan or a cold morning


class PointFit(msgspec.Struct, frozen=True, kw_only=True):
    """One point: the mass, the reading, and its residual from the line, in g (`residual_sd_g` is the point's error)."""

    known: KnownMass
    counts: float
    sd_counts: float
    residual_g: float
    residual_sd_g: float
    noise: Noise


class ScaleFit(msgspec.Struct, frozen=True, kw_only=True):
    """A fitted scale. Standard errors are in counts and counts per gram; `weighing_sd_g` is for a weighing of 1 s."""

    model: ScaleModel
    zero_se_counts: float
    span_se: float
    points: tuple[PointFit, ...]
    weighing_sd_g: float


def fit_scale(points: Sequence[tuple[KnownMass, CountRecording]], made: datetime) -> ScaleFit:
    """Fit zero and span by weighted least squares, and pool the noise of all recordings.

    :param made: time of the calibration; stored as ISO 8601.
    :raises FitError: `calibration_unit`, `calibration_points`, `recording_too_short`, `recording_too_fast`,
        `recording_saturated`, `recording_moved`, `calibration_no_span`, `calibration_copied`,
        `calibration_not_a_line` or `calibration_no_room`.
    """
    noises = [checked_noise(known, recording) for known, recording in points]
    if len({known.mass_g for known, _ in points}) < 2:
        raise FitError("calibration_points", "two different masses at least are needed: --point 0=… --point 100=…")
    check_rest(points)
    # The noise of a scale is the same in all recordings, so the pooled estimate is better than a single one.
    pooled = _pool(noises, [len(recording.values) for _, recording in points])
    line = _fitted_line(points, noises, pooled)
    check_room(line.zero, line.span)
    model = _model(points, pooled, line, made)
    return ScaleFit(
        model=model,
        zero_se_counts=math.sqrt(line.cov[0, 0]),
        span_se=math.sqrt(line.cov[1, 1]),
        points=_point_fits(points, noises, line),
        weighing_sd_g=one_second_sd_g(model),
    )


def one_second_sd_g(model: ScaleModel) -> float:
    """Return the model's bound for a weighing, in g: 10 s of empty pan, a landing of 0.5 s, one second of load."""
    rate_hz = round(max(model.rate_hz, 1.0))
    bound = MassFilter(model, model.white_sd_g)
    for k in range(10 * rate_hz):
        bound.predict(k / rate_hz)
        bound.update(0.0)
    bound.add_load(0.0)
    for k in range(max(rate_hz, 2)):
        bound.predict(10.5 + k / rate_hz)
        bound.update(0.0)
    return bound.mass_sd_g


class _Line(NamedTuple):
    """Zero and span with their covariance, and the points in counts that they were fitted to."""

    masses: NDArray[np.float64]
    levels: NDArray[np.float64]
    errors: NDArray[np.float64]
    zero: float
    span: float
    cov: NDArray[np.float64]

    @property
    def off(self) -> NDArray[np.float64]:
        """The deviation of each point from the line, in counts."""
        return self.levels - self.zero - self.span * self.masses


def _fitted_line(points: Sequence[tuple[KnownMass, CountRecording]], noises: Sequence[Noise], pooled: _Pooled) -> _Line:
    """Fit the line through the points.

    :raises FitError: `calibration_no_span`, `calibration_copied` or `calibration_not_a_line`.
    """
    masses = np.array([known.mass_g for known, _ in points])
    levels = np.array([_level(recording) for _, recording in points])
    ramps = np.array([_ramp_reach(noise, recording) for noise, (_, recording) in zip(noises, points, strict=True)])
    # A ramp common to all recordings shifts the zero but not the span.
    common = float(np.median(ramps))
    uneven = float(np.sqrt(np.mean((ramps - common) ** 2)))
    errors = np.array([math.hypot(_level_error(pooled, recording), uneven) for _, recording in points])
    low, high = int(np.argmin(levels)), int(np.argmax(levels))
    if levels[high] - levels[low] < max(5 * math.hypot(errors[low], errors[high]), 1e-9):
        raise FitError(
            "calibration_no_span",
            "the points read alike, so there is no span; check that each mass lay on the pan and the cell is wired",
        )
    check_copies(points)
    rough = float(np.polyfit(masses, levels, 1)[0])
    errors = np.hypot(errors, [rough * known.sd_g for known, _ in points])
    zero, span, cov = _least_squares(masses, levels, errors)
    cov[0, 0] += common**2
    line = _Line(masses, levels, errors, zero, span, cov)
    _check_straight(points, line)
    return line


def _check_straight(points: Sequence[tuple[KnownMass, CountRecording]], line: _Line) -> None:
    """Check that the points lie on the line.

    :raises FitError: `calibration_not_a_line`.
    """
    off = line.off
    reach = abs(line.span) * float(line.masses.max() - line.masses.min())
    worst = int(np.argmax(np.abs(off)))
    bent = len(points) > 2 and abs(off[worst]) > max(0.03 * reach, 4 * line.errors[worst])
    mixed = _wrong_order(line.masses, line.levels, line.errors, line.span)
    if bent or mixed or abs(line.span) < max(5 * math.sqrt(line.cov[1, 1]), 1e-9):
        known = points[worst][0]
        label = known.label if known.sd_g > 0 else f"{known.label.removesuffix('g').rstrip()} g"
        message = f"the points do not lie on a line, {label} least of all; was a mass mistyped or a file swapped?"
        raise FitError("calibration_not_a_line", message, label=label)


def _point_fits(
    points: Sequence[tuple[KnownMass, CountRecording]], noises: Sequence[Noise], line: _Line
) -> tuple[PointFit, ...]:
    residuals, residual_sds = line.off / line.span, line.errors / abs(line.span)
    return tuple(
        PointFit(
            known=known,
            counts=float(level),
            sd_counts=float(error),
            residual_g=float(residual),
            residual_sd_g=float(sd),
            noise=noise,
        )
        for (known, _), level, error, residual, sd, noise in zip(
            points, line.levels, line.errors, residuals, residual_sds, noises, strict=True
        )
    )


def _level(recording: CountRecording) -> float:
    values, _ = without_spikes(np.array(recording.values, dtype=np.float64))
    return float(values.mean())


def _ramp_reach(noise: Noise, recording: CountRecording) -> float:
    """Return the deviation of the steady ramp from its mean within a recording, as a signed standard deviation."""
    lasted_s = recording.t_s[-1] - recording.t_s[0]
    sign = math.copysign(1.0, recording.values[-1] - recording.values[0])
    return sign * noise.ramp_per_s * lasted_s / math.sqrt(12)


class _Pooled(msgspec.Struct, frozen=True):
    """The noise of all recordings together, in counts."""

    rate_hz: float
    white_sd: float
    walk2_per_s: float
    ramp2_per_s2: float
    hum: float
    hum_hz: float
    spikes_per_min: float


def _pool(noises: Sequence[Noise], samples: Sequence[int]) -> _Pooled:
    share = [count / sum(samples) for count in samples]
    rate_hz = float(np.median([noise.rate_hz for noise in noises]))
    hummer = max(noises, key=lambda noise: noise.hum)
    # Average noise densities, not standard deviations of samples: recordings may have different rates.
    white2 = sum(s * n.white_sd**2 * rate_hz / n.rate_hz for s, n in zip(share, noises, strict=True))
    return _Pooled(
        rate_hz=rate_hz,
        white_sd=math.sqrt(max(white2, 1 / 12)),
        walk2_per_s=sum(s * n.drift_per_sqrt_s**2 for s, n in zip(share, noises, strict=True)),
        ramp2_per_s2=sum(s * n.ramp_per_s**2 for s, n in zip(share, noises, strict=True)),
        hum=hummer.hum,
        hum_hz=hummer.hum_hz,
        spikes_per_min=sum(s * n.spikes_per_min for s, n in zip(share, noises, strict=True)),
    )


def _level_error(noise: _Pooled, recording: CountRecording) -> float:
    """Return the standard error of a recording's mean: white noise, and the random walk within the recording."""
    lasted_s = recording.t_s[-1] - recording.t_s[0]
    # Like the pooling: a recording of another rate has other samples, and the same density of noise.
    white2 = noise.white_sd**2 / noise.rate_hz * sample_rate_hz(recording) / len(recording.values)
    return math.sqrt(white2 + noise.walk2_per_s * lasted_s / 3)


def _wrong_order(
    masses: NDArray[np.float64], levels: NDArray[np.float64], errors: NDArray[np.float64], span: float
) -> bool:
    """Return whether a heavier mass reads clearly lighter than another one, even if both are close to the line."""
    heavier = masses[:, None] > masses[None, :]
    gains = math.copysign(1.0, span) * (levels[:, None] - levels[None, :])
    return bool(np.any(heavier & (gains < -4 * np.hypot(errors[:, None], errors[None, :]))))


def _least_squares(
    masses: NDArray[np.float64], levels: NDArray[np.float64], errors: NDArray[np.float64]
) -> tuple[float, float, NDArray[np.float64]]:
    """Fit zero and span by weighted least squares; increase their errors if the points scatter more than expected."""
    design = np.stack([np.ones_like(masses), masses], axis=1)
    weight = 1 / errors**2
    cov = np.linalg.inv(design.T @ (weight[:, None] * design))
    zero, span = cov @ design.T @ (weight * levels)
    if len(masses) > 2:
        chi2 = float(np.sum(weight * (levels - zero - span * masses) ** 2)) / (len(masses) - 2)
        cov = cov * max(chi2, 1.0)
    return float(zero), float(span), np.asarray(cov, dtype=np.float64)


def _model(
    points: Sequence[tuple[KnownMass, CountRecording]], noise: _Pooled, line: _Line, made: datetime
) -> ScaleModel:
    gram = abs(line.span)
    heaviest = max(abs(known.mass_g) for known, _ in points)
    return ScaleModel(
        format=FORMAT,
        made_utc=made.isoformat(timespec="seconds"),
        zero_counts=line.zero,
        zero_sd_g=math.hypot(math.sqrt(line.cov[0, 0]) / gram, _SHIFT_SD_G),
        counts_per_gram=line.span,
        span_rel_sd=math.sqrt(line.cov[1, 1]) / gram,
        rate_hz=noise.rate_hz,
        white_sd_g=noise.white_sd / gram,
        drift_g_per_sqrt_s=math.sqrt(noise.walk2_per_s + 1.5 * noise.ramp2_per_s2 * _RAMP_HORIZON_S) / gram,
        creep_fraction=fit_creep(points, line.span, noise.white_sd, noise.walk2_per_s),
        creep_s=CREEP_S,
        hum_g=noise.hum / gram,
        hum_hz=noise.hum_hz,
        spikes_per_min=noise.spikes_per_min,
        range_g=max(5 * heaviest, 200.0),
        points=tuple(
            ScalePoint(mass_g=known.mass_g, counts=float(level), sd_counts=float(error))
            for (known, _), level, error in zip(points, line.levels, line.errors, strict=True)
        ),
    )


def to_toml(model: ScaleModel) -> str:
    """Return the text of scale.toml for a scale."""
    lines = [f"{name} = {_toml(getattr(model, name))}" for name in model.__struct_fields__ if name != "points"]
    for point in model.points:
        lines += ["", "[[points]]", *(f"{name} = {_toml(getattr(point, name))}" for name in point.__struct_fields__)]
    return written_by("scale", "noise in grams, docs/weighing.md explains every line", lines)


def _toml(value: str | float) -> str:
    if isinstance(value, str):
        return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
    return f"{float(value):.10g}" if "." in f"{float(value):.10g}" or "e" in f"{float(value):.10g}" else f"{value:.1f}"
