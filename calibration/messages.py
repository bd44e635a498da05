"""Messages of the calibrations as codes with values. A word catalogue turns them into sentences."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, Protocol

import msgspec

Grade = Literal["good", "usable", "poor"]


class Message(msgspec.Struct, frozen=True):
    """One message: its code (`verdict.scale.hum`) and the values in its sentence, with units in their names."""

    code: str
    values: Mapping[str, Any] = {}


CalibrationProblem = Literal[
    "ball_far_off",
    "ball_not_seen",
    "ball_other_colour",
    "calibration_copied",
    "calibration_mass",
    "calibration_no_recording",
    "calibration_no_room",
    "calibration_no_span",
    "calibration_not_a_line",
    "calibration_not_reversed",
    "calibration_points",
    "calibration_reversed",
    "calibration_unit",
    "degenerate_views",
    "few_views",
    "hole_unlike_circle",
    "measure_no_number",
    "measure_twice",
    "measure_unknown",
    "measure_without_number",
    "mixed_sizes",
    "no_balls",
    "no_such_ball",
    "recording_moved",
    "recording_saturated",
    "recording_too_fast",
    "recording_too_short",
    "scale_silent",
    "store_no_pdf",
    "store_no_report",
    "store_nothing_to_undo",
    "store_pdf_name",
    "store_report_name",
    "store_same_place",
    "store_unwritable",
]
"""Why a calibration cannot be made or stored. The sentence `calibrate.why.<code>` says what to do."""


class CodedError(ValueError):
    """Why something cannot be done. `code` is stable; the message is one English sentence that says what to do.

    `values` are the values in the sentence of `code`, for any language.
    """

    def __init__(self, code: CalibrationProblem, message: str, **values: object) -> None:
        super().__init__(message)
        self.code = code
        self.values = values


class CalibrationVerdict(msgspec.Struct, frozen=True):
    """How reliable a calibration is, and the messages about it, the most important first."""

    grade: Grade
    said: tuple[Message, ...]


class Speaker(Protocol):
    """One language: turns codes into sentences and formats numbers."""

    @property
    def language(self) -> str: ...  # noqa: D102  # its tag, such as "de"

    def say(self, code: str, values: Mapping[str, Any] | None = None, /) -> str:
        """Return the sentence of `code` with these values."""
        ...

    def number(self, value: float, form: str, /) -> str:
        """Return a number in a format such as `+.2f`, with the language's decimal mark."""
        ...


def sentences(verdict: CalibrationVerdict, speaker: Speaker) -> tuple[str, ...]:
    """Return the verdict's messages as sentences."""
    return tuple(speaker.say(each.code, each.values) for each in verdict.said)
