"""The setting `camera = "clip:PATH"`: a recorded clip is the table's camera. Truth: what the clips were made with."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from appliance.devices import real_table
from appliance.sensing.camera_pipeline import CameraPipeline
from calibration.sight_report import session_camera
from hardware.cameras.camera import CameraFeed, Frame
from hardware.clock import ManualClock
from hardware.readings import DeviceHealth, PassageSeen
from hardware.rig import Rig

DATA = Path(os.environ.get("SMUGGLERS_DATA", "nowhere")) / "table"


class Watched:
    """A feed of the camera that a setting names; waiting only moves a clock of its own."""

    def __init__(self, camera: str, monkeypatch: pytest.MonkeyPatch) -> None:
        self.clock = ManualClock(50.0)
        monkeypatch.setattr("time.sleep", lambda s: self.clock.advance_to(self.clock.now_s() + s))
        self.frames: list[Frame] = []
        self.codes: list[str] = []
        self.feed = CameraFeed(
            lambda: real_table.open_camera(camera, self.clock), self.clock, self.frames.append, self._hear
        )

    def _hear(self, health: DeviceHealth) -> None:
        self.codes.append(f"{health.status} {health.code}")


def a_clip(path: Path) -> Path:
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"MJPG"), 8.0, (64, 64))
    for k in range(12):
        writer.write(np.full((64, 64, 3), 20 * k, dtype=np.uint8))
    writer.release()
    return path


def test_it_plays_at_its_rate_ends_like_a_lost_camera_and_begins_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    watched = Watched(f"clip:{a_clip(tmp_path / 'a b.avi')}", monkeypatch)
    watched.feed.run_once()
    assert [frame.t_s for frame in watched.frames] == pytest.approx([50.0 + k / 8 for k in range(12)])
    assert watched.clock.now_s() == pytest.approx(50.0 + 12 / 8)
    assert watched.codes == ["starting camera_starting", "ok camera_ok", "starting camera_clip_over"]
    watched.feed.run_once()
    assert len(watched.frames) == 24
    assert int(watched.frames[12].image.mean()) < 3, "from its first picture"
    assert watched.frames[12].t_s >= watched.frames[11].t_s, "time never goes back"
    assert watched.codes[3:] == ["ok camera_ok", "starting camera_clip_over"]


@pytest.mark.parametrize("content", [None, b"", b"no video at all", b"RIFF\x10\x00\x00\x00AVI "])
def test_a_missing_or_broken_file_is_one_code_said_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: bytes | None
) -> None:
    if content is not None:
        (tmp_path / "roll.mp4").write_bytes(content)
    watched = Watched(f"clip:{tmp_path / 'roll.mp4'}", monkeypatch)
    for _ in range(3):
        watched.feed.run_once()
    assert watched.codes == ["starting camera_starting", "absent camera_clip_unreadable"]


@pytest.mark.slow
@pytest.mark.skipif(not DATA.is_dir(), reason="SMUGGLERS_DATA names no folder with the table's clips")
@pytest.mark.parametrize("name", ["s01/clips/clip_00", "s01/clips/clip_03", "s02/clips/clip_00"])
def test_the_senses_see_in_it_who_passed_and_where(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    truth: dict[str, Any] = json.loads((DATA / f"{name}.json").read_text())
    session = json.loads((DATA / name.split("/")[0] / "session.json").read_text())
    watched = Watched(f"clip:{DATA / name}.mp4", monkeypatch)
    watched.feed.run_once()
    senses = CameraPipeline(Rig(), session_camera(session))
    senses.attend(("track",))
    seen = [reading for frame in watched.frames for reading in senses.feed(frame) if isinstance(reading, PassageSeen)]
    assert [(one.outcome, one.lane, one.colour) for one in seen] == [
        (truth["outcome"], truth["lane"], truth["sphere"]["colour"])
    ]
    crossed_s = 50.0 + truth["fence_cross_frame"] / truth["fps"]
    assert seen[0].crossed_s == pytest.approx(crossed_s, abs=2 / truth["fps"])
