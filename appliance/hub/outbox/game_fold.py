"""Folds the journal entries of one game and returns what each made public."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from appliance.games.game import Game
from appliance.games.protocol import Happening, Outcome, Player, Rejection
from appliance.hub.envelopes import Corrected, Happened, TheEnd, TheGame, Told
from appliance.journal.entries import Acted, Amended, Closed, Entry, Opened, Paused, Resumed, Undone
from appliance.journal.fold.history import History, for_all
from appliance.journal.fold.restore import open_history, replay

Made = tuple[TheGame | Happened | Corrected | TheEnd, Outcome | None]
"""The body of an entry's envelope, and the outcome of its game after the entry."""
UnknownName = Callable[[Player, int], bool]
"""Returns whether a player's name in the game of that number identifies nobody: it was not typed, or was erased."""


class GameFold:
    """The fold of one game. Call `take` with its entries in order, the opening first.

    A game that this release cannot fold has no happenings in its envelopes, only its opening and its end.

    :param games: returns the game of a name; raises KeyError if there is none.
    :param nobody: which names are not sent.
    :param counts: False: the envelopes say that the game counts for no league.
    """

    def __init__(self, games: Callable[[str], Game], nobody: UnknownName, *, counts: bool = True) -> None:
        self._games = games
        self._nobody = nobody
        self._counts = counts
        self._history: History | None = None
        self._acted: list[int] = []

    def take(self, entry: Entry) -> Made:
        """Fold `entry` and return what it made public."""
        match entry.body:
            case Opened() as opened:
                return self._open(entry, opened)
            case Closed(outcome=outcome):
                return TheEnd(), outcome
            case Acted():
                self._acted.append(entry.seq)
            case Paused() | Resumed():
                return Happened(told=()), self._outcome()
        history = self._history
        if history is None or replay(history, entry) is not None:
            self._history = None
            return Happened(told=()), None
        outcome = self._outcome()
        if isinstance(entry.body, Amended | Undone):
            return self._correction(history, entry.body), outcome
        return Happened(told=_told(history.newest())), outcome

    def _outcome(self) -> Outcome | None:
        return None if self._history is None else self._history.game.rules.outcome(self._history.state)

    def _open(self, entry: Entry, opened: Opened) -> Made:
        history = open_history(entry.seq, opened, self._games)
        game = TheGame(
            kind=opened.setup.game,
            players=tuple(None if self._nobody(one, entry.seq) else one.name for one in opened.setup.players),
            imported=opened.imported or not self._counts,
            seating=entry.seq if opened.seating is None else opened.seating,
            told=() if isinstance(history, Rejection) else _told(history.newest()),
        )
        if isinstance(history, Rejection):
            return game, None
        self._history = history
        return game, history.game.rules.outcome(history.state)

    def _correction(self, history: History, body: Amended | Undone) -> Corrected:
        told = history.told()
        counting = {seq for seq, _ in told}
        return Corrected(
            target=body.target,
            undone=isinstance(body, Undone),
            told=tuple((seq, _told(happened)) for seq, happened in told if happened),
            set_aside=tuple(seq for seq in self._acted if seq not in counting),
        )


def _told(happened: Iterable[Happening]) -> tuple[Told, ...]:
    return tuple(Told(code=one.code, values=one.values, rule=one.rule) for one in for_all(happened))
