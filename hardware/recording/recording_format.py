"""Format of a recording of raw sensor data: a head, JPEG frames, and facts as JSON Lines (docs/recordings.md)."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from hardware.beams.beam_monitor import BeamEdge
from hardware.cameras.camera import Frame
from hardware.readings import ButtonPressed, DeviceHealth
from hardware.scale.load_cell import Sample
from hardware.scale.scale_model import COUNTS_MAX, COUNTS_MIN

FORMAT = "smugglers-recording-1"
SUFFIX = ".rec"
MOST_FRAMES_A_CHUNK = 256
"""Most frames between two files of facts. A reader holds no more in memory (about 20 MB)."""

Stamp = Annotated[float, Meta(ge=-1e12, le=1e12)]
"""Seconds of a monotonic clock. The range exceeds any real clock and keeps arithmetic exact enough."""

Fact = Frame | Sample | BeamEdge | DeviceHealth | ButtonPressed
Ending = Literal["stopped", "size_limit", "disk_nearly_full", "game_opened", "cut_short"]


class SenseRecordingError(ValueError):
    """The recording cannot be written or read: `code` is stable, the message says why and what to do.

    Codes: `recording_exists`, `recording_unwritable`, `recording_no_room`, `recording_no_senses`,
    `recording_unreadable`, `recording_invalid`, `recording_calibration`, `recording_no_lens`, `recording_no_pictures`,
    `recording_no_counts`. The catalogues have the sentence `calibrate.why.<code>`, with `values`.
    """

    def __init__(self, code: str, message: str, **values: object) -> None:
        super().__init__(message)
        self.code = code
        self.values = values


class Head(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """First member of a recording.

    `picture` says what the frames show: only the track and the markers, or everything. `consent` is the sentence that
    was agreed to. `calibration` holds the texts of the files in use, by name: `camera.toml`, `rig.toml`, `scale.toml`.
    """

    format: str = FORMAT
    made_utc: str
    hardware: Literal["pi", "twin"]
    picture: Literal["track", "whole"]
    consent: str
    calibration: dict[str, str]


class FrameLine(msgspec.Struct, frozen=True, tag_field="fact", tag="frame"):
    """A frame: timestamp of the middle of its exposure, its number, and the member that holds its JPEG."""

    t_s: Stamp
    index: Annotated[int, Meta(ge=0, lt=2**53)]
    file: str


class CountsLine(msgspec.Struct, frozen=True, tag_field="fact", tag="counts"):
    """One conversion of the scale."""

    t_s: Stamp
    counts: Annotated[int, Meta(ge=COUNTS_MIN, le=COUNTS_MAX)]


class EdgeLine(msgspec.Struct, frozen=True, tag_field="fact", tag="edge"):
    """A raw edge of a beam: broken, or clear again."""

    t_s: Stamp
    beam: str
    broken: bool


class HealthLine(msgspec.Struct, frozen=True, tag_field="fact", tag="health"):
    """A driver's report of its device's health."""

    t_s: Stamp
    device: Literal["scale", "camera", "beams", "panel"]
    status: Literal["ok", "starting", "absent", "faulty"]
    code: str


class ButtonLine(msgspec.Struct, frozen=True, tag_field="fact", tag="button"):
    """A press of a button."""

    t_s: Stamp
    button: Literal["hourglass"]


Line = FrameLine | CountsLine | EdgeLine | HealthLine | ButtonLine


class End(msgspec.Struct, frozen=True, kw_only=True):
    """Last member of a recording: why it ended, and how many frames, counts and edges it holds."""

    ended: Ending
    frames: int
    counts: int
    edges: int
