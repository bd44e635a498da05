"""A café's tables reach the hub through a relay: the real systemd-socket-proxyd, as docs/hub.md starts it."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner

from appliance.cli import main
from appliance.hub.broker.members import MembersFile
from appliance.hub.link.invitation import read_code
from appliance.journal.journal import Journal
from tests.appliance.hub.conftest import HubStand
from tests.appliance.hub.sending import SendingTable, until_stored
from tests.patience import GIVEN_UP_S
from tests.places import DOCS
from tests.ports import free_port

(COMMAND,) = re.findall(r"ExecStart=(\S+systemd-socket-proxyd) hub\.example:4222", (DOCS / "hub.md").read_text())
ACTIVATE = shutil.which("systemd-socket-activate")


@contextmanager
def relay(port: int, to: int) -> Iterator[None]:
    """Run the relay, as its socket unit would, as long as the `with` lasts."""
    assert ACTIVATE is not None
    process = subprocess.Popen(
        [ACTIVATE, "-l", f"127.0.0.1:{port}", COMMAND, f"127.0.0.1:{to}"], stderr=subprocess.PIPE, text=True
    )
    try:
        assert process.stderr is not None
        assert "Listening" in process.stderr.readline()
        yield
    finally:
        process.kill()
        process.communicate(timeout=GIVEN_UP_S)


@pytest.mark.slow
@pytest.mark.skipif(ACTIVATE is None or not Path(COMMAND).exists(), reason="systemd is not installed here")
def test_a_table_sends_all_through_a_relay_that_dies_and_comes_back(hub: HubStand, journal: Journal) -> None:
    port = free_port()
    through = msgspec.structs.replace(hub.invite("cellar"), port=port)
    table = SendingTable(journal, journal.path.parent, through)
    newest = table.journal.last_seq()
    hub.take()
    with table:
        with relay(port, hub.made.port):
            hub.until_waiting(1)
        with relay(port, hub.made.port):
            until_stored(hub, table, newest)
    assert hub.kept == {"cellar": table.whole}


def test_an_invitation_names_the_relay_of_its_table_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SMUGGLERS_DATA_DIR", str(tmp_path))
    members = MembersFile(tmp_path / "hub")
    members.made("hub.example", 4222)
    hosts = []
    for name, *options in (("cellar", "--relay", "192.168.1.9"), ("attic",)):
        said = CliRunner().invoke(main, ["hub", "invite", name, *options]).output
        invitation = read_code(said.split("join '")[1].split("'")[0])
        assert invitation is not None
        hosts.append(invitation.host)
    assert hosts == ["192.168.1.9", "hub.example"]


@pytest.mark.parametrize("option", ["--relay", "--host"])
@pytest.mark.parametrize("host", ["hub.example/x", "a b", "nats://hub.example", "hub.example:4222", "-", "é"])
def test_what_is_no_host_is_refused_and_the_tables_key_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, option: str, host: str
) -> None:
    monkeypatch.setenv("SMUGGLERS_DATA_DIR", str(tmp_path))
    members = MembersFile(tmp_path / "hub")
    members.made("hub.example", 4222)
    members.invite("cellar")
    before = members.read()
    done = CliRunner().invoke(main, ["hub", "invite", "cellar", option, host])
    assert (done.exit_code, "is no host" in done.output) == (1, True)
    assert done.output.rstrip().endswith("[host_malformed]")
    assert members.read() == before
