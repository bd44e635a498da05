"""Lens calibration: fits intrinsics with standard errors to pictures of the ChArUco board, and gives advice."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import cv2
import msgspec
import numpy as np

from calibration.camera.picture_sizes import different_sizes
from calibration.messages import CodedError, Grade, Message
from hardware.cameras.camera_model import Array, CameraModel, Image
from hardware.files.toml_file import written_by

COLUMNS, ROWS, SQUARE_MM, MARKER_MM = 9, 6, 30.0, 22.0
FEWEST_VIEWS = 4
"""Fewer views leave nine lens terms and the poses undetermined."""
ENOUGH_VIEWS = 8
FEWEST_CORNERS = 12
"""Least corners in a view, of the 40 on the board."""
COVERAGE_GRID = (6, 4)
"""Columns and rows of the cells in which the coverage of the picture is counted."""
MOST_UNSURE = 0.02
"""Relative standard error of the focal length at which a sphere of 30 mm is off by half a millimetre."""
FLAT_DEG = 5.0  # with less tilt, focal length and distance cannot be separated, at any standard error
OUTLIER = 3.0  # times the median reprojection error of the views
STRUCTURES: tuple[tuple[str, int], ...] = (
    ("k1, k2", cv2.CALIB_FIX_K3 | cv2.CALIB_ZERO_TANGENT_DIST),
    ("k1, k2, p1, p2", cv2.CALIB_FIX_K3),
    ("k1, k2, p1, p2, k3", 0),
)

LENS_TERMS = ("fx px", "fy px", "cx px", "cy px", "k1", "k2", "p1", "p2", "k3")
"""The terms of a lens, in the order of `CameraFit.errors`."""


class CameraFitError(CodedError):
    """The pictures do not give a calibration."""


class BoardView(msgspec.Struct, frozen=True):
    """The board in one picture: chessboard corners on the board, (n, 3) mm, and in the picture, (n, 2) px."""

    name: str
    size_px: tuple[int, int]
    board_mm: Array
    corners_px: Array


class ViewResult(msgspec.Struct, frozen=True):
    """The result of one picture: corners found, reprojection error in px, and whether it was used or is an outlier."""

    name: str
    corners: int
    rms_px: float
    used: bool


class CameraFit(msgspec.Struct, frozen=True):
    """A calibration. `errors` are the standard errors of `LENS_TERMS`, 0 for terms that are fixed at 0.

    `coverage` is the fraction of the picture's cells (6 × 4) in which corners were seen; `tilt_deg` is the largest tilt
    of the board.
    """

    camera: CameraModel
    errors: tuple[float, ...]
    structure: str
    views: tuple[ViewResult, ...]
    coverage: float
    tilt_deg: float

    @property
    def fitted(self) -> tuple[tuple[str, float, float], ...]:
        """Name, value and standard error of every term that was fitted (not fixed at 0)."""
        values = (*self.camera.focal_px, *self.camera.centre_px, *self.camera.distortion)
        terms = zip(LENS_TERMS, values, self.errors, strict=True)
        held = set(LENS_TERMS[4:]) - set(self.structure.split(", "))
        return tuple((name, value, error) for name, value, error in terms if name not in held)

    @property
    def grade(self) -> Grade:
        """How reliable the calibration is."""
        rms = self.camera.rms_px or 0.0
        unit = self.camera.width_px / 1536
        used = sum(view.used for view in self.views)
        unsure = max(error / focal for error, focal in zip(self.errors[:2], self.camera.focal_px, strict=True))
        if unsure > MOST_UNSURE or self.tilt_deg < FLAT_DEG:
            return "poor"
        if (
            unsure <= MOST_UNSURE / 10
            and rms < 0.5 * unit
            and self.coverage >= 0.7
            and used >= ENOUGH_VIEWS
            and self.tilt_deg >= 15
        ):
            return "good"
        return "usable" if rms < 1.0 * unit and self.coverage >= 0.4 else "poor"

    @property
    def wishes(self) -> tuple[Message, ...]:
        """Advice to improve the calibration; empty when nothing needs to be done."""
        wishes = []
        if self.coverage < 0.7:
            wishes.append(Message("verdict.camera.wish.corners"))
        unsure = self.errors[0] / self.camera.focal_px[0] > MOST_UNSURE / 10
        if self.tilt_deg < 15 or unsure:
            wishes.append(Message("verdict.camera.wish.tilt"))
        if sum(view.used for view in self.views) < ENOUGH_VIEWS:
            wishes.append(Message("verdict.camera.wish.more", {"pictures": ENOUGH_VIEWS}))
        if (self.camera.rms_px or 0.0) >= 0.5 * self.camera.width_px / 1536:
            wishes.append(Message("verdict.camera.wish.still"))
        return tuple(wishes)


def board() -> Any:
    """Return the printed board: 9 × 6 squares of 30 mm, 22 mm markers, DICT_5X5_100, OpenCV's default pattern."""
    dictionary = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_5X5_100)
    return cv2.aruco.CharucoBoard((COLUMNS, ROWS), SQUARE_MM, MARKER_MM, dictionary)


def find_board(name: str, image: Image) -> BoardView | None:
    """Find the board's corners in a picture (BGR uint8); return None when too few are visible."""
    target = board()
    corners, ids, _, _ = cv2.aruco.CharucoDetector(target).detectBoard(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY))
    if ids is None or len(ids) < FEWEST_CORNERS:
        return None
    height, width = image.shape[:2]
    mm = np.asarray(target.getChessboardCorners(), dtype=np.float64)[np.asarray(ids).ravel()]
    return BoardView(name, (width, height), mm, np.asarray(corners, dtype=np.float64).reshape(-1, 2))


def fit_camera(views: Sequence[BoardView]) -> CameraFit:
    """Fit the intrinsics to the board's views, without views that fit much worse than the others.

    Of three sets of distortion terms the one with the lowest Bayesian information criterion is used.

    :raises CameraFitError: `few_views`, `mixed_sizes` or `degenerate_views`.
    """
    different = _different(views)
    if different < FEWEST_VIEWS:
        raise CameraFitError(
            "few_views",
            f"the board was found in {different} different pictures and at least {FEWEST_VIEWS} are needed: take "
            f"{ENOUGH_VIEWS} or more, near and far, tilted, and in every corner of the picture",
            pictures=different,
            fewest=FEWEST_VIEWS,
            enough=ENOUGH_VIEWS,
        )
    if sizes := different_sizes((view.name, view.size_px) for view in views):
        message = f"the pictures have different sizes ({sizes}); take all at one size"
        raise CameraFitError("mixed_sizes", message, sizes=sizes)
    used = list(views)
    while True:
        best = min((_solve(used, name, flags) for name, flags in STRUCTURES), key=lambda solution: solution.criterion)
        worst = int(best.per_view.argmax())
        limit = max(OUTLIER * float(np.median(best.per_view)), 0.3)
        if best.per_view[worst] <= limit or len(used) <= FEWEST_VIEWS:
            break
        del used[worst]
    width, height = views[0].size_px
    K, dist = best.K, best.dist
    camera = CameraModel(
        width_px=width,
        height_px=height,
        focal_px=(float(K[0, 0]), float(K[1, 1])),
        centre_px=(float(K[0, 2]), float(K[1, 2])),
        distortion=(float(dist[0]), float(dist[1]), float(dist[2]), float(dist[3]), float(dist[4])),
        rms_px=best.rms,
        source=f"ChArUco, {len(used)} of {len(views)} pictures",
    )
    kept = {view.name: float(rms) for view, rms in zip(used, best.per_view, strict=True)}
    results = tuple(
        ViewResult(view.name, len(view.corners_px), kept.get(view.name, _left_out_rms(view, camera)), view.name in kept)
        for view in views
    )
    tilts = [math.degrees(math.acos(min(1.0, abs(float(cv2.Rodrigues(r)[0][2, 2]))))) for r in best.rvecs]
    errors = tuple(float(error) for error in best.errors)
    return CameraFit(camera, errors, best.structure, results, _coverage(used), float(np.max(tilts)))


def unlike(one: BoardView, other: BoardView) -> bool:
    """Return whether two views show the board in different poses, so that both contribute to the fit."""
    return float(np.linalg.norm(_outline(one) - _outline(other), axis=1).max()) > 0.05


def _outline(view: BoardView) -> Array:
    """Return the four outer corners of the board in fractions of the picture's width, for comparing views."""
    plane, _ = cv2.findHomography(view.board_mm[:, :2], view.corners_px)
    wide, high = COLUMNS * SQUARE_MM, ROWS * SQUARE_MM
    outer = np.array([[[0.0, 0.0]], [[wide, 0.0]], [[wide, high]], [[0.0, high]]])
    if plane is None:
        return np.zeros((4, 2))
    return np.asarray(cv2.perspectiveTransform(outer, plane).reshape(4, 2) / view.size_px[0], dtype=np.float64)


def _different(views: Sequence[BoardView]) -> int:
    """Return the number of different views: a picture given twice counts once."""
    kept: list[BoardView] = []
    for view in views:
        if all(unlike(view, other) for other in kept):
            kept.append(view)
    return len(kept)


class _Solution(msgspec.Struct):
    structure: str
    rms: float
    K: Array
    dist: Array
    rvecs: list[Any]
    errors: Array
    per_view: Array
    criterion: float


def _solve(views: Sequence[BoardView], structure: str, flags: int) -> _Solution:
    objects = [view.board_mm.astype(np.float32).reshape(-1, 1, 3) for view in views]
    corners = [view.corners_px.astype(np.float32).reshape(-1, 1, 2) for view in views]
    start: Any = None
    try:
        rms, K, dist, rvecs, _, errors, _, per_view = cv2.calibrateCameraExtended(
            objects, corners, views[0].size_px, start, start, flags=flags
        )
    except cv2.error:
        raise CameraFitError(
            "degenerate_views", "the pictures do not fix the lens: tilt the board and move it between pictures"
        ) from None
    if not np.isfinite(rms) or not 0.2 < K[0, 0] / views[0].size_px[0] < 20:
        raise CameraFitError(
            "degenerate_views", "the pictures do not fix the lens: tilt the board and move it between pictures"
        )
    count = 2 * sum(len(view.corners_px) for view in views)
    terms = structure.count(",") + 1
    criterion = count * math.log(max(rms, 1e-6) ** 2) + terms * math.log(count)
    padded = np.zeros(5)
    padded[: min(dist.size, 5)] = dist.ravel()[:5]
    return _Solution(
        structure,
        float(rms),
        np.asarray(K, dtype=np.float64),
        padded,
        list(rvecs),
        errors.ravel()[:9].astype(np.float64),
        per_view.ravel().astype(np.float64),
        criterion,
    )


def _left_out_rms(view: BoardView, camera: CameraModel) -> float:
    _, rvec, tvec = cv2.solvePnP(view.board_mm, view.corners_px, camera.K, camera.dist)
    seen, _ = cv2.projectPoints(view.board_mm, rvec, tvec, camera.K, camera.dist)
    return float(np.sqrt(((seen.reshape(-1, 2) - view.corners_px) ** 2).sum(axis=1).mean()))


def _coverage(views: Sequence[BoardView]) -> float:
    width, height = views[0].size_px
    corners = np.vstack([view.corners_px for view in views])
    columns, rows = COVERAGE_GRID
    cells = {(int(columns * x / width), int(rows * y / height)) for x, y in corners}
    return len(cells) / (columns * rows)


def to_toml(camera: CameraModel) -> str:
    """Return the camera file's text, which `hardware.cameras.camera_model.load_camera` reads."""
    lines = []
    for name, value in msgspec.to_builtins(camera).items():
        if value is not None:
            text = msgspec.json.encode(list(value) if isinstance(value, tuple) else value).decode()
            lines.append(f"{name} = {text}")
    return written_by("camera", "pixels of a picture of this size, distortion k1 k2 p1 p2 k3", lines)
