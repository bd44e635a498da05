"""Past games, folded: their actions, their log, their transcripts; and the entries of a game that is imported."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec

from appliance.games.game import Game
from appliance.games.protocol import Action, Rejection, Setup
from appliance.journal.codes import reject
from appliance.journal.entries import Acted, AnyBody, Closed, Opened
from appliance.journal.fold.history import History
from appliance.journal.fold.restore import begin, restore
from appliance.journal.journal import Journal
from appliance.journal.journal_file import JournalError
from appliance.journal.past_games import PastGames
from appliance.journal.transcript import share_transcript
from appliance.snapshot import Announcement

MOST_LINES = 5000


class Archive:
    """Folds past games outside the table's loop, on any thread.

    :param games: the game of a name; KeyError when there is none.
    """

    def __init__(self, journal: Journal, games: Callable[[str], Game]) -> None:
        self._journal = journal
        self._past_games = PastGames(journal)
        self._games = games

    def history(self, game: int) -> tuple[Setup, tuple[Action, ...]] | Rejection:
        """Return set-up and effective actions of a past game, or why this release or key cannot read it."""
        history = self._restore(game)
        return history if isinstance(history, Rejection) else (history.setup, history.actions())

    def log(self, game: int) -> tuple[Announcement, ...] | Rejection:
        """Return what was announced to everybody in a past game, in order."""
        history = self._restore(game)
        if isinstance(history, Rejection):
            return history
        return tuple(line for line in history.log(MOST_LINES) if line.happening.to is None)

    def transcript(self, game: int, *, consent: bool) -> str | Rejection:
        """Return a finished game for export; without everyone's consent its secrets are replaced.

        `not_finished` for a game that was closed before its end: its secrets stay hidden. `no_stand_ins` for a game
        whose secrets cannot be replaced: it needs everyone's consent.
        """
        history = self._restore(game)
        if isinstance(history, Rejection):
            return history
        if history.game.rules.outcome(history.state) is None:
            return reject("not_finished", "")
        return share_transcript(history.setup, history.actions(), consent=consent)

    def _restore(self, game: int) -> History | Rejection:
        try:
            if not self._past_games.is_past(game):
                return reject("no_such_game", "", {"game": game})
            return restore(self._journal.read(game), self._games)
        except JournalError as error:
            return Rejection(error.code, "")


def import_entries(
    setup: Setup, actions: Sequence[Action], client_id: str, own_id: str, games: Callable[[str], Game]
) -> tuple[Game, list[tuple[str, AnyBody]]] | Rejection:
    """Return the entries that import a finished game played elsewhere, from its opening to its closing.

    :param own_id: prefix of the ids of its actions.
    """
    started = begin(setup, games)
    if isinstance(started, Rejection):
        return started
    game, step = started
    setup = msgspec.structs.replace(setup, rules=game.rules.revision)
    entries: list[tuple[str, AnyBody]] = [(client_id, Opened(setup=setup, imported=True))]
    for number, action in enumerate(actions, start=1):
        step = game.rules.apply(step.state, action)
        if isinstance(step, Rejection):
            return step
        entries.append((f"{own_id}{client_id}-{number}", Acted(action=msgspec.to_builtins(action))))
    outcome = game.rules.outcome(step.state)
    if outcome is None:
        return reject("not_finished", "")
    return game, [*entries, (f"{own_id}{client_id}-end", Closed(outcome=outcome))]
