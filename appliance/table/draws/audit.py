"""Verifies a game's draws by repeating them from the start value that was sealed before the first draw (AP-5)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import msgspec

from appliance.games.game import Game
from appliance.games.protocol import Action, Rejection
from appliance.journal.entries import Acted, Bodies, Entry
from appliance.journal.fold.history import History
from appliance.journal.fold.restore import restore
from appliance.journal.journal_file import damaged, explained, inspect, read_only, stored_rows
from appliance.journal.rows import Row, sound
from appliance.journal.sealing import Sealer
from appliance.table.draws.dealer import Dealer, fingerprint


class Audit(msgspec.Struct, frozen=True, kw_only=True):
    """The result of verifying one game's draws.

    `others`: entries of draws that do not follow from the start value. `fingerprint`: that of the start value; "" where
    there is none.
    """

    game: int
    name: str
    draws: int
    others: tuple[int, ...]
    fingerprint: str


def audits(journal: Path, sealer: Sealer, games: Callable[[str], Game]) -> Iterator[Audit | tuple[int, Rejection]]:
    """Yield the result for each game in a journal. Another process may write to the journal meanwhile.

    For a game that cannot be folded, yield its number and the rejection (codes as `restore`).

    :raises JournalError: the journal cannot be read, or an entry was altered or lost (`journal_damaged`).
    """
    bodies = Bodies(journal, sealer)
    with explained(journal):
        inspect(journal)
        with read_only(journal) as db:
            db.execute("BEGIN")  # All queries read the same snapshot.
            (entries,) = db.execute("SELECT count(*) FROM entries").fetchone()
            if sum(1 for _ in sound(stored_rows(db))) < entries:
                raise damaged(journal)
            # A journal of several years does not fit into the free memory: read one game at a time.
            for (game,) in db.execute("SELECT seq FROM entries WHERE seq = game ORDER BY seq").fetchall():
                rows = db.execute("SELECT * FROM entries WHERE game = ? ORDER BY seq", (game,))
                found = audit((bodies.entry(Row(*row).unchained) for row in rows), games)
                yield (game, found) if isinstance(found, Rejection) else found


def audit(entries: Iterable[Entry], games: Callable[[str], Game]) -> Audit | Rejection:
    """Return the result for one game, or why it cannot be folded (codes as `restore`).

    :param entries: all entries of one game, in order.
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
