"""One table of a fleet: a journal in its own folder, to which played games are written entry by entry."""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from appliance.games.catalogue import the_game
from appliance.games.protocol import Rejection
from appliance.hub.fleet.games_played import Played
from appliance.hub.link.invitation import Invitation
from appliance.hub.outbox.journal_reader import JournalReader
from appliance.hub.outbox.progress import Progress
from appliance.hub.outbox.sender import Sender
from appliance.hub.outbox.teller import Teller
from appliance.hub.report import Report, Trouble, encoded
from appliance.journal.entries import Acted, Amended, AnyBody, Closed, Opened, Undone
from appliance.journal.fold.history import History
from appliance.journal.journal import Journal
from appliance.journal.journal_file import JOURNAL
from appliance.journal.safekeeping.keys import seal_key

UNDO_EACH, AMEND_EACH = 40, 150
"""Every so many actions, one is undone and repeated, or amended."""


class FleetTable:
    """A table without sensors, pages and backups; everything else is that of a real table.

    :param release: the release in its reports.
    :param off_s: the error of its clock, in seconds.
    """

    def __init__(self, folder: Path, invitation: Invitation, release: str, off_s: float = 0.0) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        sealer, _ = seal_key(folder)
        self.name, self._release, self._off_s = invitation.table, release, off_s
        self.journal = Journal(folder / JOURNAL, sealer, wall=self._wall_s)
        reader = JournalReader(self.journal.path, self.journal.entry)
        teller = Teller(reader, self.name, the_game, lambda name, game: False)
        newest = self.journal.last_seq
        self.progress = Progress(folder, self.name, reader, time.monotonic)
        self.sender = Sender(invitation, teller, self.progress, newest, self._report, lambda: 0)
        self._ids = (f"{newest()}-{number}" for number in itertools.count())

    def _wall_s(self) -> float:
        return time.time() + self._off_s

    def _report(self, newest: int, stored: int, trouble: Trouble | None) -> bytes:
        report = Report(
            table=self.name,
            wall_s=self._wall_s(),
            release=self._release,
            newest=newest,
            stored=stored,
            trouble=trouble,
            status=None,
        )
        return encoded(report)

    def replay(self, played: Played, guests: Sequence[str]) -> Iterator[None]:
        """Write a game, one entry per step. Some actions are undone and repeated, and some are amended.

        :param guests: the names of the players at this table.
        """
        game = played.game
        players = (
            msgspec.structs.replace(player, name=name)
            for player, name in zip(played.setup.players, guests, strict=True)
        )
        setup = msgspec.structs.replace(played.setup, players=tuple(players))
        secret = game.rules.secret_fields

        def write(opened: int | None, body: AnyBody) -> int:
            return self.journal.append(opened, [(next(self._ids), body)], secret)[0]

        opened = write(None, Opened(setup=setup))
        yield
        step = game.rules.set_up(setup)
        assert not isinstance(step, Rejection)
        history = History(game, setup, opened, step)
        for number, action in enumerate(played.actions, start=1):
            acted = Acted(action=msgspec.to_builtins(action))
            times = 2 if number % UNDO_EACH == 0 else 1
            for again in range(times):
                seq = write(opened, acted)
                yield
                after = game.rules.apply(history.state, action)
                assert not isinstance(after, Rejection)
                history.act(seq, action, after)
                if again + 1 < times:
                    undone = write(opened, Undone(target=seq))
                    history.undo(undone)
                    yield
            if number % AMEND_EACH == 0 and not isinstance(history.refold(seq, None), Rejection):
                amended = write(opened, Amended(target=seq, action=None))
                write(opened, Undone(target=amended))
                yield
        write(opened, Closed(outcome=played.outcome))
        yield

    def close(self) -> None:
        """Close the journal and store the cursor."""
        self.journal.close()
        self.progress.keep()
