"""`smugglers restore`: a journal restored from a backup or a copy."""

from __future__ import annotations

from pathlib import Path

import click

from appliance.commands.options import settings_option
from appliance.commands.screen.told import tell


@click.command()
@click.argument("source", metavar="FROM", type=click.Path(path_type=Path))
@click.option("--demo", is_flag=True, help="Restore the demo's journal instead of the real table's.")
@settings_option
def command(source: Path, demo: bool, settings_file: Path | None) -> None:
    """Make FROM the journal of this table. Stop the table first.

    FROM is a file written by `smugglers backup`, a journal from another card, or the copy that a table keeps. It also
    restores the league night, house rules and erased names. A name that was erased here stays erased. What was here
    before is moved into a folder of its own beside the journal. Secrets can be read only with the key that encrypted
    them, so put its seal.key back first. Without it everything else is restored, and a warning names the file.
    """
    from appliance.commands.settings_file import read_settings
    from appliance.journal.safekeeping.keys import SEAL_KEY
    from appliance.journal.safekeeping.restoring import put_back
    from appliance.service.stop_signals import too_late_to_stop
    from appliance.words.catalogues import words_for

    settings = read_settings(settings_file)
    folder = settings.table_folder(demo=demo)
    say = words_for(settings.language).say
    done = put_back(source, folder, too_late_to_stop)
    tell(say("journal.holds", {"path": folder, "games": done.games, "entries": done.entries}))
    if done.evening:
        tell(say("restore.evening"))
    if done.given_up:
        tell(say("restore.given_up", {"entries": done.given_up}))
    if done.kept is not None:
        tell(say("restore.kept", {"path": done.kept}))
    if done.unread:
        sentence = say("restore.damaged", {"path": str(source), "entries": done.unread})
        tell(f"smugglers restore: {sentence} [backup_damaged]", err=True)
    if done.closed:
        values = {"games": done.closed, "path": str(folder / SEAL_KEY)}
        sentence = say("restore.key_missing", values)
        tell(f"smugglers restore: {sentence} [key_missing]", err=True)
