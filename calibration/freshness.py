"""Detects stale calibrations: by age, by later calibrations, and by present measurements of the sensors."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Literal

import msgspec
import numpy as np
from numpy.typing import NDArray

from calibration.scale.count_recording import LEAST_SAMPLES
from calibration.store import STALE_DAYS, age_days
from hardware.cameras.camera_model import CameraModel
from hardware.rig import Rig
from hardware.scale.scale_model import ScaleModel
from vision.markers import corner_gaps_mm
from vision.observations import SightError

MARKER_DRIFT_MM = 1.5
ZERO_DRIFT_SD = 4.0
LEAST_ZERO_DRIFT_G = 2.0

StaleCalibration = Literal["lens calibration", "rig", "scale calibration"]


class Stale(msgspec.Struct, frozen=True):
    """Why a calibration should be repeated: which one, a stable code (`check.<code>`), the values of its sentence."""

    what: StaleCalibration
    code: str
    values: Mapping[str, float] = {}


def by_age(
    camera: CameraModel | None, rig: Rig | None, scale: ScaleModel | None, now: datetime | None = None
) -> Iterator[Stale]:
    """Yield calibrations that are stale by the timestamps in their files.

    A rig without a timestamp was never calibrated, or people changed its measures since. Another file without one is
    skipped, and so is one whose stamp comes from a clock that was never set.
    """
    now = now or datetime.now(UTC)
    stamps: tuple[tuple[StaleCalibration, str, str], ...] = (
        ("lens calibration", "lens_old", camera.made_utc if camera else ""),
        ("rig", "rig_old", rig.made_utc if rig else ""),
        ("scale calibration", "scale_old", scale.made_utc if scale else ""),
    )
    for what, code, made in stamps:
        days = age_days(made, now)
        if days is not None and days > STALE_DAYS:
            yield Stale(what, code, {"days": days})
    if rig is not None and not rig.made_utc:
        yield Stale("rig", "rig_not_calibrated")
    if camera is not None and rig is not None:
        lens_days, rig_days = age_days(camera.made_utc, now), age_days(rig.made_utc, now)
        if lens_days is not None and rig_days is not None and lens_days < rig_days:
            yield Stale("rig", "rig_before_lens")


def by_picture(image: NDArray[np.uint8], rig: Rig, camera: CameraModel) -> Iterator[Stale]:
    """Yield the worst marker in a picture of the table (BGR uint8), if it is not at its place in the rig.

    A picture with fewer than three markers, or with another aspect ratio than the camera file, is skipped: the camera's
    health reports that.

    A picture through another lens looks like a moved marker, and no single picture tells them apart. The markers lie in
    one plane: four of them give eight numbers, and the pose takes six. A moved marker explains the other two, and so do
    a focal length and a distortion. The sentence therefore names both causes.
    """
    try:
        gaps_mm = corner_gaps_mm(image, rig, camera)
    except SightError:
        return
    moved = {number: gap for number, gap in gaps_mm.items() if gap > MARKER_DRIFT_MM}
    if moved:
        worst = max(moved, key=lambda number: moved[number])
        yield Stale("rig", "markers_moved", {"marker": worst, "away_mm": moved[worst]})


def by_counts(counts: Sequence[float], scale: ScaleModel) -> Iterator[Stale]:
    """Yield the scale's calibration if its zero has moved, from raw counts of the empty pan."""
    if len(counts) < LEAST_SAMPLES:
        return
    zero_g = scale.grams(float(np.median(np.asarray(counts))))
    if abs(zero_g) > max(ZERO_DRIFT_SD * scale.zero_sd_g, LEAST_ZERO_DRIFT_G):
        yield Stale("scale calibration", "scale_drifted", {"zero_g": zero_g})
