"""Passages: verdicts against truth, and what a frame costs beside MOG2 and KNN: `python -m tests.bench.passage`."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from appliance.sensing.camera_pipeline import IDLE_FPS, CameraPipeline
from hardware.cameras.camera import Frame
from hardware.cameras.camera_model import CameraModel
from hardware.rig import Rig
from tests.bench.machine import cpu_side_by_side, one_thread
from tests.bench.page import WHOLE_FROM, Aim, Section, Table, data_folder, show
from tests.bench.passage_rivals import RIVALS, tracks_in, verdict
from tests.places import RECORDINGS
from vision.markers import find_view
from vision.passages.clip import Clip
from vision.passages.passage import PassageTracker, watch_clip

RECORDED = RECORDINGS / "table" / "clips"
FPS = 56.0
IDLE_FRAMES = 60
Frames = list[np.ndarray]
Rival = tuple[bool, float | None, float]
"""Whether outcome and lane were right, the crossing's error in frames, and processor time a frame, ms."""


def clips_to_judge(effort: float) -> list[Path]:
    """Return the clips with truth: those of `SMUGGLERS_DATA`, or the repository's few; one for a quick run."""
    folder = data_folder(effort)
    clips = sorted(Path(folder).glob("table/*/clips/*.mp4")) if folder else sorted(RECORDED.glob("*.mp4"))
    return clips if effort >= WHOLE_FROM else clips[:1]


@one_thread()
def measure(effort: float = 1.0) -> Section:
    clips = clips_to_judge(effort)
    rounds = 3 if effort >= 1 else 1
    verdicts, costs = [], []
    rivals: dict[str, list[Rival]] = {name: [] for name in RIVALS}
    errors: list[float] = []
    wrong = 0
    for path in clips:
        camera, truth = camera_of(path), json.loads(path.with_suffix(".json").read_text())
        frames = list(Clip(path).frames())
        costs.append(_costs(frames, camera, rounds))
        for name, judged in rivals.items():
            judged.append(_rival(name, frames, camera, truth))
        right, row, error = _verdict(path, camera, truth)
        wrong += not right
        verdicts.append(row)
        if error is not None:
            errors.append(error)
    idle_pct = _idle_pct(next(Clip(clips[0]).frames()), camera_of(clips[0]))
    mean = {name: float(np.mean([each[name] for each in costs])) for name in costs[0]}
    size = np.abs(errors) if errors else np.array([np.nan])
    ours_ms = mean["this project, all lanes"]
    rows = [[name, f"{ms:.2f} ms", f"{ms / ours_ms:.2f}"] for name, ms in mean.items()]
    crossing = f"largest error {size.max():.2f} frames, RMS {np.sqrt(np.mean(size**2)):.2f}, of {len(errors)}"
    return Section(
        title="Passages",
        method=f"{len(clips)} clips of 768 × 432 at 56 frames per second, with one OpenCV thread. Every method "
        f"processes the same frames in the same process. The methods run alternately for {rounds} rounds. The figures "
        "are the processor time of the fastest round, averaged over the clips. MOG2 and KNN only mark what moved; they "
        "find no lanes, no spheres and no verdict.",
        tables=[
            Table(heads=("per frame", "processor time", "÷ ours"), rows=rows),
            Table(
                title=f"Verdicts: {len(clips) - wrong} of {len(clips)} right; crossing time: {crossing}",
                heads=("clip", "verdict", "truth", "", "crossing error, frames"),
                rows=verdicts,
            ),
            Table(
                title="The same clips with methods from tutorials, which are given the true camera, track and lanes",
                heads=("method", "outcome and lane right", "largest crossing error, frames", "per frame", "÷ ours"),
                rows=[_rival_row(name, judged, ours_ms) for name, judged in rivals.items()],
            ),
        ],
        aims=[
            Aim(
                what="passages: outcome, lane and colour",
                wanted="all right",
                measured=f"{len(clips) - wrong} of {len(clips)}",
                met=wrong == 0,
            ),
            Aim(
                what="passages: crossing time",
                wanted="within 0.5 frame",
                measured=f"largest error {size.max():.2f} frames",
                met=bool(size.max() <= 0.5) if errors else None,
            ),
            Aim(
                what="a 768×432 frame, all lanes watched",
                wanted="< 1 ms on one core",
                measured=f"{ours_ms:.2f} ms of processor time",
                met=ours_ms < 1,
            ),
            Aim(
                what="the same against MOG2",
                wanted="a quarter of MOG2's",
                measured=f"{ours_ms / mean['MOG2']:.2f} × MOG2, {ours_ms / mean['KNN']:.2f} × KNN",
                met=ours_ms <= mean["MOG2"] / 4,
            ),
            Aim(
                what=f"idle camera, {IDLE_FPS:g} frames per second",
                wanted="< 1 % of a core",
                measured=f"{idle_pct:.2f} %",
                met=idle_pct < 1,
                why="image processing alone, without taking the picture from the camera",
            ),
        ],
    )


def _verdict(path: Path, camera: CameraModel, truth: dict[str, Any]) -> tuple[bool, list[str], float | None]:
    [seen, *more] = watch_clip(path, camera, Rig())
    rolled = truth["outcome"] != "none"
    wanted = (truth["outcome"], truth["lane"], truth["sphere"]["colour"]) if rolled else ("none", None, "unknown")
    right = not more and (seen.outcome, seen.lane, seen.colour) == wanted
    error = None
    if seen.frame_cross is not None and truth["fence_cross_frame"] is not None:
        error = seen.frame_cross - truth["fence_cross_frame"]
    said, true = (
        " ".join("–" if word is None else str(word) for word in each)
        for each in ((seen.outcome, seen.lane, seen.colour), wanted)
    )
    name = f"{path.parts[-3]}/{path.stem}" if path.parent != RECORDED else path.stem
    return right, [name, said, true, "✓" if right else "✗", "" if error is None else f"{error:+.3f}"], error


def _costs(frames: Frames, camera: CameraModel, rounds: int) -> dict[str, float]:
    """Return milliseconds of processor time a frame, for each method on the same frames."""
    view = find_view(frames[0], Rig(), camera)

    def watch() -> None:
        watcher = PassageTracker(view, Rig())
        for number, frame in enumerate(frames):
            watcher.feed(frame, number / FPS)

    def subtract(make: Any) -> None:
        subtractor = make()
        for frame in frames:
            subtractor.apply(frame)

    spent = cpu_side_by_side(
        {
            "this project, all lanes": watch,
            "MOG2": lambda: subtract(cv2.createBackgroundSubtractorMOG2),
            "KNN": lambda: subtract(cv2.createBackgroundSubtractorKNN),
        },
        rounds=rounds,
    )
    return {name: 1e3 * each / len(frames) for name, each in spent.items()}


def _rival(name: str, frames: Frames, camera: CameraModel, truth: dict[str, Any]) -> Rival:
    view = find_view(frames[0], Rig(), camera)
    start = time.process_time()
    outcome, lane, crossed = verdict(tracks_in(frames, view, RIVALS[name]()), len(frames))
    spent_ms = 1e3 * (time.process_time() - start) / len(frames)
    right = (outcome, lane) == (truth["outcome"], truth["lane"])
    true = truth["fence_cross_frame"]
    return right, None if crossed is None or true is None else crossed - true, spent_ms


def _rival_row(name: str, judged: list[Rival], ours_ms: float) -> list[str]:
    errors = [abs(error) for _, error, _ in judged if error is not None]
    spent_ms = float(np.mean([each for *_, each in judged]))
    right = sum(each for each, *_ in judged)
    largest = f"{max(errors):.2f}" if errors else "–"
    return [name, f"{right} of {len(judged)}", largest, f"{spent_ms:.2f} ms", f"{spent_ms / ours_ms:.2f}"]


def _idle_pct(empty: np.ndarray, camera: CameraModel) -> float:
    """Return the share of a core, in per cent, of senses that the game asks for nothing, at their own idle rate."""
    senses = CameraPipeline(Rig(), camera)
    noise = np.random.default_rng(1)
    frames = [np.clip(empty + noise.normal(0, 1.5, empty.shape), 0, 255).astype(np.uint8) for _ in range(6)]
    senses.feed(Frame(0.0, empty, 0))  # finding the table is done once
    start = time.process_time()
    for number in range(IDLE_FRAMES):
        senses.feed(Frame((number + 1) / IDLE_FPS, frames[number % len(frames)], number + 1))
    return 100 * (time.process_time() - start) / (IDLE_FRAMES / IDLE_FPS)


def camera_of(clip: Path) -> CameraModel:
    recorded = clip.parent / "camera.json"
    if recorded.exists():
        own = json.loads(recorded.read_text())
        focal, centre, dist = own["focal_px"], own["centre_px"], own["distortion"]
    else:
        session = json.loads((clip.parent.parent / "session.json").read_text())["camera"]
        K = session["modes"]["768x432"]["K"]
        focal, centre, dist = (K[0][0], K[1][1]), (K[0][2], K[1][2]), session["dist"]
    return CameraModel(
        width_px=768, height_px=432, focal_px=tuple(focal), centre_px=tuple(centre), distortion=tuple(dist)
    )


if __name__ == "__main__":
    show(measure)
