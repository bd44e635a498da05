"""The calibrations for pages: one at a time in a thread of its own, told in frozen states, stopped at any moment."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from contextlib import AbstractContextManager, suppress
from pathlib import Path
from typing import Literal, get_args

import msgspec

from appliance.calibration_bench import Bench, follow_ball, follow_board, follow_table
from calibration import store
from calibration.ball_guide import BallGuide
from calibration.balls import COLOURS, BallError, BallSeen, KnownBall, parse_ball
from calibration.camera import CameraFitError
from calibration.camera_guide import CameraGuide, GuideState
from calibration.coins import KnownMass, parse_mass
from calibration.count_recording import CountRecording
from calibration.report_page import ReportPage
from calibration.results import keep_balls, keep_camera, keep_scale, keep_track
from calibration.scale import FitError
from calibration.scale_guide import PointCollector
from calibration.store import StoreError
from calibration.track_guide import TrackGuide, TrackState
from hardware.camera import CameraError
from hardware.camera_model import CameraFileError, CameraModel, load_camera
from hardware.load_cell import LoadCellError, ReadFailure
from hardware.rig import Rig, RigError, load_rig
from vision.observations import SightError

Kind = Literal["camera", "track", "balls", "scale"]
Stage = Literal["idle", "running", "asking", "done", "failed", "stopped"]
Point = tuple[float, float]

KINDS: tuple[Kind, ...] = get_args(Kind)
FEWEST: dict[Kind, int] = {"scale": 2, "balls": 1}


class DeskState(msgspec.Struct, frozen=True, kw_only=True):
    """How the calibration stands.

    `ask` is a word code (`calibrate.camera.flat`) with `values`; `share` 0–1 of the work, `still` 0–1 of the present
    step. `dots` are where something was found, as shares of the picture's width; `covered` the grid of the camera's
    calibration. `points` are the masses weighed or the balls shown so far. When `done`: the grade and the verdict; when
    `failed`: `why`.
    """

    kind: Kind | None = None
    stage: Stage = "idle"
    ask: str = ""
    values: dict[str, str] = {}
    share: float = 0.0
    still: float = 0.0
    dots: tuple[Point, ...] = ()
    covered: tuple[tuple[bool, ...], ...] = ()
    points: tuple[str, ...] = ()
    grade: str = ""
    sentences: tuple[str, ...] = ()
    why: str = ""


class DeskPaths(msgspec.Struct, frozen=True):
    """Where the table reads its calibrations, and where reports go."""

    camera: Path
    track: Path
    scale: Path
    reports: Path

    def of(self, kind: Kind) -> Path:
        """Return the file of a calibration; balls teach the track's."""
        path: Path = self.track if kind == "balls" else getattr(self, kind)
        return path

    def report(self, kind: Kind) -> Path:
        """Return the picture of the last report of a calibration."""
        return self.reports / f"{kind}.png"


class DeskBusyError(RuntimeError):
    """Something else goes on: another calibration, or a game (`code`: desk_busy, desk_game_open)."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


class CalibrationDesk:
    """Runs one guided calibration at a time.

    :param lent: while it is entered, the table lets go of its devices; on leaving it takes the new files.
    :param game_open: whether a game is open: then nothing is calibrated, and what runs is stopped (SM-26).
    :param lens: the lens where no file says, on the simulated table.
    """

    def __init__(
        self,
        bench: Bench,
        paths: DeskPaths,
        lent: Callable[[], AbstractContextManager[None]],
        game_open: Callable[[], bool],
        lens: CameraModel | None = None,
    ) -> None:
        self.paths = paths
        self._bench, self._lent, self._game_open, self._lens = bench, lent, game_open, lens
        self._state = DeskState()
        self._answers: queue.SimpleQueue[KnownMass | KnownBall | None] = queue.SimpleQueue()
        self._cancelled = threading.Event()
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None

    @property
    def state(self) -> DeskState:
        """How it stands now."""
        return self._state

    def begin(self, kind: Kind) -> None:
        """Begin a calibration.

        :raises DeskBusyError: another one runs, or a game is open.
        """
        with self._lock:
            if self._thread is not None and self._thread.is_alive():
                raise DeskBusyError("desk_busy")
            if self._game_open():
                raise DeskBusyError("desk_game_open")
            self._cancelled.clear()
            self._answers = queue.SimpleQueue()
            self._state = DeskState(kind=kind, stage="running", ask="calibrate.starting")
            self._thread = threading.Thread(target=self._run, args=(kind,), name="calibration", daemon=True)
            self._thread.start()

    def lay(self, thing: str) -> None:
        """Say what lies on the pan now: a mass (scale) or a ball (balls).

        :raises MassError: that is no mass.
        :raises BallError: that is no ball.
        """
        known = parse_ball(thing) if self._state.kind == "balls" else parse_mass(thing)
        if self._state.stage == "asking":
            self._answers.put(known)

    def enough(self) -> None:
        """Say that there are enough masses, or balls."""
        kind = self._state.kind
        if self._state.stage == "asking" and kind is not None and len(self._state.points) >= FEWEST.get(kind, 0):
            self._answers.put(None)

    def cancel(self) -> None:
        """Stop; nothing is written."""
        self._cancelled.set()

    def close(self) -> None:
        """Stop, and wait until the devices are free again."""
        self.cancel()
        if self._thread is not None:
            self._thread.join(timeout=5)

    def undo(self, kind: Kind) -> None:
        """Bring back the calibration before the last one.

        :raises StoreError: there is none.
        :raises DeskBusyError: as `begin`.
        """
        if self._thread is not None and self._thread.is_alive():
            raise DeskBusyError("desk_busy")
        if self._game_open():
            raise DeskBusyError("desk_game_open")
        store.undo(self.paths.of(kind))
        with self._lent():
            pass  # the table takes its devices again with the file as it is now
        self._state = DeskState(kind=kind, stage="done", ask="calibrate.undone", share=1.0)

    def _run(self, kind: Kind) -> None:
        procedure = {"camera": self._camera, "track": self._track, "balls": self._balls, "scale": self._scale}[kind]
        try:
            with self._lent():
                page = procedure()
        except (CameraFitError, SightError, FitError, BallError, LoadCellError, StoreError) as error:
            self._tell(stage="failed", why=str(error))
        except (CameraError, CameraFileError, RigError) as error:
            self._tell(stage="failed", why=str(error))
        else:
            if page is None:
                self._tell(stage="stopped", ask="calibrate.stopped")
            else:
                self._tell(stage="done", ask="calibrate.done", share=1.0, grade=page.grade, sentences=page.sentences)
        finally:
            if self._state.stage in (
                "running",
                "asking",
            ):  # a bug: the thread says so in the log, the page must not hang
                self._tell(stage="failed", why="the software failed; its log says where")

    def _stopping(self) -> bool:
        return self._cancelled.is_set() or self._game_open()

    def _camera(self) -> ReportPage | None:
        guide = CameraGuide()
        width_px = 1.0

        def measure(image: object, state: GuideState) -> None:
            nonlocal width_px
            width_px = float(image.shape[1])  # type: ignore[attr-defined]  # a picture

        for state in follow_board(self._bench, guide, measure):
            if self._stopping():
                return None
            corners = [] if state.board is None else (state.board / width_px).tolist()
            self._tell(
                ask=f"calibrate.camera.{state.ask}",
                share=state.share,
                still=state.still,
                covered=state.covered,
                dots=tuple((float(x), float(y)) for x, y in corners),
            )
        return keep_camera(guide.views, self.paths.camera, self.paths.report("camera"))[1]

    def _track(self) -> ReportPage | None:
        rig, camera = self._rig(), self._camera_model()
        guide = TrackGuide(rig)
        width_px = 1.0

        def measure(image: object, state: TrackState) -> None:
            nonlocal width_px
            width_px = float(image.shape[1])  # type: ignore[attr-defined]  # a picture

        for state in follow_table(self._bench, rig, guide, measure):
            if self._stopping():
                return None
            corners = [place for marker in state.seen.values() for place in (marker / width_px).tolist()]
            self._tell(
                ask=f"calibrate.track.{state.ask}",
                values={"missing": ", ".join(map(str, state.missing))},
                share=state.share,
                still=state.calm,
                dots=tuple((float(x), float(y)) for x, y in corners),
            )
        return keep_track(guide.pictures, rig, camera, self.paths.track, self.paths.report("track"))[1]

    def _rig(self) -> Rig:
        with suppress(RigError):
            return load_rig(self.paths.track)
        return Rig()

    def _camera_model(self) -> CameraModel:
        return self._lens if self._lens is not None else load_camera(self.paths.camera)

    def _balls(self) -> ReportPage | None:
        rig, camera = self._rig(), self._camera_model()
        seen: list[BallSeen] = []
        while True:
            labels = tuple(each.known.label for each in seen)
            self._tell(
                stage="asking",
                ask="calibrate.balls.next",
                points=labels,
                dots=(),
                still=0.0,
                share=min(len(seen) / len(COLOURS), 0.9),
            )
            known = self._answer()
            if known is False:
                return None
            if not isinstance(known, KnownBall):
                break
            guide = BallGuide(known, rig, camera)
            self._tell(stage="running", ask="calibrate.balls.hold")
            for state in follow_ball(self._bench, rig, guide):
                if self._stopping():
                    return None
                self._tell(ask=f"calibrate.balls.{state.ask}", still=state.calm, dots=state.outline)
            seen.append(guide.seen())
        return keep_balls(seen, rig, self.paths.track, self.paths.report("balls"))[1]

    def _scale(self) -> ReportPage | None:
        points: list[tuple[KnownMass, CountRecording]] = []
        while True:
            labels = tuple(known.label for known, _ in points)
            ask = "calibrate.scale.empty" if not points else "calibrate.scale.next"
            self._tell(stage="asking", ask=ask, points=labels, still=0.0, share=min(len(points) / 3, 0.9))
            known = self._answer()
            if known is False:
                return None
            if not isinstance(known, KnownMass):
                break
            known = known if points else KnownMass(0.0, 0.0, "0")
            self._bench.laid(known.mass_g)
            self._tell(stage="running", ask="calibrate.scale.hold")
            recording = self._collected(known)
            if recording is None:
                return None
            points.append((known, recording))
        return keep_scale(points, self.paths.scale, self.paths.report("scale"))[2]

    def _answer(self) -> KnownMass | KnownBall | Literal[False] | None:
        """Return the next mass or ball, None when there are enough, False when it was stopped."""
        while not self._stopping():
            with suppress(queue.Empty):
                return self._answers.get(timeout=0.1)
        return False

    def _collected(self, known: KnownMass) -> CountRecording | None:
        collector = PointCollector(known)
        for sample in self._bench.samples():
            if self._stopping():
                return None
            if isinstance(sample, ReadFailure):
                self._tell(ask="calibrate.scale.silent")
                continue
            progress = collector.feed(sample.t_s, sample.counts)
            ask = "calibrate.scale.hold" if progress.still else "calibrate.scale.wait"
            self._tell(ask=ask, still=progress.share)
            if progress.done:
                return collector.recording()
        raise FitError("scale_silent", "the scale stopped answering; check its power and the DOUT and SCK wires")

    def _tell(self, **changes: object) -> None:
        self._state = msgspec.structs.replace(self._state, **changes)
