"""Counts through a weigher, and what it says of them."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from hardware.readings import DeviceHealth, MassSettled
from hardware.scale.scale_model import ScaleModel
from hardware.scale.weighing import ScaleReading, Weigher
from tests.hardware.scale.synthetic_cell import SyntheticCell


def model_of(cell: SyntheticCell, **changes: float) -> ScaleModel:
    model = ScaleModel(
        counts_per_gram=cell.counts_per_gram,
        zero_counts=cell.zero_counts,
        rate_hz=cell.rate_hz,
        white_sd_g=cell.white_sd_g,
        drift_g_per_sqrt_s=cell.walk_g_per_sqrt_s,
        creep_fraction=cell.creep_fraction,
        creep_s=cell.creep_s,
        hum_g=cell.hum_g,
        hum_hz=cell.hum_hz,
    )
    return msgspec.structs.replace(model, **changes)


def weigh(weigher: Weigher, t_s: Iterable[float], counts: Iterable[float]) -> list[ScaleReading]:
    return [reading for t, c in zip(t_s, counts, strict=True) for reading in weigher.feed(float(t), float(c))]


def settled(readings: list[ScaleReading]) -> list[MassSettled]:
    return [reading for reading in readings if isinstance(reading, MassSettled)]


def codes(readings: list[ScaleReading]) -> list[str]:
    return [reading.code for reading in readings if isinstance(reading, DeviceHealth)]
