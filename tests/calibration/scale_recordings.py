"""Recordings of a synthetic cell, and the scale that they give."""

from __future__ import annotations

from datetime import UTC, datetime

import numpy as np

from calibration.scale.coins import KnownMass
from calibration.scale.count_recording import CountRecording
from calibration.scale.fit import ScaleFit, fit_scale
from tests.hardware.scale.synthetic_cell import SyntheticCell

NOW = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)


def record(cell: SyntheticCell, mass_g: float, lasting_s: float = 60.0, name: str = "run.csv") -> CountRecording:
    t_s = cell.stamps(lasting_s)
    values = cell.read(t_s, np.full(t_s.size, mass_g))
    return CountRecording(name=name, unit="counts", t_s=tuple(t_s.tolist()), values=tuple(values.tolist()))


def grams(mass_g: float) -> KnownMass:
    return KnownMass(mass_g, 0.0, f"{mass_g:g}")


def fit(cell: SyntheticCell, *masses_g: float, lasting_s: float = 60.0) -> ScaleFit:
    return fit_scale([(grams(mass), record(cell, mass, lasting_s)) for mass in masses_g], NOW)
