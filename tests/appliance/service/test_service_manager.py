"""What systemd hears, over a real socket, and what its tools say of the units."""

from __future__ import annotations

import json
import os
import re
import shutil
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from appliance.games.game import Game
from appliance.service.service_manager import ServiceManager
from hardware.scale.process.real_time import PRIORITY
from tests.appliance.conftest import PortersTable, setup
from tests.patience import GIVEN_UP_S
from tests.places import ROOT
from tests.ports import free_port

UNITS = ("smugglers-table.service", "smugglers-kiosk.service")
"""When a wait is given up: beside eight busy processes a demo takes a minute to start."""
needs_systemd = pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="no systemd-analyze here")


@pytest.fixture
def manager(tmp_path: Path) -> Iterator[socket.socket]:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listening:
        listening.bind(str(tmp_path / "notify"))
        listening.settimeout(GIVEN_UP_S)
        yield listening


def test_systemd_hears_of_ready_alive_and_stopping(manager: socket.socket) -> None:
    alive = True
    service = ServiceManager({"NOTIFY_SOCKET": manager.getsockname()}, lambda: alive)
    service.start()
    service.beat()
    alive = False
    service.beat()
    service.stop()
    assert [manager.recv(100) for _ in range(3)] == [b"READY=1", b"WATCHDOG=1", b"STOPPING=1"]


def test_the_watchdog_is_fed_by_itself(manager: socket.socket) -> None:
    service = ServiceManager({"NOTIFY_SOCKET": manager.getsockname(), "WATCHDOG_USEC": "30000"}, lambda: True)
    service.start()
    assert [manager.recv(100) for _ in range(3)] == [b"READY=1", b"WATCHDOG=1", b"WATCHDOG=1"]
    service.stop()


def test_a_stuck_loop_is_not_alive(porters: PortersTable) -> None:
    free, stuck = threading.Event(), threading.Event()

    def wait_for_it(name: str) -> Game:
        stuck.set()
        assert free.wait(GIVEN_UP_S)
        return porters.game.declared()

    porters.games = wait_for_it
    table = porters.reopen()
    table.start()
    assert table.alive(timeout_s=GIVEN_UP_S)
    opener = threading.Thread(target=table.open_game, args=(setup(), "opens"))
    opener.start()
    assert stuck.wait(GIVEN_UP_S)
    assert not table.alive(timeout_s=0.01)
    free.set()
    opener.join()
    assert table.alive(timeout_s=GIVEN_UP_S)


@pytest.mark.slow
def test_the_command_is_ready_when_it_serves_and_says_that_it_ends(manager: socket.socket, tmp_path: Path) -> None:
    port = free_port()
    environ = {
        **os.environ,
        "NOTIFY_SOCKET": manager.getsockname(),
        "SMUGGLERS_DATA_DIR": str(tmp_path),
        "SMUGGLERS_PORT": str(port),
        "SMUGGLERS_HOST": "127.0.0.1",
    }
    demo = subprocess.Popen(
        [sys.executable, "-m", "appliance.commands.start", "demo"], env=environ, cwd=ROOT, stdout=subprocess.DEVNULL
    )
    try:
        assert manager.recv(100) == b"READY=1"
        with socket.create_connection(("127.0.0.1", port), timeout=GIVEN_UP_S):
            demo.terminate()
        assert manager.recv(100) == b"STOPPING=1"
        assert demo.wait(timeout=GIVEN_UP_S) == 0
    finally:
        demo.kill()
        demo.wait()


def installed(unit: str, folder: Path) -> Path:
    """The unit as it stands where its programs are installed: `verify` complains of programs that are not there."""
    text = (ROOT / "systemd" / unit).read_text(encoding="utf-8")
    copy = folder / unit
    copy.write_text(re.sub(r"^ExecStart=\S+", "ExecStart=/bin/true", text, flags=re.MULTILINE), encoding="utf-8")
    return copy


@needs_systemd
def test_systemd_finds_nothing_to_say_against_the_units(tmp_path: Path) -> None:
    units = [str(installed(unit, tmp_path)) for unit in UNITS]
    verified = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", *units], capture_output=True, text=True, check=False
    )
    # It returns 0 even for a misspelt key, so any word is a failure.
    assert (verified.returncode, verified.stdout, verified.stderr) == (0, "", "")


@needs_systemd
@pytest.mark.parametrize(("name", "tenths"), [(UNITS[0], 14), (UNITS[1], 40)])
def test_the_appliance_is_confined(name: str, tenths: int, tmp_path: Path) -> None:
    unit = str(installed(name, tmp_path))
    rated = subprocess.run(
        ["systemd-analyze", "security", "--offline=true", f"--threshold={tenths}", "--no-pager", unit],
        capture_output=True,
        text=True,
        check=False,
    )
    assert rated.returncode == 0, rated.stdout.splitlines()[-1]


def keys_of(unit: str) -> dict[str, list[str]]:
    text = (ROOT / "systemd" / unit).read_text(encoding="utf-8")
    keys: dict[str, list[str]] = {}
    for key, value in re.findall(r"^(\w+)=(.*)$", text, flags=re.MULTILINE):
        keys.setdefault(key, []).append(value)
    return keys


def test_guests_of_the_kiosk_get_no_file_dialog_no_download_and_no_other_address() -> None:
    """Chromium's enterprise policies; the page that the browser opens is the only address."""
    policy = json.loads((ROOT / "systemd/deb/kiosk-policy.json").read_text(encoding="utf-8"))
    assert policy["AllowFileSelectionDialogs"] is False
    assert policy["DownloadRestrictions"] == 3, "all downloads"
    assert policy["DeveloperToolsAvailability"] == 2, "never"
    keys = keys_of("smugglers-kiosk.service")
    (opened,) = re.findall(r"http://(\S+)/kiosk$", keys["ExecStart"][0])
    assert (policy["URLBlocklist"], policy["URLAllowlist"]) == (["*"], [opened])
    (bound,) = keys["BindReadOnlyPaths"]
    folder, there = bound.removeprefix("-").split(":")
    assert there == "/etc/chromium/policies"
    build = (ROOT / "systemd/deb/build_deb.py").read_text(encoding="utf-8")
    assert f'"{folder.removeprefix("/")}/managed/kiosk.json"' in build


def test_the_kiosk_s_browser_keeps_no_pin_and_offers_to_keep_or_translate_nothing() -> None:
    """A PIN that it kept would be filled in for the next guest."""
    policy = json.loads((ROOT / "systemd/deb/kiosk-policy.json").read_text(encoding="utf-8"))
    offers = ("PasswordManagerEnabled", "AutofillAddressEnabled", "AutofillCreditCardEnabled", "TranslateEnabled")
    assert [policy[offer] for offer in offers] == [False] * len(offers)


def test_the_touchscreen_s_session_is_forbidden_what_its_unit_is() -> None:
    """PAM moves it below its user's slice. What the kernel makes of it: `python -m tests.machine service`."""
    keys = keys_of("smugglers-kiosk.service")
    (told,) = keys["ExecStartPre"]
    assert told.startswith("+"), "as root"
    assert f'"user-$$(id -u {keys["User"][0]}).slice"' in told
    for key in ("DevicePolicy", "DeviceAllow", "IPAddressDeny", "IPAddressAllow"):
        given = [value for _, value in re.findall(rf'("?){key}=([^"]*?)(?:\1)(?= |\'$)', told)]
        assert given == keys[key]


def test_lgpio_is_given_the_runtime_folder_of_the_table_s_unit() -> None:
    keys = keys_of(UNITS[0])
    assert f"LG_WD=%t/{keys['RuntimeDirectory'][0]}" in keys["Environment"]


def test_the_table_s_unit_permits_the_scale_s_process_to_run_before_others() -> None:
    """What a booted systemd makes of it: `python -m tests.machine service`."""
    keys = keys_of(UNITS[0])
    assert int(keys["LimitRTPRIO"][0]) >= PRIORITY
    assert "RestrictRealtime" not in keys
    assert "sched_setscheduler" in keys["SystemCallFilter"][-1].split()


def test_cage_is_given_a_runtime_folder_that_its_unit_does_not_hide(tmp_path: Path) -> None:
    """ProtectHome= hides /run/user, and what PAM sets wins over Environment= (systemd.exec): env comes after both."""
    keys = keys_of(UNITS[1])
    command, _, _ = keys["ExecStart"][0].replace("%t", str(tmp_path)).partition("/usr/bin/cage")
    of_pam = {
        "PATH": os.environ["PATH"],
        "XDG_RUNTIME_DIR": "/run/user/998",
        "DBUS_SESSION_BUS_ADDRESS": "unix:/hidden",
    }
    asked = subprocess.run([*command.split(), "env"], env=of_pam, capture_output=True, text=True, check=True)
    given = dict(line.split("=", 1) for line in asked.stdout.splitlines())
    assert given["XDG_RUNTIME_DIR"] == str(tmp_path / keys["RuntimeDirectory"][0])
    assert keys["RuntimeDirectoryMode"] == ["0700"], "a Wayland compositor accepts no other"
    assert "DBUS_SESSION_BUS_ADDRESS" not in given


def test_the_docs_name_what_the_units_run_and_read() -> None:
    docs = (ROOT / "docs" / "install.md").read_text(encoding="utf-8")
    assert keys_of(UNITS[0])["ExecStart"] == ["/opt/smugglers-table/current/bin/smugglers run"]
    for named in ("/opt/smugglers-table/current", "/etc/default/smugglers-table", *UNITS):
        assert named in docs


def test_ten_starts_that_hang_until_their_end_are_still_a_failure() -> None:
    """Only a unit that reached its limit is failed, and only a failed one goes back to the former release."""
    keys = keys_of(UNITS[0])
    (within_s, most, start_s, pause_s) = (
        int(keys[name][0]) for name in ("StartLimitIntervalSec", "StartLimitBurst", "TimeoutStartSec", "RestartSec")
    )
    assert most * (start_s + pause_s) < within_s
    assert keys["OnFailure"] == ["smugglers-rollback.service"]
