"""A simulated roll: the path of the sphere's centre, its outcome, and the times at which it breaks a beam."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
TrueOutcome = Literal["passed", "stuck", "short", "astray"]


@dataclass(frozen=True)
class SimulatedRoll:
    """The path and the outcome of one roll.

    `times_s` (n,) and `centres_mm` (n, 3) are the path. `turned_rad` (n,) is the angle rolled about −X. Times are on
    the world's clock. `lane` is the lane at the fence. `crossed_s` is when the centre crossed the fence, `touched_s`
    when the sphere first touched it.
    """

    times_s: Array
    centres_mm: Array
    turned_rad: Array
    outcome: TrueOutcome
    lane: int
    started_s: float
    rest_s: float
    crossed_s: float | None
    touched_s: float | None

    def centre_at(self, t_s: float) -> tuple[float, float, float]:
        """Return the centre at `t_s`, mm. Before and after the path, return its ends."""
        x, y, z = (float(np.interp(t_s, self.times_s, self.centres_mm[:, axis])) for axis in range(3))
        return x, y, z

    def turned_at(self, t_s: float) -> float:
        """Return the angle rolled until `t_s`, rad."""
        return float(np.interp(t_s, self.times_s, self.turned_rad))


def beam_blocks(
    times_s: Array, centres_mm: Array, radius_mm: float, beam_y_mm: float, beam_z_mm: float
) -> list[tuple[float, bool]]:
    """Return the times at which a ball on this path breaks (True) and clears (False) a beam, to 0.1 ms.

    The beam runs along X at (`beam_y_mm`, `beam_z_mm`). It is broken while the ball's disc covers that point.
    """
    gap = np.hypot(centres_mm[:, 1] - beam_y_mm, centres_mm[:, 2] - beam_z_mm) - radius_mm
    broken = gap < 0
    edges: list[tuple[float, bool]] = [(float(times_s[0]), True)] if broken[0] else []
    for k in np.flatnonzero(broken[1:] != broken[:-1]):
        share = gap[k] / (gap[k] - gap[k + 1])
        edges.append((float(times_s[k] + share * (times_s[k + 1] - times_s[k])), bool(broken[k + 1])))
    return edges
