"""The `smugglers` command. It parses, calls and prints. Commands are imported on use, so that `--help` is quick."""

from __future__ import annotations

import difflib
import errno
import importlib
import io
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, NoReturn

import click

from appliance.service.resource_limits import limit_resources
from appliance.service.stop_signals import all_as_ctrl_c
from appliance.words.errors import TableError
from appliance.words.wrapping import wrapped

if TYPE_CHECKING:
    from appliance.words.catalogues import Words


FAILED = 2
"""Exit status of a command that could not do what it was asked, where status 1 is an answer."""
_GIVEN, _LANGUAGE = "given", "language"
"""What the contexts of a command share (`click.Context.meta`): its arguments, and the language of its settings."""


class WrongUse(click.UsageError):
    """The arguments of a command are wrong. The sentence `usage.<code>` of the catalogues says what to write.

    :param values: the placeholders of that sentence.
    """

    def __init__(self, code: str, **values: object) -> None:
        super().__init__(code, click.get_current_context(silent=True))
        self.code, self.values = code, values


class Told(click.ClickException):
    """An error as people read it, in the language `wish` of their settings. The exit status is 1.

    :param usage: context of the command that was used wrongly: its usage is printed first.
    """

    def __init__(self, said: str, wish: str, usage: click.Context | None = None) -> None:
        super().__init__(said)
        self.wish, self._usage = wish, usage

    def show(self, file: IO[Any] | None = None) -> None:
        """Print it on standard error."""
        say = _words(self.wish).say
        if (used := self._usage) is not None:
            formatter = used.make_formatter()
            arguments = " ".join(used.command.collect_usage_pieces(used))
            formatter.write_usage(used.command_path, arguments, prefix=f"{say('usage.usage')} ")
            click.echo(formatter.getvalue().rstrip("\n"), file=file, err=True)
            click.echo(f"{say('usage.help', {'command': f'{used.command_path} --help'})}\n", file=file, err=True)
        click.echo(wrapped(f"{say('usage.error')} {self.message}", err=True), file=file, err=True)


class Failure(Told):
    """An error after which there is no answer."""

    exit_code = FAILED


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

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command that the arguments name.

        :raises WrongUse: there is none of that name.
        """
        if args[0] in self.lazy or args[0].startswith("-"):
            return super().resolve_command(ctx, args)
        near = difflib.get_close_matches(args[0], self.lazy, n=1)
        raise WrongUse("no_command.near" if near else "no_command", name=args[0], near=" ".join(near))

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command. A `TableError` and Ctrl-C end it with one sentence in the language of the settings."""
        try:
            return super().invoke(ctx)
        except (TableError, KeyboardInterrupt) as error:
            raise Told(*_told(error, ctx)) from None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of commands from their one-line helps, without importing any."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in self.lazy.items()])


class AnsweringCommand(click.Command):
    """A command whose exit status is its answer. Whatever keeps it from an answer ends with status 2."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command. Ctrl-C in a question is an answer, anywhere else it is none."""
        try:
            return super().invoke(ctx)
        except (TableError, KeyboardInterrupt) as error:
            raise Failure(*_told(error, ctx)) from None
        except Told as error:
            raise Failure(error.message, error.wish) from None


_NOWHERE = (errno.EPIPE, errno.ENOSPC, errno.EIO)


class Command(LazyGroup):
    """The top-level command. It handles output that cannot be written: a closed pipe, a full disk, an old terminal.

    SIGTERM and a closed terminal end a command as Ctrl-C does. Wrong arguments are told in the settings' language.
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
            given = kwargs.get("args", args[0] if args else None)
            _give_up_printing(error, _language_of(sys.argv[1:] if given is None else given))

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any
    ) -> click.Context:
        """Return the context of the command, which all its subcommands share."""
        given = tuple(args)
        try:
            made = super().make_context(info_name, args, parent, **extra)
        except click.UsageError as error:
            raise _corrected(error, given) from None
        made.meta[_GIVEN] = given
        return made

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command."""
        try:
            return super().invoke(ctx)
        except click.UsageError as error:
            raise _corrected(error, ctx.meta[_GIVEN]) from None


def note_language(language: str) -> None:
    """Note in which language the settings of the present command tell its errors."""
    if (context := click.get_current_context(silent=True)) is not None:
        context.meta[_LANGUAGE] = language


def _language_of(given: Sequence[str]) -> str:
    """Return the language of the settings, which may name a file among the arguments of a command."""
    from appliance.service.load_settings import load_settings

    file = ""
    for one, following in zip(given, [*given[1:], ""], strict=True):
        name, equals, value = one.partition("=")
        if name == "--settings":
            file = value if equals else following
    return load_settings(Path(file) if file else None, os.environ).language


def _corrected(error: click.UsageError, given: Sequence[str]) -> click.ClickException:
    """Return what is wrong with the arguments `given`, in the language of their settings. A help is left as it is."""
    if type(error).show is not click.UsageError.show:
        return error
    wish = _language_of(given)
    code, values = _wrong_use(error)
    return Failure(_words(wish).say(f"usage.{code}", values), wish, error.ctx)


def _wrong_use(error: click.UsageError) -> tuple[str, Mapping[str, object]]:
    """Return the code of a wrong use, and the values of its sentence: of click's own errors, too."""
    if isinstance(error, WrongUse):
        return error.code, error.values
    if isinstance(error, click.NoSuchOption):
        near = sorted(error.possibilities or ())
        return "no_option.near" if near else "no_option", {"name": error.option_name, "near": near}
    if isinstance(error, click.BadOptionUsage):  # its message alone tells which of the two
        takes_none = "does not take" in error.message
        return "no_value" if takes_none else "needs_value", {"name": error.option_name}
    if isinstance(error, click.BadParameter) and error.param is not None:
        name = error.param.get_error_hint(error.ctx).strip("'")
        if isinstance(error, click.MissingParameter):
            return "missing", {"name": name}
        return _wrong_value(name, error.param.type)
    return "too_many", {}


def _wrong_value(name: str, kind: click.ParamType[Any]) -> tuple[str, Mapping[str, object]]:
    """Return the code and the values of the sentence that says what may be given for `name`."""
    if isinstance(kind, click.Choice):
        return "choice", {"name": name, "choices": kind.choices}
    number = "whole" if isinstance(kind, click.types.IntParamType) else "number"
    if isinstance(kind, click.IntRange | click.FloatRange):
        bounds = "from" if kind.max is None else "between"
        return f"{number}.{bounds}", {"name": name, "least": kind.min, "most": kind.max}
    if isinstance(kind, click.types.IntParamType | click.types.FloatParamType):
        return number, {"name": name}
    return "value", {"name": name}


def _told(error: TableError | KeyboardInterrupt, ctx: click.Context) -> tuple[str, str]:
    """Return the sentence and the code of an error of the table, or of Ctrl-C, and the language wished for it."""
    why = error if isinstance(error, TableError) else TableError("stopped")
    wish = ctx.meta.get(_LANGUAGE) or _language_of(ctx.meta[_GIVEN])
    return f"{_words(wish).say(f'error.{why.code}', why.values)} [{why.code}]", wish


def _words(language: str) -> Words:
    """Return the words of a language. They are imported here, so that `--help` is quick."""
    from appliance.words.catalogues import words_for

    return words_for(language)


def _let_any_letter_be_printed() -> None:
    """Print a letter that the terminal cannot show as its number (`\\u2019`), instead of ending."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _give_up_printing(error: OSError, wish: str) -> NoReturn:
    """Exit silently with status 1, as click does, on a closed pipe; else with a sentence on stderr and status 2."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)  # buffered output is discarded at exit
    if isinstance(error, BrokenPipeError):
        sys.exit(1)
    try:
        said = _words(wish).say("error.output_unwritable", {"reason": error.strerror})
        click.echo(f"smugglers: {said}", err=True)
    except OSError:  # it was the same terminal, and it is closed
        os.dup2(nowhere, 2)
    sys.exit(FAILED)


@click.group(
    cls=Command,
    lazy={
        "demo": ("appliance.commands.demo", "Play on a simulated table: robots, sensors and scoreboard."),
        "run": ("appliance.commands.run", "Referee a real table on this Raspberry Pi."),
        "check": ("appliance.commands.check", "Test every sensor, and say what is wrong and how to repair it."),
        "calibrate": ("appliance.commands.calibrate.group", "Calibrate camera, track, scale or known balls."),
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
