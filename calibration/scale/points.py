"""Checks of the points of a scale: unusable, copied or swapped recordings, and mistyped masses."""

from __future__ import annotations

import contextlib
from array import array
from collections.abc import Sequence
from itertools import combinations
from pathlib import Path

from calibration.messages import CodedError
from calibration.scale.coins import KnownMass
from calibration.scale.count_recording import CountRecording
from calibration.scale.noise import LEAST_SAMPLES, Noise, measure_noise, sample_rate_hz
from hardware.scale.scale_model import COUNTS_MAX, COUNTS_MIN, ScaleError, ScaleModel, load_scale

LEAST_ROOM_G = 55.0
"""Least load that the scale must carry: the heaviest sphere, 45 mm of putty at 1.14 g/cm³."""
RATE_MOST_HZ = 5000.0
"""Highest sample rate of a usable recording. An HX711 makes 80 a second, the fastest converters for load cells 4,000. A
higher rate means that the stamps are not in seconds."""


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
