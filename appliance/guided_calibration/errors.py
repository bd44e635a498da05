"""What may stop a calibration, and the sentence for it in a viewer's language."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from appliance.words import Words
from calibration.messages import SaidError
from calibration.scale.count_recording import RecordingError
from hardware.cameras.camera import CameraError
from hardware.scale.load_cell import LoadCellError
from hardware.toml_file import MeasuresError
from vision.observations import SightError

FAILURES = (SaidError, SightError, MeasuresError, RecordingError, LoadCellError, CameraError)
"""Each carries a stable `code`, and its message is one English sentence that says what to do."""

Failure = SaidError | SightError | MeasuresError | RecordingError | LoadCellError | CameraError


def values_of(failure: Failure) -> Mapping[str, Any]:
    """Return what the sentence of a failure names."""
    return failure.values if isinstance(failure, SaidError | SightError | MeasuresError) else {}


def sentence_of(code: str, values: Mapping[str, Any], message: str, language: Words) -> str:
    """Return why it failed in a language; where that has no words for it, the English message."""
    said = f"calibrate.why.{code}"
    return language.say(said, values) if said in language else message
