"""Masses against what noise allows and against the plain package: `python -m tests.bench.weighing`.

The truth is the independent generator of counts in `tests/hardware/scale/synthetic_cell.py`.
"""

from __future__ import annotations

import math
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from calibration.scale.coins import KnownMass
from calibration.scale.count_recording import CountRecording, load_recording
from calibration.scale.fit import fit_scale
from calibration.scale.noise import measure_noise
from hardware.readings import LoadRemoved, MassSettled
from hardware.scale.scale_model import ScaleModel
from hardware.scale.weighing import Weigher
from tests.bench.page import Aim, Section, Table, data_folder, show
from tests.hardware.scale.synthetic_cell import Floats, SyntheticCell, loads

LOADS = 8000
"""Loads on each cell. The share of intervals that hold then has a standard error of 0.24 %."""
PERIOD_S = 10.0

CELLS: dict[str, dict[str, float]] = {
    "100 g cell, 10 a second": {"rate_hz": 10.0, "white_sd_g": 0.0012, "walk_g_per_sqrt_s": 0.0005},
    "500 g cell, 10 a second, spikes": {
        "rate_hz": 10.0,
        "white_sd_g": 0.0058,
        "walk_g_per_sqrt_s": 0.003,
        "spikes_per_min": 6.0,
    },
    "500 g cell, 80 a second, jitter": {
        "rate_hz": 80.0,
        "white_sd_g": 0.0105,
        "walk_g_per_sqrt_s": 0.003,
        "clock_jitter": 0.4,
    },
    "500 g cell that drifts": {"rate_hz": 10.0, "white_sd_g": 0.006, "walk_g_per_sqrt_s": 0.05},
}

BUSIER: dict[str, dict[str, float]] = {
    "white noise of 15 mg": {"white_sd_g": 0.015},
    "white noise of 25 mg": {"white_sd_g": 0.025},
    "hum of 30 mg at 2 Hz": {"hum_g": 0.03, "hum_hz": 2.0},
    "hum of 20 mg, aliased to 0.37 Hz": {"hum_g": 0.02, "hum_hz": 9.63},
}
"""What a cell of 4.6 mg does at a table that is busier than its calibration was."""


def measure(effort: float = 1.0) -> Section:
    masses, mass_aims = _masses(max(round(LOADS * effort), 10))
    tables = [masses, _busier(max(round(LOADS * effort / 4), 10))]
    folder = data_folder(effort)
    notes = []
    if folder and (counts := Path(folder) / "counts").is_dir():
        tables.append(_recordings(counts))
    else:
        notes.append(
            "Recordings of real scales were not weighed, because `SMUGGLERS_DATA` names no folder that contains them."
        )
    return Section(
        title="Weighing",
        method="Counts of simulated cells with white noise, zero drift and spikes; a load takes 40 ms to land. Every "
        f"{PERIOD_S:g} s another load of 4–40 g lies on the pan for 5 s. The bound is the generalised least squares "
        "error of the same samples with the true covariance of the noise.",
        tables=tables,
        aims=mass_aims,
        notes=notes,
    )


# -- masses ------------------------------------------------------------------------------------------------------


def _masses(count: int) -> tuple[Table, list[Aim]]:
    rows, ratios, shares = [], [], []
    for seed, (name, options) in enumerate(CELLS.items()):
        cell = SyntheticCell(rng=np.random.default_rng(100 + seed), **options)
        masses_g = cell.rng.uniform(4.0, 40.0, count)
        t_s = cell.stamps(count * PERIOD_S)
        counts = cell.read(t_s, loads(t_s, list(masses_g), PERIOD_S))
        found = _weigh(Weigher(model_of(cell)), t_s, counts)
        once = {int(reading.t_s // PERIOD_S): reading for reading in found}
        errors = np.array([reading.mass_g - masses_g[turn] for turn, reading in once.items()])
        stated = np.array([reading.sd_g for reading in once.values()])
        bounds = np.array([bound_g(cell, reading.samples) for reading in once.values()])
        ratio = float(np.sqrt(np.mean((errors / bounds) ** 2)))
        share = float(np.mean(np.abs(errors) < 1.96 * stated))
        waits = np.array([reading.t_s % PERIOD_S - 5.0 for reading in once.values()])
        ratios.append(ratio)
        shares.append(share)
        rows.append(
            [
                name,
                f"{len(once)} of {count}",
                f"{1e3 * np.sqrt(np.mean(errors**2)):.1f} mg",
                f"{ratio:.2f} ×",
                f"{100 * share:.1f} %",
                f"{np.median(waits):.1f} s",
                f"{1e3 * _mean_of_five_rms_g(cell, t_s, counts, masses_g):.1f} mg",
            ]
        )
    heads = (
        "cell",
        "loads settled",
        "RMS error",
        "÷ bound",
        "95 % intervals hold",
        "settled after",
        "mean of 5, one tare",
    )
    aims = [
        Aim(
            what="a settled mass",
            wanted="≤ 2 × the noise model's bound",
            measured=f"{min(ratios):.2f}–{max(ratios):.2f} × on {len(CELLS)} kinds of cell",
            met=max(ratios) <= 2,
        ),
        Aim(
            what=f"stated 95 % intervals of {count} loads on each of {len(CELLS)} cells",
            wanted="93–97 % hold",
            measured=f"{100 * min(shares):.1f}–{100 * max(shares):.1f} %",
            met=all(0.93 <= share <= 0.97 for share in shares) if count >= LOADS else None,
        ),
    ]
    return Table(title="Settled masses", heads=heads, rows=rows), aims


def _busier(count: int) -> Table:
    calm: dict[str, Any] = {"rate_hz": 10.0, "white_sd_g": 0.0046}
    rows = []
    for seed, (name, options) in enumerate(BUSIER.items()):
        cell = SyntheticCell(rng=np.random.default_rng(200 + seed), **{**calm, **options})
        masses_g = cell.rng.uniform(4.0, 40.0, count)
        t_s = cell.stamps(count * PERIOD_S)
        found = _weigh(
            Weigher(model_of(SyntheticCell(**calm))), t_s, cell.read(t_s, loads(t_s, list(masses_g), PERIOD_S))
        )
        once = {int(reading.t_s // PERIOD_S): reading for reading in found}
        errors = np.array([reading.mass_g - masses_g[turn] for turn, reading in once.items()])
        stated = np.array([reading.sd_g for reading in once.values()])
        rows.append(
            [
                name,
                f"{len(once)} of {count}",
                f"{1e3 * np.sqrt(np.mean(errors**2)):.1f} mg" if once else "–",
                f"{100 * np.mean(np.abs(errors) < 1.96 * stated):.1f} %" if once else "–",
            ]
        )
    heads = ("noise (4.6 mg during calibration)", "loads settled", "RMS error", "95 % intervals hold")
    return Table(title="At a table with more noise than during its calibration", heads=heads, rows=rows)


def model_of(cell: SyntheticCell) -> ScaleModel:
    return ScaleModel(
        counts_per_gram=cell.counts_per_gram,
        zero_counts=cell.zero_counts,
        rate_hz=cell.rate_hz,
        white_sd_g=cell.white_sd_g,
        drift_g_per_sqrt_s=cell.walk_g_per_sqrt_s,
    )


def _weigh(weigher: Weigher, t_s: Floats, counts: Floats) -> list[MassSettled]:
    pairs = zip(t_s.tolist(), counts.tolist(), strict=True)
    return [reading for t, c in pairs for reading in weigher.feed(t, c) if isinstance(reading, MassSettled)]


def bound_g(cell: SyntheticCell, load_samples: int, empty_s: float = 4.0, gap_s: float = 0.5) -> float:
    """Return the Cramér–Rao bound of a mass from its samples and the empty pan before, by the noise's covariance."""
    key = (cell.rate_hz, cell.white_sd_g, cell.walk_g_per_sqrt_s, load_samples)
    if key not in _BOUNDS:
        empty = np.arange(round(empty_s * cell.rate_hz)) / cell.rate_hz
        t_s = np.concatenate([empty, empty[-1] + gap_s + np.arange(load_samples) / cell.rate_hz])
        cov = cell.walk_g_per_sqrt_s**2 * np.minimum.outer(t_s, t_s) + cell.white_sd_g**2 * np.eye(t_s.size)
        design = np.stack([np.ones(t_s.size), np.r_[np.zeros(empty.size), np.ones(load_samples)]], axis=1)
        _BOUNDS[key] = math.sqrt(np.linalg.inv(design.T @ np.linalg.solve(cov, design))[1, 1])
    return _BOUNDS[key]


_BOUNDS: dict[tuple[float, float, float, int], float] = {}


def _mean_of_five_rms_g(cell: SyntheticCell, t_s: Floats, counts: Floats, masses_g: Floats) -> float:
    """The plain package's way: tare once at the start; 1 s after each landing the mean of `get_raw_data(times=5)`."""
    zero = counts[:5].mean()
    errors = []
    for turn, mass_g in enumerate(masses_g):
        first = int(np.searchsorted(t_s, turn * PERIOD_S + 6.0))
        errors.append((counts[first : first + 5].mean() - zero) / cell.counts_per_gram - mass_g)
    return float(np.sqrt(np.mean(np.square(errors))))


# -- recordings --------------------------------------------------------------------------------------------------


def _recordings(folder: Path) -> Table:
    """Steps of 100 g and 200 g put together from what a real scale recorded, and the idle drift of another."""
    recorded = {mass: load_recording(folder / f"bench_scale_{mass:03d}g.csv") for mass in (0, 100, 200)}
    half = {mass: len(each.values) // 2 for mass, each in recorded.items()}
    points = [(KnownMass(float(m), 0.0, f"{m} g"), _part(recorded[m], 0, half[m])) for m in recorded]
    model = fit_scale(points, datetime(2020, 1, 1, tzinfo=UTC)).model
    rows = []
    for mass in (100, 200):
        values: list[float] = []
        for turn in range(20):
            start = 40 * turn
            empty, loaded = (recorded[m].values[half[m] + start : half[m] + start + 40] for m in (0, mass))
            values += [*empty, *loaded]
        found = _weigh(Weigher(model), np.arange(len(values)) / 5.0, np.array(values))
        errors = np.array([reading.mass_g - mass for reading in found])
        held = sum(abs(e) < 1.96 * r.sd_g for e, r in zip(errors, found, strict=True))
        rows.append(
            [
                f"{mass} g on and off, 20 times",
                f"{len(found)}",
                f"{errors.mean():+.2f} g",
                f"{errors.std():.2f} g",
                f"{held} of {len(found)}",
            ]
        )
    idle = load_recording(folder / "idle_drift_10hz.csv")
    noise = measure_noise(idle)
    weigher = Weigher(
        ScaleModel(
            counts_per_gram=1.0,
            white_sd_g=noise.white_sd,
            drift_g_per_sqrt_s=noise.drift_per_sqrt_s,
            rate_hz=idle.rate_hz,
            zero_counts=float(np.median(idle.values[:20])),
        )
    )
    readings = [r for t, v in zip(idle.t_s, idle.values, strict=True) for r in weigher.feed(t, v)]
    loads_seen = sum(isinstance(r, MassSettled | LoadRemoved) for r in readings)
    rows.append([f"idle scale, {idle.t_s[-1] / 60:.0f} min", f"{loads_seen}", "–", "–", "–"])
    title = "Recordings of real scales (calibrated on the first half of each, judged on the second)"
    return Table(
        title=title, heads=("recording", "loads found", "mean error", "scatter", "95 % intervals that hold"), rows=rows
    )


def _part(recording: CountRecording, start: int, end: int) -> CountRecording:
    return CountRecording(
        name=recording.name, unit=recording.unit, t_s=recording.t_s[start:end], values=recording.values[start:end]
    )


if __name__ == "__main__":
    show(measure)
