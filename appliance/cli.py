"""The `smugglers` command. It parses, calls and prints. Commands are imported on use, so that `--help` is quick."""

from __future__ import annotations

import errno
import importlib
import io
import os
import sys
from collections.abc import Mapping
from typing import Any, NoReturn

import click

from appliance.service.resource_limits import limit_resources
from appliance.service.stop_signals import all_as_ctrl_c
from appliance.words.errors import TableError


class LazyGroup(click.Group):
    """A group whose commands are imported on first use: name → (module, one-line help)."""

    def __init__(self, *args: object, lazy: Mapping[str, tuple[str, str]], **kwargs: object) -> None:
        super().__init__(*args, **kwargs)  # type: ignore[arg-type]  # click's own keyword signature, passed through
        self.lazy = dict(lazy)

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the command names in the order in which they are declared."""
        return list(self.lazy)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import and return the command, or None when there is none of that name."""
        if cmd_name not in self.lazy:
            return None
        limit_resources()
        command: click.Command = importlib.import_module(self.lazy[cmd_name][0]).command
        return command

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command. A `TableError` and Ctrl-C end it with one sentence in the language of the settings."""
        try:
            return super().invoke(ctx)
        except TableError as error:
            raise click.ClickException(_sentence_of(error, ctx.meta.get("language", ""))) from None
        except KeyboardInterrupt:
            stopped = TableError("stopped")
            raise click.ClickException(_sentence_of(stopped, ctx.meta.get("language", ""))) from None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of commands from their one-line helps, without importing any."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in self.lazy.items()])


FAILED = 2
"""Exit status of a command that could not do what it was asked, where status 1 is an answer."""


class Failure(click.ClickException):
    """A command has no answer."""

    exit_code = FAILED


class AnsweringCommand(click.Command):
    """A command whose exit status is its answer. Whatever keeps it from an answer ends with status 2."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command. Ctrl-C in a question is an answer, anywhere else it is none."""
        try:
            return super().invoke(ctx)
        except TableError as error:
            why = _sentence_of(error, ctx.meta.get("language", ""))
        except click.UsageError:
            raise
        except click.ClickException as error:
            why = error.message
        except KeyboardInterrupt:
            why = _sentence_of(TableError("stopped"), ctx.meta.get("language", ""))
        raise Failure(why) from None


_NOWHERE = (errno.EPIPE, errno.ENOSPC, errno.EIO)


class Command(LazyGroup):
    """The top-level command. It handles output that cannot be written: a closed pipe, a full disk, an old terminal.

    SIGTERM and a closed terminal end a command as Ctrl-C does.
    """

    def main(self, *args: Any, **kwargs: Any) -> Any:
        """Run the command; when standard output cannot be written, end the command with at most a sentence."""
        _let_any_letter_be_printed()
        try:
            try:
                with all_as_ctrl_c():
                    return super().main(*args, **kwargs)
            finally:
                if sys.stdout is not None:
                    sys.stdout.flush()
        except OSError as error:
            if (
                error.filename is not None or error.errno not in _NOWHERE
            ):  # an error of a file, not of standard output: a bug
                raise
            _give_up_printing(error)


def _let_any_letter_be_printed() -> None:
    """Print a letter that the terminal cannot show as its number (`\\u2019`), instead of ending."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _sentence_of(error: TableError, wish: str) -> str:
    """Return the sentence of an error with its code. `words` is imported here, so that `--help` is quick."""
    from appliance.words.catalogues import words_for

    return f"{words_for(wish).say(f'error.{error.code}', error.values)} [{error.code}]"


def _give_up_printing(error: OSError) -> NoReturn:
    """Exit silently with status 1, as click does, on a closed pipe; else with a sentence on stderr and status 2."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)  # buffered output is discarded at exit
    if isinstance(error, BrokenPipeError):
        sys.exit(1)
    try:
        click.echo(f"smugglers: the output cannot be written ({error.strerror})", err=True)
    except OSError:  # it was the same terminal, and it is closed
        os.dup2(nowhere, 2)
    sys.exit(FAILED)


@click.group(
    cls=Command,
    lazy={
        "demo": ("appliance.commands.demo", "Play on a simulated table: robots, sensors and scoreboard."),
        "run": ("appliance.commands.run", "Referee a real table on this Raspberry Pi."),
        "check": ("appliance.commands.check", "Test every sensor, and say what is wrong and how to repair it."),
        "calibrate": ("appliance.commands.calibrate.group", "Calibrate the camera, the track or the scale."),
        "see": ("appliance.commands.senses.see", "Report what pictures or clips of the table show."),
        "weigh": ("appliance.commands.senses.weigh", "Weigh the load on the pan, or the loads in a recording."),
        "record": ("appliance.commands.senses.record", "Record camera, scale and beams, with consent, into one file."),
        "files": ("appliance.commands.files.group", "Check the files of maps, cards and tariffs from your game box."),
        "backup": ("appliance.commands.storage.backup", "Copy the journal to a new file, also while the table runs."),
        "restore": ("appliance.commands.storage.restore", "Restore the journal from a backup or a copy."),
        "draws": ("appliance.commands.storage.draws", "Verify the appliance's shuffles and dice rolls, game by game."),
        "support": ("appliance.commands.storage.support", "Write a support file without secrets."),
        "hub": ("appliance.commands.hub.group", "Play one league at many tables: run a hub, or join one."),
        "fleet": ("appliance.commands.hub.fleet", "Test a hub with robots that play at many tables at once."),
        "replay": ("appliance.commands.replay", "Replay a recorded game and print its public view."),
    },
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(package_name="smugglers-table", prog_name="smugglers")
def main() -> None:
    """Smugglers' Table: the referee of a smuggling game on a real table."""
