"""Recordings of the scale: CSV with a header `t_s,counts` (raw) or `t_s,grams` (already calibrated)."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Literal, TextIO

import msgspec

MOST_SAMPLES = 1_000_000
LEAST_SAMPLES = 20
"""Fewer tell neither a mean nor the noise around it."""
_LONGEST_LINE = 200
_LARGEST = 1e12
_COPIES_BITS = 20.0
_LEAST_CONVERSIONS = 20
"""Fewer changes do not show how often the chip converts."""
_REST_S = 0.5
"""Longer than any conversion: the HX711 makes at least ten a second."""
_FINE = 4.0
"""Where values change by this many times the resolution, noise alone repeats fewer than one in ten."""

Unit = Literal["counts", "grams"]


class CountRecording(msgspec.Struct, frozen=True, kw_only=True):
    """Timestamps in seconds, never decreasing, and the same number of values in `unit`."""

    name: str
    unit: Unit
    t_s: tuple[float, ...]
    values: tuple[float, ...]

    @property
    def rate_hz(self) -> float:
        """Return the mean sample rate, or 0 when the recording has no duration."""
        span_s = self.t_s[-1] - self.t_s[0]
        return (len(self.t_s) - 1) / span_s if span_s > 0 else 0.0


class RecordingError(ValueError):
    """The recording cannot be used. `code` is stable.

    The message is one English sentence. `values` are the values in the sentence of `code`, for any language.
    """

    def __init__(self, code: str, message: str, **values: object) -> None:
        super().__init__(message)
        self.code = code
        self.values = values


def load_recording(path: Path) -> CountRecording:
    """Read a recording.

    :raises RecordingError: `recording_unreadable`, `recording_empty`, `recording_header`, `recording_value`,
        `recording_time` (time runs backwards) or `recording_too_long`.
    """
    try:
        with path.open(encoding="utf-8", newline="") as file:
            return read_recording(_bounded(file, str(path)), str(path))
    except OSError as error:
        message = f"{path}: cannot be read ({error.strerror}); check its name and permissions"
        raise RecordingError("recording_unreadable", message, path=str(path), reason=error.strerror) from None
    except UnicodeDecodeError:
        message = f"{path}: is not text; give a CSV file with t_s,counts"
        raise RecordingError("recording_value", message, place=str(path)) from None


def _bounded(file: TextIO, name: str) -> Iterator[str]:
    number = 0
    while line := file.readline(_LONGEST_LINE + 1):  # an endless line must not fill the memory
        number += 1
        if len(line) > _LONGEST_LINE:
            raise _error("recording_value", name, number, "the line is too long; a line is t_s,counts")
        yield line


def read_recording(lines: Iterable[str], name: str) -> CountRecording:
    """Parse the lines of a recording; `name` is used in messages. A reading that was written several times counts once.

    :raises RecordingError: as `load_recording`.
    """
    times: list[float] = []
    values: list[float] = []
    unit: Unit | None = None
    number = 0
    for number, line in enumerate(lines, start=1):
        cells = [cell.strip() for cell in line.lstrip("\ufeff").split(",")]
        if cells == [""]:
            continue
        if unit is None:
            unit = _unit(cells, name, number)
            continue
        if len(cells) != 2:
            raise _error("recording_value", name, number, f"has {len(cells)} columns, not t_s,{unit}")
        t_s, value = (_number(cell, name, number) for cell in cells)
        if times and t_s < times[-1]:
            what = f"time runs backwards ({times[-1]:g} s, then {t_s:g} s)"
            raise _error("recording_time", name, number, what, before_s=times[-1], then_s=t_s)
        if len(times) >= MOST_SAMPLES:
            what = f"has more than {MOST_SAMPLES} samples; cut it"
            raise _error("recording_too_long", name, number, what, samples=MOST_SAMPLES)
        times.append(t_s)
        values.append(value)
    if unit is None or not times:
        raise _error("recording_empty", name, number, "has no samples")
    kept = _of_conversions(_without_copies(times, values), times, values)
    stamps_s, once = tuple(times[i] for i in kept), tuple(values[i] for i in kept)
    return CountRecording(name=name, unit=unit, t_s=stamps_s, values=once)


def _without_copies(times: Sequence[float], values: Sequence[float]) -> Sequence[int]:
    """Return the indices of the readings, without the copies that some loggers write under the same stamp.

    Stamps too coarse for the sample rate repeat, too. Their values then change as often within a stamp as between two
    stamps. Copies are left out if by chance no value would change within a stamp once in 2²⁰ recordings.
    """
    steps = range(1, len(times))
    again = [i for i in steps if times[i] == times[i - 1]]
    if not again or any(values[i] != values[i - 1] for i in again):
        return range(len(times))
    changes = sum(values[i] != values[i - 1] for i in steps)
    between = len(steps) - len(again)
    if not between or changes * math.log2(len(steps) / between) < _COPIES_BITS:
        return range(len(times))
    copies = set(again)
    return [i for i in range(len(times)) if i not in copies]


def _of_conversions(kept: Sequence[int], times: Sequence[float], values: Sequence[float]) -> Sequence[int]:
    """Return the indices of the first reading of each conversion, where a logger reads more often than the chip makes
    one: the same noise at a higher rate would be taken for a better scale.

    A scale that rests and rounds repeats its readings for longer, or changes by its resolution.
    """
    changes = [(j, abs(values[j] - values[i])) for i, j in pairwise(kept) if values[i] != values[j]]
    firsts, steps = [j for j, _ in changes], [step for _, step in changes]
    if len(firsts) < _LEAST_CONVERSIONS or len(kept) < 1.5 * len(firsts):
        return kept
    lasting_s = sorted(times[until] - times[since] for since, until in pairwise(firsts))
    if lasting_s[len(lasting_s) * 99 // 100] > _REST_S or statistics.median(steps) < _FINE * min(steps):
        return kept
    return [kept[0], *firsts]


def _unit(cells: list[str], name: str, number: int) -> Unit:
    if cells == ["t_s", "counts"]:
        return "counts"
    if cells == ["t_s", "grams"]:
        return "grams"
    raise _error("recording_header", name, number, "the first line must be t_s,counts or t_s,grams")


def _number(cell: str, name: str, number: int) -> float:
    try:
        value = float(cell)
    except ValueError:
        value = math.nan
    if not math.isfinite(value) or abs(value) > _LARGEST:
        raise _error("recording_value", name, number, f"{cell[:40]!r} is not a number of a scale")
    return value


def _error(code: str, name: str, line: int, what: str, **values: object) -> RecordingError:
    place = f"{name}, line {line}" if line else name
    # Without words of any language: file and line as compilers give them.
    return RecordingError(code, f"{place}: {what}", place=f"{name}:{line}" if line else name, **values)
