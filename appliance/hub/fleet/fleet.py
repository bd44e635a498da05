"""Runs many tables in one process: their outboxes in one asyncio loop, their robots in one thread beside it."""

from __future__ import annotations

import asyncio
import random
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from appliance.games.catalogue import the_game
from appliance.hub.fleet.games_played import Played, play
from appliance.hub.fleet.table import FleetTable
from appliance.hub.link.connection import end_all
from appliance.hub.link.invitation import Invitation
from hardware.clock import ended

KINDS = ("prohis", "customs", "smugglers", "prohis", "haulers", "customs")
SEATS = 3
POOL = 12
"""Number of different games that are played. All tables write copies of these, each with its own guests."""
JOIN_S = 60.0


class Counts(NamedTuple):
    """A fleet's progress: entries in its journals, envelopes that the broker accepted, entries stored at the hub."""

    written: int
    published: int
    stored: int


class Fleet:
    """Tables that play and send.

    :param invitations: one per table.
    :param games: how many games each table plays.
    :param pause_s: pause between two bursts of the whole fleet; 0: none.
    :param burst: entries that a table writes in a row.
    """

    def __init__(
        self,
        folder: Path,
        invitations: Sequence[Invitation],
        games: int,
        *,
        seed: int = 0,
        pause_s: float = 0.0,
        burst: int = 1,
        release: str = "0",
        off_s: Mapping[str, float] | None = None,
    ) -> None:
        self._chance, self._games, self._pause_s, self._burst = random.Random(seed), games, pause_s, burst
        off = off_s or {}
        self.tables = [FleetTable(folder / one.table, one, release, off.get(one.table, 0.0)) for one in invitations]
        self._pool = [self._played(number) for number in range(POOL)]
        self._loop = asyncio.new_event_loop()
        self._senders: dict[str, asyncio.Task[None]] = {}
        self._sending = threading.Thread(target=self._loop.run_forever, name="fleet", daemon=True)
        self._playing = threading.Thread(target=self._play, name="robots", daemon=True)
        self._stopping = threading.Event()
        self.failed: BaseException | None = None
        """The exception that ended the robots early, or None."""

    def _guests(self) -> list[str]:
        """Return the guests of a game. On average a guest plays two games."""
        known = max(SEATS, len(self.tables) * self._games * SEATS // 2)
        return [f"Guest {number}" for number in self._chance.sample(range(1, known + 1), SEATS)]

    def _played(self, number: int) -> Played:
        names = self._guests()
        seed = self._chance.randrange(2**32)
        while (played := play(the_game(KINDS[number % len(KINDS)]), names, seed)) is None:
            seed += 1
        return played

    def start(self, offline: frozenset[str] = frozenset()) -> None:
        """Start all tables. All except those in `offline` send."""
        self._sending.start()
        for table in self.tables:
            if table.name not in offline:
                self.connect(table)
        self._playing.start()

    def connect(self, table: FleetTable) -> None:
        """Make a table send from now on."""

        def begin() -> None:
            self._senders[table.name] = self._loop.create_task(table.sender.run())

        self._loop.call_soon_threadsafe(begin)

    @property
    def has_played(self) -> bool:
        """Whether all games are written."""
        return not self._playing.is_alive()

    def counts(self) -> Counts:
        """Return the current progress."""
        tables = self.tables
        return Counts(
            sum(table.journal.last_seq() for table in tables),
            sum(table.sender.published for table in tables),
            sum(table.progress.stored for table in tables),
        )

    def stop(self) -> None:
        """Stop the robots and the senders, and close all tables."""
        self._stopping.set()
        ended(self._playing, JOIN_S)
        asyncio.run_coroutine_threadsafe(self._end(), self._loop).result(JOIN_S)
        self._loop.call_soon_threadsafe(self._loop.stop)
        ended(self._sending, JOIN_S)
        self._loop.close()
        for table in self.tables:
            table.close()

    async def _end(self) -> None:
        for table in self.tables:
            table.sender.stop()
        await asyncio.gather(*self._senders.values(), return_exceptions=True)
        await end_all()

    def _play(self) -> None:
        """Write games in bursts at randomly chosen tables, like tables that are independent of each other."""
        try:
            for _ in range(self._games):
                going = [table.replay(self._chance.choice(self._pool), self._guests()) for table in self.tables]
                while going:
                    at = self._chance.randrange(len(going))
                    if not all(next(going[at], self) is None for _ in range(self._burst)):
                        going[at] = going[-1]
                        going.pop()
                    if self._stopping.wait(self._pause_s) if self._pause_s else self._stopping.is_set():
                        return
        except BaseException as error:
            self.failed = error
