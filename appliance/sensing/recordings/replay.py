"""Replays recordings through the pipeline that watches a real table. The time stamps of the data move the clock."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TypeVar

import numpy as np

from appliance.games.protocol import Area
from appliance.sensing.camera_pipeline import CameraPipeline
from appliance.sensing.pipeline import SensorPipeline
from calibration.scale.count_recording import CountRecording
from hardware.beams.beam_pair import BeamLimits, BeamPair
from hardware.beams.transit_time import least_transit_s
from hardware.cameras.camera import Frame
from hardware.cameras.camera_model import CameraModel
from hardware.clock import ManualClock
from hardware.files.toml_file import parse_struct
from hardware.readings import PassageSeen, Reading
from hardware.recording.recording_format import SUFFIX, SenseRecordingError
from hardware.recording.recording_reader import Recording
from hardware.rig import Rig
from hardware.scale.load_cell import Sample
from hardware.scale.scale_model import ScaleError, ScaleModel, parse_scale
from hardware.scale.weighing import Weigher
from vision.observations import Passage

EVERYWHERE: frozenset[Area] = frozenset({"track", "tray", "boss", "pan"})
TRACK: frozenset[Area] = frozenset({"track"})

T = TypeVar("T")


def is_recording(path: Path) -> bool:
    """Return whether the file name has the ending that `smugglers record` gives."""
    return path.suffix == SUFFIX


class _Listening:
    """Takes the table's place and keeps the readings."""

    def __init__(self, areas: frozenset[Area]) -> None:
        self._areas = areas
        self.heard: list[Reading] = []

    def sense(self, reading: Reading) -> None:
        self.heard.append(reading)

    def attention(self) -> frozenset[Area]:
        return self._areas


def replayed(recording: Recording) -> Iterator[Reading]:
    """Yield the readings of a recording, in the order in which they became known.

    :raises SenseRecordingError: it is damaged, or its calibration is.
    """
    camera, rig, scale = recorded_camera(recording), recorded_rig(recording), recorded_scale(recording)
    areas = TRACK if recording.head.picture == "track" else EVERYWHERE
    listening = _Listening(areas)
    clock = ManualClock(float("-inf"))
    senses = CameraPipeline(rig, camera) if camera is not None else None
    if senses is not None:
        senses.attend(areas)
    sensing: SensorPipeline | None = None
    for fact in recording.facts():
        clock.advance_to(fact.t_s)
        if sensing is None:
            weigher = Weigher(scale) if scale is not None else None
            beams = BeamPair(BeamLimits(least_transit_s=least_transit_s(rig)))
            sensing = SensorPipeline(
                clock=clock, sink=listening, camera=senses, beams=beams, scale=weigher, recorded=True
            )
        if isinstance(fact, Frame):
            sensing.put_frame(fact)
        else:
            sensing.put(fact)
        sensing.pump()
        yield from listening.heard
        listening.heard.clear()


def recorded_passages(recording: Recording, camera: CameraModel | None = None, rig: Rig | None = None) -> list[Passage]:
    """Return the passages that the camera saw; one with outcome "none" when nothing was rolled.

    Frames count from 0 as recorded, and `t_cross_s` from the first frame.

    :raises SenseRecordingError: it is damaged, has no frames, or no calibration of the lens.
    """
    camera, rig = camera or recorded_camera(recording), rig or recorded_rig(recording)
    if camera is None:
        message = f"{recording.path}: holds no camera calibration; give --camera"
        raise SenseRecordingError("recording_no_lens", message, path=str(recording.path))
    senses = CameraPipeline(rig, camera)
    senses.attend(TRACK)
    stamps: list[float] = []
    ends: dict[tuple[float, int | None], PassageSeen] = {}
    for fact in recording.facts():
        if not isinstance(fact, Frame):
            continue
        stamps.append(fact.t_s)
        for reading in senses.feed(fact):
            if isinstance(reading, PassageSeen):
                ends[reading.started_s, reading.lane] = reading  # a late pass replaces the "stuck" before it
    if not stamps:
        message = f"{recording.path}: holds no pictures"
        raise SenseRecordingError("recording_no_pictures", message, path=str(recording.path))
    if not ends:
        return [Passage(confidence=0.95, lane=None, colour="unknown", outcome="none")]
    return [_passage(end, stamps) for end in ends.values()]


def _passage(seen: PassageSeen, stamps: list[float]) -> Passage:
    crossed_s = seen.crossed_s
    return Passage(
        confidence=round(seen.confidence, 3),
        lane=seen.lane,
        colour=seen.colour or "unknown",
        outcome=seen.outcome,
        frame_cross=None if crossed_s is None else round(float(np.interp(crossed_s, stamps, range(len(stamps)))), 3),
        t_cross_s=None if crossed_s is None else round(crossed_s - stamps[0], 5),
    )


def recorded_counts(recording: Recording) -> CountRecording:
    """Return the scale's samples.

    :raises SenseRecordingError: it is damaged, or there are none.
    """
    samples = [fact for fact in recording.facts() if isinstance(fact, Sample)]
    if not samples:
        message = f"{recording.path}: holds no samples of the scale"
        raise SenseRecordingError("recording_no_counts", message, path=str(recording.path))
    times = tuple(np.maximum.accumulate([sample.t_s for sample in samples]).tolist())
    values = tuple(float(sample.counts) for sample in samples)
    return CountRecording(name=str(recording.path), unit="counts", t_s=times, values=values)


def recorded_camera(recording: Recording) -> CameraModel | None:
    """Return the lens's calibration at the time, if there was one.

    :raises SenseRecordingError: `recording_calibration`, it cannot be used.
    """
    return _calibration(recording, "camera.toml", CameraModel)


def recorded_rig(recording: Recording) -> Rig:
    """Return the table's measures at the time, else the standard ones.

    :raises SenseRecordingError: `recording_calibration`, they cannot be used.
    """
    rig = _calibration(recording, "rig.toml", Rig)
    return rig or Rig()


def recorded_scale(recording: Recording) -> ScaleModel | None:
    """Return the scale's calibration at the time, if there was one.

    :raises SenseRecordingError: `recording_calibration`, it cannot be used.
    """
    text = recording.head.calibration.get("scale.toml")
    if text is None:
        return None
    try:
        return parse_scale(text, f"{recording.path}: scale.toml")
    except ScaleError as error:
        raise _unusable(recording, "scale.toml", str(error)) from None


def _calibration(recording: Recording, name: str, kind: type[T]) -> T | None:
    text = recording.head.calibration.get(name)
    if text is None:
        return None
    try:
        return parse_struct(text, kind)
    except ValueError as error:
        raise _unusable(recording, name, f"{recording.path}: {name}: {error}") from None


def _unusable(recording: Recording, name: str, message: str) -> SenseRecordingError:
    return SenseRecordingError("recording_calibration", message, path=str(recording.path), name=name)
