"""What a guided calibration tells the page, and what it is told back: one talk a calibration."""

from __future__ import annotations

import queue
from collections.abc import Callable, Mapping
from contextlib import suppress
from threading import Event
from typing import Any, Literal

import msgspec

from calibration.balls.fit import KnownBall
from calibration.messages import Said
from calibration.scale.coins import KnownMass

Kind = Literal["camera", "track", "balls", "scale"]
Stage = Literal["idle", "running", "asking", "done", "failed", "stopped"]
Point = tuple[float, float]


class DeskState(msgspec.Struct, frozen=True, kw_only=True):
    """How the calibration stands.

    `ask` is a word code (`calibrate.camera.flat`) with `values`; `share` 0–1 of the work, `still` 0–1 of the present
    step. `dots` are where something was found, as shares of the picture's width; `covered` the grid of the camera's
    calibration. `points` are the masses weighed or the balls shown so far. When `done`: the grade and what is
    `said` of it; when `failed`: the error's stable `code`, where it has one, and `why` in
    English.
    """

    kind: Kind | None = None
    stage: Stage = "idle"
    ask: str = ""
    values: Mapping[str, Any] = {}
    share: float = 0.0
    still: float = 0.0
    dots: tuple[Point, ...] = ()
    covered: tuple[tuple[bool, ...], ...] = ()
    points: tuple[KnownMass | KnownBall, ...] = ()
    grade: str = ""
    said: tuple[Said, ...] = ()
    code: str = ""
    why: str = ""


class CalibrationStoppedError(Exception):
    """Somebody stopped the calibration, or a game was opened: nothing is to be written."""


class Talk:
    """What is said and heard during one calibration; the procedure's thread tells, any other looks and answers.

    :param game_open: whether a game is open, which stops the calibration (SM-26).
    """

    def __init__(self, state: DeskState, game_open: Callable[[], bool]) -> None:
        self._state, self._game_open = state, game_open
        self._answers: queue.SimpleQueue[KnownMass | KnownBall | None] = queue.SimpleQueue()
        self._cancelled = Event()

    @property
    def state(self) -> DeskState:
        """How it stands now."""
        return self._state

    def cancel(self) -> None:
        """Stop; the procedure ends at its next word."""
        self._cancelled.set()

    def answer(self, known: KnownMass | KnownBall | None) -> None:
        """Answer what was asked: what lies on the pan now, or None: there are enough."""
        self._answers.put(known)

    def tell(self, **changes: object) -> None:
        """Change the state.

        :raises CalibrationStoppedError: it was stopped meanwhile.
        """
        self._go_on()
        self.end(**changes)

    def end(self, **changes: object) -> None:
        """Change the state for the last time, stopped or not."""
        self._state = msgspec.structs.replace(self._state, **changes)

    def asked(self, **question: object) -> KnownMass | KnownBall | None:
        """Ask, wait for the answer and return it; a second tap on what was asked before answers nothing.

        :raises CalibrationStoppedError: it was stopped meanwhile.
        """
        with suppress(queue.Empty):
            while True:
                self._answers.get_nowait()
        self.tell(stage="asking", **question)
        while True:
            self._go_on()
            with suppress(queue.Empty):
                return self._answers.get(timeout=0.1)

    def _go_on(self) -> None:
        if self._cancelled.is_set() or self._game_open():
            raise CalibrationStoppedError
