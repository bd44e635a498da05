"""`smugglers files check`: what a file holds, or what is wrong with it and where."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click
import msgspec

from appliance.cli import FAILED, AnsweringCommand
from appliance.commands.options import settings_option

if TYPE_CHECKING:
    from appliance.games.table_data_files import Checked

MOST_PROBLEMS = 20
"""Most mistakes that are shown of one file."""


@click.command(cls=AnsweringCommand)
@click.argument("files", nargs=-1, metavar="[FILE]...", type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object per line.")
@settings_option
def command(files: tuple[Path, ...], as_json: bool, settings_file: Path | None) -> None:
    """Report what each FILE contains, or its errors: the line, the field, a code and one sentence.

    Without a FILE the command checks the files in the folder of the setting files_dir, which the set-up pages offer.
    The exit status is 0 when all files are valid, else 2.
    """
    from appliance.commands.settings_file import read_settings
    from appliance.games.table_data_files import check_file

    folder = read_settings(settings_file).files_path
    paths = files or _files_of(folder)
    checked = [check_file(path) for path in paths]
    for one in checked:
        if as_json:
            click.echo(msgspec.json.encode(_facts(one)).decode())
        elif one.good is None:
            _say_problems(one)
        else:
            _say_contents(one, offered=_is_in(one.path, folder))
    sys.exit(0 if all(one.good for one in checked) else FAILED)


def _files_of(folder: Path) -> tuple[Path, ...]:
    """Return the files of the folder. Without any, end with one sentence and exit status 2."""
    from appliance.games.table_data_files import read_folder

    why = "there is no file to check; put yours there, or name one [no_files]"
    try:
        if paths := read_folder(folder):
            return tuple(paths)
    except FileNotFoundError:
        pass
    except OSError as error:
        why = (
            f"the folder cannot be read ({error.strerror}); check its permissions and the setting files_dir, "
            "or name a file [folder_unreadable]"
        )
    click.echo(f"Error: {folder}: {why}", err=True)
    sys.exit(FAILED)


def _is_in(path: Path, folder: Path) -> bool:
    try:
        return path.parent.samefile(folder)
    except OSError:
        return False


def _facts(one: Checked) -> dict[str, object]:
    problems = [problem._asdict() for problem in one.problems]
    holds = dict(one.good.holds) if one.good else {}
    return {"file": str(one.path), "game": one.game, "good": one.good is not None, "holds": holds, "problems": problems}


def _say_problems(one: Checked) -> None:
    for problem in one.problems[:MOST_PROBLEMS]:
        place = f" {problem.place}:" if problem.place else ""
        click.echo(f"{one.path}:{place} {problem.sentence} [{problem.code}]", err=True)
    if len(one.problems) > MOST_PROBLEMS:
        click.echo(f"{one.path}: and {len(one.problems) - MOST_PROBLEMS} more", err=True)


def _say_contents(one: Checked, *, offered: bool) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    assert one.good is not None
    table = Table(box=None, pad_edge=False, show_header=False)
    for name, amount in one.good.holds:
        table.add_row(Text(f"  {name}"), Text(amount))
    where = "the set-up page offers it" if offered else "good"
    console = Console(highlight=False)
    console.print(Text(f"{one.path}: {one.game}, “{one.good.title}”: {where}"), soft_wrap=True)
    console.print(table)
