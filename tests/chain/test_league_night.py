"""A league night of 24 robots on four tables through real journals, outboxes and a broker, run from the pages alone."""

from __future__ import annotations

import asyncio
import contextlib
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import msgspec
import pytest

from appliance.games.catalogue import the_game
from appliance.games.protocol import Outcome
from appliance.hub.broker.messages import BrokerAwayError, BrokerMessages
from appliance.hub.chain.tables_now import tables_now
from appliance.hub.fleet.games_played import play
from appliance.hub.fleet.table import FleetTable
from appliance.hub.link.invitation import Invitation
from appliance.hub.worker import Worker
from appliance.journal.entries import Acted, Amended, Closed, Opened, Undone
from tests.appliance.hub.conftest import HubStand
from tests.patience import GIVEN_UP_S
from tests.web.hub.conftest import StandingHub
from tests.web.hub.night import GUESTS, PATH, TABLES, Night

KIND = "customs"


class Wire:
    """The network between one table and the broker: it can be cut and mended."""

    def __init__(self, to: int) -> None:
        self._to, self.port = to, 0
        self._server: asyncio.Server | None = None
        self._open: set[asyncio.StreamWriter] = set()

    async def mend(self) -> None:
        self._server = await asyncio.start_server(self._carry, "127.0.0.1", self.port)
        self.port = self._server.sockets[0].getsockname()[1]

    async def cut(self) -> None:
        assert self._server is not None
        self._server.close()
        for writer in self._open:
            writer.transport.abort()
        self._open.clear()

    async def _carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        there_reader, there = await asyncio.open_connection("127.0.0.1", self._to)
        self._open |= {writer, there}

        async def pump(source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
            with contextlib.suppress(OSError):
                while data := await source.read(65536):
                    target.write(data)
                    await target.drain()
            target.transport.abort()

        await asyncio.gather(pump(reader, there), pump(there_reader, writer))


class Robots:
    """Four tables with their outboxes, and robots who play the games that they are called to."""

    def __init__(self, folder: Path, invitations: Sequence[Invitation]) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        self.wires = {one.table: Wire(one.port) for one in invitations}
        for wire in self.wires.values():
            self.now(wire.mend())
        through = [msgspec.structs.replace(one, port=self.wires[one.table].port) for one in invitations]
        self.tables = {one.table: FleetTable(folder / one.table, one, "0.1.0") for one in through}
        self._sending = [
            asyncio.run_coroutine_threadsafe(table.sender.run(), self._loop) for table in self.tables.values()
        ]
        self._numbers: Iterator[int] = iter(range(10**6))

    def now(self, work: object) -> None:
        asyncio.run_coroutine_threadsafe(work, self._loop).result(GIVEN_UP_S)  # type: ignore[arg-type]

    def write(self, name: str, game: int | None, body: object) -> int:
        table = self.tables[name]
        secret = the_game(KIND).rules.secret_fields
        return table.journal.append(game, [(f"night-{next(self._numbers)}", body)], secret)[0]  # type: ignore[list-item]

    def plays(self, name: str, guests: Sequence[str], seed: int) -> tuple[int, int, list[str], Outcome]:
        """Play a whole game; return its number, its last action's entry, who won by the rules, and how it ended."""
        while (played := play(the_game(KIND), guests, seed)) is None:
            seed += 1
        game = self.write(name, None, Opened(setup=played.setup))
        for action in played.actions:
            last = self.write(name, game, Acted(action=msgspec.to_builtins(action)))
        return game, last, [guests[seat] for seat in played.outcome.winners], played.outcome

    async def _end(self) -> None:
        others = asyncio.all_tasks() - {asyncio.current_task()}
        for one in others:
            one.cancel()
        await asyncio.gather(*others, return_exceptions=True)

    def close(self) -> None:
        for table in self.tables.values():
            self._loop.call_soon_threadsafe(table.sender.stop)
        for sending in self._sending:
            sending.result(GIVEN_UP_S)
        for wire in self.wires.values():
            self.now(wire.cut())
        self.now(self._end())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(GIVEN_UP_S)
        self._loop.close()
        for table in self.tables.values():
            table.close()


@pytest.fixture
def working(hub: StandingHub, tmp_path: Path) -> Iterator[tuple[StandingHub, HubStand]]:
    """A hub whose worker takes what a real broker brings."""
    broker = HubStand(tmp_path / "broker")
    broker.server.start()
    made = broker.made
    messages = BrokerMessages("127.0.0.1", made.port, made.seed, made.authority)
    worker = Worker(hub.database, messages, (BrokerAwayError,))
    thread = threading.Thread(target=worker.run, daemon=True)
    thread.start()
    yield hub, broker
    worker.stop()
    thread.join(GIVEN_UP_S)
    messages.close()
    broker.close()


def until(done: Callable[[], bool]) -> None:
    by = time.monotonic() + GIVEN_UP_S
    while not done():
        assert time.monotonic() < by
        time.sleep(0.1)


@pytest.mark.soak
def test_a_night_of_24_robots_on_four_tables(working: tuple[StandingHub, HubStand], tmp_path: Path) -> None:
    hub, broker = working
    hub.web.now_s = time.time
    invitations = broker.members.invite_all(TABLES)
    broker.reload()
    robots = Robots(tmp_path / "tables", invitations)
    night = Night(hub, KIND)
    won: Counter[str] = Counter()
    played: Counter[str] = Counter()

    def counts(guests: Sequence[str], winners: Sequence[str], by: int = 1) -> None:
        played.update(dict.fromkeys(guests, by))
        won.update(dict.fromkeys(winners, by))

    def shown() -> dict[str, tuple[int, int]]:
        return {name: (w, p) for name, (_, w, p) in night.standings().items()}

    def truth() -> dict[str, tuple[int, int]]:
        return {name: (won[name], played[name]) for name in shown()}

    for name in GUESTS[:23]:
        night.tap(f"{PATH}/come", name=name)
    until(lambda: [one.state for one in tables_now(hub.database, time.time())] == ["resting"] * 4)
    called = night.call()
    assert set(called) == set(TABLES)

    # A no-show, and somebody who comes late.
    missing = called["bay"][0]
    night.tap(f"{PATH}/go", name=missing, missing=1)
    night.tap(f"{PATH}/come", name="Late")
    called |= night.call()
    assert missing not in called["bay"]
    assert "Late" in called["bay"]

    # The quay loses its network before its game. All four play.
    robots.now(robots.wires["quay"].cut())
    games = {name: robots.plays(name, called[name], seed) for seed, name in enumerate(TABLES)}
    for name in ("bay", "mole", "pier"):
        counts(called[name], games[name][2])
    until(lambda: shown() == truth())
    assert sum(p for _, p in shown().values()) == sum(len(called[name]) for name in ("bay", "mole", "pier"))

    # At the mole the last action was none: the game is not decided any more. Then it is played after all.
    game, last, winners, _ = games["mole"]
    amended = robots.write("mole", game, Amended(target=last, action=None))
    counts(called["mole"], winners, -1)
    until(lambda: shown() == truth())
    robots.write("mole", game, Undone(target=amended))
    counts(called["mole"], winners)
    until(lambda: shown() == truth())

    # The network of the quay is back: its game counts.
    assert night.boards()["quay"][0] == "up"
    robots.now(robots.wires["quay"].mend())
    counts(called["quay"], games["quay"][2])
    until(lambda: shown() == truth())
    assert sum(p for _, p in shown().values()) == sum(len(called[name]) for name in TABLES)

    # All are put away, and everything that the four journals have is at the hub.
    for name in TABLES:
        robots.write(name, games[name][0], Closed(outcome=games[name][3]))
    until(lambda: all(t.progress.stored == t.journal.last_seq() for t in robots.tables.values()))
    assert shown() == truth()
    night.tap(f"{PATH}/end")
    assert "This night is over" in night.page
    robots.close()
