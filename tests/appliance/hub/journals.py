"""Journals of played games, and the envelopes that a hub is told of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import count
from pathlib import Path

import msgspec

from appliance.games.catalogue import the_game
from appliance.games.game import Game
from appliance.games.protocol import Action, Player, Setup, Step
from appliance.hub.envelopes import Envelope, decoded
from appliance.hub.outbox.journal_reader import JournalReader
from appliance.hub.outbox.teller import Teller
from appliance.journal.entries import Acted, Closed, Opened
from appliance.journal.journal import Journal
from appliance.journal.sealing import Sealer
from tests.narrowed import of_kind

TABLE = "cellar"


def open_journal(folder: Path) -> Journal:
    """Return a journal whose clock ticks a second an entry."""
    seconds = count(1_000)
    return Journal(folder / "journal.sqlite3", Sealer([bytes(32)]), wall=lambda: float(next(seconds)))


def write_game(journal: Journal, game: Game, setup: Setup, actions: Sequence[Action], *, closed: bool = True) -> int:
    """Write a game as the table does, entry by entry; return its number."""
    (opened,) = journal.append(None, [(f"open {journal.last_seq()}", Opened(setup=setup))])
    for action in actions:
        body = Acted(action=msgspec.to_builtins(action))
        journal.append(opened, [(f"act {journal.last_seq()}", body)], game.rules.secret_fields)
    if closed:
        step = of_kind(Step, game.rules.set_up(setup))
        for action in actions:
            step = of_kind(Step, game.rules.apply(step.state, action))
        outcome = game.rules.outcome(step.state)
        journal.append(opened, [(f"close {journal.last_seq()}", Closed(outcome=outcome))])
    return opened


def nobody(player: Player, game: int) -> bool:
    return False


def teller(
    journal: Journal,
    unknown: Callable[[Player, int], bool] = nobody,
    games: Callable[[str], Game] = the_game,
    counts_from: int = 0,
) -> Teller:
    return Teller(JournalReader(journal.path, journal.entry), TABLE, games, unknown, counts_from)


def envelopes(journal: Journal, teller_of: Callable[[Journal], Teller] = teller) -> list[Envelope]:
    """Return all that a journal tells, read back from the bytes."""
    return [decoded(told) for _, told in teller_of(journal).after(0, 100_000)]
