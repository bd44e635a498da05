"""Stores the result of a calibration where the table reads it, and reports its figures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

from calibration.balls.fit import BallSeen, ball_said
from calibration.camera.intrinsics import BoardView
from calibration.live_guide import Image
from calibration.messages import CalibrationVerdict, Message
from calibration.save_results import Places, keep_balls, keep_camera, keep_scale, keep_track
from calibration.scale.coins import KnownMass, mass_said
from calibration.scale.count_recording import CountRecording
from hardware.cameras.camera_model import CameraModel
from hardware.rig import Rig


class Calibrated(msgspec.Struct, frozen=True):
    """The figures that were found, the most important last; the verdict; the files that were written."""

    figures: tuple[Message, ...]
    judged: CalibrationVerdict
    written: tuple[Path, ...]


def store_camera(views: Sequence[BoardView], places: Places, lens_position: float | None = None) -> Calibrated:
    """Fit and store the lens.

    :param lens_position: where it was held meanwhile, in the camera driver's unit; None: unknown, or without a motor.
    :raises CameraFitError: the views give no lens; nothing is written.
    :raises StoreError: a file cannot be written.
    """
    fit, judged, written = keep_camera(views, places, lens_position)
    seen = [
        _told(
            "view" if view.used else "view_left_out",
            {"name": view.name, "corners": view.corners, "rms_px": view.rms_px},
        )
        for view in fit.views
    ]
    lens = [_told("lens", {"name": name, "value": value, "error": error}) for name, value, error in fit.fitted]
    whole = {
        "rms_px": fit.camera.rms_px or 0.0,
        "coverage_pct": 100 * fit.coverage,
        "tilt_deg": fit.tilt_deg,
        "structure": fit.structure,
    }
    return Calibrated((*seen, *lens, _told("reprojection", whole)), judged, written)


def store_track(
    images: Sequence[Image],
    rig: Rig,
    camera: CameraModel,
    places: Places,
    holes_mm: Mapping[int, float] | None = None,
) -> Calibrated:
    """Fit and store the rig.

    :param holes_mm: holes that were measured with callipers, by lane.
    :raises SightError: the pictures do not show the table through this lens; nothing is written.
    :raises StoreError: a file cannot be written.
    """
    fit, judged, written = keep_track(images, rig, camera, places, holes_mm)
    x_mm, y_mm, z_mm = fit.camera_position_mm
    figures = [_told("camera", {"x_mm": x_mm, "y_mm": y_mm, "z_mm": z_mm, "rms_px": fit.rms_px})]
    for marker in fit.markers:
        dx_mm, dy_mm = marker.moved_mm
        moved = {"dx_mm": dx_mm, "dy_mm": dy_mm, "turned_deg": marker.turned_deg, "rms_px": marker.rms_px}
        figures.append(_told("marker", {"marker": marker.id, **moved}))
    for lane in fit.lanes:
        if lane.x_mm is None:
            figures.append(_told("no_circle", {"lane": lane.number}))
        else:
            found = {"x_mm": lane.x_mm, "circle_mm": lane.diameter_mm, "scatter_mm": lane.scatter_mm}
            figures.append(_told("lane", {"lane": lane.number, **found}))
        if lane.number in (holes_mm or {}):
            figures.append(_told("hole", {"lane": lane.number, "hole_mm": fit.rig.lane(lane.number).hole_mm}))
    return Calibrated(tuple(figures), judged, written)


def store_balls(seen: Sequence[BallSeen], rig: Rig, places: Places) -> Calibrated:
    """Fit the rig to the balls that were seen, and store it.

    :raises BallError: the rig cannot be fitted to the balls; nothing is written.
    :raises StoreError: a file cannot be written.
    """
    fit, judged, written = keep_balls(seen, rig, places)
    balls = [
        _told(
            "ball",
            {"ball": ball_said(ball.known, places.speaker), "measured_mm": ball.measured_mm, "left_mm": ball.left_mm},
        )
        for ball in fit.balls
    ]
    putties = [_told("putty", {"putty": each.name, "red": each.red, "blue": each.blue}) for each in fit.rig.putties]
    return Calibrated((*balls, *putties), judged, written)


def store_scale(
    points: Sequence[tuple[KnownMass, CountRecording]], places: Places, inverted: bool | None = None
) -> Calibrated:
    """Fit and store the scale.

    :param inverted: whether the cell is wired the other way round; None: as in the existing file.
    :raises FitError: the points do not make a scale; nothing is written.
    :raises StoreError: a file cannot be written; the scale file is then as it was.
    """
    fit, judged, written = keep_scale(points, places, inverted)
    model = fit.model
    line = [
        _told("zero", {"zero_counts": model.zero_counts, "error_counts": fit.zero_se_counts}),
        _told("span", {"counts_per_gram": model.counts_per_gram, "error": fit.span_se}),
    ]
    off = [
        _told(
            "point",
            {
                "mass": mass_said(point.known, places.speaker),
                "off_g": point.residual_g,
                "sd_g": point.residual_sd_g,
            },
        )
        for point in fit.points
    ]
    noise = {
        "white_g": model.white_sd_g,
        "rate_hz": model.rate_hz,
        "drift_g": model.drift_g_per_sqrt_s,
        "spikes_per_min": model.spikes_per_min,
    }
    return Calibrated((*line, *off, _told("noise", noise)), judged, written)


def _told(code: str, values: Mapping[str, object]) -> Message:
    return Message(f"calibrate.told.{code}", values)
