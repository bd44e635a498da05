"""Makes the envelopes of a journal in order, from any entry on, including games that were played weeks ago."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator

from appliance.games.game import Game
from appliance.hub.envelopes import MOST_BYTES, Envelope, Happened, encoded
from appliance.hub.outbox.game_fold import GameFold, UnknownName
from appliance.hub.outbox.journal_reader import JournalReader
from appliance.journal.entries import Closed, Entry, Opened

FOLDS_KEPT = 2
"""Most games whose fold is cached: the open one, and one that is being imported. Others are folded again."""


class Teller:
    """Makes envelopes of journal entries. An entry always gives the same bytes.

    :param table: this table's name at the hub.
    :param counts_from: games opened at this entry or before count for no league: the hub has them under a former name.
    """

    def __init__(
        self,
        reader: JournalReader,
        table: str,
        games: Callable[[str], Game],
        nobody: UnknownName,
        counts_from: int = 0,
    ) -> None:
        self._reader = reader
        self._table = table
        self._games = games
        self._nobody = nobody
        self._counts_from = counts_from
        self._folds: OrderedDict[int, GameFold] = OrderedDict()
        self._told = 0

    def after(self, seq: int, at_most: int) -> Iterator[tuple[int, bytes]]:
        """Yield number and bytes of at most `at_most` envelopes after number `seq`.

        :raises JournalError: the journal cannot be read.
        """
        if seq != self._told:
            self._folds.clear()
            self._told = seq
        for entry in self._reader.entries_after(seq, at_most):
            told = encoded(self._envelope(entry))
            self._told = entry.seq
            yield entry.seq, told

    def _envelope(self, entry: Entry) -> Envelope:
        body, outcome = self._fold_of(entry).take(entry)
        if isinstance(entry.body, Closed):
            self._folds.pop(entry.game, None)
        envelope = Envelope(
            table=self._table, seq=entry.seq, game=entry.game, wall_s=entry.wall_s, body=body, outcome=outcome
        )
        if len(encoded(envelope)) > MOST_BYTES:
            return Envelope(
                table=self._table, seq=entry.seq, game=entry.game, wall_s=entry.wall_s, body=Happened(told=())
            )
        return envelope

    def _fold_of(self, entry: Entry) -> GameFold:
        """Return the fold of the entry's game, up to the entry before it."""
        fold = self._folds.get(entry.game)
        if fold is None:
            fold = GameFold(self._games, self._nobody, counts=entry.game > self._counts_from)
            if not isinstance(entry.body, Opened):
                for earlier in self._reader.game_before(entry.game, entry.seq):
                    fold.take(earlier)
            self._folds[entry.game] = fold
        self._folds.move_to_end(entry.game)
        while len(self._folds) > FOLDS_KEPT:
            self._folds.popitem(last=False)
        return fold
