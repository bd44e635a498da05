"""What all calibrations in a terminal share: where they write, what they say, and how they end."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click
from rich.console import Console

from appliance.commands.wrapping import wrapped
from appliance.guided_calibration.errors import FAILURES, Failure, sentence_of, values_of
from appliance.settings import Settings
from appliance.words import Words, negotiate, words
from calibration import store
from calibration.messages import SaidError, Verdict, sentences
from vision.observations import SightError
from vision.observe_file import load_picture

if TYPE_CHECKING:
    from appliance.guided_calibration.devices import Bench
    from appliance.guided_calibration.dialogue import Kind
    from calibration.live_guide import Image
    from hardware.cameras.camera_model import CameraModel
    from hardware.rig import Rig


class CalibrationTerminal:
    """One calibration in a terminal, in the language of the settings.

    :param out: where its file goes.
    :param twin: whether simulated devices stand in for the table's own.
    """

    def __init__(
        self, kind: str, out: Path, settings: Settings, *, twin: bool = False, console: Console | None = None
    ) -> None:
        self.kind, self.out, self.settings, self.twin = kind, out, settings, twin
        self.words: Words = words(negotiate([settings.language]))
        self.console = console or Console(highlight=False)

    def say(self, code: str, *, err: bool = False, **values: object) -> None:
        """Print a line: the sentence of `calibrate.told.<code>`."""
        click.echo(self.words.say(f"calibrate.told.{code}", values), err=err)

    def ask(self, code: str, **values: object) -> str:
        """Ask, and return what was typed since: an Enter of before does not answer.

        :raises EOFError: nobody is there to answer.
        """
        _forget_typed_ahead()
        return self.console.input(self.words.say(f"calibrate.told.{code}", values), markup=False)

    def bench(self) -> Bench:
        """Return the devices, and say that the guide begins."""
        from appliance.service import bootstrap

        self.console.print(self.words.say(f"calibrate.told.begin.{self.kind}"), style="bold", markup=False)
        return bootstrap.build_bench(self.settings, twin=self.twin)

    def lens_and_rig(
        self, camera_file: Path | None, rig_file: Path | None, *, fresh: bool = False
    ) -> tuple[CameraModel, Rig]:
        """Return the files that were given; left out, the table's own, or the simulated table's.

        :param fresh: the rig is measured anew, so that a damaged one of the table's own does not matter.

        :raises CameraFileError: there is no lens that can be read.
        :raises RigError: the rig cannot be read.
        """
        from hardware.cameras.camera_model import load_camera
        from hardware.regular_file import kind_of
        from hardware.rig import Rig, RigError, load_rig
        from hardware.twin.drawing.viewpoint import twin_camera

        camera_path = camera_file or (None if self.twin else self.settings.camera_path)
        camera = load_camera(camera_path) if camera_path is not None else twin_camera()
        own = self.settings.rig_path
        if rig_file is not None:
            return camera, load_rig(rig_file)
        if self.twin or kind_of(own) is None:
            return camera, Rig()
        try:
            return camera, load_rig(own)
        except RigError:
            if not fresh:
                raise
            self.say("rig_damaged", err=True, path=own)
            return camera, Rig()

    def picture(self, path: Path) -> Image:
        """Read a picture.

        :raises SightError: it cannot be used; the message begins with its name.
        """
        with self.about(path):
            return load_picture(path)

    @contextmanager
    def about(self, path: Path) -> Iterator[None]:
        """Let what is wrong with a picture name its file."""
        try:
            yield
        except (SightError, SaidError) as error:
            error.args = (f"{path}: {error}",)
            error.values["path"] = str(path)
            raise

    def tell_verdict(self, judged: Verdict, written: tuple[Path, ...]) -> None:
        """Print the grade, what there is to say of it, and which files were written."""
        self.say("verdict", grade=self.words.say(f"calibrate.grade.{judged.grade}"))
        for sentence in sentences(judged, self.words):
            click.echo(wrapped(sentence, "  - ", "    "))
        for path in written:
            self.say("written", path=path)

    def why(self, error: Failure) -> str:
        """Return one sentence with the failure's code."""
        message = str(error)
        if self.words.language != "en":
            message = sentence_of(error.code, values_of(error), message, self.words)
        return f"{message} [{error.code}]"

    def tell_failure(self, error: Failure) -> None:
        """Print why it failed, as one line on stderr."""
        click.echo(f"smugglers calibrate {self.kind}: {self.why(error)}", err=True)


def run(
    kind: Kind | Literal["sheets"],
    out: Path | None,
    calibrate: Callable[[CalibrationTerminal], bool],
    *,
    report: Path | None = None,
    twin: bool = False,
    undo: bool = False,
) -> None:
    """Calibrate, or bring the file before back; what goes wrong is one line, and the exit status 1 or 2.

    Before anything is asked or measured it is seen whether the files can be written.

    :param calibrate: does it; whether all that was given could be used.
    """
    from appliance.commands.settings_file import read_settings

    if twin and out is None:
        raise click.UsageError("--twin needs --out: what is simulated is not this table")
    settings = read_settings(None)
    own = {"camera": settings.camera_path, "scale": settings.scale_path}
    terminal = CalibrationTerminal(kind, out or own.get(kind, settings.rig_path), settings, twin=twin)
    try:
        if undo:
            store.undo(terminal.out)
            terminal.say("undone", path=terminal.out)
        else:
            store.check_places(terminal.out, report)
            if not calibrate(terminal):
                sys.exit(2)
    except (KeyboardInterrupt, EOFError):
        click.echo("", err=True)
        terminal.say("aborted", err=True, path=terminal.out)
        sys.exit(1)
    except FAILURES as error:
        terminal.tell_failure(error)
        sys.exit(2)


def _forget_typed_ahead() -> None:
    if not sys.stdin.isatty():
        return
    try:
        import termios
    except ImportError:  # no terminal of this kind: nothing is kept
        return
    termios.tcflush(sys.stdin, termios.TCIFLUSH)
