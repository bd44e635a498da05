"""Checks of the points of a scale: unusable, copied or swapped recordings, and mistyped masses."""

from __future__ import annotations

import contextlib
from array import array
from collections.abc import Sequence
from itertools import combinations
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from calibration.messages import CodedError
from calibration.scale.coins import KnownMass
from calibration.scale.count_recording import LEAST_SAMPLES, CountRecording
from calibration.scale.noise import Noise, measure_noise, sample_rate_hz
from hardware.scale.scale_model import COUNTS_MAX, COUNTS_MIN, ScaleError, ScaleModel, load_scale

LEAST_ROOM_G = 55.0
"""Least load that the scale must carry: the heaviest sphere, 45 mm of putty at 1.14 g/cm³."""
RATE_MOST_HZ = 5000.0
"""Highest sample rate of a usable recording. An HX711 makes 80 a second, the fastest converters for load cells 4,000. A
higher rate means that the stamps are not in seconds."""

_MOVED_SHARE, _MOVED_G = 0.03, 0.5
"""Least change within a second that is a change of the load: a share of the range of all points, and g."""


class FitError(CodedError):
    """The points do not give a scale."""


def scale_silent() -> FitError:
    """Return the error for a scale that does not answer."""
    return FitError("scale_silent", "the scale does not answer; check its power and the DOUT and SCK wires")


def check_direction(model: ScaleModel, before: Path, inverted: bool | None) -> None:
    """Refuse a scale whose counts change in the wrong direction: its recordings were swapped.

    Recordings of a cell with reversed polarity look exactly like swapped ones of a cell with normal polarity. So the
    user must state the polarity: now, or when the calibration in use was made.

    :param before: file of the calibration in use; it need not exist.
    :param inverted: whether the user says that the cell has reversed polarity; None: as in `before`, else not.
    :raises FitError: `calibration_reversed` (the counts fall and should rise) or `calibration_not_reversed`.
    """
    if inverted is None:
        inverted = _falls(before)
    falls = model.counts_per_gram < 0
    if falls and not inverted:
        raise FitError(
            "calibration_reversed",
            "the counts fall as the mass grows, as when two recordings were swapped; give each mass its own recording, "
            "or, if each is right and the cell is wired the other way round, add --inverted",
        )
    if inverted and not falls:
        raise FitError(
            "calibration_not_reversed",
            "the counts rise as the mass grows, but this cell is said to be wired the other way round; give each mass "
            "its own recording, or, if each is right, add --not-inverted",
        )


def _falls(before: Path) -> bool:
    with contextlib.suppress(ScaleError):
        return load_scale(before).counts_per_gram < 0
    return False


def check_copies(points: Sequence[tuple[KnownMass, CountRecording]]) -> None:
    """Refuse a recording that is used for two points, whole or in part: it gives no new information.

    :raises FitError: `calibration_copied`.
    """
    for (one, first), (other, second) in combinations(points, 2):
        if _holds(first.values, second.values) or _holds(second.values, first.values):
            raise FitError(
                "calibration_copied",
                f"{one.label} and {other.label} have the same recording; record each mass by itself",
                label=one.label,
                other=other.label,
            )


def _holds(long: tuple[float, ...], short: tuple[float, ...]) -> bool:
    """Return whether `short` is a part of `long`. A recording with fewer than three different values is not judged."""
    if len(long) < len(short) or len(set(short)) < 3:
        return False
    return array("d", short).tobytes() in array("d", long).tobytes()


def check_rest(points: Sequence[tuple[KnownMass, CountRecording]]) -> None:
    """Refuse a recording in which the load was laid or lifted: its mean is no reading of the mass.

    :param points: recordings in counts, of `LEAST_SAMPLES` samples at least, of two different masses at least.
    :raises FitError: `recording_moved`.
    """
    seconds = [_seconds(recording) for _, recording in points]
    reach = max(float(each.max()) for each in seconds) - min(float(each.min()) for each in seconds)
    masses_g = [known.mass_g for known, _ in points]
    share = max(_MOVED_SHARE, _MOVED_G / (max(masses_g) - min(masses_g)))
    for (known, recording), levels in zip(points, seconds, strict=True):
        scatter = float(np.median(np.abs(np.diff(recording.values))))
        if float(np.ptp(levels, axis=1).max()) > max(share * reach, 10 * scatter, 10.0):
            raise FitError(
                "recording_moved",
                f"{recording.name}: the load for {known.label} changed while it was recorded; begin when it lies "
                "still, and end before you lift it",
                label=known.label,
            )


def _seconds(recording: CountRecording) -> NDArray[np.float64]:
    """Return the levels, in counts, of every second of a recording: a row each, from its start and from its end.

    A level is the median of five samples or more, so that spikes do not count. A recording that is shorter than a level
    has one.
    """
    rate_hz = max(sample_rate_hz(recording), 1.0)
    values = np.array(recording.values, dtype=np.float64)
    samples = min(max(5, round(rate_hz / 10)), len(values))
    whole = len(values) // samples * samples
    rows = [np.median(part.reshape(-1, samples), axis=1) for part in (values[:whole], values[len(values) - whole :])]
    beside = min(round(rate_hz / samples) + 1, len(rows[0]))
    return np.concatenate([np.lib.stride_tricks.sliding_window_view(row, beside) for row in rows])


def check_room(zero: float, span: float) -> None:
    """Refuse a scale that the heaviest sphere would saturate: its masses were mistyped.

    :raises FitError: `calibration_no_room`.
    """
    room_g = (COUNTS_MAX - zero if span > 0 else zero - COUNTS_MIN) / abs(span)
    if room_g < LEAST_ROOM_G:
        raise FitError(
            "calibration_no_room",
            f"by these masses the scale can carry only {room_g:.2g} g, and spheres weigh up to {LEAST_ROOM_G:g} g; was "
            "a mass mistyped, such as 0.1 for 100?",
            room_g=room_g,
            sphere_g=LEAST_ROOM_G,
        )


def checked_noise(known: KnownMass, recording: CountRecording) -> Noise:
    """Check that a recording can be used as a point, and return its noise.

    :raises FitError: `calibration_unit`, `recording_saturated`, `recording_too_fast` or `recording_too_short`.
    """
    if recording.unit != "counts":
        message = f"{recording.name}: holds grams; calibration needs raw counts (t_s,counts)"
        raise FitError("calibration_unit", message, name=recording.name)
    railed = sum(value in (COUNTS_MIN, COUNTS_MAX) for value in recording.values)
    if railed > 0.01 * len(recording.values):
        raise FitError(
            "recording_saturated",
            f"{recording.name}: {railed} samples at the end stop; the mass is too heavy or a wire of the cell is loose",
            label=known.label,
        )
    rate_hz = sample_rate_hz(recording)
    if rate_hz > RATE_MOST_HZ:
        raise FitError(
            "recording_too_fast",
            f"{recording.name}: {rate_hz:.3g} samples a second, more than any load cell makes; t_s must be in seconds",
            label=known.label,
        )
    try:
        return measure_noise(recording)
    except ValueError:
        message = f"{recording.name}: too short; record at least {LEAST_SAMPLES} samples, better 30 s, of {known.label}"
        raise FitError("recording_too_short", message, samples=LEAST_SAMPLES, label=known.label) from None
