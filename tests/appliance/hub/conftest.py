"""A real broker on a port of its own, and a hub that keeps what it is sent in memory."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import shutil
import signal
import socket
import ssl
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from appliance.hub.broker import messages
from appliance.hub.broker.members import MembersFile
from appliance.hub.broker.messages import BrokerAwayError, BrokerMessages
from appliance.hub.broker.server import BrokerServer, reload
from appliance.hub.envelopes import written_s
from appliance.hub.link import nkeys
from appliance.hub.link.connection import FAILURES, connected, end, trusting
from appliance.hub.link.invitation import Invitation, read_code
from appliance.hub.outbox import sender
from appliance.hub.store.database import Database, sqlite_url
from appliance.hub.store.migrate import migrate
from appliance.hub.subjects import inbox
from appliance.journal.journal import Journal
from appliance.service.lifecycle import StopSignal
from appliance.service.upkeep.log_file import begin_log
from tests.appliance.hub import postgres
from tests.appliance.hub.journals import open_journal, write_game
from tests.appliance.hub.sending import PLAYED, PROHIS, SendingTable
from tests.patience import GIVEN_UP_S
from tests.ports import free_port


async def lets_in(invitation: Invitation) -> bool:
    to = invitation
    try:
        broker, _ = await connected(to.host, to.port, to.seed, to.authority, inbox(to.table))
    except FAILURES:
        return False
    await end(broker)
    return True


def sockets() -> list[str]:
    """Return the handles of this process that are sockets."""
    handles = Path("/proc/self/fd").iterdir()
    return [str(handle) for handle in handles if handle.is_symlink() and "socket:" in str(handle.readlink())]


class HubStand:
    """A broker, and a hub that pulls only when a test says so."""

    def __init__(self, folder: Path) -> None:
        port = free_port()
        self.folder = folder
        self.members = MembersFile(folder)
        self.made = self.members.made("127.0.0.1", port)
        self.server = BrokerServer(folder, "127.0.0.1")
        self.kept: dict[str, dict[int, bytes]] = {}
        self.repeated = 0
        self.messages = self._messages()

    def _messages(self) -> BrokerMessages:
        made = self.made
        return BrokerMessages("127.0.0.1", made.port, made.seed, made.authority)

    def invite(self, name: str) -> Invitation:
        """Invite a table, and wait until the broker knows it: it takes its members anew when it gets round to it."""
        invitation = self.members.invite(name)
        assert reload(self.folder)
        by = time.monotonic() + GIVEN_UP_S
        while not asyncio.run(lets_in(invitation)):
            assert time.monotonic() < by
        return invitation

    def reload(self) -> None:
        """Let the broker take the members as they are now."""
        assert reload(self.folder)

    def let_wait(self, of_a_table: int) -> None:
        """Let that many messages of one table wait at the broker."""
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(messages, "OF_A_TABLE", of_a_table)
            self.messages.close()
            self.messages = self._messages()
            self.take()

    def until_back(self, before: int) -> None:
        """Wait for another broker process, and until it serves."""
        by = time.monotonic() + GIVEN_UP_S
        while True:
            assert time.monotonic() < by
            with contextlib.suppress(BrokerAwayError):
                self.messages.pull(1, 0.05)
                if self.server.pid not in (None, before):
                    return

    @contextlib.contextmanager
    def speaking_plainly(self, invitation: Invitation) -> Iterator[ssl.SSLSocket]:
        """Give a wire to the broker on which a table has shown its key, and says what no library would."""
        context = trusting(invitation.authority)
        with (
            socket.create_connection(("127.0.0.1", invitation.port), GIVEN_UP_S) as plain,
            context.wrap_socket(plain, server_hostname="broker") as wire,
        ):
            nonce = json.loads(wire.recv(4096).split(b" ", 1)[1])["nonce"]
            shown = {
                "nkey": nkeys.public_key(invitation.seed),
                "sig": nkeys.sign(invitation.seed, nonce).decode(),
                "verbose": False,
                "headers": True,
                "protocol": 1,
            }
            wire.sendall(b"CONNECT %s\r\n" % json.dumps(shown).encode())
            yield wire

    def contiguous(self, table: str) -> int:
        kept, seq = self.kept.get(table, {}), 0
        while seq + 1 in kept:
            seq += 1
        return seq

    def until_waiting(self, messages: int) -> None:
        """Wait until the broker holds as many messages for the hub."""
        by = time.monotonic() + GIVEN_UP_S
        while self.messages.waiting() < messages:
            assert time.monotonic() < by

    def take(self, wait_s: float = 0.2) -> int:
        """Take what waits at the broker as a hub does; return how many messages. A broker that is away has none."""
        try:
            return self._take(wait_s)
        except BrokerAwayError:
            return 0

    def _take(self, wait_s: float) -> int:
        pulled = self.messages.pull(500, wait_s)
        for one in pulled:
            kept = self.kept.setdefault(one.table, {})
            self.repeated += one.seq in kept
            assert kept.setdefault(one.seq, one.data) == one.data
        reached = {one.table: self.contiguous(one.table) for one in pulled}
        times = {table: written_s(self.kept[table][seq]) for table, seq in reached.items() if seq}
        self.messages.stored(reached, {table: wall_s for table, wall_s in times.items() if wall_s is not None})
        self.messages.done(pulled)
        return len(pulled)

    def kill(self, *, erase: bool = False) -> None:
        """Let the broker end as by a power cut, with its disk where `erase` says so, and start a new one."""
        pid = self.server.pid
        assert pid is not None
        os.kill(pid, signal.SIGKILL)
        self.server.stop()
        if erase:
            shutil.rmtree(self.folder / "broker")
        self.server = BrokerServer(self.folder, "127.0.0.1")
        self.server.start()

    def close(self) -> None:
        self.messages.close()
        self.server.stop()


@pytest.fixture(autouse=True)
def _no_loop_of_a_browser() -> Iterator[None]:
    """Playwright leaves its own loop running in the thread that began it; `asyncio.run` wants none there."""
    before = asyncio._get_running_loop()
    asyncio._set_running_loop(None)
    yield
    asyncio._set_running_loop(before)


@pytest.fixture
def as_a_service(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Let `smugglers hub run` take no signals of the tests, and keep its log in the folder that is given."""
    monkeypatch.setenv("SMUGGLERS_DATA_DIR", str(tmp_path))
    monkeypatch.setattr(StopSignal, "install", lambda _: None)
    yield tmp_path / "hub"
    begin_log(None, environ={})


@pytest.fixture
def hub(tmp_path: Path) -> Iterator[HubStand]:
    if not Path(sys.executable).with_name("nats-server").exists():
        pytest.skip("the extra `hub` is not installed: no nats-server")
    stand = HubStand(tmp_path / "hub")
    stand.server.start()
    yield stand
    stand.close()


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[Journal]:
    journal = open_journal(tmp_path / "table")
    write_game(journal, PROHIS, PLAYED.setup, PLAYED.actions)
    yield journal
    journal.close()


@pytest.fixture
def table(hub: HubStand, journal: Journal) -> SendingTable:
    invitation = hub.invite("cellar")
    assert read_code(invitation.code) == invitation
    return SendingTable(journal, journal.path.parent, invitation)


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let tables try again, and look for news, as often as a test wants to see it."""
    for name, seconds in {"AGAIN_S": 0.05, "AGAIN_MOST_S": 0.2, "LOOK_S": 0.02, "PAUSE_S": 0.0, "STALE_S": 0.3}.items():
        monkeypatch.setattr(sender, name, seconds)


@pytest.fixture(scope="session")
def a_postgres() -> Iterator[postgres.Postgres]:
    programs = postgres.programs()
    if programs is None:
        pytest.skip("PostgreSQL is not installed: apt install postgresql")
    with postgres.running(programs) as server:
        yield server


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.slow)])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "sqlite":
        return sqlite_url(tmp_path / "hub.db")
    server: postgres.Postgres = request.getfixturevalue("a_postgres")
    return server.url()


@pytest.fixture
def database(url: str) -> Iterator[Database]:
    database = Database(url)
    migrate(database)
    yield database
    database.close()
