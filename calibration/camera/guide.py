"""The guided calibration of the camera, without user interface: what to show next, is it at rest, is it enough.

Every view that adds information is taken, even if another one was asked for. Pure: frames and timestamps in.
"""

from __future__ import annotations

import math
from collections import deque
from typing import Literal

import cv2
import msgspec
import numpy as np
from numpy.typing import NDArray

from calibration.camera.intrinsics import (
    COVERAGE_GRID,
    ENOUGH_VIEWS,
    FEWEST_VIEWS,
    BoardView,
    CameraFit,
    CameraFitError,
    find_board,
    fit_camera,
    unlike,
)
from hardware.cameras.camera_model import CameraModel

Image = NDArray[np.uint8]
Tilt = Literal["left", "right", "top", "bottom"]
Ask = Literal[
    "show", "flat", "upper_left", "upper_right", "lower_left", "lower_right", "centre",
    "tilt_left", "tilt_right", "tilt_top", "tilt_bottom", "enough",
]  # fmt: skip

TILTS: tuple[Tilt, ...] = ("left", "right", "top", "bottom")
LEAST_TILT_DEG = 12.0
STEEPEST_DEG = 55.0
MOST_VIEWS = 30
ENOUGH_COVERAGE = 0.8
STILL_S = 0.6
STILL_OF_WIDTH = 0.002
_UNSEEN_FOCAL = 0.8  # of the width, about 64° wide: good enough to estimate a tilt before there is a fit
_NEW_CELLS = 2
_CORNERS: tuple[tuple[Ask, slice, slice], ...] = (
    ("upper_left", slice(0, 2), slice(0, 3)),
    ("lower_right", slice(2, 4), slice(3, 6)),
    ("upper_right", slice(0, 2), slice(3, 6)),
    ("lower_left", slice(2, 4), slice(0, 3)),
)


class GuideState(msgspec.Struct, frozen=True, kw_only=True):
    """Progress of the calibration.

    `ask` is what to show next. `corners` are the visible corners of the board, in fractions of the picture's width.
    `still`, 0–1, is how long the board has been at rest. `wanted`: a picture of this view should be taken now.
    `covered` marks the cells, 4 rows × 6 columns, of the picture in which corners were seen. `tilts` are the edges that
    were brought nearer. `rms_px` is the present reprojection error, None before there is a fit.
    """

    ask: Ask
    corners: tuple[tuple[float, float], ...]
    still: float
    wanted: bool
    views: int
    covered: tuple[tuple[bool, ...], ...]
    tilts: frozenset[Tilt]
    rms_px: float | None

    @property
    def coverage(self) -> float:
        """The fraction of the picture that is covered, 0–1."""
        return sum(map(sum, self.covered)) / (COVERAGE_GRID[0] * COVERAGE_GRID[1])

    @property
    def share(self) -> float:
        """Progress, 0–1."""
        parts = (self.views / ENOUGH_VIEWS, self.coverage / ENOUGH_COVERAGE, len(self.tilts) / len(TILTS))
        return sum(min(part, 1.0) for part in parts) / len(parts)


class CameraGuide:
    """Tracks the board from frame to frame and collects views for the fit.

    Feed it frames with `look`. When the state is `wanted`, take a full-size picture and pass it to `keep`.
    """

    def __init__(self) -> None:
        self.lens_position: float | None = None
        """Position at which the camera holds the lens, in the driver's unit; None if the lens has no motor."""
        self._views: list[BoardView] = []
        self._covered = np.zeros((COVERAGE_GRID[1], COVERAGE_GRID[0]), dtype=np.bool_)
        self._tilts: set[Tilt] = set()
        self._fit: CameraFit | None = None
        self._held: deque[tuple[float, BoardView]] = deque()

    @property
    def done(self) -> bool:
        """Whether there are enough views for a good fit, or the most that are useful."""
        if len(self._views) >= MOST_VIEWS:
            return True
        enough = self._covered.mean() >= ENOUGH_COVERAGE and len(self._tilts) == len(TILTS)
        return enough and len(self._views) >= ENOUGH_VIEWS and self._fit is not None and self._fit.grade == "good"

    def look(self, image: Image, t_s: float) -> GuideState:
        """Process a frame (BGR uint8) of the stream."""
        view = find_board("frame", image)
        if view is None:
            self._held.clear()
            return self._state(None, 0.0, wanted=False)
        self._held.append((t_s, view))
        while t_s - self._held[0][0] > STILL_S:
            self._held.popleft()
        still = self._stillness(t_s)
        return self._state(view, still, wanted=still >= 1.0 and self._adds(view) and not self.done)

    def keep(self, image: Image) -> bool:
        """Add a full-size picture. Return False if the board was not found in it or it adds no information."""
        view = find_board(f"#{len(self._views) + 1}", image)
        self._held.clear()
        if view is None or (self._views and view.size_px != self._views[0].size_px) or not self._adds(view):
            return False
        self._views.append(view)
        self._covered |= _cells(view)
        if (tilt := self._tilt(view)) is not None:
            self._tilts.add(tilt)
        if len(self._views) >= FEWEST_VIEWS:
            try:
                self._fit = fit_camera(self._views)
            except CameraFitError:
                self._fit = None  # the first views may not determine the lens; later ones will
        return True

    def fit(self) -> CameraFit:
        """Return the fit of all views.

        :raises CameraFitError: there are too few views, or they do not determine the lens.
        """
        return fit_camera(self._views)

    @property
    def views(self) -> tuple[BoardView, ...]:
        """The views taken so far."""
        return tuple(self._views)

    def _state(self, view: BoardView | None, still: float, *, wanted: bool) -> GuideState:
        return GuideState(
            ask=self._ask(view is not None),
            corners=() if view is None else _shares(view),
            still=still,
            wanted=wanted,
            views=len(self._views),
            covered=tuple(tuple(row) for row in self._covered.tolist()),
            tilts=frozenset(self._tilts),
            rms_px=None if self._fit is None else self._fit.camera.rms_px,
        )

    def _ask(self, in_sight: bool) -> Ask:
        """Return the view that is most needed."""
        if self.done:
            return "enough"
        if not self._views:
            return "flat" if in_sight else "show"
        for ask, rows, columns in _CORNERS:
            if self._covered[rows, columns].mean() < 0.6:
                return ask
        for tilt in TILTS:
            if tilt not in self._tilts:
                return f"tilt_{tilt}"  # type: ignore[return-value]  # the four of them are in Ask
        poorest = min(_CORNERS, key=lambda corner: float(self._covered[corner[1], corner[2]].mean()))
        return poorest[0] if self._covered.mean() < ENOUGH_COVERAGE else "centre"

    def _stillness(self, t_s: float) -> float:
        """Return for how much of the required time, 0–1, the board has been at its present place."""
        _, now = self._held[-1]
        limit_px = STILL_OF_WIDTH * now.size_px[0]
        since_s = t_s
        for at_s, view in reversed(self._held):
            if _moved_px(now, view) > limit_px:
                break
            since_s = at_s
        return min((t_s - since_s) / (0.8 * STILL_S), 1.0)

    def _adds(self, view: BoardView) -> bool:
        new_cells = int((_cells(view) & ~self._covered).sum())
        tilt = self._tilt(view)
        if new_cells >= _NEW_CELLS or (tilt is not None and tilt not in self._tilts):
            return True
        few = len(self._views) < ENOUGH_VIEWS or self._covered.mean() >= ENOUGH_COVERAGE
        return few and all(unlike(view, other) for other in self._views)

    def _tilt(self, view: BoardView) -> Tilt | None:
        """Return the board's edge, as the camera sees it, that is nearer by a useful angle, or None."""
        camera = self._fit.camera if self._fit is not None else _guess(view.size_px)
        camera = camera.scaled_to(*view.size_px)
        found, rvec, _ = cv2.solvePnP(view.board_mm, view.corners_px, camera.K, camera.dist)
        if not found:
            return None
        x, y, z = np.asarray(cv2.Rodrigues(rvec)[0])[:, 2].tolist()
        if z > 0:
            x, y, z = -x, -y, -z
        angle_deg = math.degrees(math.acos(min(1.0, -z)))
        if not LEAST_TILT_DEG <= angle_deg <= STEEPEST_DEG or max(abs(x), abs(y)) < 1.5 * min(abs(x), abs(y)):
            return None
        if abs(x) > abs(y):
            return "left" if x > 0 else "right"
        return "top" if y > 0 else "bottom"


def _guess(size_px: tuple[int, int]) -> CameraModel:
    width, height = size_px
    focal = _UNSEEN_FOCAL * width
    return CameraModel(
        width_px=width,
        height_px=height,
        focal_px=(focal, focal),
        centre_px=((width - 1) / 2, (height - 1) / 2),
        distortion=(0.0, 0.0, 0.0, 0.0, 0.0),
    )


def _shares(view: BoardView) -> tuple[tuple[float, float], ...]:
    return tuple((float(x), float(y)) for x, y in view.corners_px / view.size_px[0])


def _cells(view: BoardView) -> NDArray[np.bool_]:
    columns, rows = COVERAGE_GRID
    seen = np.zeros((rows, columns), dtype=np.bool_)
    width, height = view.size_px
    x = np.clip((columns * view.corners_px[:, 0] / width).astype(int), 0, columns - 1)
    y = np.clip((rows * view.corners_px[:, 1] / height).astype(int), 0, rows - 1)
    seen[y, x] = True
    return seen


def _moved_px(one: BoardView, other: BoardView) -> float:
    """Return the movement of the board in px: the median over the corners that both views show."""
    places = {tuple(mm): px for mm, px in zip(other.board_mm[:, :2].tolist(), other.corners_px, strict=True)}
    steps = [
        float(np.linalg.norm(px - places[tuple(mm)]))
        for mm, px in zip(one.board_mm[:, :2].tolist(), one.corners_px, strict=True)
        if tuple(mm) in places
    ]
    return float(np.median(steps)) if len(steps) >= 6 else math.inf
