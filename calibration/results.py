"""What a calibration leaves behind: the file that the table reads, and the report; one way for terminal and kiosk."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from calibration import store
from calibration.balls import BallSeen, BallsFit, fit_balls
from calibration.balls_report import balls_page
from calibration.camera import BoardView, CameraFit, fit_camera
from calibration.camera import to_toml as camera_toml
from calibration.camera_report import camera_page
from calibration.coins import KnownMass
from calibration.count_recording import CountRecording
from calibration.report_page import ReportPage, write_report
from calibration.scale import ScaleFit, fit_scale
from calibration.scale import to_toml as scale_toml
from calibration.scale_report import scale_page
from calibration.scale_verdict import Verdict, verdict
from calibration.track import Image, TrackFit, fit_track
from calibration.track import to_toml as rig_toml
from calibration.track_report import track_page
from hardware.camera_model import CameraModel
from hardware.rig import Rig

Written = tuple[Path, ...]


def keep_camera(views: Sequence[BoardView], out: Path, report: Path | None) -> tuple[CameraFit, ReportPage, Written]:
    """Fit the lens, store it, and write its report where one is wanted.

    :raises CameraFitError: the views give no lens; nothing is written.
    :raises StoreError: a file cannot be written.
    """
    made = _now()
    fit = fit_camera(views)
    page = camera_page(fit, views, made)
    store.write(out, camera_toml(msgspec.structs.replace(fit.camera, made_utc=made)))
    return fit, page, (out, *(write_report(report, page) if report is not None else ()))


def keep_track(
    images: Sequence[Image],
    rig: Rig,
    camera: CameraModel,
    out: Path,
    report: Path | None,
    holes_mm: Mapping[int, float] | None = None,
) -> tuple[TrackFit, ReportPage, Written]:
    """Fit the rig to pictures of the empty table, store it, and write its report where one is wanted.

    :param holes_mm: holes that were measured with callipers, by lane.

    :raises SightError: the pictures do not show the table through this lens; nothing is written.
    :raises StoreError: a file cannot be written.
    """
    made = _now()
    fit = fit_track(images, rig, camera, holes_mm)
    page = track_page(fit, images[0], camera, made)
    store.write(out, rig_toml(msgspec.structs.replace(fit.rig, made_utc=made)))
    return fit, page, (out, *(write_report(report, page) if report is not None else ()))


def keep_balls(
    seen: Sequence[BallSeen], rig: Rig, out: Path, report: Path | None
) -> tuple[BallsFit, ReportPage, Written]:
    """Teach the rig the balls that were seen, store it, and write its report where one is wanted.

    :raises BallError: the balls teach nothing; nothing is written.
    :raises StoreError: a file cannot be written.
    """
    fit = fit_balls(seen, rig)
    page = balls_page(fit, _now())
    store.write(out, rig_toml(fit.rig))
    return fit, page, (out, *(write_report(report, page) if report is not None else ()))


def keep_scale(
    points: Sequence[tuple[KnownMass, CountRecording]], out: Path, report: Path | None
) -> tuple[ScaleFit, Verdict, ReportPage, Written]:
    """Fit the scale, store it, and write its report where one is wanted.

    :raises FitError: the points do not make a scale; nothing is written.
    :raises StoreError: a file cannot be written.
    """
    fit = fit_scale(points, datetime.now(UTC))
    judged = verdict(fit)
    page = scale_page(fit, judged)
    store.write(out, scale_toml(fit.model))
    return fit, judged, page, (out, *(write_report(report, page) if report is not None else ()))


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
