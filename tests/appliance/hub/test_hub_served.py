"""A hub through its real server: behind a server that speaks TLS, by the name it was made with, and ended whole."""

from __future__ import annotations

import http.client
import logging
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlencode

import pytest
from click.testing import CliRunner

from appliance.cli import main
from appliance.composition.hub import FIRST_CODE, Hub, HubSettings, build_hub
from appliance.composition.hub_and_broker import BrokerSettings, HubHere
from appliance.hub.broker.members import MembersFile
from appliance.hub.broker.server import running
from appliance.hub.people.accounts import Accounts
from appliance.hub.store.database import Database, sqlite_url
from appliance.hub.store.envelopes_kept import keep_status
from appliance.service.lifecycle import StopSignal
from appliance.service.machine import lan_address
from appliance.service.upkeep.log_file import last_lines
from tests.patience import GIVEN_UP_S
from tests.ports import free_port
from web.live.serve import BODY_MOST_BYTES

NAME = "hub.example"
PASSWORD = "correct horse battery"


@contextmanager
def built(folder: Path, behind_proxy: str = "") -> Iterator[Hub]:
    folder.mkdir(exist_ok=True)
    hub = build_hub(HubSettings(folder=folder, host="127.0.0.1", port=0, host_names=(NAME,), behind_proxy=behind_proxy))
    hub.start()
    try:
        yield hub
    finally:
        hub.stop()


def asked(
    port: int, method: str, path: str, body: str | bytes = "", **headers: str
) -> tuple[int, http.client.HTTPMessage]:
    there = http.client.HTTPConnection("127.0.0.1", port, timeout=GIVEN_UP_S)
    sent = {"Content-Type": "application/x-www-form-urlencoded"} if body else {}
    there.request(method, path, body or None, sent | {name.replace("_", "-"): value for name, value in headers.items()})
    answer = there.getresponse()
    answer.read()
    there.close()
    return answer.status, answer.headers


def made_first(hub: Hub, folder: Path) -> tuple[int, http.client.HTTPMessage]:
    """Make the first account, as a browser does that speaks TLS to a server in front."""
    form = {"code": (folder / FIRST_CODE).read_text().strip(), "name": "Owner", "password": PASSWORD}
    return asked(
        hub.port,
        "POST",
        "/first",
        urlencode(form),
        Host=NAME,
        Origin=f"https://{NAME}",
        X_Forwarded_Proto="https",
        X_Forwarded_For="192.0.2.7",
    )


@pytest.mark.parametrize("left", [b"", b"\x00" * 13, b"\xff\xfe"], ids=["emptied", "zeroed", "no text"])
def test_a_damaged_first_code_is_made_anew_and_makes_the_first_account(tmp_path: Path, left: bytes) -> None:
    (tmp_path / FIRST_CODE).write_bytes(left)
    with built(tmp_path, "127.0.0.1") as hub:
        status, headers = made_first(hub, tmp_path)
        assert (status, headers["Location"]) == (302, "/")


def test_forms_work_behind_a_server_that_speaks_tls(tmp_path: Path) -> None:
    with built(tmp_path, "127.0.0.1") as hub:
        status, headers = made_first(hub, tmp_path)
        assert (status, headers["Location"]) == (302, "/")
        assert "Secure" in headers["Set-Cookie"]
        # Whoever asks from elsewhere is not this machine, whatever name they ask for.
        figures, _ = asked(hub.port, "GET", "/metrics", Host="localhost", X_Forwarded_For="192.0.2.7")
        assert figures == 403


@pytest.mark.parametrize("behind", ["", "192.0.2.1"])
def test_nobody_else_is_believed_to_stand_in_front(tmp_path: Path, behind: str) -> None:
    with built(tmp_path, behind) as hub:
        assert made_first(hub, tmp_path)[0] == 403


def test_a_body_that_is_too_large_is_not_taken_in(tmp_path: Path) -> None:
    with built(tmp_path) as hub:
        there = http.client.HTTPConnection("127.0.0.1", hub.port, timeout=GIVEN_UP_S)
        there.putrequest("POST", "/login")
        there.putheader("Content-Length", str(BODY_MOST_BYTES + 1))
        there.endheaders()
        assert there.getresponse().status == 413
        there.close()


@pytest.fixture
def free_ports() -> tuple[int, int]:
    return free_port(), free_port()


needs_broker = pytest.mark.skipif(
    not Path(sys.executable).with_name("nats-server").exists(), reason="the extra `hub` is not installed"
)


@pytest.mark.slow
@needs_broker
def test_it_answers_at_the_address_that_it_remembers(tmp_path: Path, free_ports: tuple[int, int]) -> None:
    port, pages = free_ports
    for given in (NAME, ""):
        here = HubHere(
            HubSettings(folder=tmp_path / "hub", host="127.0.0.1", port=pages),
            BrokerSettings(host=given, port=port, listen="127.0.0.1"),
        )
        try:
            members = here.start()
            assert asked(pages, "GET", "/league", Host=f"{members.host}:{pages}")[0] == 200
            assert asked(pages, "GET", "/league", Host="rebound.example")[0] == 400
        finally:
            here.stop()


@pytest.mark.slow
@needs_broker
def test_it_says_where_the_first_code_lies_and_keeps_a_log(
    as_a_service: Path, monkeypatch: pytest.MonkeyPatch, free_ports: tuple[int, int]
) -> None:

    def ends_after_a_line(_: StopSignal) -> bool:
        logging.getLogger("appliance.hub").warning("the disk is slow")
        return True

    monkeypatch.setattr(StopSignal, "given", ends_after_a_line)
    port, pages = map(str, free_ports)
    words = ["hub", "run", "--listen", "127.0.0.1", "--port", port, "--pages", pages]
    code = as_a_service / FIRST_CODE
    done = CliRunner().invoke(main, words)
    assert f"its code is in {code}\n" in done.output
    assert code.read_text().strip()
    assert "the disk is slow" in last_lines(as_a_service, 1000)
    accounts = Database(sqlite_url(as_a_service / "hub.db"))
    Accounts(accounts).add("Owner", PASSWORD, "chain", "")
    accounts.close()
    assert "first account" not in CliRunner().invoke(main, words).output


@pytest.mark.slow
@needs_broker
@pytest.mark.parametrize(
    ("listen", "shown"), [("127.0.0.1", "127.0.0.1"), ("::1", "[::1]"), ("::", "10.9.8.7"), ("0.0.0.0", "10.9.8.7")]
)
def test_it_names_an_address_at_which_it_is_reached(
    as_a_service: Path, monkeypatch: pytest.MonkeyPatch, free_ports: tuple[int, int], listen: str, shown: str
) -> None:
    monkeypatch.setattr(StopSignal, "given", lambda _: True)
    monkeypatch.setattr(lan_address, "lan_address", lambda listen: "10.9.8.7")
    port, pages = map(str, free_ports)
    said = CliRunner().invoke(main, ["hub", "run", "--listen", listen, "--port", port, "--pages", pages]).output
    assert f"  pages   http://{shown}:{pages}/\n" in said
    assert f"  tables  reach it at {shown}:{port};" in said
    assert f"@{shown}:{port}?" in CliRunner().invoke(main, ["hub", "invite", "cellar"]).output


@pytest.mark.slow
@needs_broker
def test_its_figures_tell_a_key_that_was_revoked_while_it_runs(tmp_path: Path, free_ports: tuple[int, int]) -> None:
    port, pages = free_ports
    here = HubHere(
        HubSettings(folder=tmp_path, host="127.0.0.1", port=pages), BrokerSettings(port=port, listen="127.0.0.1")
    )

    def figures() -> bytes:
        there = http.client.HTTPConnection("127.0.0.1", pages, timeout=GIVEN_UP_S)
        there.request("GET", "/metrics")
        said = there.getresponse().read()
        there.close()
        return said

    try:
        here.start()
        assert here.hub is not None
        members = MembersFile(tmp_path)
        members.invite("cellar")
        keep_status(here.hub.database, {"cellar": b"{}"}, time.time())
        assert b'problem="revoked"' not in figures()
        members.revoke("cellar")
        assert b'table="cellar",problem="revoked"} 1' in figures()
        (tmp_path / "members.json").write_text("damaged")
        assert b'problem="revoked"' not in figures()
    finally:
        here.stop()


@pytest.mark.slow
@needs_broker
def test_what_fails_at_its_end_leaves_no_broker_behind(
    tmp_path: Path, free_ports: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "hub"
    here = HubHere(
        HubSettings(folder=folder, host="localhost", port=0),
        BrokerSettings(port=free_ports[0], listen="localhost"),
        workers=2,
    )
    here.start()
    assert here.hub is not None
    assert asked(here.hub.port, "GET", "/league")[0] == 200
    whole = here.hub.stop

    def fails() -> None:
        whole()
        raise RuntimeError("the disk is full")

    monkeypatch.setattr(here.hub, "stop", fails)
    with pytest.raises(RuntimeError):
        here.stop()
    assert running(folder) is None
