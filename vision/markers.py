"""Estimates the camera's pose over the table from the markers.

OpenCV's ArUco detector finds the printed black squares. Their corners are then refined here: along each side the
blurred step from black to white is located in linear light, lines are fitted through those points, and the corners are
their intersections. Blur and gamma shift the detector's own corners inwards by 0.6–0.75 px at 2304 px (HARDWARE).
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Collection
from functools import lru_cache
from typing import Any, NamedTuple

import cv2
import msgspec
import numpy as np
from numpy.typing import NDArray

from hardware.cameras.camera_model import Array, CameraFileError, CameraModel, CameraView, Image, Pose
from hardware.rig import Marker, Rig
from vision.linear_light import linear, sampled
from vision.observations import SightError

DETECTION_WIDTH_PX = 1152
CORNER_NOISE_PX = 0.28  # stills of any size have 0.06–0.13 px, small noisy frames up to 0.27
STATIONS = 43  # of a side, at which its edge is located
SIDE_SEEN = 0.75  # least share of them of a side that nothing covers; a card's edge on the rim leaves at most half
BURNT_LEVEL = 250  # of 255: after JPEG, clipped white is not exactly 255
LENS_RMS = 1.6e-4  # of the picture's width: even lenses of 66.4° and 65.9° differ by 5e-4

LEAST_SIDE_PX = 12.0
"""Least side of a marker that is measured reliably: two pixels for each of its six cells. The stills, made smaller by
four methods, fail with markers of up to 10 px, and none fails with larger ones."""
LEAST_WIDTH_PX = 416
"""Width of a picture in which the farthest marker of a standard table has this side (22.7 px at 768 px)."""


class NoMarkers(SightError):
    """Fewer than two of the rig's markers were detected."""

    code = "no_markers"


class WrongCalibration(SightError):
    """The markers do not fit the camera file and the rig: the lens is another one, or markers were moved."""

    code = "wrong_calibration"


class Overexposed(SightError):
    """The markers' white paper is overexposed, which shifts the measured edges."""

    code = "camera_overexposed"


class PictureTooSmall(SightError):
    """The markers are too small in the picture to be found or measured."""

    code = "picture_too_small"


class Square(NamedTuple):
    """A marker's black square: its corners, (4, 2) undistorted px, and the share of its worst side that was found."""

    corners: Array
    seen: float


class PoseEstimate(msgspec.Struct, frozen=True):
    """A view and how well it fits: `marker_ids` are the markers used; `rms_px` is their corners' reprojection error."""

    view: CameraView
    marker_ids: tuple[int, ...]
    rms_px: float


def find_view(image: Image, rig: Rig, camera: CameraModel) -> CameraView:
    """Find the camera's pose over the table from the rig's markers.

    :param image: BGR picture, uint8, of any size of the camera's full field of view.
    :raises SightError: no markers, another field of view, too bright or too small a picture, or a calibration of
        another lens.
    """
    return estimate_pose(image, rig, camera).view


def estimate_pose(image: Image, rig: Rig, camera: CameraModel) -> PoseEstimate:
    """Find the camera's pose as `find_view` does, and return it with how well it fits.

    :raises SightError: as for `find_view`.
    """
    camera = _as_large_as(image, camera)
    grey = np.asarray(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), dtype=np.uint8)
    wanted = {marker.id: marker for marker in rig.markers}
    rough = detect(grey, set(wanted))
    if len(rough) < 2:
        must_be_large_enough(camera.width_px, rough.values(), rig)
        found = "none" if not rough else f"only marker {next(iter(rough))}"
        raise NoMarkers(
            f"{found} of the table's {len(wanted)} markers can be seen: light the table, clear the markers, "
            "and check that this is a picture of the table"
        )
    light = linear(grey)
    squares = {number: measured_square(light, corners, camera) for number, corners in rough.items()}
    try:
        return _solve(squares, wanted, rig.marker_side_mm, camera)
    except WrongCalibration:
        if not _burnt(grey, rough):
            must_be_large_enough(camera.width_px, rough.values(), rig)
            raise
    raise Overexposed(
        "white paper is brighter than this picture can tell, so nothing in it can be measured: dim the lamp, or give "
        "the camera a shorter exposure"
    )


def corner_gaps_mm(image: Image, rig: Rig, camera: CameraModel) -> dict[int, float]:
    """Return, by marker id, the distance in mm of each detected marker from its place in the rig (mean of its corners).

    A marker of which a side is covered is left out: it would look moved.

    With more than three markers, the pose is that of the best fit with one marker left out, so that a moved marker is
    distinguished from the others. With fewer than three markers the result is empty.

    :raises SightError: another field of view.
    """
    camera = _as_large_as(image, camera)
    grey = np.asarray(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), dtype=np.uint8)
    wanted = {marker.id: marker for marker in rig.markers}
    light = linear(grey)
    squares = {number: measured_square(light, rough, camera) for number, rough in detect(grey, set(wanted)).items()}
    corners = {number: square.corners for number, square in squares.items() if square.seen >= SIDE_SEEN}
    ids = sorted(corners)
    if len(ids) < 3:
        return {}
    fits = [_fit(others, corners, wanted, rig.marker_side_mm, camera) for others in _each_without_one(ids)]
    best = min(fits, key=lambda fit: fit.rms_px)
    straight = msgspec.structs.replace(camera, distortion=(0.0, 0.0, 0.0, 0.0, 0.0))  # measured corners are undistorted
    flat = CameraView(straight, best.view.pose)
    gaps = {}
    for number in ids:
        places = flat.on_plane(corners[number], wanted[number].z_mm)
        meant = marker_corners_mm(wanted[number], rig.marker_side_mm)
        gaps[number] = float(np.linalg.norm((places - meant).mean(axis=0)))
    return gaps


def _as_large_as(image: Image, camera: CameraModel) -> CameraModel:
    """Return the camera scaled to the picture's size.

    :raises WrongCalibration: the picture is of another field of view.
    """
    height_px, width_px = image.shape[:2]
    try:
        return camera.scaled_to(width_px, height_px)
    except CameraFileError as error:
        raise WrongCalibration(str(error)) from None


def _each_without_one(ids: list[int]) -> list[list[int]]:
    return [[number for number in ids if number != out] for out in ids] if len(ids) > 3 else [ids]


def detect(grey: NDArray[np.uint8], ids: set[int]) -> dict[int, Array]:
    """Detect the markers with these ids; return the rough corners of each, (4, 2) px, in the order TL, TR, BR, BL."""
    scale = min(1.0, DETECTION_WIDTH_PX / grey.shape[1])
    if min(grey.shape) < 32:
        return {}
    small = cv2.resize(grey, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA).astype(np.uint8)
    found = _detect_once(small, ids)
    if len(found) < len(ids):
        for number, corners in _detect_once(cv2.createCLAHE(4.0, (4, 8)).apply(small).astype(np.uint8), ids).items():
            found.setdefault(number, corners)
    return {number: (corners + 0.5) / scale - 0.5 for number, corners in found.items()}


def _detect_once(grey: NDArray[np.uint8], ids: set[int]) -> dict[int, Array]:
    quads, numbers, _ = _detector().detectMarkers(grey)
    best: dict[int, Array] = {}
    if numbers is None:
        return best
    for quad, number in zip(quads, numbers.ravel().tolist(), strict=True):
        corners = np.asarray(quad, dtype=np.float64).reshape(4, 2)
        if number in ids and (number not in best or _area(corners) > _area(best[number])):
            best[number] = corners
    return best


def _area(corners: Array) -> float:
    return abs(float(cv2.contourArea(corners.astype(np.float32))))


@lru_cache(maxsize=1)
def _detector() -> Any:
    parameters = cv2.aruco.DetectorParameters()
    parameters.perspectiveRemoveIgnoredMarginPerCell = 0.3  # the default 0.13 misses blurred markers (HARDWARE)
    parameters.perspectiveRemovePixelPerCell = 8
    parameters.adaptiveThreshWinSizeMax = 43
    parameters.adaptiveThreshWinSizeStep = 10
    parameters.errorCorrectionRate = 0.3  # fewer false ids
    parameters.minMarkerPerimeterRate = 0.04
    dictionary = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50)
    return cv2.aruco.ArucoDetector(dictionary, parameters)


def measured_square(light: NDArray[np.float32], corners: Array, camera: CameraModel) -> Square:
    """Refine a black square's corners in linear light, in the order of `corners`, (4, 2) px."""
    tenth_of_cell_px = float(np.linalg.norm(corners[1] - corners[0])) / 60
    for _ in range(2):  # the second pass starts from lines that are accurate to a fraction of a pixel
        points = [_side_points(light, corners, index) for index in range(4)]
        lines = [_line(side) for side in points]
        corners = np.array([_meet(lines[index - 1], lines[index]) for index in range(4)])
    seen = min(_share_on(line, side, tenth_of_cell_px) for line, side in zip(lines, points, strict=True))
    flat = [cv2.undistortPoints(side.reshape(-1, 1, 2), camera.K, camera.dist, P=camera.K) for side in points]
    lines = [_line(side.reshape(-1, 2).astype(np.float64)) for side in flat]
    return Square(np.array([_meet(lines[index - 1], lines[index]) for index in range(4)]), seen)


def _side_points(light: NDArray[np.float32], corners: Array, index: int) -> Array:
    """Locate the black-to-white step along one side: points, shape (n, 2), px, where the light is half-way up."""
    start, end = corners[index], corners[(index + 1) % 4]
    along = end - start
    length = float(np.linalg.norm(along))
    normal = np.array([along[1], -along[0]]) / length  # outwards: corners run clockwise in the picture
    depth = float(abs((corners[(index + 2) % 4] - start) @ normal))
    reach = max(depth / 8, 2.5)  # stays inside the black rim and the white border, each a sixth of the side
    steps = np.arange(-reach, reach + 0.01, 0.25)
    stations = start + along * np.linspace(0.08, 0.92, STATIONS)[:, None]
    grid = stations[:, None, :] + normal * steps[None, :, None]
    profile = np.asarray(cv2.blur(sampled(light, grid), (5, 3)), dtype=np.float64)
    dark = float(np.median(profile[:, : len(steps) // 4]))
    white = np.median(profile[:, -(len(steps) // 4) :], axis=1, keepdims=True)
    risen = profile > (dark + white) / 2
    first = risen.argmax(axis=1)
    rows = np.flatnonzero((first > 0) & ~risen[:, 0] & (white[:, 0] > 1.5 * dark))
    if len(rows) < 8:
        return np.array([start, end])
    after = profile[rows, first[rows]]
    before = profile[rows, first[rows] - 1]
    level = (dark + white[rows, 0]) / 2
    offset = steps[first[rows]] - 0.25 * (after - level) / np.maximum(after - before, 1e-6)
    return np.asarray(stations[rows] + normal * offset[:, None])


def _line(points: Array) -> tuple[Array, Array]:
    vx, vy, x, y = cv2.fitLine(points.astype(np.float32), cv2.DIST_HUBER, 0, 0.01, 0.001).ravel().tolist()
    return np.array([x, y]), np.array([vx, vy])


def _share_on(line: tuple[Array, Array], points: Array, within_px: float) -> float:
    """Return the share of a side's `STATIONS` whose point lies within `within_px` of the line."""
    (place, (along_x, along_y)) = line
    return float(np.sum(np.abs((points - place) @ [-along_y, along_x]) < within_px)) / STATIONS


def _meet(first: tuple[Array, Array], second: tuple[Array, Array]) -> Array:
    (p, u), (q, v) = first, second
    along = np.linalg.solve(np.column_stack([u, -v]), q - p)[0]
    return np.asarray(p + along * u)


def _burnt(grey: NDArray[np.uint8], squares: dict[int, Array]) -> bool:
    """Return whether the white paper round most of the black squares, (4, 2) px each, is overexposed."""
    height, width = grey.shape
    paper = []
    for corners in squares.values():
        middle = corners.mean(axis=0)
        ring = np.vstack([corners, (corners + np.roll(corners, 1, axis=0)) / 2])
        across, down = np.rint(middle + (ring - middle) * 1.17).astype(int).T  # the border is a sixth of the side
        paper.append(np.median(grey[np.clip(down, 0, height - 1), np.clip(across, 0, width - 1)]))
    return float(np.median(paper)) >= BURNT_LEVEL


def must_be_large_enough(width_px: int, squares: Collection[Array], rig: Rig) -> None:
    """Refuse a picture that failed because of its size.

    :param squares: the corners of the markers that were found, (4, 2) px each. If there are none, the size of the
        markers is the largest that they can have in a picture of all of them.
    :raises PictureTooSmall: a marker's side is shorter than `LEAST_SIDE_PX`.
    """
    sides_px = [float(np.linalg.norm(square - np.roll(square, 1, axis=0), axis=1).min()) for square in squares]
    places = [(marker.x_mm, marker.y_mm) for marker in rig.markers]
    apart_mm = (math.dist(one, other) for one, other in itertools.combinations(places, 2))
    side_px = min(sides_px) if sides_px else width_px * rig.marker_side_mm / max(apart_mm, default=rig.marker_side_mm)
    if side_px >= LEAST_SIDE_PX:
        return
    least_px = max(LEAST_WIDTH_PX, 16 * math.ceil(width_px * LEAST_SIDE_PX / side_px / 16))  # 16:9 in whole pixels
    raise PictureTooSmall(
        f"the picture is only {width_px} px wide, and the markers in it are too small to be measured: give one that is "
        f"at least {least_px} px wide",
        width_px=width_px,
        least_px=least_px,
    )


def marker_corners_mm(marker: Marker, side_mm: float) -> Array:
    """Return a marker's corners on the table, shape (4, 3) mm, in the order TL, TR, BR, BL of the print."""
    half = side_mm / 2
    turn = np.radians(marker.turn_deg)
    rotation = np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]])
    signs = np.array([[-1, 1], [1, 1], [1, -1], [-1, -1]]) * half @ rotation
    return np.column_stack([signs + np.array([marker.x_mm, marker.y_mm]), np.full(4, marker.z_mm)])


def _solve(squares: dict[int, Square], wanted: dict[int, Marker], side_mm: float, camera: CameraModel) -> PoseEstimate:
    corners = {number: square.corners for number, square in squares.items()}
    ids = sorted(corners)
    fix = _fit(ids, corners, wanted, side_mm, camera)
    limit = CORNER_NOISE_PX + LENS_RMS * camera.width_px
    while fix.rms_px > limit and len(ids) > 3:
        # one of at least four markers may be false or half covered: leave out the one whose absence gives a good fit
        fits = [_fit(others, corners, wanted, side_mm, camera) for others in _each_without_one(ids)]
        best = min(fits, key=lambda each: each.rms_px)
        if best.rms_px > limit / 2:
            break
        fix, ids = best, list(best.marker_ids)
    free = [number for number in ids if squares[number].seen >= SIDE_SEEN]
    if fix.rms_px > limit and 2 <= len(free) < len(ids):
        # The detector also reads a marker of which something covers the rim, and guesses the corners there.
        fix = _fit(free, corners, wanted, side_mm, camera)
    if fix.rms_px > limit or not 50 < fix.view.pose.camera_position_mm[2] < 5000:
        raise WrongCalibration(
            f"the markers lie {fix.rms_px:.1f} px from where this camera file and rig put them: the camera file is "
            "of another lens, or a marker was moved; calibrate the camera, then the track, again"
        )
    return fix


def _fit(
    ids: list[int], corners: dict[int, Array], wanted: dict[int, Marker], side_mm: float, camera: CameraModel
) -> PoseEstimate:
    model = np.vstack([marker_corners_mm(wanted[number], side_mm) for number in ids])
    seen = np.vstack([corners[number] for number in ids])
    _, rvec, tvec = cv2.solvePnP(model, seen, camera.K, None, flags=cv2.SOLVEPNP_SQPNP)
    rvec, tvec = cv2.solvePnPRefineLM(model, seen, camera.K, None, rvec, tvec)
    projected, _ = cv2.projectPoints(model, rvec, tvec, camera.K, None)
    residual = projected.reshape(-1, 2) - seen
    rms = float(np.sqrt((residual**2).sum(axis=1).mean()))
    r, t = rvec.ravel().tolist(), tvec.ravel().tolist()
    pose = Pose((r[0], r[1], r[2]), (t[0], t[1], t[2]))
    return PoseEstimate(CameraView(camera, pose), tuple(ids), rms)
