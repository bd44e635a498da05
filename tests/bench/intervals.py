"""Whether a sphere's stated error is true, on thousands of drawn lumpy balls: `python -m tests.bench.intervals`."""

from __future__ import annotations

import numpy as np

from tests.bench.lumps import RIG, weighed
from tests.bench.machine import on_all_cores
from tests.bench.page import Aim, Section, Table, show
from vision.sphere.sphere import read_pan

BALLS = 2000
LUMPY_PCT = 2.0
FIRST = 50_000

Reading = tuple[float, float, float, str, str]
"""Error and stated standard deviation in mm (NaN: nothing was found), % out of round, colour said, true colour."""


def read(number: int) -> Reading:
    ball = weighed(number)
    seen = read_pan(ball.picture, ball.view, RIG)
    if seen is None or seen.diameter_mm is None or seen.diameter_sd_mm is None:
        return np.nan, np.nan, ball.out_of_round_pct, "none", ball.colour
    error_mm = seen.diameter_mm - ball.diameter_mm
    return error_mm, seen.diameter_sd_mm, ball.out_of_round_pct, seen.colour, ball.colour


def measure(effort: float = 1.0) -> Section:
    count = max(round(BALLS * effort), 4)
    numbers = range(FIRST, FIRST + count)
    readings = on_all_cores(read, numbers)
    error, stated, lumpy = (np.array([each[k] for each in readings]) for k in range(3))
    found = np.isfinite(error)
    rows = [
        _row(title, error[chosen & found], stated[chosen & found])
        for title, chosen in (
            (f"out of round under {LUMPY_PCT:g} %", lumpy < LUMPY_PCT),
            (f"{LUMPY_PCT:g}–4 %", (lumpy >= LUMPY_PCT) & (lumpy < 4)),
            ("4–6 %", lumpy >= 4),
            ("all", lumpy >= 0),
        )
        if (chosen & found).any()
    ]
    held = float(np.mean(np.abs(error[found]) < 1.96 * stated[found])) if found.any() else 0.0
    named = [(said, true) for *_, said, true in readings]
    right, wrong = (
        sum(each) for each in ([s == t for s, t in named], [s not in (t, "unknown", "none") for s, t in named])
    )
    return Section(
        title="A sphere's stated error",
        method=f"{count} lumpy balls of 15–42 mm on the pan, each with another camera pose, lens, lamp, noise and JPEG "
        "quality, drawn by a generator that shares no code with the product. Truth is the diameter of a ball of the "
        "same volume. The camera's calibration is assumed to be exact.",
        tables=[
            Table(
                heads=("balls", "count", "RMS error", "mean error", "95 % intervals hold", "RMS error ÷ stated"),
                rows=rows,
            ),
            Table(
                heads=("reading", "count"),
                rows=[
                    ["not found", f"{(~found).sum()}"],
                    ["colour right", f"{right}"],
                    ["colour wrong", f"{wrong}"],
                    ["colour unknown", f"{count - right - wrong - int((~found).sum())}"],
                ],
            ),
        ],
        aims=[
            Aim(
                what=f"a sphere's stated 95 % intervals, {found.sum()} drawn balls",
                wanted="93–97 % hold",
                measured=f"{100 * held:.1f} %",
                met=0.93 <= held <= 0.97 if count >= BALLS else None,
                why="" if count >= BALLS else f"no verdict from fewer than {BALLS:,}",
            )
        ],
    )


def _row(title: str, error: np.ndarray, stated: np.ndarray) -> list[str]:
    return [
        title,
        f"{len(error)}",
        f"{np.sqrt(np.mean(error**2)):.3f} mm",
        f"{error.mean():+.3f} mm",
        f"{100 * np.mean(np.abs(error) < 1.96 * stated):.1f} %",
        f"{np.sqrt(np.mean((error / stated) ** 2)):.2f}",
    ]


if __name__ == "__main__":
    show(measure)
