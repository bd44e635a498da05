"""A table's journal reaches its hub whole, once and in order, whatever fails between; against a real nats-server."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path
from typing import Any

import msgspec
import pytest
from nats.aio.msg import Msg
from sqlalchemy import select

from appliance.hub.broker import messages
from appliance.hub.broker.configuration import LOG, SUBSCRIPTIONS_OF_A_TABLE
from appliance.hub.broker.members import MembersFile
from appliance.hub.broker.messages import BrokerAwayError
from appliance.hub.link.connection import Broker, connected, end
from appliance.hub.link.invitation import GIVEN_MOST, read_code
from appliance.hub.outbox import sender
from appliance.hub.outbox.membership import CURSOR, join, membership, read_cursor
from appliance.hub.report import decoded
from appliance.hub.store.database import Database, sqlite_url
from appliance.hub.store.migrate import migrate
from appliance.hub.store.schema import ENVELOPES
from appliance.hub.subjects import inbox, subject
from appliance.hub.worker import Worker
from appliance.journal.journal import Journal
from appliance.journal.sealing import Sealer
from appliance.words.errors import TableError
from tests.appliance.hub.conftest import HubStand
from tests.appliance.hub.journals import open_journal, write_game
from tests.appliance.hub.sending import PLAYED, PROHIS, SendingTable, until_kept, until_stored
from tests.patience import GIVEN_UP_S

pytestmark = pytest.mark.slow


def test_the_hub_gets_every_entry_once_and_in_order_and_the_table_forgets_only_what_is_stored(
    hub: HubStand, table: SendingTable
) -> None:
    newest = table.journal.last_seq()
    with table:
        hub.take(5)
        until_stored(hub, table, newest)
    assert hub.kept == {"cellar": table.whole}
    assert hub.repeated == 0
    assert read_cursor(table.folder, "cellar").seq == newest
    assert hub.take() == 0


def test_a_long_journal_is_sent_over_one_connection(
    hub: HubStand, table: SendingTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its batches are more than the subscriptions that the broker allows a table, which lets go of who wants more."""
    connections: list[str] = []

    async def counted(host: str, *to: Any) -> tuple[Broker, asyncio.Event]:
        connections.append(host)
        return await connected(host, *to)

    monkeypatch.setattr(sender, "BATCH", 1)
    monkeypatch.setattr(sender, "PAUSE_S", 0.0)
    monkeypatch.setattr(sender, "connected", counted)
    assert len(table.whole) > 2 * SUBSCRIPTIONS_OF_A_TABLE
    hub.take()  # from now on the broker takes entries
    with table:
        until_stored(hub, table, table.journal.last_seq())
    assert len(connections) == 1
    assert "maximum subscriptions exceeded" not in (hub.folder / LOG).read_text()


def test_a_broker_that_loses_all_it_had_and_a_hub_that_comes_late_lose_nothing(
    hub: HubStand, table: SendingTable
) -> None:
    newest = table.journal.last_seq()
    hub.take()
    with table:
        hub.until_waiting(newest)
        hub.kill(erase=True)
        until_stored(hub, table, newest)
    assert hub.kept == {"cellar": table.whole}


def test_what_a_hub_took_and_did_not_store_comes_again(hub: HubStand, table: SendingTable) -> None:
    newest = table.journal.last_seq()
    hub.take()
    with table:
        hub.until_waiting(newest)
        hub.messages.done(hub.messages.pull(40, 5.0))
        until_stored(hub, table, newest)
    assert hub.kept == {"cellar": table.whole}


def test_no_table_can_let_anothers_entries_be_taken_for_repetitions(hub: HubStand, table: SendingTable) -> None:
    newest = table.journal.last_seq()
    hub.take()
    mallory = hub.invite("mallory")

    async def says_the_ids_of_others() -> None:
        broker, _ = await connected(mallory.host, mallory.port, mallory.seed, mallory.authority, inbox("mallory"))
        for seq in range(1, newest + 1):
            for said in (f"cellar/{seq}", str(seq)):
                await broker.publish(subject("mallory", "journal"), b"{}", headers={"Nats-Msg-Id": said})
        await broker.flush()
        await end(broker)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(messages, "FORGETS_IDS_S", 60)
        hub.let_wait(20_000)
        asyncio.run(says_the_ids_of_others())
        with table:
            until_stored(hub, table, newest)
    assert hub.kept["cellar"] == table.whole


def test_a_hub_whose_database_was_put_back_gets_again_what_it_lost(hub: HubStand, table: SendingTable) -> None:
    newest = table.journal.last_seq()
    with table:
        until_stored(hub, table, newest)
        hub.kept["cellar"] = {seq: told for seq, told in table.whole.items() if seq < 10}
        played = write_game(table.journal, PROHIS, PLAYED.setup, PLAYED.actions[:1], closed=False)
        until_kept(hub, played + 1)
    assert {seq: hub.kept["cellar"][seq] for seq in table.whole} == table.whole


def test_a_table_that_starts_again_sends_what_is_new_and_nothing_twice(hub: HubStand, table: SendingTable) -> None:
    newest = table.journal.last_seq()
    with table:
        until_stored(hub, table, newest)
    write_game(table.journal, PROHIS, PLAYED.setup, PLAYED.actions)
    again = SendingTable(table.journal, table.folder, table.invitation)
    with again:
        until_stored(hub, again, table.journal.last_seq())
    assert hub.kept == {"cellar": again.whole}
    assert hub.repeated == 0


def test_a_table_whose_cursor_is_lost_sends_again_and_the_hub_keeps_one(hub: HubStand, table: SendingTable) -> None:
    newest = table.journal.last_seq()
    with table:
        until_stored(hub, table, newest)
    (table.folder / CURSOR).write_text("{")
    again = SendingTable(table.journal, table.folder, table.invitation)
    with again:
        until_stored(hub, again, newest)
    assert hub.kept == {"cellar": table.whole}


def test_what_the_hub_says_while_it_is_asked_is_newer_than_the_answer(
    hub: HubStand, table: SendingTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    newest = table.journal.last_seq()
    with table:
        until_stored(hub, table, newest)
    (table.folder / CURSOR).unlink()
    again = SendingTable(table.journal, table.folder, table.invitation)
    answered = again.sender._last

    async def overtaken(broker: Broker, what: str) -> Msg | None:
        answer = await answered(broker, what)
        if what != "stored":
            return answer
        again.progress.heard(newest)
        return Msg(broker, data=b"5")

    monkeypatch.setattr(again.sender, "_last", overtaken)
    with again:
        until_stored(hub, again, newest)
    assert again.progress.rewinds == 0
    assert read_cursor(again.folder, "cellar").seq == newest


def test_an_older_journal_that_was_put_back_is_not_mixed_with_what_the_hub_knows(
    hub: HubStand, table: SendingTable, tmp_path: Path
) -> None:
    with table:
        until_stored(hub, table, table.journal.last_seq())
    before = dict(hub.kept["cellar"])
    older = open_journal(tmp_path / "older")
    write_game(older, PROHIS, PLAYED.setup, PLAYED.actions[:3], closed=False)
    with SendingTable(older, tmp_path / "older", table.invitation):
        by = time.monotonic() + GIVEN_UP_S
        while not (said := hub.messages.statuses()) or decoded(said["cellar"]).trouble is None:
            assert time.monotonic() < by
            hub.take(0.05)
    assert decoded(said["cellar"]).trouble == "hub_knows_more"
    assert hub.kept["cellar"] == before
    anew = hub.invite("cellar")
    assert (anew.table, anew.again) == ("cellar-2", True)
    assert join(tmp_path / "older", anew.code, older.last_seq()).counts_from == older.last_seq()
    older.close()


@pytest.mark.parametrize("waits", [False, True])
def test_an_older_journal_that_went_on_past_what_the_hub_knows_is_not_mixed_with_it(
    hub: HubStand, table: SendingTable, tmp_path: Path, waits: bool
) -> None:
    newest = table.journal.last_seq()
    database = Database(sqlite_url(tmp_path / "hub.db"))
    migrate(database)
    worker = Worker(database, hub.messages, (BrokerAwayError,))
    hub.take()
    with table:
        hub.until_waiting(newest)
        if not waits:
            worker.round()
            until_stored(hub, table, newest)
    # The card is lost, an old backup is put back, and an evening is played without the network.
    older = Journal(tmp_path / "older.sqlite3", Sealer([bytes(32)]), wall=lambda: 5_000.0)
    while older.last_seq() <= newest:
        write_game(older, PROHIS, PLAYED.setup, PLAYED.actions)
    again = SendingTable(older, tmp_path / "older", table.invitation)
    with again:
        by, said = time.monotonic() + GIVEN_UP_S, list[str | None]()
        while "hub_knows_more" not in said:
            assert time.monotonic() < by
            said += [decoded(one).trouble for one in hub.messages.statuses().values()]
        worker.round()
    with database.read() as connection:
        kept = connection.execute(select(ENVELOPES.c.seq, ENVELOPES.c.data).order_by(ENVELOPES.c.seq)).all()
    assert {seq: bytes(data) for seq, data in kept} == table.whole
    older.close()
    database.close()


def test_a_status_says_how_the_table_stands_and_its_clock(hub: HubStand, table: SendingTable) -> None:
    hub.take()
    newest = table.journal.last_seq()
    with table:
        until_stored(hub, table, newest)
        by = time.monotonic() + GIVEN_UP_S
        while not (said := hub.messages.statuses()):
            assert time.monotonic() < by
            hub.take(0.05)
    report = decoded(said["cellar"])
    assert (report.table, report.newest, report.release, report.wall_s) == ("cellar", newest, "1", 1.0)


def test_the_longest_name_can_be_invited_again_and_again(tmp_path: Path) -> None:
    members = MembersFile(tmp_path)
    members.made("127.0.0.1", 4222)
    invitations = [members.invite("x" * GIVEN_MOST) for _ in range(12)]
    assert [read_code(one.code) for one in invitations] == invitations
    with pytest.raises(TableError) as refused:
        members.invite("x" * (GIVEN_MOST + 1))
    assert refused.value.code == "hub_name"


def test_a_code_says_all_of_its_invitation_also_after_it_was_sent_in_a_message(tmp_path: Path) -> None:
    members = MembersFile(tmp_path)
    members.made("127.0.0.1", 4222)
    invitation = members.invite("attic")
    for one in (
        invitation,
        msgspec.structs.replace(invitation, again=True),
        msgspec.structs.replace(invitation, host="fd00::7", port=4333),
    ):
        assert read_code(f"  {one.code}\n") == one
    assert read_code(invitation.code.replace(":4222", "")) == invitation, "the usual port goes without saying"


def test_an_address_of_another_kind_is_no_invitation(tmp_path: Path) -> None:
    members = MembersFile(tmp_path)
    members.made("127.0.0.1", 4222)
    code = members.invite("attic").code
    changes = (("nats+tls:", "nats:"), ("127.0.0.1", ""), ("//attic", "//At_tic"), ("?ca=", "?key="), ("//attic", "//"))
    for was, instead in changes:
        assert was in code
        assert read_code(code.replace(was, instead)) is None, instead


def test_joining_twice_changes_nothing_and_what_is_no_invitation_is_refused(hub: HubStand, tmp_path: Path) -> None:
    invitation = hub.members.invite("attic")
    assert join(tmp_path, invitation.code, 5) == join(tmp_path, invitation.code, 9)
    assert membership(tmp_path) == join(tmp_path, invitation.code, 7)
    for wrong in ("", "bla", invitation.code[:-40], invitation.code.replace("SU", "SA"), "nats+tls://[::1"):
        assert read_code(wrong) is None
        with pytest.raises(TableError) as refused:
            join(tmp_path, wrong, 1)
        assert refused.value.code == "hub_code"
