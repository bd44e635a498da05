"""Whether a sphere's diameter can be told from one roll: `python -m tests.bench.rolled`.

Drawn rolls of lumpy balls, and the clips of SMUGGLERS_DATA, which another renderer made.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

from calibration.sight_report import session_camera
from hardware.cameras.camera_model import CameraView, Pose
from tests.bench.lit_table import RIG
from tests.bench.lumpy_rolls import SHUTTER_S, lumpy_roll
from tests.bench.machine import on_all_cores
from tests.bench.page import Aim, Section, Table, data_folder, show
from tests.bench.rolling import RollFrame, measure_roll
from vision.passages.clip import Clip

ROLLS = 60
FIRST = 110_500
NEARLY_ROUND_PCT = 2.0
AIM_MM = 0.10
SEEN_FROM_Y_MM = 14.0  # beyond the radius: nearer, the fence hides a part of the ball
PLACE_MM, ROUGHLY = 0.3, 0.04  # error of the places and of the diameter that the fit begins with


class Rolled(NamedTuple):
    """Error and stated standard deviation, mm (NaN: not told), % out of round, and what lit it."""

    error_mm: float
    sd_mm: float
    out_of_round_pct: float
    light: str


def read(number: int) -> Rolled:
    """Measure the drawn roll of this number."""
    roll = lumpy_roll(number)
    rng = np.random.default_rng([number, 5])
    rest_mm = rng.normal(0, PLACE_MM, 2)
    frames, first = [], None
    for picture, t_s, middle in roll.frames():
        first = middle if first is None else first
        off_mm = rest_mm if np.allclose(middle, first) else rng.normal(0, PLACE_MM, 2)
        frames.append(RollFrame(picture, t_s, *(middle[:2] + off_mm).tolist()))
    return _told(frames, roll.view, roll.diameter_mm, roll.out_of_round_pct, roll.lamp, rng)


def read_clip(path: Path) -> Rolled | None:
    """Measure the roll of a path-traced clip; None if nothing rolls in it."""
    truth = json.loads(path.read_text())
    if truth["sphere"] is None:
        return None
    camera = json.loads((path.parents[1] / "session.json").read_text())
    pose = Pose(tuple(camera["camera"]["rvec"]), tuple(camera["camera"]["tvec"]))
    view = CameraView(session_camera(camera).scaled_to(768, 432), pose)
    rng = np.random.default_rng(list(path.stem.encode()))
    rest_mm = rng.normal(0, PLACE_MM, 2)
    clip = Clip(path.with_suffix(".mp4"))
    frames = []
    for picture, true in zip(clip.frames(), truth["frames"], strict=True):
        seen = true["label"] in ("waiting", "pushed", "rolling", "wedged", "landed") and not true["hand"]
        off_mm = rest_mm if true["label"] == "waiting" else rng.normal(0, PLACE_MM, 2)
        x_mm, y_mm = np.array(true["xyz"][:2]) + off_mm if seen else (np.nan, np.nan)
        frames.append(RollFrame(picture, true["f"] / clip.fps, float(x_mm), float(y_mm)))
    sphere = truth["sphere"]
    return _told(frames, view, sphere["mean_diameter"], sphere["out_of_round_pct"], "path-traced", rng)


def _told(
    frames: list[RollFrame],
    view: CameraView,
    true_mm: float,
    out_of_round_pct: float,
    light: str,
    rng: np.random.Generator,
) -> Rolled:
    sphere = measure_roll(frames, view, RIG, true_mm * (1 + rng.uniform(-ROUGHLY, ROUGHLY)), SHUTTER_S)
    if sphere is None:
        return Rolled(np.nan, np.nan, out_of_round_pct, light)
    return Rolled(sphere.diameter_mm - true_mm, sphere.sd_mm, out_of_round_pct, light)


def lumps_alone(number: int) -> tuple[float, float, float, float]:
    """Return what lumps alone do to a drawn roll's diameter, with exact outlines: errors in mm, and % out of round.

    The errors are those of one outline, at rest; of the mean of all; and of the mean of all that counts each part of an
    outline as the sphere has surface there: the more, the farther it is from the axis about which the ball turns.
    """
    roll = lumpy_roll(number)
    eye = roll.view.pose.camera_position_mm
    beyond, weights = [], []
    for ball in roll.balls():
        if not SEEN_FROM_Y_MM + roll.diameter_mm / 2 < ball.centre[1]:
            break
        axis = (ball.centre - eye) / np.linalg.norm(ball.centre - eye)
        sideways = np.cross(axis, [0.0, 1.0, 0.0])
        sideways /= np.linalg.norm(sideways)
        upwards = np.cross(sideways, axis)
        turn, rim = ball.rim_mm(eye, sideways, upwards)
        rim = rim - roll.diameter_mm / 2
        shift = np.column_stack([np.cos(turn), np.sin(turn)])
        beyond.append(rim - shift @ (shift.T @ rim) * 2 / len(turn))
        weights.append(np.sqrt(1 - (shift @ np.array([sideways[0], upwards[0]])) ** 2))
    every, weight = np.array(beyond), np.array(weights)
    even = 2 * float((every * weight).sum() / weight.sum())
    return 2 * float(every[0].mean()), 2 * float(every.mean()), even, roll.out_of_round_pct


def measure(effort: float = 1.0) -> Section:
    count = max(round(ROLLS * effort), 1)
    drawn = on_all_cores(read, range(FIRST, FIRST + count))
    clips = list(_clips())
    groups = {"drawn": drawn}
    groups |= {f"drawn, {light} light": [r for r in drawn if r.light == light] for light in ("soft", "evening")}
    groups |= {"path-traced": clips} if clips else {}
    rows = []
    for name, some in groups.items():
        rows += [
            _row(
                f"{name}, out of round under {NEARLY_ROUND_PCT:g} %",
                [r for r in some if r.out_of_round_pct < NEARLY_ROUND_PCT],
            ),
            _row(name, some),
        ]
    return Section(
        title="A sphere's diameter from one roll",
        method=f"{count} drawn rolls with numbers from {FIRST} on, of lumpy balls of 16–37 mm, 768 × 432, 56 frames a "
        f"second, shutter 1/120 s, JPEG; no constant was chosen on drawn rolls. "
        "And the path-traced clips, on which constants were chosen. The places of the ball are known within "
        f"{PLACE_MM} mm, and its diameter within {100 * ROUGHLY:g} %. Nothing in a game uses this.",
        tables=[
            Table(
                heads=("rolls", "count", "told", "RMS error", "mean error", "95 % intervals hold", "largest"), rows=rows
            ),
            _lumps_table(count),
        ],
        aims=[_aim("drawn", drawn), *([_aim("path-traced", clips)] if clips else [])],
    )


def _lumps_table(count: int) -> Table:
    errors = np.array([lumps_alone(number) for number in range(FIRST, FIRST + count)])
    names = ("one outline", "mean of all outlines", "the same, by share of surface")
    rms = np.sqrt((errors[:, :3] ** 2).mean(axis=0))
    return Table(
        title="What lumps alone do, with exact outlines",
        heads=("diameter", "rolls", "RMS error", "mean error"),
        rows=[
            [name, f"{count}", f"{size:.3f} mm", f"{errors[:, k].mean():+.3f} mm"]
            for k, (name, size) in enumerate(zip(names, rms, strict=True))
        ],
    )


def _clips() -> Iterator[Rolled]:
    folder = data_folder()
    for path in sorted((Path(folder) / "table").glob("*/clips/*.json")) if folder else ():
        read = read_clip(path)
        if read is not None:
            yield read


def _aim(name: str, some: list[Rolled]) -> Aim:
    told = np.array([each.error_mm for each in some if np.isfinite(each.error_mm)])
    rms_mm = float(np.sqrt(np.mean(told**2))) if len(told) else np.inf
    return Aim(
        what=f"diameter from one roll, {name}: RMS error",
        wanted=f"≤ {AIM_MM:.2f} mm",
        measured=f"{rms_mm:.3f} mm, {len(told)} of {len(some)} told",
        met=rms_mm <= AIM_MM,
        why="a shadow's edge beside the ball's dark side is taken for its rim",
    )


def _row(name: str, some: list[Rolled]) -> list[str]:
    told = [each for each in some if np.isfinite(each.error_mm)]
    if not told:
        return [name, f"{len(some)}", "0", "–", "–", "–", "–"]
    error, sd = np.array([each.error_mm for each in told]), np.array([each.sd_mm for each in told])
    held = int((np.abs(error) < 1.96 * sd).sum())
    return [
        name,
        f"{len(some)}",
        f"{len(told)}",
        f"{np.sqrt(np.mean(error**2)):.3f} mm",
        f"{error.mean():+.3f} mm",
        f"{held} of {len(told)}",
        f"{np.abs(error).max():.2f} mm",
    ]


if __name__ == "__main__":
    show(measure)
