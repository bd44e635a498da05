"""Draws the appliance's draws of a game again, from the start value that was sealed before the first (AP-5)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import msgspec

from appliance.games.game import Game
from appliance.games.protocol import Action, Rejection
from appliance.journal.entries import Acted, Bodies, Entry
from appliance.journal.history import History
from appliance.journal.journal_file import damaged, explained, inspect, read_only, stored_rows
from appliance.journal.restore import restore
from appliance.journal.rows import Row, sound
from appliance.journal.sealing import Sealer
from appliance.table.draws.dealer import Dealer, fingerprint


class Audit(msgspec.Struct, frozen=True, kw_only=True):
    """What became of one game's draws.

    `others`: entries of draws that do not follow from the start value. `fingerprint`: its, "" where there is none.
    """

    game: int
    name: str
    draws: int
    others: tuple[int, ...]
    fingerprint: str


def audits(journal: Path, sealer: Sealer, games: Callable[[str], Game]) -> Iterator[Audit | tuple[int, Rejection]]:
    """Yield what became of the draws of each game in a journal, which another process may write meanwhile.

    A game that cannot be folded gives its number and why: the codes of `restore`.

    :raises JournalError: the journal cannot be read, or an entry was altered or lost (`journal_damaged`).
    """
    bodies = Bodies(journal, sealer)
    with explained(journal):
        inspect(journal)
        with read_only(journal) as db:
            db.execute("BEGIN")  # All is read as it stood at one moment.
            (entries,) = db.execute("SELECT count(*) FROM entries").fetchone()
            if sum(1 for _ in sound(stored_rows(db))) < entries:
                raise damaged(journal)
            # A journal of years is larger than the memory that a table leaves: one game at a time.
            for (game,) in db.execute("SELECT seq FROM entries WHERE seq = game ORDER BY seq").fetchall():
                rows = db.execute("SELECT * FROM entries WHERE game = ? ORDER BY seq", (game,))
                found = audit((bodies.entry(Row(*row).unchained) for row in rows), games)
                yield (game, found) if isinstance(found, Rejection) else found


def audit(entries: Iterable[Entry], games: Callable[[str], Game]) -> Audit | Rejection:
    """Return what became of the draws of one game, or why it cannot be folded: the codes of `restore`.

    :param entries: all of one game, in order.
    """
    dealer = Dealer()
    others: list[int] = []

    def look(history: History, entry: Entry) -> None:
        if isinstance(entry.body, Acted) and entry.body.drawn and not _follows(dealer, history, entry.body):
            others.append(entry.seq)

    history = restore(entries, games, look)
    if isinstance(history, Rejection):
        return history
    return Audit(
        game=history.opened,
        name=history.setup.game,
        draws=history.drawn.total(),
        others=tuple(others) if history.start_value else (),
        fingerprint=fingerprint(history.start_value) if history.start_value else "",
    )


def _follows(dealer: Dealer, history: History, acted: Acted) -> bool:
    left_to_chance = (prompt for prompt in history.prompts() if prompt.prompt == acted.drawn and prompt.chance != "no")
    return any(_written(dealer.answer(history, prompt)) == acted.action for prompt in left_to_chance)


def _written(action: Action) -> Any:
    return msgspec.json.decode(msgspec.json.encode(action))
