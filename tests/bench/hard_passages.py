"""Passages under hard conditions: `python -m tests.bench.hard_passages` prints the tables of docs/passages.md."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from hardware.cameras.camera_model import CameraModel, CameraView, Pose
from hardware.rig import Rig
from tests.bench.machine import one_thread
from tests.bench.page import WHOLE_FROM, Aim, Section, Table, show
from tests.bench.passage import camera_of, clips_to_judge
from tests.vision.hard_conditions import CONDITIONS, Moments
from tests.vision.jumps import any_run
from tests.vision.staged import CAMERA, Stage
from vision.markers import find_view
from vision.observations import SightError
from vision.passages.clip import Clip
from vision.passages.passage import PassageTracker
from vision.passages.roll_events import RollEnded

STAGED_RUNS = 200
STAGED_UNDER = ("as recorded", "JPEG, quality 50", "512×288, JPEG 50", "384×216, JPEG 50", "noise of 8 levels")


@dataclass
class Count:
    """How often the verdict was right, unknown or wrong; the crossing's errors, frames; how sure the unknowns were."""

    right: int = 0
    unknown: int = 0
    wrong: int = 0
    crossing: list[float] = field(default_factory=list)
    doubts: list[float] = field(default_factory=list)

    def row(self, name: str) -> list[str]:
        worst = f"{max(self.crossing):.2f}" if self.crossing else "–"
        sure = f"{max(self.doubts):.2f}" if self.doubts else "–"
        return [name, str(self.right), str(self.unknown), str(self.wrong), sure, worst]


@one_thread()
def measure(effort: float = 1.0) -> Section:
    clips = clips_to_judge(effort)
    recoded = {name: Count() for name in list(CONDITIONS)[: None if effort >= WHOLE_FROM else 4]}
    for path in clips:
        _judge_recoded(path, recoded)
    staged = _judge_staged(max(round(STAGED_RUNS * effort), 4))
    wrong = sum(count.wrong for count in recoded.values())
    heads = ("", "right", "unknown", "wrong", "the surest unknown", "largest crossing error, frames")
    return Section(
        title="Passages under hard conditions",
        method=f"{len(clips)} clips of 768 × 432 at 56 frames per second, each judged again after its quality was "
        "reduced. A picture in which no markers are found counts as unknown. The second table has simulated spheres "
        "that roll through their hole or fly over the fence, at 28 and 56 frames per second.",
        tables=[
            Table(heads=heads, rows=[count.row(name) for name, count in recoded.items()]),
            Table(heads=heads, rows=[count.row(name) for name, count in staged.items()], title="Over the fence"),
        ],
        aims=[
            Aim(what="recoded clips judged wrong", wanted="0", measured=str(wrong), met=wrong == 0),
        ],
    )


def _judge_recoded(path: Path, counts: dict[str, Count]) -> None:
    truth = json.loads(path.with_suffix(".json").read_text())
    clip, camera = Clip(path), camera_of(path)
    frames = list(clip.frames())
    recorded = Moments(frames, [number / clip.fps for number in range(len(frames))])
    wanted = (truth["outcome"], truth["lane"])
    for name, count in counts.items():
        worse = CONDITIONS[name](recorded)
        end = _judge(count, worse, _view_of(worse.frames, camera), wanted, truth["sphere"]["colour"])
        if end is not None and end.crossed_s is not None and truth["fence_cross_frame"] is not None:
            count.crossing.append(abs(end.crossed_s * clip.fps - truth["fence_cross_frame"]))


def _view_of(frames: Sequence[np.ndarray], camera: CameraModel) -> CameraView | None:
    for frame in (frames[0], frames[len(frames) // 2], frames[-1]):
        try:
            return find_view(frame, Rig(), camera)
        except SightError:
            continue
    return None


def _judge(
    count: Count, clip: Moments, view: CameraView | None, wanted: tuple[str, int], colour: str
) -> RollEnded | None:
    """Judge one clip; return how its roll ended when that was right."""
    ends = {} if view is None else ends_of(clip, view)
    if len(ends) != 1:
        count.wrong += len(ends) > 1
        count.unknown += len(ends) == 0
        return None
    [end] = ends.values()
    if end.outcome == "unknown":
        count.unknown += 1
        count.doubts.append(end.confidence)
        return None
    right = (end.outcome, end.lane) == wanted and end.colour in (colour, "unknown")
    count.right += right
    count.wrong += not right
    return end if right else None


def ends_of(clip: Moments, view: CameraView) -> dict[float, RollEnded]:
    """Return how each roll of a clip ended, by when it started."""
    watcher = PassageTracker(view, Rig())
    happenings = [each for frame, t_s in zip(*clip, strict=True) for each in watcher.feed(frame, t_s)]
    happenings += watcher.finish(clip.stamps_s[-1])
    return {each.started_s: each for each in happenings if isinstance(each, RollEnded)}


def staged_view(frame: np.ndarray) -> CameraView:
    """Return the staged camera's view for frames of this size."""
    camera = CameraModel(
        width_px=768,
        height_px=432,
        focal_px=tuple(CAMERA["focal_px"]),
        centre_px=tuple(CAMERA["centre_px"]),
        distortion=tuple(CAMERA["distortion"]),
    )
    return CameraView(
        camera.scaled_to(frame.shape[1], frame.shape[0]), Pose(tuple(CAMERA["rvec"]), tuple(CAMERA["tvec"]))
    )


def _judge_staged(runs: int) -> dict[str, Count]:
    random, stage = np.random.default_rng(7), Stage(seed=7)
    counts: dict[str, Count] = {}
    for number in range(runs):
        run = any_run(random, jump=number % 2 == 0)
        name = STAGED_UNDER[number // 2 % len(STAGED_UNDER)]
        frames = run.frames(stage)
        worse = CONDITIONS[name](Moments(frames, [at / run.fps for at in range(len(frames))]))
        what = "over the fence" if run.jump else "through the hole"
        count = counts.setdefault(f"{what}, {run.fps:g} a second, {name}", Count())
        wanted = ("astray" if run.jump else "passed", run.lane)
        _judge(count, worse, staged_view(worse.frames[0]), wanted, run.colour)
    return dict(sorted(counts.items()))


if __name__ == "__main__":
    show(measure)
