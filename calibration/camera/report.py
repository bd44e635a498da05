"""The camera's one-page report: coverage by the board, reprojection errors of its corners, distortion of the lens."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import cv2
import numpy as np

from calibration.camera.intrinsics import COVERAGE_GRID, BoardView, CameraFit
from calibration.messages import CalibrationVerdict, Message, Speaker
from calibration.report.chart import INKS, Chart
from calibration.report.plot import Series, plot
from calibration.report.report_page import CaptionedChart, ReportPage, TextTable
from hardware.cameras.camera_model import Array, CameraModel

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_WIDTH = 460.0
_ARROWS_MOST = 400


def camera_page(
    fit: CameraFit, views: Sequence[BoardView], judged: CalibrationVerdict, made: str, speaker: Speaker
) -> ReportPage:
    """Return the report of a fit of these views; `made` is its time."""
    say, number = speaker.say, speaker.number
    camera = fit.camera
    used = {view.name for view in fit.views if view.used}
    kept = [view for view in views if view.name in used]
    residuals = [(view.corners_px, _projected(view, camera) - view.corners_px) for view in kept]
    values = tuple((name, number(value, ".5g"), f"± {number(error, '.2g')}") for name, value, error in fit.fitted)
    pictures = tuple(
        (view.name, str(view.corners), number(view.rms_px, ".3f"), "" if view.used else say("report.left_out"))
        for view in fit.views
    )
    arrows, enlarged = _arrows(residuals, camera, speaker)
    lens_heads = ("", say("report.head.value"), say("report.head.error"))
    picture_heads = (*(say(f"report.head.{name}") for name in ("picture", "corners", "off_px")), "")
    return ReportPage.of(
        "camera",
        made,
        judged,
        speaker,
        tables=(
            TextTable(say("report.lens"), lens_heads, values),
            TextTable(say("report.pictures"), picture_heads, pictures),
        ),
        figures=(
            CaptionedChart(_coverage(kept, camera, speaker), say("report.camera.coverage.caption")),
            CaptionedChart(arrows, say("report.camera.arrows.caption", {"enlarged": number(enlarged, "g")})),
            CaptionedChart(_histogram(residuals, speaker), say("report.camera.distances.caption")),
            CaptionedChart(_bend(camera, speaker), say("report.camera.bend.caption")),
        ),
    )


def camera_verdict(fit: CameraFit) -> CalibrationVerdict:
    """Judge a fit."""
    camera = fit.camera
    used = sum(view.used for view in fit.views)
    said = [
        Message(f"verdict.camera.{fit.grade}"),
        Message("verdict.camera.corners", {"rms_px": camera.rms_px or 0.0, "pictures": used}),
        Message("verdict.camera.seen", {"coverage_pct": 100 * fit.coverage, "tilt_deg": fit.tilt_deg}),
        *(fit.wishes or [Message("verdict.camera.nothing")]),
    ]
    if used < len(fit.views):
        said.append(Message("verdict.camera.left_out", {"left_out": len(fit.views) - used, "pictures": len(fit.views)}))
    return CalibrationVerdict(fit.grade, tuple(said))


def _projected(view: BoardView, camera: CameraModel) -> Array:
    _, rvec, tvec = cv2.solvePnP(view.board_mm, view.corners_px, camera.K, camera.dist)
    rvec, tvec = cv2.solvePnPRefineLM(view.board_mm, view.corners_px, camera.K, camera.dist, rvec, tvec)
    seen, _ = cv2.projectPoints(view.board_mm, rvec, tvec, camera.K, camera.dist)
    return np.asarray(seen, dtype=np.float64).reshape(-1, 2)


def _frame(camera: CameraModel, title: str, draw: Callable[[Axes], None]) -> Chart:
    """Return a chart of the size of the camera's picture, with its edge."""
    height = _WIDTH * camera.height_px / camera.width_px

    def framed(axes: Axes) -> None:
        draw(axes)
        axes.plot(
            [0.5, _WIDTH - 0.5, _WIDTH - 0.5, 0.5, 0.5],
            [0.5, 0.5, height - 0.5, height - 0.5, 0.5],
            color=INKS["soft"],
            linewidth=1,
        )

    return Chart(title=title, width=_WIDTH, height=height, draw=framed, bare=True)


def _coverage(views: Sequence[BoardView], camera: CameraModel, speaker: Speaker) -> Chart:
    zoom = _WIDTH / camera.width_px
    columns, rows = COVERAGE_GRID
    wide, high = _WIDTH / columns, zoom * camera.height_px / rows
    corners = np.vstack([view.corners_px for view in views]) * zoom
    nothing = speaker.say("report.camera.nothing_seen")

    def draw(axes: Axes) -> None:
        for row, column in itertools.product(range(rows), range(columns)):
            x, y = column * wide, row * high
            seen = bool(((corners >= [x, y]) & (corners < [x + wide, y + high])).all(axis=1).any())
            box = ([x + 1, x + wide - 1, x + wide - 1, x + 1], [y + 1, y + 1, y + high - 1, y + high - 1])
            if seen:
                axes.fill(*box, color=INKS["good"], alpha=0.18, linewidth=0)
            else:
                axes.text(x + wide / 2, y + high / 2 + 4, nothing, color=INKS["mark"], ha="center", va="baseline")
            outline = [[*each, each[0]] for each in box]
            axes.plot(*outline, color=INKS["good" if seen else "line"], linewidth=1)
        axes.plot(*corners.T, "o", color=INKS["cool"], markersize=2.4, markeredgewidth=0)

    return _frame(camera, speaker.say("report.camera.coverage"), draw)


def _arrows(residuals: list[tuple[Array, Array]], camera: CameraModel, speaker: Speaker) -> tuple[Chart, float]:
    zoom = _WIDTH / camera.width_px
    places = np.vstack([corners for corners, _ in residuals])
    gaps = np.vstack([gap for _, gap in residuals])
    every = max(1, len(places) // _ARROWS_MOST)
    typical = float(np.percentile(np.linalg.norm(gaps, axis=1), 90)) or 1.0
    enlarged = float(f"{14.0 / (zoom * typical):.1g}")
    x, y = (places[::every] * zoom).T
    dx, dy = (gaps[::every] * zoom * enlarged).T

    def draw(axes: Axes) -> None:
        axes.plot([x, x + dx], [y, y + dy], color=INKS["mark"], linewidth=1)
        axes.plot(x, y, "o", color=INKS["cool"], markersize=2.4, markeredgewidth=0)

    return _frame(camera, speaker.say("report.camera.arrows"), draw), enlarged


def _histogram(residuals: list[tuple[Array, Array]], speaker: Speaker) -> Chart:
    sizes = np.concatenate([np.linalg.norm(gap, axis=1) for _, gap in residuals])
    top = float(np.percentile(sizes, 99.5)) * 1.1 or 1.0
    counts, edges = np.histogram(sizes, bins=24, range=(0.0, top))
    bars = [(float(a + b) / 2, float(n), 0.0) for a, b, n in zip(edges[:-1], edges[1:], counts, strict=True)]
    return plot([Series("corners", bars, bars=True)], "distance", "corners", speaker)


def _bend(camera: CameraModel, speaker: Speaker) -> Chart:
    """Return a chart of the radial distortion along the diagonal, in px of the picture."""
    (fx, _), (cx, cy) = camera.focal_px, camera.centre_px
    reach = float(np.hypot(max(cx, camera.width_px - cx), max(cy, camera.height_px - cy)))
    direction = np.array([camera.width_px, camera.height_px]) / np.hypot(camera.width_px, camera.height_px)
    pixels = np.array([cx, cy]) + np.linspace(0.0, reach, 60)[:, None] * direction
    flat = cv2.undistortPoints(pixels.reshape(-1, 1, 2), camera.K, camera.dist).reshape(-1, 2)
    straight = np.linalg.norm(flat, axis=1) * fx
    bent = np.linalg.norm(pixels - [cx, cy], axis=1)
    points = [(float(s), float(b - s), 0.0) for s, b in zip(straight, bent, strict=True)]
    return plot([Series("lens", points)], "from_middle", "shift", speaker)
