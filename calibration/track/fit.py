"""Track calibration: fits the true places of markers, lanes and circles to pictures of the empty table.

Hand-glued markers are a millimetre or a degree off. Each is a square, so one picture gives their relative poses. The
table's coordinate frame is the one in which they are closest to their intended places. Lanes and hole sizes come from
the circles printed on the platform, one per lane, in a rectified view from above.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

import cv2
import msgspec
import numpy as np

from calibration.camera.picture_sizes import different_sizes
from calibration.track.circles import LaneResult, find_circle
from hardware.cameras.camera_model import Array, CameraModel, CameraView, Image, Pose
from hardware.files.toml_file import written_by
from hardware.rig import Lane, Marker, Rig
from hardware.rig_file import must_be_possible
from vision.linear_light import linear
from vision.markers import (
    NoMarkers,
    WrongCalibration,
    detect,
    marker_corners_mm,
    measured_square,
    must_be_large_enough,
)
from vision.observations import SightError

PRIOR_MM, PRIOR_TURN_DEG = 2.0, 2.0  # standard deviations of markers glued by hand
FARTHEST_MM = 12.0  # six deviations: a marker farther off was glued to another place
CIRCLE_MM = 3.0  # a circle is read to half a millimetre and a hole cut to two by hand: beyond, a digit or lane is wrong
LIMIT_PX, LIMIT_OF_WIDTH = 0.12, 8e-5
CORNER_PX = 0.12
PRIOR_PRINT_SCALE = 0.01  # printers and blur change the squares' size; the markers' places give the table's scale


class MixedSizes(SightError):
    """The pictures have different sizes."""

    code = "mixed_sizes"


class MarkerFarOff(SightError):
    """A marker is so far from its place in the rig that inaccurate gluing cannot explain it."""

    code = "marker_far_off"


class HoleUnlikeCircle(SightError):
    """A hole measured with callipers differs from its printed circle by more than inaccurate cutting can explain."""

    code = "hole_unlike_circle"


class MarkerResult(msgspec.Struct, frozen=True):
    """One marker: its deviation from its intended place, in mm and degrees, and its reprojection error in px."""

    id: int
    moved_mm: tuple[float, float]
    turned_deg: float
    rms_px: float


class TrackFit(msgspec.Struct, frozen=True):
    """A calibrated rig, the camera's position over it (mm), and the residuals of the fit."""

    rig: Rig
    camera_position_mm: tuple[float, float, float]
    rms_px: float
    markers: tuple[MarkerResult, ...]
    lanes: tuple[LaneResult, ...]


def fit_track(
    images: Sequence[Image], rig: Rig, camera: CameraModel, holes_mm: Mapping[int, float] | None = None
) -> TrackFit:
    """Fit the rig to pictures of the empty table taken by a camera that did not move.

    :param holes_mm: diameters of holes that were measured with callipers, by lane; they replace those of the circles.

    :raises SightError: a marker is in no picture or too far from its place, the pictures have different sizes or are
        too small, the camera file is of another lens, or a measured hole is far from its circle.
    :raises CameraFileError: the pictures have another aspect ratio than the camera file.
    :raises RigError: no table can have the fitted measures.
    """
    if not images:
        raise NoMarkers("give at least one picture of the empty table with all markers in sight")
    height_px, width_px = images[0].shape[:2]
    must_have_one_size((str(number), image) for number, image in enumerate(images, start=1))
    camera = camera.scaled_to(width_px, height_px)
    seen = _mean_corners(images, rig, camera)
    rig, pose, markers, rms = _fit_markers(seen, rig, camera)
    if rms > LIMIT_PX + LIMIT_OF_WIDTH * width_px:
        must_be_large_enough(width_px, seen.values(), rig)
        raise WrongCalibration(
            f"the markers' own squares do not fit this camera file ({rms:.1f} px off): it is of another lens, or the "
            f"markers are not {rig.marker_side_mm:g} mm wide; calibrate the camera, or correct the rig file"
        )
    view = CameraView(camera, pose)
    lanes = [find_circle(images, view, rig, lane) for lane in rig.lanes]
    for found in lanes:
        _must_be_like_circle(found, (holes_mm or {}).get(found.number))
    fitted = tuple(
        Lane(lane.number, round(found.x_mm, 2), round(found.diameter_mm, 2))
        if found.x_mm is not None and found.diameter_mm is not None
        else lane
        for lane, found in zip(rig.lanes, lanes, strict=True)
    )
    fitted = tuple(
        msgspec.structs.replace(lane, hole_mm=(holes_mm or {}).get(lane.number, lane.hole_mm)) for lane in fitted
    )
    x, y, z = pose.camera_position_mm.tolist()
    fitted_rig = must_be_possible(msgspec.structs.replace(rig, lanes=fitted, source="calibrated"))
    return TrackFit(fitted_rig, (x, y, z), rms, markers, tuple(lanes))


def must_have_one_size(pictures: Iterable[tuple[str, Image]]) -> None:
    """Check that pictures have one size; each comes with its name.

    :raises MixedSizes: they have not; it names those whose size is not that of most.
    """
    if sizes := different_sizes((name, (image.shape[1], image.shape[0])) for name, image in pictures):
        raise MixedSizes(f"the pictures have different sizes ({sizes}); take all at one size", sizes=sizes)


def _must_be_like_circle(found: LaneResult, hole_mm: float | None) -> None:
    if hole_mm is None or found.diameter_mm is None or abs(hole_mm - found.diameter_mm) <= CIRCLE_MM:
        return
    raise HoleUnlikeCircle(
        f"the hole of lane {found.number} was given as {hole_mm:g} mm, but its printed circle is "
        f"{found.diameter_mm:.1f} mm wide: measure the hole again, or print and glue a circle of its size",
        lane=found.number,
        hole_mm=hole_mm,
        circle_mm=found.diameter_mm,
    )


def _mean_corners(images: Sequence[Image], rig: Rig, camera: CameraModel) -> dict[int, Array]:
    wanted = {marker.id for marker in rig.markers}
    gathered: dict[int, list[Array]] = {number: [] for number in wanted}
    for image in images:
        grey = np.asarray(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), dtype=np.uint8)
        light = linear(grey)
        for number, corners in detect(grey, wanted).items():
            gathered[number].append(measured_square(light, corners, camera).corners)
    missing = sorted(number for number, corners in gathered.items() if not corners)
    if missing:
        found = [corners for each in gathered.values() for corners in each]
        must_be_large_enough(images[0].shape[1], found, rig)
        raise NoMarkers(
            f"marker(s) {', '.join(map(str, missing))} cannot be seen: clear all markers and light the whole table"
        )
    return {number: np.asarray(np.mean(corners, axis=0)) for number, corners in gathered.items()}


def _fit_markers(
    seen: dict[int, Array], rig: Rig, camera: CameraModel
) -> tuple[Rig, Pose, tuple[MarkerResult, ...], float]:
    """Fit the pose, and place and rotation of every marker, by Gauss–Newton. The prior is the accuracy of gluing."""
    nominal = list(rig.markers)
    model = np.vstack([marker_corners_mm(marker, rig.marker_side_mm) for marker in nominal])
    target = np.vstack([seen[marker.id] for marker in nominal])
    _, rvec, tvec = cv2.solvePnP(model, target, camera.K, None, flags=cv2.SOLVEPNP_SQPNP)
    state = np.concatenate([rvec.ravel(), tvec.ravel(), np.zeros(3 * len(nominal) + 1)])
    prior = np.array([PRIOR_MM, PRIOR_MM, PRIOR_TURN_DEG] * len(nominal) + [PRIOR_PRINT_SCALE])

    def moved(values: Array) -> list[Marker]:
        steps = values[6:-1].reshape(-1, 3)
        return [
            msgspec.structs.replace(
                marker, x_mm=marker.x_mm + dx, y_mm=marker.y_mm + dy, turn_deg=marker.turn_deg + turn
            )
            for marker, (dx, dy, turn) in zip(nominal, steps.tolist(), strict=True)
        ]

    def gaps(values: Array) -> Array:
        corners = np.vstack(
            [marker_corners_mm(marker, rig.marker_side_mm * (1 + values[-1])) for marker in moved(values)]
        )
        projected, _ = cv2.projectPoints(corners, values[:3], values[3:6], camera.K, None)
        return np.concatenate([((projected.reshape(-1, 2) - target) / CORNER_PX).ravel(), values[6:] / prior])

    steps = np.concatenate([np.full(3, 1e-5), np.full(3, 1e-2), np.full(3 * len(nominal), 1e-2), [1e-4]])
    for _ in range(12):
        residual = gaps(state)
        jacobian = np.column_stack(
            [(gaps(state + np.eye(len(state))[i] * step) - residual) / step for i, step in enumerate(steps)]
        )
        state = state - np.linalg.lstsq(jacobian, residual, rcond=None)[0]
    pixels = gaps(state)[: 2 * len(target)].reshape(-1, 4, 2) * CORNER_PX
    results = tuple(
        MarkerResult(marker.id, (dx, dy), turn, float(np.sqrt((gap**2).sum(axis=1).mean())))
        for marker, (dx, dy, turn), gap in zip(nominal, state[6:-1].reshape(-1, 3).tolist(), pixels, strict=True)
    )
    far = [result for result in results if np.hypot(*result.moved_mm) > FARTHEST_MM]
    if far:
        away_mm = float(np.hypot(*far[0].moved_mm))
        raise MarkerFarOff(
            f"marker {far[0].id} lies {away_mm:.0f} mm from where the rig file puts it: glue it where it belongs, or "
            "write its measured place into the rig file",
            marker=far[0].id,
            away_mm=away_mm,
        )
    rounded = tuple(
        msgspec.structs.replace(
            each, x_mm=round(each.x_mm, 3), y_mm=round(each.y_mm, 3), turn_deg=round(each.turn_deg, 3)
        )
        for each in moved(state)
    )
    r, t = state[:3].tolist(), state[3:6].tolist()
    pose = Pose((r[0], r[1], r[2]), (t[0], t[1], t[2]))
    return msgspec.structs.replace(rig, markers=rounded), pose, results, float(np.sqrt((pixels**2).sum(axis=2).mean()))


def to_toml(rig: Rig, command: Literal["track", "balls", "measures"] = "track") -> str:
    """Return the rig file's text as this calibration writes it; `hardware.rig_file.load_rig` reads it."""
    lines, tables = [], []
    for name, value in msgspec.to_builtins(rig).items():
        if value and isinstance(value, list | tuple) and isinstance(value[0], dict):
            for entry in value:
                tables += ["", f"[[{name}]]", *(f"{key} = {_text(item)}" for key, item in entry.items())]
        else:
            lines.append(f"{name} = {_text(value)}")
    return written_by(command, "millimetres, origin under the middle of the fence", lines + tables)


def _text(value: object) -> str:
    return msgspec.json.encode(value).decode()
