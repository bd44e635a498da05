"""The dialogue of a calibration with the touchscreen. The procedure's thread asks; web threads read and answer."""

from __future__ import annotations

import queue
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from threading import Event
from typing import Any, Literal

import msgspec

from appliance.guided_calibration.dialogue import CalibrationKind, CalibrationStoppedError, GuideStep, Point
from appliance.journal.open_game_check import GameOpenError
from calibration.balls.fit import KnownBall
from calibration.messages import Message
from calibration.scale.coins import KnownMass

Stage = Literal["idle", "running", "asking", "done", "failed", "stopped"]


class CalibrationState(msgspec.Struct, frozen=True, kw_only=True):
    """The state of a calibration.

    `question` is the number of what was asked last. It goes on counting from one calibration to the next.
    `ask`, `values`, `share`, `still`, `sharpness`, `dots` and `covered` are those of the current `GuideStep`. `points`
    are the masses weighed or the balls shown so far. When `done`, there are the grade and what is `said` about it. When
    `failed`, there are the error's stable `code`, and `why` in English where the catalogues have no sentence for it.
    """

    kind: CalibrationKind | None = None
    stage: Stage = "idle"
    question: int = 0
    ask: str = ""
    values: Mapping[str, Any] = {}
    share: float = 0.0
    still: float = 0.0
    sharpness: float | None = None
    dots: tuple[Point, ...] = ()
    covered: tuple[tuple[bool, ...], ...] = ()
    points: tuple[KnownMass | KnownBall, ...] = ()
    grade: str = ""
    said: tuple[Message, ...] = ()
    code: str = ""
    why: str = ""


class KioskDialogue:
    """The dialogue of one calibration.

    :param game_open: whether a game is open, which stops the calibration (SM-26).
    """

    def __init__(self, state: CalibrationState, game_open: Callable[[], bool]) -> None:
        self._state, self._game_open = state, game_open
        self._answers: queue.SimpleQueue[tuple[int, KnownMass | KnownBall | None]] = queue.SimpleQueue()
        self._cancelled = Event()

    @property
    def state(self) -> CalibrationState:
        """The current state."""
        return self._state

    def cancel(self) -> None:
        """Stop; the procedure ends at its next call."""
        self._cancelled.set()

    def answer(self, question: int, known: KnownMass | KnownBall | None) -> None:
        """Answer a question: what lies on the pan now, or None: there are enough."""
        self._answers.put((question, known))

    def end(self, **changes: object) -> None:
        """Change the state for the last time, stopped or not."""
        self._state = msgspec.structs.replace(self._state, **changes)

    def show(self, step: GuideStep) -> None:
        """Show a step."""
        self._tell(step, stage="running")

    def ask_mass(self, step: GuideStep, weighed: Sequence[KnownMass]) -> KnownMass | None:
        """Ask for the next mass."""
        answer = self._asked(step, tuple(weighed))
        return answer if isinstance(answer, KnownMass) else None

    def ask_ball(self, step: GuideStep, shown: Sequence[KnownBall]) -> KnownBall | None:
        """Ask for the next ball."""
        answer = self._asked(step, tuple(shown))
        return answer if isinstance(answer, KnownBall) else None

    def _asked(self, step: GuideStep, points: tuple[KnownMass | KnownBall, ...]) -> KnownMass | KnownBall | None:
        """Wait for the answer to this question. Those to earlier ones are dropped."""
        question = self._state.question + 1
        self._tell(step, stage="asking", question=question, points=points)
        while True:
            self._go_on()
            with suppress(queue.Empty):
                answered, known = self._answers.get(timeout=0.1)
                if answered == question:
                    return known

    def _tell(self, step: GuideStep, **changes: object) -> None:
        self._go_on()
        shown = {
            name: getattr(step, name) for name in ("ask", "values", "share", "still", "sharpness", "dots", "covered")
        }
        self.end(**shown, **changes)

    def _go_on(self) -> None:
        if self._cancelled.is_set():
            raise CalibrationStoppedError
        if self._game_open():
            raise GameOpenError
