"""Stills with truth: the few that come with the project, and the data folder's when `SMUGGLERS_DATA` names it."""

from __future__ import annotations

import json
import os
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from calibration.sight_report import session_camera
from hardware.cameras.camera_model import CameraModel, CameraView, Pose
from hardware.rig import Rig
from tests.places import RECORDINGS
from vision.observe_file import load_picture

DATA = os.environ.get("SMUGGLERS_DATA")
RIG = Rig()

needs_data = pytest.mark.skipif(DATA is None, reason="SMUGGLERS_DATA names no folder of pictures")


def sessions() -> list[Path]:
    root = Path(DATA) / "table" if DATA else RECORDINGS / "table"
    return sorted(path.parent for path in root.glob("*/session.json"))


def items(kind: str) -> list[Any]:
    found = []
    for session in sessions():
        truth = session / kind / f"{kind}.json"
        if truth.exists():
            found += [
                pytest.param(session, item, id=f"{session.name}-{Path(item['file']).stem}")
                for item in json.loads(truth.read_text(encoding="utf-8"))["items"]
            ]
    return found


@cache
def camera(session: Path) -> CameraModel:
    return session_camera(json.loads((session / "session.json").read_text(encoding="utf-8")))


def true_view(session: Path, width_px: int) -> CameraView:
    truth = json.loads((session / "session.json").read_text(encoding="utf-8"))["camera"]
    model = camera(session).scaled_to(width_px, width_px * 9 // 16)
    return CameraView(model, Pose(tuple(truth["rvec"]), tuple(truth["tvec"])))


def picture(session: Path, item: dict[str, Any]) -> Any:
    return load_picture(session / item["file"])
