"""The stills and the real dice again, as another camera or lamp would show them: `python -m tests.bench.altered`."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.sight_report import session_camera
from hardware.cameras.camera_model import CameraModel
from tests.bench.discs import decode, encode
from tests.bench.drawn_table import RIG, Scene
from tests.bench.machine import on_all_cores
from tests.bench.page import Aim, Section, Table, data_folder, show
from tests.bench.pieces import RESULTS, Piece, Result, result_of, said_of
from tests.places import RECORDINGS
from vision.markers import find_view
from vision.observations import SightError
from vision.observe_file import load_picture
from vision.tray.die_close_up import read_die_close_up

Picture = NDArray[np.uint8]
LIGHT = decode(np.arange(256.0))
STRAY = 9  # levels that a hazy lens adds everywhere


def _lit(*gains: float) -> Callable[[Picture], Picture]:
    return lambda picture: np.rint(encode(np.clip(LIGHT[picture] * np.array(gains), 0, 1))).astype(np.uint8)


def _blurred(sd_px: float) -> Callable[[Picture], Picture]:
    return lambda picture: np.rint(
        encode(np.asarray(cv2.GaussianBlur(LIGHT[picture], (0, 0), sd_px), dtype=np.float64))
    ).astype(np.uint8)


def _noisy(sd: float) -> Callable[[Picture], Picture]:
    def alter(picture: Picture) -> Picture:
        grain = cv2.GaussianBlur(np.random.default_rng(int(picture.sum())).normal(size=picture.shape), (0, 0), 0.6)
        return np.asarray(np.clip(np.rint(picture + grain * sd / grain.std()), 0, 255), dtype=np.uint8)

    return alter


def _packed(picture: Picture) -> Picture:
    packed = cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, 60])[1]
    return np.asarray(cv2.imdecode(packed, cv2.IMREAD_COLOR), dtype=np.uint8)


def _smaller(picture: Picture) -> Picture:
    return np.asarray(cv2.resize(picture, None, fx=0.7, fy=0.7, interpolation=cv2.INTER_AREA), dtype=np.uint8)


ALTERED: dict[str, Callable[[Picture], Picture]] = {
    "as it is": lambda picture: picture,
    "1 stop more": _lit(2.0, 2.0, 2.0),
    "1 stop less": _lit(0.5, 0.5, 0.5),
    "2 stops less, noise 6": lambda picture: _noisy(6.0)(_lit(0.25, 0.25, 0.25)(picture)),
    "3 stops less, noise 7": lambda picture: _noisy(7.0)(_lit(0.125, 0.125, 0.125)(picture)),
    "4 stops less, noise 4": lambda picture: _noisy(4.0)(_lit(0.0625, 0.0625, 0.0625)(picture)),
    "4 stops less, stray light, noise 3": lambda picture: _noisy(3.0)(_lit(0.0625, 0.0625, 0.0625)(picture) + STRAY),
    "warm": _lit(0.5, 0.95, 1.3),
    "cold": _lit(1.5, 1.0, 0.65),
    "blur 1.2 px": _blurred(1.2),
    "noise 8": _noisy(8.0),
    "JPEG 60": _packed,
    "0.7 of the size": _smaller,
}
TURNED = "another lens, turned 3°"
DICE = ("as it is", "1 stop more", "1 stop less", "warm", "noise 8", "JPEG 60", "0.7 of the size")


def turned(picture: Picture, camera: CameraModel) -> tuple[Picture, CameraModel]:
    """Return what a camera at the same place would take through another lens, turned by 3° about each axis."""
    camera = camera.scaled_to(picture.shape[1], picture.shape[0])
    focal = 0.93 * camera.focal_px[0]
    other = CameraModel(
        width_px=camera.width_px,
        height_px=camera.height_px,
        focal_px=(focal, focal),
        centre_px=(camera.centre_px[0] + 9.0, camera.centre_px[1] - 7.0),
        distortion=(0.04, -0.02, 0.001, -0.001, 0.0),
    )
    down, across = np.mgrid[: camera.height_px, : camera.width_px].astype(np.float64)
    pixels = np.stack([across.ravel(), down.ravel()], axis=1).reshape(-1, 1, 2)
    flat = cv2.undistortPoints(pixels, other.K, other.dist).reshape(-1, 2)
    turn = np.radians([1.0, -1.0, 3.0])
    ways = np.column_stack([flat, np.ones(len(flat))])
    places, _ = cv2.projectPoints(ways, turn, np.zeros(3), camera.K, camera.dist)
    maps = places.reshape(*picture.shape[:2], 2).astype(np.float32)
    light = cv2.remap(LIGHT[picture].astype(np.float32), maps[..., 0], maps[..., 1], cv2.INTER_CUBIC)
    return np.rint(encode(np.clip(light, 0, 1).astype(np.float64))).astype(np.uint8), other


def read_still(job: tuple[Path, Piece, dict[str, Any], str]) -> Result:
    """Return how one altered still is read."""
    folder, kind, item, alteration = job
    camera = session_camera(json.loads((folder / "session.json").read_text(encoding="utf-8")))
    picture = load_picture(folder / item["file"])
    if alteration == TURNED:
        picture, camera = turned(picture, camera)
    else:
        picture = ALTERED[alteration](picture)
    truth: object = item.get("value")
    if kind == "boss":
        truth = (item["state"], item["lane"])
    elif kind == "gems":
        truth = tuple(sorted(gem["colour"] for gem in item["gems"]))
    try:
        view = find_view(picture, RIG, camera)
    except SightError:
        return "unknown"
    return result_of(said_of(kind, Scene(picture, view, kind, truth)), truth)


def read_die(job: tuple[Path, int, str]) -> Result:
    """Return how one altered photograph of a die is read."""
    path, value, alteration = job
    return result_of(read_die_close_up(ALTERED[alteration](load_picture(path))).value, value)


def measure(effort: float = 1.0) -> Section:
    folder = data_folder(effort)
    data = Path(folder) if folder else RECORDINGS
    few = effort < 1.0
    alterations = [*ALTERED, TURNED][:: 5 if few else 1]
    kinds: tuple[tuple[Piece, str], ...] = (("boss", "boss"), ("die", "die"), ("gems", "gem"))
    stills = [
        (session, kind, item, alteration)
        for session in sorted(path.parent for path in data.glob("table/*/session.json"))
        for kind, name in kinds
        if (session / name / f"{name}.json").exists()
        for item in json.loads((session / name / f"{name}.json").read_text(encoding="utf-8"))["items"]
        for alteration in alterations
    ]
    truth = data / "dice" / "truth.json"
    items = json.loads(truth.read_text(encoding="utf-8")) if truth.exists() else []
    dice = [(data / "dice" / item["file"], item["value"], how) for how in DICE[:: 6 if few else 1] for item in items]
    results, faces = on_all_cores(read_still, stills), on_all_cores(read_die, dice)
    tables = [_still_table(stills, results)]
    wrong = results.count("wrong")
    aims = [
        Aim(
            what=f"boss, die and gems on {len(results)} altered stills",
            wanted='right or "unknown", none wrong',
            measured=f"{wrong} wrong, {results.count('unknown') / max(len(results), 1):.1%} unknown",
            met=wrong == 0,
        )
    ]
    if faces:
        tables.append(_dice_table(dice, faces))
    return Section(
        title="Altered stills and dice",
        method="The path-traced stills and the close-ups of real dice, altered in light, sharpness, noise, compression "
        "and size, and as another lens in another orientation shows them. In each altered picture, markers are found "
        "and everything is read again.",
        tables=tables,
        aims=aims,
    )


def _still_table(stills: list[tuple[Path, Piece, dict[str, Any], str]], results: list[Result]) -> Table:
    cells: dict[str, dict[str, list[Result]]] = {}
    for (_, kind, _, alteration), result in zip(stills, results, strict=True):
        cells.setdefault(alteration, {}).setdefault(kind, []).append(result)
    kinds = list(dict.fromkeys(kind for _, kind, _, _ in stills))
    rows = [
        [how, *(" / ".join(f"{own[kind].count(each)}" for each in RESULTS) for kind in kinds)]
        for how, own in cells.items()
    ]
    return Table(title="Right / unknown / wrong", heads=("still", *kinds), rows=rows)


def _dice_table(dice: list[tuple[Path, int, str]], faces: list[Result]) -> Table:
    rows = []
    for alteration in dict.fromkeys(how for _, _, how in dice):
        own = [result for result, job in zip(faces, dice, strict=True) if job[2] == alteration]
        answered = own.count("right") + own.count("wrong")
        shares = f"{own.count('right') / max(answered, 1):.1%}", f"{own.count('unknown') / len(own):.1%}"
        rows.append([alteration, *(f"{own.count(each)}" for each in RESULTS), *shares])
    return Table(heads=("real dice", *RESULTS, "right of those answered", "unknown"), rows=rows)


if __name__ == "__main__":
    show(measure)
