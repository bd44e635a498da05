"""`smugglers draws`: whether what the appliance drew follows from what was sealed before."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from appliance.cli import AnsweringCommand
from appliance.commands.settings_option import settings_option

if TYPE_CHECKING:
    from appliance.journal.sealing import Sealer
    from appliance.table.draws.audit import Audit


@click.command(cls=AnsweringCommand)
@click.option("--demo", is_flag=True, help="Check the demo's journal instead of the real table's.")
@settings_option
def command(demo: bool, settings_file: Path | None) -> None:
    """Verify every shuffle and electronic dice roll of every game in the journal. The table may run meanwhile.

    Each game has a start value, which was drawn and encrypted when the game was opened. The log shows its fingerprint
    at that moment. The command calculates all draws again from the start value and compares them. It shows none of
    them.

    The exit status is 1 when a draw does not follow from its game's start value, and 2 when the journal or its key
    cannot be read.
    """
    from appliance.commands.settings_file import read_settings
    from appliance.games.catalogue import the_game
    from appliance.journal.journal_file import JournalError
    from appliance.journal.safekeeping.backup import missing
    from appliance.table.draws.audit import audits
    from hardware.regular_file import kind_of

    settings = read_settings(settings_file)
    folder = settings.path("demo") if demo else Path(settings.data_dir)
    journal, all_follow = folder / "journal.sqlite3", True
    try:
        if kind_of(journal) is None:
            raise missing(journal)
        games = 0
        for one in audits(journal, _sealer(folder), the_game):
            games += 1
            if isinstance(one, tuple):
                click.echo(f"game {one[0]}: this release cannot read it [{one[1].code}]")
            else:
                click.echo(_told(one))
                all_follow &= not one.others
    except JournalError as error:
        raise click.ClickException(f"{error} [{error.code}]") from None
    if games == 0:
        click.echo("there is no game in this journal")
    if not all_follow:
        raise SystemExit(1)


def _sealer(folder: Path) -> Sealer:
    from appliance.journal.safekeeping.keys import SEAL_KEY, stored_seal_keys
    from appliance.journal.sealing import Sealer

    try:
        keys = stored_seal_keys(folder)
    except OSError:
        keys = ()
    if not keys:
        raise click.ClickException(
            f"{folder / SEAL_KEY} is no key that can be read: put back the one that you kept [key_unreadable]"
        )
    return Sealer(keys)


def _told(one: Audit) -> str:
    game = f"game {one.game} ({one.name}): "
    if one.draws == 0:
        return game + "nothing was drawn"
    if not one.fingerprint:
        return game + f"{one.draws} draws without a start value that opens: nothing to compare with"
    if one.others:
        numbers = ", ".join(map(str, one.others))
        return game + f"{len(one.others)} of {one.draws} draws do NOT follow from its start value: entries {numbers}"
    return game + f"{one.draws} draws follow from its start value, fingerprint {one.fingerprint}"
