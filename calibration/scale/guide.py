"""The guided calibration of the scale, without user interface: is the reading stable, are there enough samples."""

from __future__ import annotations

import math
from collections import deque
from itertools import pairwise

import msgspec

from calibration.scale.coins import KnownMass
from calibration.scale.count_recording import LEAST_SAMPLES, CountRecording


class Progress(msgspec.Struct, frozen=True):
    """Progress of one point: `share`, 0–1, of the required time, and the scatter of the last two seconds."""

    share: float
    still: bool
    scatter_counts: float
    done: bool


class PointCollector:
    """Collects one point from timestamped counts: waits until the reading is stable, starts again when it jumps.

    :param wanted_s: required time of a stable reading, in s, ≥ 4.
    """

    def __init__(self, known: KnownMass, wanted_s: float = 20.0) -> None:
        self.known = known
        self._wanted_s = wanted_s
        self._last: deque[tuple[float, float]] = deque()
        self._kept: list[tuple[float, float]] = []

    def feed(self, t_s: float, counts: float) -> Progress:
        """Process one sample. One that is not finite or goes back in time is ignored."""
        if not (math.isfinite(t_s) and math.isfinite(counts)) or (self._last and t_s <= self._last[-1][0]):
            return self._progress(still=bool(self._kept))
        self._last.append((t_s, counts))
        while t_s - self._last[0][0] > 2.0:
            self._last.popleft()
        still = self._holds_still()
        if still:
            self._kept.append((t_s, float(counts)))
        else:
            self._kept.clear()
        return self._progress(still)

    def recording(self) -> CountRecording:
        """Return the collected samples."""
        times, values = zip(*self._kept, strict=True)
        return CountRecording(name=self.known.label, unit="counts", t_s=times, values=values)

    def _progress(self, still: bool) -> Progress:
        lasted_s = self._kept[-1][0] - self._kept[0][0] if self._kept else 0.0
        share = min(lasted_s / self._wanted_s, 1.0)
        return Progress(share, still, self._scatter(), share >= 1.0 and len(self._kept) >= LEAST_SAMPLES)

    def _scatter(self) -> float:
        """Return the white noise, estimated from successive differences, on which drift has little effect."""
        values = [counts for _, counts in self._last]
        steps = sorted(abs(b - a) for a, b in pairwise(values))
        return 1.05 * steps[len(steps) // 2] if steps else 0.0

    def _holds_still(self) -> bool:
        if len(self._last) < 8 or self._last[-1][0] - self._last[0][0] < 1.0:
            return False
        values = sorted(counts for _, counts in self._last)
        half = len(self._last) // 2
        early = sorted(counts for _, counts in list(self._last)[:half])
        late = sorted(counts for _, counts in list(self._last)[half:])
        scatter = max(self._scatter(), 1.0)
        reach = values[-1 - len(values) // 8] - values[len(values) // 8]
        return abs(late[len(late) // 2] - early[half // 2]) < 6 * scatter and reach < 10 * scatter
