"""What is done to a hub's database at its machine: made anew, a password that was forgotten."""

from __future__ import annotations

import errno
import os
import re
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from appliance.cli import main
from appliance.composition.hub import HubSettings, database_url
from appliance.hub.broker.members import LOCK, MembersFile
from appliance.hub.broker.server import LOCK as BROKER_LOCK
from appliance.hub.fleet.table import FleetTable
from appliance.hub.folds.ratings import fold_ratings
from appliance.hub.folds.rebuild import fingerprint
from appliance.hub.folds.tables import until_folded
from appliance.hub.people.accounts import Accounts
from appliance.hub.store.database import FILE, Database
from appliance.hub.store.envelopes_kept import store
from appliance.hub.store.migrate import migrate
from tests.appliance.hub.chain import evening
from tests.confined import can_be_confined, run_confined


class FakeBroker:
    """No broker is needed where no database is."""

    near = "127.0.0.1"

    def __init__(self, folder: Path, listen: str) -> None:
        """Take what a broker takes."""

    def hold(self) -> None:
        """Hold nothing."""

    def start(self) -> None:
        """Start nothing."""

    def stop(self) -> None:
        """Stop nothing."""


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Database:
    monkeypatch.setenv("SMUGGLERS_DATA_DIR", str(tmp_path))
    (tmp_path / "hub").mkdir()
    database = Database(database_url(HubSettings(folder=tmp_path / "hub")))
    migrate(database)
    return database


def test_rebuild_prints_what_it_folded_and_the_same_number(kept: Database) -> None:
    tables = evening(3, 20, seed=1)
    store(kept, [one for table in tables for one in table.sent], 1.0)
    until_folded(kept)
    fold_ratings(kept)
    before = fingerprint(kept)
    with kept.write() as connection:
        connection.exec_driver_sql("UPDATE standings SET rating = 0")
    done = CliRunner().invoke(main, ["hub", "rebuild"])
    assert done.output.splitlines() == [
        f"{sum(len(table.sent) for table in tables)} envelopes folded",
        f"fingerprint {before}",
    ]
    kept.close()


def test_the_hubs_commands_speak_the_language_of_the_settings(kept: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SMUGGLERS_LANGUAGE", "de")

    def said(*words: str) -> str:
        return CliRunner().invoke(main, ["hub", *words]).output

    before = fingerprint(kept)
    kept.close()
    MembersFile(Path(os.environ["SMUGGLERS_DATA_DIR"]) / "hub").made("127.0.0.1", 0)
    assert said("tables") == "Es wurde noch kein Tisch eingeladen. So geht es: smugglers hub invite NAME\n"
    invited = said("invite", "cellar").splitlines()
    assert invited[0].startswith("cellar, am Hub 127.0.0.1:")
    assert invited[0].endswith(". Am Tisch eingeben:")
    assert invited[-1] == "Der Hub läuft nicht. Der Tisch kann sich verbinden, sobald er läuft."
    assert said("tables").split() == ["cellar", "als", "cellar"]
    assert "ist ungültig gemacht, aber es läuft kein Broker" in said("revoke", "cellar")
    assert said("tables").split() == ["cellar", "ungültig", "gemacht"]
    assert said("rebuild").splitlines() == ["0 Einträge neu gezählt", f"Fingerabdruck {before}"]


def test_a_forgotten_password_is_made_anew(kept: Database) -> None:
    accounts = Accounts(kept)
    accounts.add("Owner", "forgotten password", "chain", "")
    done = CliRunner().invoke(main, ["hub", "password", "owner"])
    assert accounts.entered("owner", done.output.strip()) is not None
    assert accounts.entered("owner", "forgotten password") is None
    other = CliRunner().invoke(main, ["hub", "password", "nobody"])
    assert (other.exit_code, "no account of the hub is called nobody" in other.output) == (1, True)
    kept.close()


def test_without_a_hub_it_says_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SMUGGLERS_DATA_DIR", str(tmp_path))
    done = CliRunner().invoke(main, ["hub", "rebuild"])
    assert "smugglers hub run" in done.output
    bad = CliRunner().invoke(main, ["hub", "rebuild", "--database", "postgresql://a:secret@127.0.0.1:1/x"])
    assert "the hub's database cannot be used" in bad.output
    assert "secret" not in bad.output


@pytest.mark.parametrize("url", ["postgresql://a:secret@h:abc/x", "secret", "secret://h/x", "mysql://a:secret@h/x"])
@pytest.mark.parametrize("command", [["rebuild"], ["run", "--port", "1"]])
def test_an_address_that_is_none_is_told_without_its_password(
    as_a_service: Path, monkeypatch: pytest.MonkeyPatch, url: str, command: list[str]
) -> None:
    monkeypatch.setattr("appliance.composition.hub_and_broker.BrokerServer", FakeBroker)
    bad = CliRunner().invoke(main, ["hub", *command, "--database", url])
    assert bad.exit_code == 1
    assert "the hub's database cannot be used" in bad.output
    assert "secret" not in bad.output


def test_a_database_that_fails_while_it_is_worked_on_is_told(kept: Database) -> None:
    kept.close()
    file = Path(database_url(HubSettings(folder=Path(os.environ["SMUGGLERS_DATA_DIR"]) / "hub")).partition("///")[2])
    with sqlite3.connect(file) as other:
        other.execute("CREATE TRIGGER full BEFORE DELETE ON folded BEGIN SELECT RAISE(ABORT, 'disk full'); END")
        other.execute("INSERT INTO folded VALUES ('bay', 1, 0, 0, 0)")
    done = CliRunner().invoke(main, ["hub", "rebuild"])
    assert (done.exit_code, "the hub's database cannot be used" in done.output) == (1, True)
    assert "SQLITE_CONSTRAINT_TRIGGER" in done.output


@pytest.mark.parametrize("left", [b"no database at all, " * 100, b""], ids=["other bytes", "the first half"])
def test_a_damaged_file_is_told_as_one_and_what_to_do_with_it(kept: Database, left: bytes) -> None:
    kept.leave_no_trace()
    kept.close()
    file = Path(os.environ["SMUGGLERS_DATA_DIR"]) / "hub" / FILE
    whole = file.read_bytes()
    file.write_bytes(left or whole[: len(whole) // 2])
    done = CliRunner().invoke(main, ["hub", "rebuild"])
    assert done.exit_code == 1
    assert f"{file} is damaged. Put back a copy of it; or move it away" in done.output
    assert done.output.endswith("[hub_database_damaged]\n")


@can_be_confined
@pytest.mark.parametrize("command", [("rebuild",), ("password", "Owner")])
def test_a_database_that_may_not_be_written_is_told_by_its_folder(kept: Database, command: tuple[str, ...]) -> None:
    kept.close()
    data_dir = Path(os.environ["SMUGGLERS_DATA_DIR"])
    folder = data_dir / "hub"
    for file in folder.iterdir():
        file.chmod(0o400)
    folder.chmod(0o500)
    done = run_confined(data_dir, "hub", *command)
    folder.chmod(0o700)
    assert done.returncode == 1
    assert done.stderr.startswith(f"Error: {folder}: permission denied; make this folder writable")


def test_a_full_disk_is_told_as_one(kept: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_: Database) -> int:
        with kept.write() as connection:
            connection.exec_driver_sql("PRAGMA max_page_count = 1")
            connection.exec_driver_sql("CREATE TABLE more (one)")
        return 0

    monkeypatch.setattr("appliance.hub.folds.rebuild.rebuild", full)
    done = CliRunner().invoke(main, ["hub", "rebuild"])
    assert (done.exit_code, "hub.db does not fit on the disk any more" in done.output) == (1, True)
    kept.close()


def test_pages_whose_port_is_taken_name_the_option_that_chooses_another(
    as_a_service: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def taken(*_: object) -> None:
        raise OSError(errno.EADDRINUSE, os.strerror(errno.EADDRINUSE))

    monkeypatch.setattr("appliance.composition.hub_and_broker.BrokerServer", FakeBroker)
    monkeypatch.setattr("appliance.composition.hub_and_broker.build_hub", taken)
    done = CliRunner().invoke(main, ["hub", "run", "--pages", "8123"])
    assert (done.exit_code, "port 8123: another program uses it" in done.output) == (1, True)
    assert "--pages" in done.output


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["run", "--behind-proxy", "localhost"], "address_malformed"),
        (["run", "--name", "a b"], "host_malformed"),
        (["run", "--name", "http://hub.example"], "host_malformed"),
        (["run", "--name", "hub.example:8090"], "host_malformed"),
        (["run", "--host", "a b"], "host_malformed"),
        (["run", "--listen", "a b"], "host_malformed"),
        (["invite", "cellar", "--host", "a b"], "host_malformed"),
        (["invite", "cellar", "--relay", "a b"], "host_malformed"),
    ],
)
def test_a_name_that_no_request_can_have_is_told_at_once(
    as_a_service: Path, monkeypatch: pytest.MonkeyPatch, words: list[str], code: str
) -> None:
    monkeypatch.setenv("SMUGGLERS_LANGUAGE", "de")
    done = CliRunner().invoke(main, ["hub", *words])
    assert (done.exit_code, done.output.rstrip()[-len(code) - 2 :]) == (1, f"[{code}]")
    assert f"{words[-1]} ist kein" in done.output
    assert not as_a_service.exists()


@pytest.mark.parametrize("host", ["192.0.2.1", "999.1.1.1"])
def test_pages_that_shall_listen_on_no_address_of_the_machine_name_it(as_a_service: Path, host: str) -> None:
    done = CliRunner().invoke(main, ["hub", "run", "--broker", "127.0.0.1", "--listen", host, "--pages", "8123"])
    assert (done.exit_code, f"{host} is not an address of this machine" in done.output) == (1, True)
    assert "--listen" in done.output


@pytest.mark.parametrize(
    "words", [["tables"], ["invite", "cellar"], ["revoke", "cellar"], ["rebuild"], ["password", "owner"]]
)
def test_where_no_hub_is_every_command_says_so_and_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: list[str]
) -> None:
    monkeypatch.setenv("SMUGGLERS_DATA_DIR", str(tmp_path))
    for _ in range(2):
        done = CliRunner().invoke(main, ["hub", *words])
        assert (done.exit_code, done.output.rstrip()[-13:]) == (1, "[hub_missing]")
        assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("words", [["rebuild"], ["password", "owner"]])
def test_a_hub_whose_database_is_elsewhere_gets_no_empty_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: list[str]
) -> None:
    monkeypatch.setenv("SMUGGLERS_DATA_DIR", str(tmp_path))
    MembersFile(tmp_path / "hub").made("127.0.0.1", 0)
    done = CliRunner().invoke(main, ["hub", *words])
    assert (done.exit_code, "give --database" in done.output) == (1, True)
    assert not (tmp_path / "hub" / "hub.db").exists()


@can_be_confined
@pytest.mark.parametrize("words", [["run", "--port", "1"], ["invite", "cellar"], ["revoke", "cellar"]], ids=" ".join)
@pytest.mark.parametrize(
    ("language", "says"),
    [("en", "permission denied; make this folder writable"), ("de", "die Rechte fehlen; den Ordner für den Benutzer")],
)
def test_a_hub_in_a_folder_that_may_not_be_written_says_what_helps(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: list[str], language: str, says: str
) -> None:
    """What lies in the folder is not at fault: a file that is moved away would not help."""
    monkeypatch.setenv("SMUGGLERS_LANGUAGE", language)
    members = MembersFile(tmp_path / "hub")
    members.made("127.0.0.1", 0)
    members.invite("cellar")
    (tmp_path / "hub" / LOCK).unlink()
    (tmp_path / "hub").chmod(0o500)
    refused = run_confined(tmp_path, "hub", *words)
    (tmp_path / "hub").chmod(0o700)
    assert refused.returncode == 1
    assert f": {tmp_path / 'hub'}: {says}" in refused.stderr
    assert "data_dir" in refused.stderr


@can_be_confined
def test_a_lock_of_another_user_is_told_as_the_file_at_fault(tmp_path: Path) -> None:
    """Somebody once ran the hub as root."""
    MembersFile(tmp_path / "hub").made("127.0.0.1", 0)
    (tmp_path / "hub" / BROKER_LOCK).write_bytes(b"")
    (tmp_path / "hub" / BROKER_LOCK).chmod(0o000)
    refused = run_confined(tmp_path, "hub", "run", "--port", "1")
    assert refused.stderr.startswith(f"Error: {tmp_path / 'hub' / BROKER_LOCK}: permission denied; correct its owner")


@pytest.mark.parametrize("pause", ["nan", "inf", "-1"])
def test_a_pause_that_is_none_is_refused(pause: str) -> None:
    done = CliRunner().invoke(main, ["fleet", "--tables", "1", "--pause", pause])
    assert (done.exit_code, "--pause" in done.output) == (2, True)


@pytest.mark.parametrize(
    ("language", "counted", "says"),
    [
        ("en", ["written", "published", "stored"], "the robots ended before all games were played (OSError)"),
        ("de", ["geschrieben", "gesendet", "gespeichert"], "die Roboter endeten, bevor alle Partien gespielt waren"),
    ],
)
def test_a_fleet_whose_robots_end_early_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, language: str, counted: list[str], says: str
) -> None:
    def full(*_: object) -> Iterator[None]:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setenv("SMUGGLERS_LANGUAGE", language)
    monkeypatch.setenv("SMUGGLERS_DATA_DIR", str(tmp_path))
    monkeypatch.setattr("appliance.hub.fleet.fleet.POOL", 1)
    monkeypatch.setattr(FleetTable, "replay", full)
    MembersFile(tmp_path / "hub").made("127.0.0.1", 9)
    done = CliRunner().invoke(main, ["fleet", "--tables", "1"])
    assert (done.exit_code, says in done.output) == (1, True)
    # On a busy machine the robots end late: then it was counted before, too.
    told = [re.findall(r"[a-z]{3,}", line) for line in done.stdout.splitlines()]
    assert told == [counted] * max(1, len(told))
