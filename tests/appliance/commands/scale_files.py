"""Recordings of a known scale, and the commands that read them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
from click.testing import CliRunner, Result

from appliance.cli import main
from appliance.devices.scale_session import LiveSample
from hardware.scale.load_cell import Sample
from tests.hardware.scale.synthetic_cell import Floats, SyntheticCell


def run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(main, [str(argument) for argument in arguments], catch_exceptions=False)


def write_csv(path: Path, t_s: Floats, values: Floats, unit: str = "counts") -> Path:
    rows = [f"{t:.4f},{v:.10g}" for t, v in zip(t_s, values, strict=True)]
    path.write_text("\n".join([f"t_s,{unit}", *rows]) + "\n")
    return path


def cell(seed: int = 1) -> SyntheticCell:
    return SyntheticCell(counts_per_gram=1013.0, rng=np.random.default_rng(seed))


def record(folder: Path, mass_g: float, lasting_s: float = 30.0) -> Path:
    scale = cell(int(mass_g))
    t_s = scale.stamps(lasting_s)
    return write_csv(folder / f"{mass_g:g}g.csv", t_s, scale.read(t_s, np.full(t_s.size, mass_g)))


def stream(*stretches: tuple[float, float], start_s: float = 100.0) -> Iterator[LiveSample]:
    """Yield live samples of stretches of (seconds, grams)."""
    scale = cell(4)
    load_g = np.concatenate([np.full(round(s * 10), float(g)) for s, g in stretches])
    t_s = start_s + np.arange(load_g.size) / 10
    for t, counts in zip(t_s, scale.read(t_s, load_g), strict=True):
        yield Sample(float(t), int(counts))
