"""`smugglers files check`: what a file holds, or what is wrong with it and where."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click
import msgspec

from appliance.cli import FAILED, AnsweringCommand
from appliance.commands.options import json_option, settings_option
from appliance.words.errors import TableError

if TYPE_CHECKING:
    from appliance.games.table_data_files import Checked
    from appliance.words.catalogues import Words

MOST_PROBLEMS = 20
"""Most mistakes that are shown of one file."""


@click.command(cls=AnsweringCommand)
@click.argument("files", nargs=-1, metavar="[FILE]...", type=click.Path(path_type=Path))
@json_option
@settings_option
def command(files: tuple[Path, ...], as_json: bool, settings_file: Path | None) -> None:
    """Report what each FILE contains, or its errors: the line, the field, a code and one sentence.

    Without a FILE the command checks the files in the folder of the setting files_dir, which the set-up pages offer.
    The exit status is 0 when all files are valid, else 2.
    """
    from appliance.commands.settings_file import read_settings
    from appliance.games.table_data_files import check_file
    from appliance.words.catalogues import words_for

    settings = read_settings(settings_file)
    folder, words = settings.files_path, words_for(settings.language)
    paths = files or _files_of(folder)
    checked = [check_file(path, words.language) for path in paths]
    for one in checked:
        if as_json:
            click.echo(msgspec.json.encode(_facts(one)).decode())
        elif one.good is None:
            _say_problems(one, words)
        else:
            _say_contents(one, words, offered=_is_in(one.path, folder))
    sys.exit(0 if all(one.good for one in checked) else FAILED)


def _files_of(folder: Path) -> tuple[Path, ...]:
    """Return the files of the folder. Without any, end with one sentence and exit status 2."""
    from appliance.games.table_data_files import read_folder

    try:
        if paths := read_folder(folder):
            return tuple(paths)
    except FileNotFoundError:
        pass
    except OSError as error:
        raise TableError("folder_unreadable", path=folder, reason=error.strerror) from None
    raise TableError("no_files", path=folder)


def _is_in(path: Path, folder: Path) -> bool:
    try:
        return path.parent.samefile(folder)
    except OSError:
        return False


def _facts(one: Checked) -> dict[str, object]:
    problems = [problem._asdict() for problem in one.problems]
    holds = dict(one.holds("en"))
    return {"file": str(one.path), "game": one.game, "good": one.good is not None, "holds": holds, "problems": problems}


def _say_problems(one: Checked, words: Words) -> None:
    for problem in one.problems[:MOST_PROBLEMS]:
        place = f" {place}:" if (place := problem.place(words)) else ""
        click.echo(f"{one.path}:{place} {problem.sentence} [{problem.code}]", err=True)
    if len(one.problems) > MOST_PROBLEMS:
        click.echo(f"{one.path}: {words.say('files.more', {'n': len(one.problems) - MOST_PROBLEMS})}", err=True)


def _say_contents(one: Checked, words: Words, *, offered: bool) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    assert one.good is not None
    table = Table(box=None, pad_edge=False, show_header=False)
    for name, amount in one.holds(words.language):
        table.add_row(Text(f"  {name}"), Text(amount))
    values = {"path": one.path, "game": one.game, "title": one.good.title}
    console = Console(highlight=False)
    console.print(Text(words.say("files.offered" if offered else "files.good", values)), soft_wrap=True)
    console.print(table)
