"""What the recorder takes of what is sensed: what was agreed to and nothing else, and no more than the disk takes."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import msgspec
import numpy as np
import pytest

from appliance.devices.calibration_files import twin_calibration
from appliance.sensing.recordings.recorder import Recorder
from hardware.beams.beam_monitor import BeamEdge
from hardware.cameras.camera import Frame
from hardware.recording.recording_reader import Recording
from hardware.recording.recording_writer import RecordingWriter
from hardware.rig import Rig
from hardware.scale.load_cell import Sample
from hardware.twin.drawing.renderer import Renderer
from hardware.twin.drawing.viewpoint import twin_view
from hardware.twin.world.scene import Scene
from tests.hardware.recording.a_recording import HEAD

pytestmark = pytest.mark.slow


def recorder(path: Path, shown: Literal["track", "whole"] = "track") -> Recorder:
    return recorder_of(path, shown)[0]


def recorder_of(path: Path, shown: Literal["track", "whole"] = "track") -> tuple[Recorder, RecordingWriter]:
    rig, camera, _ = twin_calibration()
    writer = RecordingWriter(path, msgspec.structs.replace(HEAD, picture=shown), most_bytes=10**8)
    return Recorder(writer, shown, rig, camera), writer


def test_while_the_disk_hangs_what_is_sensed_does_not_pile_up(tmp_path: Path) -> None:
    """A beam with a loose wire gives thousands of edges a second."""
    hung, writer = recorder_of(tmp_path / "a.rec")
    sensed = [BeamEdge(number / 5000, "near", bool(number % 2)) for number in range(1_000_000)]
    for edge in sensed:
        hung.take(edge)
    left_out = hung.tally.dropped
    assert left_out > 900_000
    hung.pump()
    assert hung.tally.edges == len(sensed) - left_out, "what waited is kept, and the rest is told"
    hung.take(Sample(300.0, 4_000))
    hung.pump()
    assert (hung.tally.counts, hung.tally.dropped) == (1, left_out), "it goes on"
    writer.close()


def test_only_the_track_and_the_markers_are_recorded(tmp_path: Path) -> None:
    picture = Renderer(Rig(), twin_view()).picture(Scene(0.0))
    it = recorder(tmp_path / "a.rec")
    it.take(Frame(1.0, picture, 0))
    it.pump()
    it._writer.close()
    (frame,) = list(Recording(tmp_path / "a.rec").facts())
    assert isinstance(frame, Frame)

    def light_at(x_mm: float, y_mm: float, z_mm: float) -> int:
        x, y = twin_view().project(np.array([[x_mm, y_mm, z_mm]]))[0].round().astype(int)
        return int(frame.image[y - 2 : y + 3, x - 2 : x + 3].max())

    rig = Rig()
    assert light_at(*rig.pan_centre_mm, rig.pan_z_mm) < 12
    assert light_at(*rig.tray_centre_mm, rig.tray_z_mm) < 12
    assert light_at(-260.0, 100.0, 0.0) < 12
    assert light_at(0.0, 100.0, rig.ramp_z_mm(100.0)) > 60
    assert light_at(-200.0 + 18.0, -60.0, 0.5) > 60


def test_nothing_is_shown_while_nobody_knows_what_the_picture_shows(tmp_path: Path) -> None:
    it = recorder(tmp_path / "a.rec")
    it.take(Frame(1.0, np.full((432, 768, 3), 128, np.uint8), 0))
    it.pump()
    assert it.tally.frames == 0
    assert it.tally.waiting
    it.take(Frame(3.0, Renderer(Rig(), twin_view()).picture(Scene(0.0)), 1))
    it.pump()
    assert it.tally.frames == 1
    it.take(Frame(5.0, np.full((432, 768, 3), 128, np.uint8), 2))
    it.pump()
    assert it.tally.frames == 1, "the camera was turned away: the old mask hides nothing now"
    it._writer.close()
