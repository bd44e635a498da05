"""The dialogue of a guided calibration with a person. Touchscreen and terminal implement it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, Protocol

import msgspec

from calibration.balls.fit import KnownBall
from calibration.messages import Message
from calibration.scale.coins import KnownMass
from hardware.cameras.camera import CameraError
from hardware.scale.load_cell import LoadCellError

CalibrationKind = Literal["camera", "track", "balls", "scale"]
Point = tuple[float, float]

FEWEST: dict[CalibrationKind, int] = {"scale": 2, "balls": 1}
"""The least number of masses, or balls."""


class Tick(msgspec.Struct, frozen=True):
    """One item of a checklist."""

    said: Message
    done: bool


class Fact(msgspec.Struct, frozen=True):
    """A detail of a step. `name` is a word code; the content is a sentence or a checklist."""

    name: str
    said: Message | None = None
    ticks: tuple[Tick, ...] = ()


class GuideStep(msgspec.Struct, frozen=True, kw_only=True):
    """What the person has to do now, and the progress.

    `ask` is a word code (`calibrate.camera.flat`) with `values`. `share` is the progress of the work, 0–1, and `still`
    that of the current step, 0–1. `sharpness` is that of the picture, 0–1, while the lens is focused. `dots` are the
    places of what was found, as shares of the picture's width. `covered` is the grid of the camera's calibration.
    `facts` are further details for a terminal. `lost` is why a device is opened again and again; the step says it.
    """

    ask: str
    values: Mapping[str, Any] = {}
    share: float
    still: float = 0.0
    sharpness: float | None = None
    dots: tuple[Point, ...] = ()
    covered: tuple[tuple[bool, ...], ...] = ()
    facts: tuple[Fact, ...] = ()
    lost: CameraError | LoadCellError | None = None


class CalibrationStoppedError(Exception):
    """The person stopped the calibration. Nothing is written."""


class Dialogue(Protocol):
    """The person who calibrates, as a procedure sees them.

    Every method raises `CalibrationStoppedError` when the person stopped the calibration, and `GameOpenError` when a
    game was opened meanwhile (SM-26).
    """

    def show(self, step: GuideStep) -> None:
        """Show what to do now. Where a device is lost and nobody can stop, its error is raised in the end."""
        ...

    def ask_mass(self, step: GuideStep, weighed: Sequence[KnownMass]) -> KnownMass | None:
        """Ask which mass is on the pan next, after `weighed`; the first is the empty pan. None: there are enough."""
        ...

    def ask_ball(self, step: GuideStep, shown: Sequence[KnownBall]) -> KnownBall | None:
        """Ask which ball is on the pan next, after `shown`. None: there are enough."""
        ...
