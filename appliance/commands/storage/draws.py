"""`smugglers draws`: whether what the appliance drew follows from what was sealed before."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from appliance.cli import AnsweringCommand
from appliance.commands.options import settings_option
from appliance.commands.screen.told import tell
from appliance.words.errors import TableError

if TYPE_CHECKING:
    from appliance.journal.sealing import Sealer
    from appliance.table.draws.audit import Audit
    from appliance.words.catalogues import Words


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
    from appliance.journal.journal_file import JOURNAL
    from appliance.journal.safekeeping.staging import missing
    from appliance.table.draws.audit import audits
    from appliance.words.catalogues import words_for
    from hardware.files.regular_file import kind_of

    settings = read_settings(settings_file)
    words = words_for(settings.language)
    folder = settings.table_folder(demo=demo)
    journal, all_follow = folder / JOURNAL, True
    if kind_of(journal) is None:
        raise missing(journal)
    games = 0
    for one in audits(journal, _sealer(folder), the_game):
        games += 1
        if isinstance(one, tuple):
            tell(f"{words.say('draws.unread', {'game': one[0]})} [{one[1].code}]")
        else:
            tell(_told(one, words))
            all_follow &= not one.others
    if games == 0:
        tell(words.say("draws.none"))
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
        raise TableError("key_unreadable", path=folder / SEAL_KEY)
    return Sealer(keys)


def _told(one: Audit, words: Words) -> str:
    values = {"game": one.game, "name": one.name, "draws": one.draws}
    if one.draws == 0:
        return words.say("draws.not_drawn", values)
    if not one.fingerprint:
        return words.say("draws.sealed", values)
    if one.others:
        others = {"count": len(one.others), "entries": ", ".join(map(str, one.others))}
        return words.say("draws.others", values | others)
    return words.say("draws.follow", values | {"fingerprint": one.fingerprint})
