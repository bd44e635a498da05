"""Network and touchscreen as the table asks for them: over a real socket, to the helper's own process."""

from __future__ import annotations

import configparser
import errno
import json
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from appliance.service.machine import helper
from appliance.service.machine.asks import (
    NOTE,
    UPDATE_NOTE,
    AccessPoint,
    CloseAccessPoint,
    Join,
    Look,
    OpenAccessPoint,
    Touchscreen,
    Wifi,
    join_code,
    wifi_problem,
)
from appliance.service.machine.machine import Machine
from appliance.service.machine.network_manager import OWN, UUIDS, WIFI, NetworkManager
from tests.appliance.service.machine import nmcli
from tests.places import ROOT

READY = {
    "runs": True,
    "wifi": True,
    "in_reach": [" :Caf\\:e:40:WPA2", "*:Harbour:80:WPA2", " :Harbour:90:WPA2", " :Open:70:", " ::55:WPA2"],
    "active": ["Wired"],
    "known": ["Wired"],
    "refuses": [],
}


class Nmcli:
    """The stand-in command, its state, and a folder for key files."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.keyfiles, self.trials = folder / "bin", folder / "keyfiles", folder / "trials"
        self.keyfiles.mkdir()
        nmcli.lay(self.folder)
        self.is_now(**READY)

    def is_now(self, **state: object) -> None:
        (self.folder / "state.json").write_text(json.dumps({**READY, **state}))

    @property
    def active(self) -> list[str]:
        active: list[str] = json.loads((self.folder / "state.json").read_text())["active"]
        return active

    @property
    def asked(self) -> str:
        return (self.folder / "asked").read_text()


@pytest.fixture
def there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Nmcli:
    there = Nmcli(tmp_path)
    monkeypatch.setenv("PATH", f"{there.folder}:{os.environ['PATH']}")
    return there


@pytest.fixture
def network(there: Nmcli) -> NetworkManager:
    return NetworkManager(there.keyfiles, there.trials)


def test_wifis_in_reach_are_named_once_the_joined_one_first(network: NetworkManager) -> None:
    assert network.in_reach() == (
        Wifi("Harbour", 80, True, True),
        Wifi("Open", 70, False, False),
        Wifi("Caf:e", 40, True, False),
    )


def test_a_name_may_hold_any_number_of_backslashes(there: Nmcli, network: NetworkManager) -> None:
    there.is_now(in_reach=[r" :end\\:70:WPA2", r" :a\\\:b:60:WPA2", r" :\\\\:50:"])
    assert [(one.ssid, one.secured) for one in network.in_reach()] == [
        ("end\\", True),
        ("a\\:b", True),
        ("\\\\", False),
    ]


@pytest.mark.parametrize("password", ["back\\slash", "a\\s and \\\\s", " blanks "])
def test_the_password_of_the_table_s_own_wifi_is_told_as_it_was_given(network: NetworkManager, password: str) -> None:
    assert network.open_own("Smugglers", password)
    own = network.own()
    assert own is not None
    assert own.password == password


def test_what_is_missing_is_told_apart(there: Nmcli, network: NetworkManager, monkeypatch: pytest.MonkeyPatch) -> None:
    ask = Join("Harbour", "secret-harbour")
    there.is_now(wifi=False)
    assert helper.answer(ask, network).problem == "no_wifi"
    there.is_now(runs=False)
    assert helper.answer(ask, network).problem == "no_network_manager"
    monkeypatch.setenv("PATH", "/nowhere")
    done = helper.answer(ask, network)
    assert done.problem == "no_network_manager"
    assert done.state is not None
    assert done.state.network == "no_network_manager"


@pytest.mark.parametrize(
    ("ssid", "password"),
    [("Harbour", "secret-harbour"), ("Café ;#1", " back\\slash and blanks "), ("5 GHz = fast", "12345678")],
)
def test_a_wifi_is_joined_by_a_file_that_only_root_reads(
    there: Nmcli, network: NetworkManager, ssid: str, password: str
) -> None:
    assert network.join(ssid, password)
    assert there.active == ["Wired", WIFI], "the cable stays"
    assert password not in there.asked, "command lines can be read by everybody"
    file = there.keyfiles / f"{WIFI}.nmconnection"
    assert file.stat().st_mode & 0o777 == 0o600
    read = configparser.ConfigParser(interpolation=None)
    read.read(file, encoding="utf-8")
    # GLib's key files: \\s is a blank and \\\\ a backslash.
    assert read["wifi-security"]["psk"].replace("\\\\", "\0").replace("\\s", " ").replace("\0", "\\") == password
    assert bytes(map(int, read["wifi"]["ssid"].strip(";").split(";"))).decode() == ssid


def test_a_wifi_that_refuses_leaves_the_network_as_it_was(there: Nmcli, network: NetworkManager) -> None:
    there.is_now(active=["Wired", OWN], known=["Wired", OWN], refuses=[WIFI])
    done = helper.answer(Join("Harbour", "wrong-password"), network)
    assert done.problem == "wifi_refused"
    assert there.active == ["Wired", OWN], "the table's own Wi-Fi is up again: the phone that asked still reaches it"
    ups = [line for line in there.asked.splitlines() if "connection up" in line]
    assert [line.rsplit(maxsplit=1)[-1] for line in ups] == [UUIDS[WIFI], f"uuid-of-{OWN}"], "nothing else is cut"
    assert not list(there.keyfiles.iterdir())


def test_a_wifi_that_cannot_be_stored_is_told_and_changes_nothing(there: Nmcli, tmp_path: Path) -> None:
    (tmp_path / "no-folder").write_text("")
    network = NetworkManager(tmp_path / "no-folder" / "keyfiles", there.trials)
    for ask in (Join("Harbour", "secret-harbour"), OpenAccessPoint("Smugglers", "k7m3pq9xwz")):
        assert helper.answer(ask, network).problem == "not_saved"
    assert there.active == ["Wired"]


def test_a_wifi_that_was_not_joined_yet_is_gone_after_a_power_cut_and_the_former_is_there(
    there: Nmcli, network: NetworkManager, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert network.join("Harbour", "secret-harbour")
    file = there.keyfiles / f"{WIFI}.nmconnection"
    former = file.read_text()

    run = subprocess.run

    def cut(words: list[str], **given: Any) -> Any:
        if "up" in words:
            raise KeyboardInterrupt
        return run(words, **given)

    monkeypatch.setattr(subprocess, "run", cut)
    monkeypatch.setattr(NetworkManager, "_drop", lambda *_: None)
    with pytest.raises(KeyboardInterrupt):
        network.join("Quay", "wrong-password")
    assert file.read_text() == former
    monkeypatch.undo()
    monkeypatch.setenv("PATH", f"{there.folder}:{os.environ['PATH']}")
    assert list(there.trials.iterdir()), "as when the process is killed"
    assert network.join("Quay", "right-password"), "a trial that was left behind is in nobody's way"
    assert "right-password" in file.read_text()
    assert not list(there.trials.iterdir()), "it would hide the file"


def test_a_wifi_for_which_the_disk_has_no_room_is_not_tried(
    there: Nmcli, network: NetworkManager, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    assert helper.answer(Join("Quay", "right-password"), network).problem == "not_saved"
    assert there.active == ["Wired"]
    assert "connection up" not in there.asked
    assert not list(there.keyfiles.iterdir())


def test_the_table_s_own_wifi_opens_is_told_and_closes(there: Nmcli, network: NetworkManager) -> None:
    done = helper.answer(OpenAccessPoint("Smugglers", "k7m3pq9xwz"), network)
    assert done.problem == ""
    assert done.state is not None
    assert done.state.own == AccessPoint("Smugglers", "k7m3pq9xwz")
    assert there.active == ["Wired", OWN]
    text = (there.keyfiles / f"{OWN}.nmconnection").read_text()
    assert "mode=ap" in text
    assert "method=shared" in text
    done = helper.answer(CloseAccessPoint(), network)
    assert done.state is not None
    assert done.state.own is None


def test_a_second_device_that_opens_the_table_s_own_wifi_cuts_off_nobody(network: NetworkManager) -> None:
    helper.answer(OpenAccessPoint("Smugglers", "k7m3pq9xwz"), network)
    done = helper.answer(OpenAccessPoint("Smugglers", "another2one"), network)
    assert done.problem == ""
    assert done.state is not None
    assert done.state.own == AccessPoint("Smugglers", "k7m3pq9xwz"), "phones have joined by this password"


@pytest.mark.parametrize(
    ("ssid", "password", "may_be_open", "problem"),
    [
        ("", "12345678", True, "not_a_wifi_name"),
        ("x" * 33, "12345678", True, "not_a_wifi_name"),
        ("a\nb", "12345678", True, "not_a_wifi_name"),
        ("Harbour", "1234567", True, "not_a_wifi_password"),
        ("Harbour", "x" * 64, True, "not_a_wifi_password"),
        ("Harbour", "pass\nword", True, "not_a_wifi_password"),
        ("Harbour", "", True, ""),
        ("Harbour", "", False, "not_a_wifi_password"),
        ("ü" * 16, "x" * 63, False, ""),
    ],
)
def test_names_and_passwords_that_no_wifi_has_are_refused(
    ssid: str, password: str, may_be_open: bool, problem: str
) -> None:
    assert wifi_problem(ssid, password, may_be_open=may_be_open) == problem


def test_the_code_of_a_wifi_escapes_what_its_scheme_needs() -> None:
    assert join_code(AccessPoint("Café; two", 'a\\b:c,d"')) == 'WIFI:T:WPA;S:Café\\; two;P:a\\\\b\\:c\\,d\\";;'


def test_a_touchscreen_without_its_programs_is_refused(network: NetworkManager, tmp_path: Path) -> None:
    done = helper.answer(Touchscreen(True), network, (tmp_path / "cage",))
    assert done.problem == "no_touchscreen"
    assert done.state is not None
    assert done.state.touchscreen == "not_installed"


@pytest.fixture
def listening(tmp_path: Path) -> Iterator[Callable[[list[str]], Machine]]:
    """A socket like that of `smugglers-machine.socket`: each connection gets a process of its own."""
    ear = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    ear.bind(str(tmp_path / "socket"))
    ear.listen()

    def serve(command: list[str]) -> Machine:
        def one() -> None:
            connection, _ = ear.accept()
            with connection:
                subprocess.run(command, stdin=connection.fileno(), stdout=connection.fileno(), cwd=ROOT, check=False)

        threading.Thread(target=one, daemon=True).start()
        return Machine(tmp_path)

    yield serve
    ear.close()


def test_the_table_asks_and_the_helper_s_process_answers(
    there: Nmcli, listening: Callable[[list[str]], Machine]
) -> None:
    done = listening([sys.executable, "-m", "appliance.service.machine.helper"]).ask(Look())
    assert done.problem == ""
    assert done.state is not None
    assert done.state.wifis[0].ssid == "Harbour"


@pytest.mark.parametrize("command", [["true"], ["echo", "nonsense"]])
def test_a_helper_that_fails_is_told(listening: Callable[[list[str]], Machine], command: list[str]) -> None:
    assert listening(command).ask(Look()).problem == "machine_silent"


def test_without_a_socket_the_machine_is_silent(tmp_path: Path) -> None:
    assert Machine(tmp_path).ask(Look()).problem == "machine_silent"


@pytest.mark.parametrize("told", [b'{"type": "reboot"}', b'{"type": "join", "ssid": "\xff"}', b'{"a": ' + b"[" * 4000])
def test_what_is_no_ask_is_refused(told: bytes) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "appliance.service.machine.helper"],
        input=told,
        cwd=ROOT,
        capture_output=True,
        check=True,
    )
    assert json.loads(done.stdout)["problem"] == "malformed_ask"


@pytest.mark.parametrize("note", [NOTE, UPDATE_NOTE])
def test_a_note_of_an_update_that_is_no_file_or_huge_is_as_none(tmp_path: Path, note: str) -> None:
    machine = Machine(tmp_path)
    os.mkfifo(tmp_path / note)
    assert (machine.rolled_back(), machine.last_update()) == (None, None)
    (tmp_path / note).unlink()
    with (tmp_path / note).open("wb") as file:
        file.truncate(2**40)
    assert (machine.rolled_back(), machine.last_update()) == (None, None)
