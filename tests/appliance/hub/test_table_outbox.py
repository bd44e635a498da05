"""The outbox of a whole table, a fleet of tables, and the commands by which tables join; against a real nats-server."""

from __future__ import annotations

import os
import re
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
from click.testing import CliRunner, Result

import appliance.hub
from appliance.cli import main
from appliance.composition.table_pages import outbox_to_hub
from appliance.games.protocol import Player
from appliance.hub.broker.members import MembersFile
from appliance.hub.envelopes import TheGame, decoded
from appliance.hub.fleet.fleet import Fleet
from appliance.hub.link.marks import mark_of
from appliance.hub.outbox import sender
from appliance.hub.outbox.journal_reader import JournalReader
from appliance.hub.outbox.membership import CURSOR, MEMBERSHIP, membership, read_cursor
from appliance.hub.outbox.table_outbox import TableOutbox, outbox_of
from appliance.hub.report import Report
from appliance.hub.report import decoded as report_of
from appliance.journal.journal_file import damaged
from appliance.settings import Settings
from appliance.words.errors import TableError
from tests.appliance.hub.conftest import HubStand
from tests.confined import can_be_confined, run_confined
from tests.narrowed import there
from tests.patience import GIVEN_UP_S
from tests.web.stand import Stand

pytestmark = pytest.mark.slow


def base_of(code: str, folder: Path, stand: Stand) -> Any:
    """Return what the composition root knows of a table when it builds what sends to its hub."""
    records = SimpleNamespace(journal=stand.journal)
    settings = Settings(hub=code)
    return SimpleNamespace(settings=settings, folder=folder, hardware="pi", records=records, table=stand.table)


def nobody(player: Player, game: int) -> bool:
    return player.name == "Ben"


def until(hub: HubStand, done: Callable[[], bool]) -> None:
    by = time.monotonic() + GIVEN_UP_S
    while not done():
        assert time.monotonic() < by
        hub.take(0.05)


def outbox(folder: Path, code: str, stand: Stand) -> TableOutbox:
    made = outbox_of(folder, code, stand.journal, stand.table, nobody)
    assert made is not None
    return made


def test_a_playing_table_is_at_its_hub_without_the_names_that_stay(hub: HubStand, tmp_path: Path) -> None:
    stand = Stand(tmp_path)
    stand.open(2)
    sending = outbox(tmp_path, hub.invite("cellar").code, stand)
    reports: list[Report] = []

    def reported() -> bool:
        reports.extend(map(report_of, hub.messages.statuses().values()))
        return bool(reports)

    sending.start()
    until(hub, lambda: hub.contiguous("cellar") == stand.journal.last_seq() and reported())
    sending.stop()
    names = [player.name for player in there(stand.table.snapshot().setup).players]
    hidden = [None if name == "Ben" else name for name in names]
    game = decoded(hub.kept["cellar"][1]).body
    assert isinstance(game, TheGame)
    assert list(game.players) == hidden
    status = reports[-1].status
    assert status is not None
    assert status.game is not None
    assert [seat.name or None for seat in status.game.seats] == hidden
    assert "Ben" in names
    stand.close()


def test_a_table_says_when_its_journal_cannot_be_read_and_when_it_can_again(
    hub: HubStand, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stand = Stand(tmp_path)
    stand.open(2)
    sending = outbox(tmp_path, hub.invite("cellar").code, stand)

    def said() -> list[str]:
        return [remark.code for remark in stand.table.snapshot().remarks.values() if remark.topic == "hub"]

    def unreadable(*_: object) -> None:
        raise damaged(tmp_path)

    with monkeypatch.context() as patch:
        patch.setattr(JournalReader, "_rows", unreadable)
        sending.start()
        until(hub, lambda: said() == ["journal_unreadable"])
    until(hub, lambda: hub.contiguous("cellar") == stand.journal.last_seq() and said() == [])
    sending.stop()
    stand.close()


def test_a_journal_that_could_not_be_read_when_the_hub_spoke_is_no_trouble_once_the_hub_was_heard(
    hub: HubStand, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing new is written afterwards: the table rests."""
    stand = Stand(tmp_path)
    stand.open(2)
    sending = outbox(tmp_path, hub.invite("cellar").code, stand)
    monkeypatch.setattr(sender, "STALE_S", 0.1)

    def said() -> list[str]:
        return [remark.code for remark in stand.table.snapshot().remarks.values() if remark.topic == "hub"]

    def unreadable(*_: object) -> None:
        raise damaged(tmp_path)

    with monkeypatch.context() as patch:
        patch.setattr(JournalReader, "tip", unreadable)
        sending.start()
        until(hub, lambda: said() == ["journal_unreadable"] and hub.contiguous("cellar") == stand.journal.last_seq())
    until(hub, lambda: sending._sender.progress.stored == stand.journal.last_seq() and said() == [])
    sending.stop()
    stand.close()


def test_a_name_that_the_host_erases_is_said_to_the_hub_at_once_and_not_in_letters(
    hub: HubStand, tmp_path: Path
) -> None:
    stand = Stand(tmp_path)
    stand.open(2)
    web = stand.app.extensions["smugglers"]
    parts = outbox_to_hub(base_of(hub.invite("cellar").code, tmp_path, stand), web)
    erased: dict[str, int] = {}

    def says(names: set[str]) -> bool:
        for said in hub.messages.statuses().values():
            erased.update(report_of(said).erased)
            assert b"gone guest" not in said.lower()
        return set(erased) == set(map(mark_of, names))

    for part in parts:
        part.start()
    until(hub, lambda: says(set()) and bool(hub.kept))
    web.evening.erase("Gone Guest", stand.journal.last_seq())
    until(hub, lambda: says({"gone  guest"}))
    for part in parts:
        part.stop()
    assert list(erased.values()) == [stand.journal.last_seq()]
    stand.close()


def test_what_is_wrong_with_the_hub_stops_no_table(tmp_path: Path) -> None:
    stand = Stand(tmp_path)
    assert outbox_of(tmp_path, "", stand.journal, stand.table, nobody) is None
    (tmp_path / MEMBERSHIP).write_text("{")
    assert outbox_of(tmp_path, "", stand.journal, stand.table, nobody) is None
    with pytest.raises(TableError) as refused:
        outbox_of(tmp_path, "nats+tls://cellar", stand.journal, stand.table, nobody)
    assert refused.value.code == "hub_code"
    stand.close()


def test_a_fleet_plays_real_games_and_all_of_it_is_stored(hub: HubStand, tmp_path: Path) -> None:
    hub.take()
    invitations = hub.members.invite_all(["robot-1", "robot-2"])
    hub.reload()
    fleet = Fleet(tmp_path / "fleet", invitations, games=1, seed=4)
    fleet.start(offline=frozenset({"robot-2"}))
    until(hub, lambda: fleet.has_played)
    assert fleet.failed is None
    until(hub, lambda: fleet.tables[0].progress.stored == fleet.tables[0].journal.last_seq())
    assert "robot-2" not in hub.kept
    fleet.connect(fleet.tables[1])
    until(hub, lambda: fleet.counts().stored == fleet.counts().written)
    fleet.stop()
    for table in ("robot-1", "robot-2"):
        assert decoded(hub.kept[table][max(hub.kept[table])]).outcome is not None


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Result]:
    def run(folder: Path, *words: str) -> Result:
        monkeypatch.setenv("SMUGGLERS_DATA_DIR", str(folder))
        return CliRunner().invoke(main, ["hub", *words])

    return run


def test_a_table_joins_by_what_the_hub_prints(hub: HubStand, tmp_path: Path, run: Callable[..., Result]) -> None:
    top = hub.folder.parent
    invited = run(top, "invite", "cellar")
    assert invited.exit_code == 0
    code = re.search(r"'(nats\+tls://[^']+)'", invited.output)
    assert code
    assert "does not run" not in invited.output
    joined = run(tmp_path / "table", "join", code[1])
    assert "cellar at the hub 127.0.0.1" in joined.output
    kept = membership(tmp_path / "table")
    assert kept is not None
    assert kept.invitation.table == "cellar"
    assert (tmp_path / "table" / MEMBERSHIP).stat().st_mode & 0o077 == 0
    assert "cellar-2" in run(top, "invite", "cellar").output
    assert "as cellar-2" in run(top, "tables").output
    assert run(top, "revoke", "cellar").output == "cellar: its key is revoked.\n"
    assert "revoked" in run(top, "tables").output


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("join", "nats+tls://cellar"), "hub_code"),
        (("invite", "Der Keller"), "hub_name"),
        (("invite", "x" * 27), "hub_name"),
        (("revoke", "attic"), "hub_no_such_table"),
    ],
)
def test_what_people_get_wrong_is_told_in_a_sentence(
    hub: HubStand, run: Callable[..., Result], words: tuple[str, ...], code: str
) -> None:
    refused = run(hub.folder.parent, *words)
    assert refused.exit_code == 1
    assert refused.output.rstrip().endswith(f"[{code}]")
    assert len(refused.output.strip().splitlines()) == 1


def test_a_table_without_the_library_is_told_so_and_plays_on(
    tmp_path: Path, run: Callable[..., Result], monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    code = MembersFile(tmp_path / "hub").made("127.0.0.1", 0) and MembersFile(tmp_path / "hub").invite("cellar").code
    assert run(tmp_path, "join", code).exit_code == 0
    # What is imported anew takes the place of what was there; afterwards the others have theirs again.
    for name, module in list(vars(appliance.hub).items()):
        if isinstance(module, ModuleType):
            monkeypatch.setattr(appliance.hub, name, module)
    for module in [name for name in sys.modules if name.startswith(("nats.", "appliance.hub."))]:
        monkeypatch.delitem(sys.modules, module)
    monkeypatch.setitem(sys.modules, "nats", None)
    refused = run(tmp_path, "join", code)
    assert (refused.exit_code, refused.output.rstrip()[-21:]) == (1, "[hub_library_missing]")
    fleet = CliRunner().invoke(main, ["fleet", "--tables", "1"])
    assert (fleet.exit_code, fleet.output.rstrip()[-16:]) == (1, "[broker_missing]")
    stand = Stand(tmp_path / "stand")
    assert outbox_to_hub(base_of("", tmp_path, stand), stand.app.extensions["smugglers"]) == []
    assert "nats-py is missing" in caplog.text
    stand.close()


def test_a_table_whose_setting_names_another_hub_does_not_seem_to_join(
    tmp_path: Path, run: Callable[..., Result], monkeypatch: pytest.MonkeyPatch
) -> None:
    members = MembersFile(tmp_path / "hub")
    members.made("127.0.0.1", 0)
    here, there = members.invite("cellar").code, members.invite("attic").code
    monkeypatch.setenv("SMUGGLERS_HUB", here)
    assert run(tmp_path, "join", there).output.rstrip().endswith("[hub_setting]")
    assert membership(tmp_path) is None
    assert "cellar at the hub" in run(tmp_path, "join", here).output
    assert "attic at the hub" in run(tmp_path, "join", "--demo", there).output


def test_a_pipe_in_the_place_of_a_membership_or_a_cursor_is_not_waited_for(tmp_path: Path) -> None:
    for name in (MEMBERSHIP, CURSOR):
        os.mkfifo(tmp_path / name)
    with pytest.raises(TableError) as refused:
        membership(tmp_path)
    assert refused.value.values == {"path": str(tmp_path / MEMBERSHIP), "reason": "Not an ordinary file"}
    assert read_cursor(tmp_path, "cellar").seq == 0, "everything is sent again"


@can_be_confined
def test_who_may_not_enter_the_table_s_folder_is_told_which_one(tmp_path: Path) -> None:
    folder = tmp_path / "table"
    folder.mkdir(mode=0o000)
    joined = run_confined(folder, "hub", "join", "abc")
    folder.chmod(0o700)
    assert joined.stderr == (
        f"Error: {folder}/journal.sqlite3: permission denied; correct its owner and permissions, or move it away "
        "[file_unusable]\n"
    )
    assert joined.returncode == 1


def test_who_revokes_a_table_is_told_when_no_broker_heard_it(tmp_path: Path, run: Callable[..., Result]) -> None:
    MembersFile(tmp_path / "hub").made("127.0.0.1", 0)
    MembersFile(tmp_path / "hub").invite("cellar")
    said = run(tmp_path, "revoke", "cellar").output
    assert "no broker with this folder is running" in said
    assert "is revoked." not in said
    assert "revoked" in run(tmp_path, "tables").output


def test_a_hub_that_invited_nobody_says_how(tmp_path: Path, run: Callable[..., Result]) -> None:
    MembersFile(tmp_path / "hub").made("127.0.0.1", 0)
    assert "No table was invited" in run(tmp_path, "tables").output
