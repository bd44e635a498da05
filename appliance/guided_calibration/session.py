"""Guided calibration for pages: one at a time, in its own thread, published as frozen states, stoppable at any time."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import msgspec

from appliance.guided_calibration.devices import CalibrationDevices
from appliance.guided_calibration.dialogue import FEWEST, CalibrationKind, CalibrationStoppedError
from appliance.guided_calibration.errors import FAILURES, values_of
from appliance.guided_calibration.kiosk_dialogue import CalibrationState, KioskDialogue
from appliance.journal.open_game_check import GameOpenError
from appliance.words.catalogues import Words, words_for
from calibration import store
from calibration.balls.fit import parse_ball
from calibration.scale.coins import parse_mass
from calibration.sheets.wiring import Wire
from hardware.cameras.camera_model import CameraModel, load_camera
from hardware.clock import ended
from hardware.files.toml_file import writer_at
from hardware.rig import Rig
from hardware.rig_file import RigError, load_rig

if TYPE_CHECKING:
    from appliance.guided_calibration.results import Calibrated

_OF_RIG = {"track", "balls", "measures"}
"""What writes the rig file: these calibrations, and people who enter measures."""


class CalibrationPaths(msgspec.Struct, frozen=True):
    """Where the table reads its calibrations, and where reports go."""

    camera: Path
    track: Path
    scale: Path
    reports: Path

    def of(self, kind: CalibrationKind) -> Path:
        """Return the file of a calibration; a calibration with balls is stored in the track's."""
        path: Path = self.track if kind == "balls" else getattr(self, kind)
        return path

    def report(self, kind: CalibrationKind) -> Path:
        """Return the picture of the last report of a calibration."""
        return self.reports / f"{kind}.png"


DeskRejection = Literal["desk_busy", "desk_game_open"]
"""Every code of the session's rejections. The sentences are in `appliance/words/`."""


class CalibrationBusyError(RuntimeError):
    """Another calibration runs (`code` desk_busy), or a game is open (desk_game_open)."""

    def __init__(self, code: DeskRejection) -> None:
        super().__init__(code)
        self.code = code


class CalibrationSession:
    """Runs one guided calibration at a time.

    :param lent: a context in which the table has closed its devices; on exit it opens them with the new files.
    :param game_open: whether a game is open: then no calibration starts, and a running one is stopped (SM-26).
    :param lens: the lens of the simulated table, which has no calibration file; None: the file is read.
    :param wires: those of the table, for the sheets to print.
    :param touched: called whenever a person does something here, so that robots wait with their next game.
    """

    def __init__(
        self,
        devices: CalibrationDevices,
        paths: CalibrationPaths,
        lent: Callable[[], AbstractContextManager[None]],
        game_open: Callable[[], bool],
        lens: CameraModel | None = None,
        wires: tuple[Wire, ...] = (),
        touched: Callable[[], None] = lambda: None,
    ) -> None:
        self.paths, self.wires = paths, wires
        self._devices, self._lent, self._game_open, self._lens = devices, lent, game_open, lens
        self._touched = touched
        self._dialogue = KioskDialogue(CalibrationState(), game_open)
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None

    @property
    def state(self) -> CalibrationState:
        """The current state."""
        return self._dialogue.state

    def begin(self, kind: CalibrationKind, language: str) -> None:
        """Begin a calibration whose report is written in that language.

        :raises CalibrationBusyError: another one runs, or a game is open.
        """
        with self._lock:
            self._must_be_free()
            self._touched()
            asked_so_far = self.state.question
            begun = CalibrationState(kind=kind, stage="running", question=asked_so_far, ask="calibrate.starting")
            self._dialogue = KioskDialogue(begun, self._game_open)
            asked = (kind, self._dialogue, words_for(language))
            self._thread = threading.Thread(target=self._run, args=asked, name="calibration", daemon=True)
            self._thread.start()

    def lay(self, thing: str, question: int) -> None:
        """Take the answer to what is on the pan now: a mass (scale) or a ball (balls).

        It is dropped if `question` is not what is asked now: another tap came first, or the page is behind.

        :raises MassError: `thing` is not a mass.
        :raises BallError: `thing` is not a ball.
        """
        known = parse_ball(thing) if self.state.kind == "balls" else parse_mass(thing)
        if _asks(self.state, question):
            self._touched()
            self._dialogue.answer(question, known)

    def enough(self, question: int) -> None:
        """Take the answer that there are enough masses, or balls, as `lay` does."""
        state = self.state
        if _asks(state, question) and state.kind is not None and len(state.points) >= FEWEST.get(state.kind, 0):
            self._touched()
            self._dialogue.answer(question, None)

    def cancel(self) -> None:
        """Stop; nothing is written."""
        self._dialogue.cancel()

    def close(self) -> None:
        """Stop, and wait until the devices are free again."""
        self.cancel()
        ended(self._thread)

    def undo(self, kind: CalibrationKind) -> None:
        """Bring back the calibration before the last one.

        :raises StoreError: there is none, or it cannot be written.
        :raises CalibrationBusyError: as `begin`.
        """
        with self._lock:
            self._must_be_free()
            path = self.paths.of(kind)
            writers = {"other_writer": writer_at(path), "writer": writer_at(store.previous(path))}
            store.undo(path)
            with self._lent():
                pass  # on exit the table opens its devices with the restored file
            # Track, balls and measures write one file: what the last of them changed is undone, whichever was asked.
            known = len(set(writers.values())) if set(writers.values()) <= _OF_RIG else 0
            of_rig = "" if kind not in _OF_RIG else ("_rig", "_rig_same", "_rig_of")[known]
            self._dialogue = KioskDialogue(
                CalibrationState(
                    kind=kind,
                    stage="done",
                    question=self.state.question,
                    ask=f"calibrate.undone{of_rig}",
                    values=writers if of_rig and known else {},
                    share=1.0,
                ),
                self._game_open,
            )

    def _must_be_free(self) -> None:
        if self._thread is not None and self._thread.is_alive():
            raise CalibrationBusyError("desk_busy")
        if self._game_open():
            raise CalibrationBusyError("desk_game_open")

    def _run(self, kind: CalibrationKind, dialogue: KioskDialogue, words: Words) -> None:
        try:
            with self._lent():
                judged = self._calibrated(kind, dialogue, words).judged
        except CalibrationStoppedError:
            dialogue.end(stage="stopped", ask="calibrate.stopped")
        except GameOpenError:
            dialogue.end(stage="stopped", ask="calibrate.stopped_by_game")
        except FAILURES as error:
            dialogue.end(stage="failed", code=error.code, values=values_of(error), why=str(error))
        else:
            dialogue.end(stage="done", ask="calibrate.done", share=1.0, grade=judged.grade, said=judged.said)
        finally:
            if dialogue.state.stage in ("running", "asking"):
                # a bug: the traceback goes to the log, and the page must not wait for ever
                dialogue.end(stage="failed", code="bug", why="the software failed; its log says where")

    def _calibrated(self, kind: CalibrationKind, dialogue: KioskDialogue, words: Words) -> Calibrated:
        # Fits and reports are imported here: a table that starts needs none of them.
        from appliance.guided_calibration.procedures import (
            balls_on_the_pan,
            masses_on_the_pan,
            pictures_of_the_table,
            views_of_the_board,
        )
        from appliance.guided_calibration.results import store_balls, store_camera, store_scale, store_track
        from calibration.save_results import Places

        places = Places(self.paths.of(kind), self.paths.report(kind), words)
        if kind == "camera":
            board = views_of_the_board(dialogue, self._devices)
            return store_camera(board.views, places, board.lens_position)
        if kind == "scale":
            return store_scale(masses_on_the_pan(dialogue, self._devices), places)
        camera = self._camera()
        if kind == "track":
            rig = self.rig(fresh=True)
            return store_track(pictures_of_the_table(dialogue, self._devices, rig), rig, camera, places)
        rig = self.rig(fresh=False)
        return store_balls(balls_on_the_pan(dialogue, self._devices, rig, camera), rig, places)

    def rig(self, *, fresh: bool) -> Rig:
        """Return the table's rig; the standard one if none was measured, or if it is damaged and `fresh` is set."""
        try:
            return load_rig(self.paths.track) if self.paths.track.exists() else Rig()
        except RigError:
            if fresh:
                return Rig()
            raise

    def _camera(self) -> CameraModel:
        return self._lens if self._lens is not None else load_camera(self.paths.camera)


def _asks(state: CalibrationState, question: int) -> bool:
    return state.stage == "asking" and state.question == question
