"""What watching costs and how well it times: `python -m tests.bench_passage [FOLDER]`.

Prints, per clip, the cost of a 768×432 frame with all lanes watched beside MOG2's on the same frames, both on one
thread, and each verdict against the clip's written truth. FOLDER (or SMUGGLERS_DATA) holds `table/*/clips`; without,
the recorded clips of this repository are used.
"""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path

import cv2
import numpy as np

from hardware.rig import Rig
from vision.camera_model import CameraModel
from vision.clip import Clip
from vision.markers import find_view
from vision.passage import PassageWatcher, watch_clip

RECORDED = Path(__file__).parent / "recordings" / "table" / "clips"
ROUNDS = 3


def main() -> None:
    cv2.setNumThreads(1)
    folder = sys.argv[1] if len(sys.argv) > 1 else os.environ.get("SMUGGLERS_DATA")
    clips = sorted(Path(folder).glob("table/*/clips/*.mp4")) if folder else sorted(RECORDED.glob("*.mp4"))
    rig = Rig()
    print(f"OpenCV {cv2.__version__}, numpy {np.__version__}, one thread, best of {ROUNDS} rounds")
    print(f"{'clip':<12}{'watch ms':>9}{'MOG2 ms':>9}{'ratio':>7}  {'verdict':<22}{'right':<7}{'error, frames':>14}")
    ratios, costs, errors, wrong = [], [], [], 0
    for path in clips:
        camera = _camera(path)
        truth = json.loads(path.with_suffix(".json").read_text())
        frames = list(Clip(path).frames())
        ours, theirs = _costs(frames, camera, rig)
        [seen, *more] = watch_clip(path, camera, rig)
        lane = truth["lane"] if truth["outcome"] != "none" else None
        colour = truth["sphere"]["colour"] if truth["outcome"] != "none" else "unknown"
        right = not more and (seen.outcome, seen.lane, seen.colour) == (truth["outcome"], lane, colour)
        error = ""
        if seen.frame_cross is not None and truth["fence_cross_frame"] is not None:
            errors.append(seen.frame_cross - truth["fence_cross_frame"])
            error = f"{errors[-1]:+.3f}"
        wrong += not right
        costs.append(ours)
        ratios.append(ours / theirs)
        name = f"{path.parts[-3]}/{path.stem}"
        verdict = f"{seen.outcome} {seen.lane} {seen.colour}"
        print(f"{name:<12}{ours:>9.2f}{theirs:>9.2f}{ours / theirs:>7.2f}  {verdict:<22}{right!s:<7}{error:>14}")
    print(f"{len(clips)} clips, {wrong} wrong; {np.mean(costs):.2f} ms a frame, {np.mean(ratios):.2f} × MOG2's cost")
    if errors:
        size = np.abs(errors)
        print(f"crossing: largest error {size.max():.3f} frames, RMS {np.sqrt(np.mean(size**2)):.3f}")


def _costs(frames: list[np.ndarray], camera: CameraModel, rig: Rig) -> tuple[float, float]:
    """Milliseconds a frame: the watcher's and MOG2's, alternating so that both meet the same machine."""
    view = find_view(frames[0], rig, camera)
    ours, theirs = [], []
    for _ in range(ROUNDS):
        watcher = PassageWatcher(view, rig)
        start = time.perf_counter()
        for number, frame in enumerate(frames):
            watcher.feed(frame, number / 56.0)
        ours.append(time.perf_counter() - start)
        mog2 = cv2.createBackgroundSubtractorMOG2()
        start = time.perf_counter()
        for frame in frames:
            mog2.apply(frame)
        theirs.append(time.perf_counter() - start)
    return min(ours) / len(frames) * 1e3, min(theirs) / len(frames) * 1e3


def _camera(clip: Path) -> CameraModel:
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
    main()
