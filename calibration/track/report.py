"""The track's one-page report, with the fitted markers, lanes and circles drawn on a picture."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.messages import CalibrationVerdict, Grade, Message, Speaker
from calibration.report.chart import INKS, Chart
from calibration.report.plot import Series, plot
from calibration.report.report_page import CaptionedChart, ReportPage, TextTable
from calibration.track.fit import TrackFit
from hardware.cameras.camera_model import Array, CameraModel, CameraView
from hardware.rig import Lane, Rig
from vision.markers import detect, find_view, marker_corners_mm

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Image = NDArray[np.uint8]

_WIDTH = 920.0
_PICTURE_PX = 1380
_GOOD_RMS_PX = 0.2
_GOOD_SCATTER_MM = 0.25


def track_page(
    fit: TrackFit,
    pictures: Sequence[Image],
    camera: CameraModel,
    judged: CalibrationVerdict,
    made: str,
    speaker: Speaker,
) -> ReportPage:
    """Return the report of a fit, drawn on that of its pictures (BGR uint8) that shows most markers.

    :param made: the time of the fit.
    :raises SightError: no picture shows two markers, or none fits the rig.
    """
    say = speaker.say
    wanted = {marker.id for marker in fit.rig.markers}
    picture = max(pictures, key=lambda one: len(detect(np.asarray(one.max(axis=2), dtype=np.uint8), wanted)))
    view = find_view(picture, fit.rig, camera)
    marker_heads = tuple(say(f"report.head.{name}") for name in ("marker", "moved_mm", "turned", "off_px"))
    lane_heads = tuple(say(f"report.head.{name}") for name in ("lane", "x_mm", "circle_mm", "rim_mm"))
    return ReportPage.of(
        "track",
        made,
        judged,
        speaker,
        tables=(
            TextTable(say("report.markers"), marker_heads, _marker_rows(fit, speaker)),
            TextTable(say("report.lanes"), lane_heads, _lane_rows(fit, speaker)),
        ),
        figures=(
            CaptionedChart(_overlay(fit, picture, view, speaker), say("report.track.overlay.caption"), wide=True),
            CaptionedChart(_residuals(fit, speaker), say("report.track.markers.caption")),
            CaptionedChart(_rims(fit, speaker), say("report.track.rims.caption")),
        ),
    )


def _marker_rows(fit: TrackFit, speaker: Speaker) -> tuple[tuple[str, ...], ...]:
    number = speaker.number
    return tuple(
        (
            str(marker.id),
            "; ".join(number(moved, "+.2f") for moved in marker.moved_mm),
            number(marker.turned_deg, "+.2f"),
            number(marker.rms_px, ".3f"),
        )
        for marker in fit.markers
    )


def _lane_rows(fit: TrackFit, speaker: Speaker) -> tuple[tuple[str, ...], ...]:
    number = speaker.number
    return tuple(
        (str(lane.number), speaker.say("report.not_found"), "", "")
        if lane.x_mm is None or lane.diameter_mm is None or lane.scatter_mm is None
        else (
            str(lane.number),
            number(lane.x_mm, "+.2f"),
            number(lane.diameter_mm, ".2f"),
            number(lane.scatter_mm, ".2f"),
        )
        for lane in fit.lanes
    )


def _grade(fit: TrackFit) -> Grade:
    lost = sum(lane.x_mm is None for lane in fit.lanes)
    if lost == len(fit.lanes) or fit.rms_px > 3 * _GOOD_RMS_PX:
        return "poor"
    return "good" if not lost and fit.rms_px <= _GOOD_RMS_PX else "usable"


def track_verdict(fit: TrackFit) -> CalibrationVerdict:
    """Judge a fit: how reliable it is, and what should be measured with callipers."""
    x_mm, y_mm, z_mm = fit.camera_position_mm
    lost = tuple(lane.number for lane in fit.lanes if lane.x_mm is None)
    farthest = max(fit.markers, key=lambda marker: float(np.hypot(*marker.moved_mm)))
    moved_mm = float(np.hypot(*farthest.moved_mm))
    said = [
        Message("verdict.track.lost", {"lanes": lost}) if lost else Message("verdict.track.fits"),
        Message("verdict.track.camera", {"x_mm": x_mm, "y_mm": y_mm, "z_mm": z_mm}),
        Message("verdict.track.corners", {"rms_px": fit.rms_px}),
        Message("verdict.track.farthest", {"marker": farthest.id, "moved_mm": moved_mm}),
    ]
    rough = tuple(lane.number for lane in fit.lanes if (lane.scatter_mm or 0.0) > _GOOD_SCATTER_MM)
    if rough:
        said.append(Message("verdict.track.rough", {"lanes": rough}))
    return CalibrationVerdict(_grade(fit), tuple(said))


def _overlay(fit: TrackFit, picture: Image, view: CameraView, speaker: Speaker) -> Chart:
    height_px, width_px = picture.shape[:2]
    shrunk = min(1.0, _PICTURE_PX / width_px)
    small = np.asarray(cv2.resize(picture, None, fx=shrunk, fy=shrunk, interpolation=cv2.INTER_AREA), dtype=np.uint8)
    zoom = _WIDTH / width_px
    height = _WIDTH * height_px / width_px

    def placed(points_mm: Array) -> Array:
        places: Array = view.project(points_mm) * zoom
        return places

    def draw(axes: Axes) -> None:
        def outline(points_mm: Array, colour: str) -> None:
            axes.plot(*placed(np.vstack([points_mm, points_mm[:1]])).T, color=colour, linewidth=2)

        for each in fit.rig.markers:
            outline(marker_corners_mm(each, fit.rig.marker_side_mm), INKS["good"])
        for lane, found in zip(fit.rig.lanes, fit.lanes, strict=True):
            lost = found.x_mm is None
            middle = placed(_lane_mm(fit.rig, lane)).T
            axes.plot(*middle, color=INKS["mark" if lost else "cool"], linewidth=1.4, linestyle="--")
            outline(_ring_mm(fit.rig, lane), INKS["mark" if lost else "good"])
            ((x, y),) = placed(np.array([[lane.x_mm, fit.rig.landing_y_mm[0] + 12.0, fit.rig.landing_z_mm]]))
            axes.text(x, y, str(lane.number), color=INKS["mark"], ha="center", va="baseline")

    title = speaker.say("report.track.overlay")
    return Chart(title=title, width=_WIDTH, height=height, draw=draw, bare=True, picture=small)


def _lane_mm(rig: Rig, lane: Lane) -> Array:
    """Return the centre line of a lane, from the platform down to the fence, shape (3, 3) mm."""
    ys = [rig.platform_end_y_mm, rig.ramp_top[0], rig.ramp_foot[0] + 1.0]
    return np.array([[lane.x_mm, y, rig.ramp_z_mm(y)] for y in ys])


def _ring_mm(rig: Rig, lane: Lane) -> Array:
    """Return points on the circle printed on the platform, of the size of the lane's hole, shape (48, 3) mm."""
    turn = np.linspace(0.0, 2.0 * np.pi, 48, endpoint=False)
    middle_y = (rig.ramp_top[0] + rig.platform_end_y_mm) / 2
    radius = lane.hole_mm / 2
    return np.column_stack(
        [lane.x_mm + radius * np.cos(turn), middle_y + radius * np.sin(turn), np.full(48, rig.ramp_top[1])]
    )


def _residuals(fit: TrackFit, speaker: Speaker) -> Chart:
    bars = [(float(marker.id), marker.rms_px, 0.0) for marker in fit.markers]
    return plot([Series("markers", bars, bars=True)], "marker", "off_px", speaker)


def _rims(fit: TrackFit, speaker: Speaker) -> Chart:
    bars = [(float(lane.number), lane.scatter_mm, 0.0) for lane in fit.lanes if lane.scatter_mm is not None]
    return plot([Series("rims", bars, bars=True, style=1)], "lane", "rim", speaker)
