"""The errors that end a calibration or a command of the senses, and their sentences in a viewer's language."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from appliance.words.catalogues import Words
from appliance.words.errors import TableError
from calibration.messages import CodedError
from calibration.scale.count_recording import RecordingError
from hardware.cameras.camera import CameraError
from hardware.files.toml_file import TomlFileError
from hardware.scale.load_cell import LoadCellError
from hardware.scale.scale_model import ScaleError
from vision.observations import SightError

FAILURES = (CodedError, SightError, TomlFileError, RecordingError, LoadCellError, CameraError, TableError)
"""Each carries a stable `code`. The message is one English sentence that says what to do, except for `TableError`:
all its sentences are in the catalogues."""

Failure = CodedError | SightError | TomlFileError | RecordingError | LoadCellError | CameraError | TableError
if TYPE_CHECKING:  # a table that serves loads no recordings
    from hardware.recording.recording_format import SenseRecordingError

    SenseFailure = Failure | ScaleError | SenseRecordingError
    """What the commands of the senses report, too."""


def values_of(failure: SenseFailure) -> Mapping[str, Any]:
    """Return the values of the placeholders in a failure's sentence."""
    return {} if isinstance(failure, LoadCellError | CameraError) else failure.values


def sentence(failure: SenseFailure, words: Words, **more: object) -> str:
    """Return one sentence: English ones name the file or line where there is one.

    :param more: further values of the placeholders.
    """
    if words.language == "en" and not isinstance(failure, TableError):
        return str(failure)
    return sentence_of(failure.code, {**values_of(failure), **more}, str(failure), words)


def why(failure: Failure, words: Words) -> str:
    """Return one sentence with the failure's code."""
    return f"{sentence(failure, words)} [{failure.code}]"


def sentence_of(code: str, values: Mapping[str, Any], message: str, words: Words) -> str:
    """Return the sentence of a failure in a language; `message`, which is English, where the catalogue has none."""
    said = (f"calibrate.why.{code}", f"error.{code}")
    return next((words.say(each, values) for each in said if each in words), message)
