"""What all calibrations in a terminal share: output files, messages and exit status."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click
from rich.console import Console

from appliance.cli import FAILED, WrongUse
from appliance.commands.calibrate.terminal_dialogue import TerminalDialogue
from appliance.commands.screen.told import tell
from appliance.guided_calibration.errors import FAILURES, Failure, why
from appliance.guided_calibration.results import Calibrated
from appliance.journal.open_game_check import game_is_open, refuse_if_game_open
from appliance.service.stop_signals import too_late_to_stop
from appliance.settings import Settings
from appliance.words.catalogues import Words, words_for
from appliance.words.errors import TableError
from appliance.words.wrapping import wrapped
from calibration import store
from calibration.measures import BY_HAND
from calibration.messages import CodedError, sentences
from calibration.save_results import Places
from hardware.files.regular_file import is_missing
from vision.observations import SightError
from vision.observe_file import load_picture

if TYPE_CHECKING:
    from appliance.guided_calibration.devices import CalibrationDevices
    from appliance.guided_calibration.dialogue import CalibrationKind
    from calibration.balls.fit import KnownBall
    from calibration.live_guide import Image
    from hardware.cameras.camera_model import CameraModel
    from hardware.rig import Rig

    TerminalKind = CalibrationKind | Literal["sheets", "measures"]


class CalibrationTerminal:
    """One calibration in a terminal, in the language of the settings.

    :param out: where its file goes.
    :param twin: whether simulated devices replace the table's own.
    """

    def __init__(self, kind: TerminalKind, out: Path, settings: Settings, *, twin: bool = False) -> None:
        self.kind, self.out, self.settings, self.twin = kind, out, settings, twin
        self.words: Words = words_for(settings.language)
        self.console = Console(highlight=False)

    def say(self, code: str, *, err: bool = False, **values: object) -> None:
        """Print a line: the sentence of `calibrate.told.<code>`."""
        tell(self.words.say(f"calibrate.told.{code}", values), err=err)

    @contextmanager
    def calibrating(self, report: Path | None = None, *, from_files: bool = False) -> Iterator[None]:
        """Calibrate within this context, which checks first that no game is open and that the files can be written.

        :param from_files: pictures or recordings were given. These may be of the real table, also with `twin`.
        :raises GameOpenError: a game is open at the real table, and this would measure it or change its calibration.
        """
        if from_files or not self.twin:
            refuse_if_game_open(self.settings)
        with self.telling_failures():
            store.check_places(self.out, report)
            if report is not None:
                store.must_replace_report_alone(report)
            yield

    @contextmanager
    def telling_failures(self) -> Iterator[None]:
        """Tell what goes wrong in this context as one line; the exit status is 1 if a person stopped it, else 2."""
        try:
            yield
        except (KeyboardInterrupt, EOFError):
            click.echo("", err=True)
            self.say("aborted", err=True, path=self.out)
            sys.exit(1)
        except TableError:
            raise  # the command line says it, as of every command
        except FAILURES as error:
            self.tell_failure(error)
            sys.exit(FAILED)

    def undo(self, *given: object) -> None:
        """Bring the file before the last calibration back.

        :param given: pictures, masses, measures and options for which it has no use; None or empty if not given.
        :raises WrongUse: some were given.
        :raises GameOpenError: a game is open at the real table, and this would change its calibration.
        """
        if any(one not in (None, ()) for one in given):
            raise WrongUse("undo_alone")
        if not self.twin:
            refuse_if_game_open(self.settings)
        with self.telling_failures():
            _restore_former(self)

    def devices(self) -> CalibrationDevices:
        """Return the devices, and say that the guide begins."""
        from appliance.composition import senses

        self.console.print(self.words.say(f"calibrate.told.begin.{self.kind}"), style="bold", markup=False)
        return senses.build_calibration_devices(self.settings, twin=self.twin)

    def dialogue(self, balls: Sequence[KnownBall] = ()) -> TerminalDialogue:
        """Return the dialogue in this terminal; `balls` are those that will be shown."""
        return TerminalDialogue(self.console, self.words, lambda: not self.twin and game_is_open(self.settings), balls)

    def places(self, report: Path | None) -> Places:
        """Return where the calibration and its report go."""
        return Places(self.out, report, self.words, too_late_to_stop)

    def lens(self, camera_file: Path | None) -> CameraModel:
        """Return the lens of a file; left out, the table's own, or the simulated table's.

        :raises CameraFileError: there is no lens that can be read.
        """
        from hardware.cameras.camera_model import load_camera
        from hardware.twin.drawing.viewpoint import twin_camera

        path = camera_file or (None if self.twin else self.settings.camera_path)
        return load_camera(path) if path is not None else twin_camera()

    def rig(self, rig_file: Path | None, *, fresh: bool = False) -> Rig:
        """Return the rig of a file; left out, the table's own, or the standard one.

        :param fresh: the rig is measured anew, so that a damaged one of the table's own does not matter.

        :raises RigError: it cannot be read.
        """
        from appliance.devices.calibration_files import own_rig
        from hardware.rig import Rig
        from hardware.rig_file import RigError, load_rig

        if rig_file is not None:
            return load_rig(rig_file)
        if self.twin:
            return Rig()
        try:
            return own_rig(self.settings)
        except RigError:
            if not fresh:
                raise
            self.say("rig_damaged", err=True, path=self.settings.rig_path)
            return Rig()

    def picture(self, path: Path) -> Image:
        """Read a picture.

        :raises SightError: it cannot be used; the message begins with its name.
        """
        with self.about(path):
            return load_picture(path)

    @contextmanager
    def about(self, path: Path) -> Iterator[None]:
        """Let errors about a picture name its file."""
        try:
            yield
        except (SightError, CodedError) as error:
            error.args = (f"{path}: {error}",)
            error.values["path"] = str(path)
            raise

    def tell(self, found: Calibrated) -> None:
        """Print the figures, the grade, what there is to say of it, and which files were written."""
        for each in found.figures:
            tell(self.words.say(each.code, each.values))
        self.say("verdict", grade=self.words.say(f"calibrate.grade.{found.judged.grade}"))
        for sentence in sentences(found.judged, self.words):
            click.echo(wrapped(sentence, "  - ", "    "))
        for path in found.written:
            self.say("written", path=path)

    def tell_failure(self, error: Failure) -> None:
        """Print why it failed, as one line on stderr."""
        tell(f"smugglers calibrate {self.kind}: {why(error, self.words)}", err=True)


def open_terminal(
    kind: TerminalKind, out: Path | None, settings_file: Path | None, *, twin: bool = False
) -> CalibrationTerminal:
    """Return the terminal of one calibration.

    :param out: where its file goes; None: to the table's own.
    """
    from appliance.commands.settings_file import read_settings

    if twin and out is None:
        raise WrongUse("twin_needs_out")
    settings = read_settings(settings_file)
    own = {"camera": settings.camera_path, "scale": settings.scale_path}
    return CalibrationTerminal(kind, out or own.get(kind, settings.rig_path), settings, twin=twin)


def _restore_former(terminal: CalibrationTerminal) -> None:
    """Bring the file before back. Before the first measures that people entered was none.

    Track, balls and measures write one file: what the last of them changed is undone, whichever was asked.
    """
    from hardware.files.toml_file import writer_at
    from hardware.rig_file import RigError, load_rig

    if terminal.kind == "measures" and is_missing(store.previous(terminal.out)):
        with suppress(RigError):
            if load_rig(terminal.out).source == BY_HAND:
                store.undo_first(terminal.out, too_late_to_stop)
                terminal.say("undone_first", path=terminal.out)
                return
    undone, restored = writer_at(terminal.out), writer_at(store.previous(terminal.out))
    store.undo(terminal.out, too_late_to_stop)
    if terminal.kind not in ("track", "balls", "measures"):
        terminal.say("undone", path=terminal.out)
    elif undone is None or restored is None:
        terminal.say("undone_rig", path=terminal.out)
    elif undone == restored:
        terminal.say("undone_rig_same", path=terminal.out, restored=restored)
    else:
        terminal.say("undone_rig_of", path=terminal.out, restored=restored, undone=undone)
