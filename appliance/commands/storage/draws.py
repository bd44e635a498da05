"""`smugglers draws`: whether what the appliance drew follows from what was sealed before."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from appliance.commands.settings_option import settings_option

if TYPE_CHECKING:
    from appliance.table.draws.audit import Audit


@click.command()
@click.option("--demo", is_flag=True, help="Check the demo's journal instead of the real table's.")
@settings_option
def command(demo: bool, settings_file: Path | None) -> None:
    """Check every shuffle and electronic die of every game in the journal; the table may run meanwhile.

    Each game has a start value, drawn and sealed when it was opened. Its fingerprint is in the log of that moment. All
    draws are made again from it and compared; nothing of them is shown.

    Exit status 1 when a draw does not follow from its game's start value.
    """
    from appliance.commands.settings_file import read_settings
    from appliance.games.catalogue import the_game
    from appliance.journal.journal_file import JournalError
    from appliance.journal.safekeeping.keys import SEAL_KEY
    from appliance.journal.sealing import Sealer, keys_of
    from appliance.table.draws.audit import audits

    settings = read_settings(settings_file)
    folder = settings.path("demo") if demo else Path(settings.data_dir)
    all_follow = True
    try:
        keys = keys_of((folder / SEAL_KEY).read_bytes())
        if keys is None:
            raise click.ClickException(f"{folder / SEAL_KEY} is no key: put yours back. [key_unreadable]")
        for one in audits(folder / "journal.sqlite3", Sealer(keys), the_game):
            if isinstance(one, tuple):
                click.echo(f"game {one[0]}: this release cannot read it [{one[1].code}]")
            else:
                click.echo(_told(one))
                all_follow &= not one.others
    except OSError as error:
        raise click.ClickException(f"{error.filename}: {error.strerror} [key_unreadable]") from None
    except JournalError as error:
        raise click.ClickException(f"{error} [{error.code}]") from None
    if not all_follow:
        raise SystemExit(1)


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
