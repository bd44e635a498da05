"""The track's one-page report: what was found, drawn on the picture it was found in."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.drawing import Drawing, Item, Label, Line, Picture, Point
from calibration.plot import Series, plot
from calibration.report_page import Figure, Grade, ReportPage, Table
from calibration.track import TrackFit
from hardware.camera_model import Array, CameraModel, View
from hardware.rig import Lane, Rig
from vision.markers import find_view, marker_corners_mm

Image = NDArray[np.uint8]

_WIDTH = 920.0
_PICTURE_PX = 1380
_GOOD_RMS_PX = 0.2
_GOOD_SCATTER_MM = 0.25


def track_page(fit: TrackFit, picture: Image, camera: CameraModel, made: str) -> ReportPage:
    """Return the report of a fit, drawn on one of its pictures (BGR uint8); `made` says when.

    :raises SightError: the picture is not one of those that were fitted.
    """
    view = find_view(picture, fit.rig, camera)
    lanes = tuple(
        (str(lane.number), "not found", "", "")
        if lane.x_mm is None or lane.diameter_mm is None or lane.scatter_mm is None
        else (str(lane.number), f"{lane.x_mm:+.2f}", f"{lane.diameter_mm:.2f}", f"{lane.scatter_mm:.2f}")
        for lane in fit.lanes
    )
    markers = tuple(
        (
            str(marker.id),
            f"{marker.moved_mm[0]:+.2f}, {marker.moved_mm[1]:+.2f}",
            f"{marker.turned_deg:+.2f}",
            f"{marker.rms_px:.3f}",
        )
        for marker in fit.markers
    )
    return ReportPage(
        title="Track calibration",
        made=made,
        grade=track_grade(fit),
        sentences=_sentences(fit),
        tables=(
            Table("Markers", ("id", "off by x, y mm", "turned °", "off by, px"), markers),
            Table("Lanes", ("lane", "x mm", "circle mm", "rim scatter mm"), lanes),
        ),
        figures=(
            Figure(_overlay(fit, picture, view), "What was found, drawn where the calibration puts it.", wide=True),
            Figure(_residuals(fit), "How far each marker's corners lie from where the calibration puts them."),
            Figure(_rims(fit), "How far each circle's rim scatters about a true circle."),
        ),
    )


def track_grade(fit: TrackFit) -> Grade:
    """Return how far the fit can be trusted."""
    lost = sum(lane.x_mm is None for lane in fit.lanes)
    if lost == len(fit.lanes) or fit.rms_px > 3 * _GOOD_RMS_PX:
        return "poor"
    return "good" if not lost and fit.rms_px <= _GOOD_RMS_PX else "usable"


def _sentences(fit: TrackFit) -> tuple[str, ...]:
    x, y, z = fit.camera_position_mm
    farthest = max(fit.markers, key=lambda marker: float(np.hypot(*marker.moved_mm)))
    verdict = fit.verdict.partition(": ")[2]
    said = [
        verdict[:1].upper() + verdict[1:] + ".",
        f"The camera hangs {z:.0f} mm above the table, at x {x:.0f} and y {y:.0f} mm.",
        f"The markers' corners lie {fit.rms_px:.3f} px off on average.",
        f"Marker {farthest.id} lies farthest from where it was meant to: by {np.hypot(*farthest.moved_mm):.1f} mm, "
        "which is known now and does no harm.",
    ]
    rough = [lane for lane in fit.lanes if lane.scatter_mm is not None and lane.scatter_mm > _GOOD_SCATTER_MM]
    if rough:
        numbers = ", ".join(str(lane.number) for lane in rough)
        said.append(f"The circle of lane {numbers} is blurred or worn: measure its hole with callipers.")
    return tuple(said)


def _overlay(fit: TrackFit, picture: Image, view: View) -> Drawing:
    height_px, width_px = picture.shape[:2]
    shrunk = min(1.0, _PICTURE_PX / width_px)
    small = np.asarray(cv2.resize(picture, None, fx=shrunk, fy=shrunk, interpolation=cv2.INTER_AREA), dtype=np.uint8)
    zoom = _WIDTH / width_px
    height = _WIDTH * height_px / width_px

    def placed(points_mm: Array) -> tuple[Point, ...]:
        return tuple((float(x) * zoom, float(y) * zoom) for x, y in view.project(points_mm))

    items: list[Item] = [Picture((0.0, 0.0), (_WIDTH, height), small)]
    side = fit.rig.marker_side_mm
    items += [Line(placed(marker_corners_mm(each, side)), "good", 2, closed=True) for each in fit.rig.markers]
    for lane, found in zip(fit.rig.lanes, fit.lanes, strict=True):
        lost = found.x_mm is None
        items.append(Line(placed(_lane_mm(fit.rig, lane)), "mark" if lost else "cool", 1.4, dashed=True))
        items.append(Line(placed(_ring_mm(fit.rig, lane)), "mark" if lost else "good", 2, closed=True))
        (x, y), *_ = placed(np.array([[lane.x_mm, fit.rig.landing_y_mm[0] + 12.0, fit.rig.landing_z_mm]]))
        items.append(Label((x, y), str(lane.number), "mark", "middle"))
    return Drawing(_WIDTH, height, "What was found on the table", items)


def _lane_mm(rig: Rig, lane: Lane) -> Array:
    """The middle of a lane, from the platform down to the fence."""
    ys = [rig.platform_end_y_mm, rig.ramp_top[0], rig.ramp_foot[0] + 1.0]
    return np.array([[lane.x_mm, y, rig.ramp_z_mm(y)] for y in ys])


def _ring_mm(rig: Rig, lane: Lane) -> Array:
    """The circle printed on the platform, of the size of the lane's hole."""
    turn = np.linspace(0.0, 2.0 * np.pi, 48, endpoint=False)
    middle_y = (rig.ramp_top[0] + rig.platform_end_y_mm) / 2
    radius = lane.hole_mm / 2
    return np.column_stack(
        [lane.x_mm + radius * np.cos(turn), middle_y + radius * np.sin(turn), np.full(48, rig.ramp_top[1])]
    )


def _residuals(fit: TrackFit) -> Drawing:
    bars = [(float(marker.id), marker.rms_px, 0.0) for marker in fit.markers]
    return plot([Series("markers", bars, bars=True)], "marker", "off by, px")


def _rims(fit: TrackFit) -> Drawing:
    bars = [(float(lane.number), lane.scatter_mm, 0.0) for lane in fit.lanes if lane.scatter_mm is not None]
    return plot([Series("rims", bars, bars=True, style=1)], "lane", "rim scatter, mm")
