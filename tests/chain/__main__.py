"""`python -m tests.chain --tables 20 --kills 20`: nothing is lost, doubled or out of order, whatever is killed.

Robots play at all tables while broker and hub are killed with −9 in turn and the broker's disk is erased once. A tenth
of the tables is a café that was offline for a week and comes back at the end; one table's clock is a year off. In the
end the database must hold every entry of every journal once, byte for byte, and a league that is folded from the
journals alone must be the hub's.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from sqlalchemy import func, select

from appliance.games.catalogue import the_game
from appliance.hub.broker.members import MembersFile
from appliance.hub.broker.server import BrokerServer
from appliance.hub.fleet.fleet import Fleet
from appliance.hub.folds.ratings import fold_ratings
from appliance.hub.folds.rebuild import fingerprint
from appliance.hub.folds.tables import until_folded
from appliance.hub.link.invitation import Invitation
from appliance.hub.outbox.journal_reader import JournalReader
from appliance.hub.outbox.teller import Teller
from appliance.hub.store.database import Database, sqlite_url
from appliance.hub.store.envelopes_kept import Arrived, store
from appliance.hub.store.migrate import migrate
from appliance.hub.store.schema import ENVELOPES
from tests.appliance.hub import postgres
from tests.patience import GIVEN_UP_S
from tests.ports import free_port

ENTRIES_OF_A_GAME = 280
YEAR_S, WEEK_S = 365 * 86_400.0, 7 * 86_400.0


class HubProcess:
    """`smugglers hub run` beside a broker that runs already, killed and started again."""

    def __init__(self, data: Path, database: str, pages: int) -> None:
        self._data, self._database, self._pages = data, database, pages
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        command = [sys.executable, "-m", "appliance.commands.start", "hub", "run", "--broker", "127.0.0.1"]
        command += ["--listen", "127.0.0.1", "--pages", str(self._pages), "--database", self._database]
        environment = {**os.environ, "SMUGGLERS_DATA_DIR": str(self._data)}
        with (self._data / "hub.log").open("ab") as log:
            self._process = subprocess.Popen(command, env=environment, stdout=log, stderr=log)

    def end(self, with_signal: int) -> None:
        assert self._process is not None
        self._process.send_signal(with_signal)
        self._process.wait(GIVEN_UP_S)

    @property
    def memory_mb(self) -> float:
        assert self._process is not None
        return resident_mb(self._process.pid)


def resident_mb(pid: int) -> float:
    with contextlib.suppress(OSError):
        for line in Path(f"/proc/{pid}/status").read_text().splitlines():
            if line.startswith("VmRSS:"):
                return int(line.split()[1]) / 1024
    return 0.0


@contextlib.contextmanager
def database_for(kind: str, folder: Path) -> Iterator[str]:
    programs = postgres.programs()
    if kind == "postgres" and programs is None:
        print("no PostgreSQL is installed here (no initdb): this run is on SQLite", flush=True)
    if kind == "sqlite" or programs is None:
        yield sqlite_url(folder / "hub.db")
        return
    with postgres.running(programs) as server:
        yield server.url()


class Chain:
    """The tables, and what they send to."""

    def __init__(self, top: Path, database: str, wanted: argparse.Namespace) -> None:
        self.top, self.wanted, self.chance = top, wanted, random.Random(wanted.seed)
        self.hub_folder = top / "hub"
        members = MembersFile(self.hub_folder)
        members.made("127.0.0.1", free_port())
        names = [f"table-{number}" for number in range(1, wanted.tables + 1)]
        self.invitations = members.invite_all(names)
        cafe = names[: max(1, wanted.tables // 10)]
        off_s = dict.fromkeys(cafe, -WEEK_S) | {names[-1]: YEAR_S}
        self.offline = frozenset(cafe)
        self.broker = BrokerServer(self.hub_folder, "127.0.0.1")
        self.hub = HubProcess(top, database, free_port())
        entries = wanted.tables * wanted.games * ENTRIES_OF_A_GAME
        pause_s = wanted.burst * wanted.kills * wanted.every / entries if wanted.pause is None else wanted.pause
        self.fleet = Fleet(
            top / "fleet",
            self.invitations,
            wanted.games,
            seed=wanted.seed,
            pause_s=pause_s,
            burst=wanted.burst,
            off_s=off_s,
        )
        self.kills = {"broker": 0, "hub": 0, "disk": 0, "while they played": 0}
        self.played_s = 0.0

    def run(self) -> None:
        self.broker.start()
        self.hub.start()
        self.fleet.start(self.offline)
        for number in range(self.wanted.kills):
            # What is killed is chosen by the seed; at which instruction, by the machine.
            time.sleep(self.chance.uniform(0.2, 2 * self.wanted.every - 0.2))
            self.kills["while they played"] += not self.fleet.has_played
            if number == self.wanted.kills // 2:
                self.erase()
            elif self.chance.random() < 0.5 and self.broker.pid is not None:
                self.kill_broker()
            else:
                self.kills["hub"] += 1
                self.hub.end(signal.SIGKILL)
                self.hub.start()
        self.until(lambda: self.fleet.has_played)
        self.played_s = time.monotonic()
        for table in self.fleet.tables:
            if table.name in self.offline:
                self.fleet.connect(table)
        self.until(lambda: self.fleet.counts().stored == self.fleet.counts().written)

    def kill_broker(self) -> None:
        if (pid := self.broker.pid) is not None:
            self.kills["broker"] += 1
            os.kill(pid, signal.SIGKILL)

    def erase(self) -> None:
        """Let the broker die with its disk; another one begins with an empty one."""
        self.kills["disk"] += 1
        self.kill_broker()
        self.broker.stop()
        shutil.rmtree(self.hub_folder / "broker")
        self.broker = BrokerServer(self.hub_folder, "127.0.0.1")
        self.broker.start()

    def until(self, done: object) -> None:
        assert callable(done)
        before, moved_s = None, time.monotonic()
        while not done():
            assert self.fleet.failed is None, self.fleet.failed
            time.sleep(0.2)
            if (now := self.fleet.counts()) != before:
                before, moved_s = now, time.monotonic()
            assert time.monotonic() - moved_s < GIVEN_UP_S, f"nothing moves any more: {now}"

    def stop(self) -> None:
        self.hub.end(signal.SIGTERM)
        self.broker.stop()
        self.fleet.stop()


def told(chain: Chain, invitation: Invitation) -> list[tuple[int, bytes]]:
    """Return all that a table's journal tells, read anew from its file."""
    from appliance.journal.journal import Journal
    from appliance.journal.safekeeping.keys import seal_key

    folder = chain.top / "fleet" / invitation.table
    journal = Journal(folder / "journal.sqlite3", seal_key(folder)[0])
    try:
        reader = JournalReader(journal.path, journal.entry)
        return list(Teller(reader, invitation.table, the_game, lambda name, game: False).after(0, 10**9))
    finally:
        journal.close()


def checked(chain: Chain, database: Database) -> tuple[int, int, str, str]:
    """Return how many envelopes are missing or wrong, how many are too many, and the hub's and the journals' league."""
    missing = wrong = 0
    alone = Database(sqlite_url(chain.top / "alone.db"))
    migrate(alone)
    for invitation in chain.invitations:
        own = told(chain, invitation)
        with database.read() as connection:
            rows = connection.execute(
                select(ENVELOPES.c.seq, ENVELOPES.c.data)
                .where(ENVELOPES.c.table_name == invitation.table)
                .order_by(ENVELOPES.c.seq)
            ).all()
        kept = [(seq, bytes(data)) for seq, data in rows]
        missing += len(set(own) - set(kept))
        wrong += len(kept) - len(own) if kept != own else 0
        store(alone, [Arrived(invitation.table, seq, data) for seq, data in own], 0.0)
    for one in (database, alone):
        until_folded(one)
        fold_ratings(one)
    leagues = fingerprint(database), fingerprint(alone)
    alone.close()
    return missing, wrong, *leagues


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.chain", description=__doc__)
    parser.add_argument("--tables", type=int, default=20)
    parser.add_argument("--games", type=int, default=2)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--every", type=float, default=1.5, help="seconds between kills, on average")
    parser.add_argument(
        "--pause", type=float, help="seconds between two bursts; as a rule, so that play outlasts kills"
    )
    parser.add_argument("--burst", type=int, default=1, help="entries that a table writes in a row")
    parser.add_argument("--database", choices=("postgres", "sqlite"), default="postgres")
    parser.add_argument("--seed", type=int, default=0)
    wanted = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="chain-") as folder, database_for(wanted.database, Path(folder)) as url:
        began_s = time.monotonic()
        chain = Chain(Path(folder), url, wanted)
        try:
            chain.run()
            hub_mb, broker_mb = chain.hub.memory_mb, resident_mb(chain.broker.pid or 0)
        finally:
            chain.stop()
        took_s, play_s = time.monotonic() - began_s, chain.played_s - began_s
        counts = chain.fleet.counts()
        database = Database(url)
        missing, wrong, hub_league, own_league = checked(chain, database)
        with database.read() as connection:
            rows = int(connection.execute(select(func.count()).select_from(ENVELOPES)).scalar_one())
        database.close()
    own_mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    kills = chain.kills
    print(f"database          {'SQLite' if url.startswith('sqlite') else 'PostgreSQL'}")
    print(f"tables            {wanted.tables}, of which offline until the end: {len(chain.offline)}")
    print(f"killed with -9    broker {kills['broker']}, hub {kills['hub']}; broker's disk erased {kills['disk']}")
    print(f"killed in play    {kills['while they played']} of {wanted.kills}")
    print(f"journal entries   {counts.written}")
    print(f"published         {counts.published} that the broker acknowledged")
    print(f"rows in database  {rows}")
    print(f"missing           {missing}")
    print(f"too many          {wrong}")
    print(f"league            {'as from the journals alone' if hub_league == own_league else 'DIFFERS'}")
    print(f"took              {took_s:.0f} s, of which to the end of play {play_s:.0f} s")
    print(f"memory            hub {hub_mb:.0f} MB, broker {broker_mb:.0f} MB, all tables {own_mb:.0f} MB")
    right = missing == wrong == 0 and rows == counts.written and hub_league == own_league
    print("every entry once and in order" if right else "NOT every entry once and in order")
    return 0 if right else 1


if __name__ == "__main__":
    sys.exit(main())
