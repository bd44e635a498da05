"""`smugglers backup`: a copy of the journal, made beside a running table."""

from __future__ import annotations

from pathlib import Path

import click

from appliance.commands.options import settings_option
from appliance.commands.screen.told import tell


@click.command()
@click.argument("copy", metavar="OUT", type=click.Path(path_type=Path))
@click.option("--demo", is_flag=True, help="Copy the demo's journal instead of the real table's.")
@settings_option
def command(copy: Path, demo: bool, settings_file: Path | None) -> None:
    """Copy the journal with all games, the open one included, to the new file OUT. The table may run meanwhile.

    OUT also contains the league night, house rules and erased names.

    Secrets (masses, hidden pieces, hands) are encrypted with a key in a file of its own beside the journal, seal.key.
    The key is not copied. So OUT alone shows no secret, and games with secrets cannot go on from it alone. Keep a copy
    of seal.key too, in another place than OUT. docs/storage.md describes how to restore both.
    """
    from appliance.commands.settings_file import read_settings
    from appliance.journal.journal_file import JOURNAL
    from appliance.journal.safekeeping.backup import back_up
    from appliance.journal.safekeeping.keys import SEAL_KEY
    from appliance.service.stop_signals import too_late_to_stop
    from appliance.words.catalogues import words_for

    settings = read_settings(settings_file)
    folder = settings.table_folder(demo=demo)
    say = words_for(settings.language).say
    held = back_up(folder / JOURNAL, copy, too_late_to_stop)
    tell(say("journal.holds", {"path": copy, "games": held.games, "entries": held.entries}))
    tell(say("backup.key", {"path": folder / SEAL_KEY}))
