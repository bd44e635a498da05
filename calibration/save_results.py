"""Saves the results of a calibration: the file that the table reads, and the report. For terminal and kiosk."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from calibration import store
from calibration.balls.fit import BallSeen, BallsFit, fit_balls
from calibration.balls.report import balls_page, balls_verdict
from calibration.camera.intrinsics import BoardView, CameraFit, fit_camera
from calibration.camera.intrinsics import to_toml as camera_toml
from calibration.camera.report import camera_page, camera_verdict
from calibration.messages import CalibrationVerdict, Speaker
from calibration.report.report_page import ReportPage, write_report
from calibration.scale.coins import KnownMass
from calibration.scale.count_recording import CountRecording
from calibration.scale.fit import ScaleFit, fit_scale
from calibration.scale.fit import to_toml as scale_toml
from calibration.scale.points import check_direction
from calibration.scale.report import scale_page
from calibration.scale.verdict import scale_verdict
from calibration.track.fit import TrackFit, fit_track
from calibration.track.fit import to_toml as rig_toml
from calibration.track.report import track_page, track_verdict
from hardware.cameras.camera_model import CameraModel, Image
from hardware.rig import Rig

Written = tuple[Path, ...]


class Places(msgspec.Struct, frozen=True):
    """The file of a calibration, the file of its report (None: no report), and the language of the texts in both.

    :param last_step: called just before the calibration takes the place of the old one. Nothing is undone after that.
    """

    out: Path
    report: Path | None
    speaker: Speaker
    last_step: Callable[[], None] = lambda: None


def keep_camera(
    views: Sequence[BoardView], places: Places, lens_position: float | None = None
) -> tuple[CameraFit, CalibrationVerdict, Written]:
    """Fit the lens, store it, and write its report.

    :param lens_position: position at which the lens was held, in the camera driver's unit, or None.
    :raises CameraFitError: the views do not give a lens; nothing is written.
    :raises StoreError: a file cannot be written.
    """
    made = _now()
    fit = fit_camera(views)
    judged = camera_verdict(fit)
    text = camera_toml(msgspec.structs.replace(fit.camera, made_utc=made, lens_position=lens_position))
    return fit, judged, _kept(places, text, lambda: camera_page(fit, views, judged, made, places.speaker))


def keep_track(
    images: Sequence[Image],
    rig: Rig,
    camera: CameraModel,
    places: Places,
    holes_mm: Mapping[int, float] | None = None,
) -> tuple[TrackFit, CalibrationVerdict, Written]:
    """Fit the rig to pictures of the empty table, store it, and write its report.

    :param holes_mm: diameters of holes that were measured with callipers, by lane.

    :raises SightError: the pictures do not show the table through this lens; nothing is written.
    :raises CameraFileError, RigError: as `fit_track`; nothing is written.
    :raises StoreError: a file cannot be written.
    """
    made = _now()
    fit = fit_track(images, rig, camera, holes_mm)
    judged = track_verdict(fit)
    text = rig_toml(msgspec.structs.replace(fit.rig, made_utc=made))
    return fit, judged, _kept(places, text, lambda: track_page(fit, images, camera, judged, made, places.speaker))


def keep_balls(seen: Sequence[BallSeen], rig: Rig, places: Places) -> tuple[BallsFit, CalibrationVerdict, Written]:
    """Calibrate the rig with the measured balls, store it, and write its report.

    :raises BallError: the balls give no calibration; nothing is written.
    :raises StoreError: a file cannot be written.
    """
    fit = fit_balls(seen, rig)
    judged = balls_verdict(fit)
    text = rig_toml(fit.rig, "balls")
    return fit, judged, _kept(places, text, lambda: balls_page(fit, judged, _now(), places.speaker))


def keep_scale(
    points: Sequence[tuple[KnownMass, CountRecording]], places: Places, inverted: bool | None = None
) -> tuple[ScaleFit, CalibrationVerdict, Written]:
    """Fit the scale, store it, and write its report.

    :param inverted: whether the user says that the cell has reversed polarity; None: as in the present file.
    :raises FitError: the points do not give a scale; nothing is written.
    :raises StoreError: a file cannot be written.
    """
    fit = fit_scale(points, datetime.now(UTC))
    check_direction(fit.model, places.out, inverted)
    judged = scale_verdict(fit)
    return fit, judged, _kept(places, scale_toml(fit.model), lambda: scale_page(fit, judged, places.speaker))


def _kept(places: Places, text: str, page: Callable[[], ReportPage]) -> Written:
    """Write the report, then the calibration: if the report cannot be written, the old calibration is kept."""
    store.check_places(places.out, places.report)
    report = () if places.report is None else write_report(places.report, page())
    store.write(places.out, text, places.last_step)
    return (places.out, *report)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
