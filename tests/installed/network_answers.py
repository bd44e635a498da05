"""What is asked of a real NetworkManager without a radio, and of the suite's stand-in for its command."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path

from tests.appliance.service.machine import nmcli

WRITTEN = (
    ("Harbour", "secret-harbour"),
    ("Café ;#1", " back\\slash and blanks "),
    ("5 GHz = fast", "12345678"),
    (" lead;semi\\", "\\s\\s\\s\\s"),
)
ASKS = """
print(machine.ask(Look()).state.network)
print(machine.ask(Join("Harbour", "secret-harbour")).problem)
print(machine.ask(OpenAccessPoint("Smugglers", "k7m3pq9xwz")).problem)
print(machine.ask(CloseAccessPoint()).problem or "done")
"""
ANSWERS = "no_wifi\nno_wifi\nno_wifi\ndone"
KEYFILES = f"""
import subprocess
from appliance.service.machine.network_manager import OWN, WIFI, NetworkManager, _keyfile
from hardware.files.regular_file import write_private
network = NetworkManager()
kept = "802-11-wireless.ssid", "802-11-wireless-security.psk"
for ssid, password in {WRITTEN!r}:
    for name, own in ((WIFI, False), (OWN, True)):
        write_private(network._file(name), _keyfile(name, ssid, password, own=own).encode())
        assert network._load(network._file(name))
        show = ["nmcli", "-e", "no", "-s", "-g", ",".join(kept), "connection", "show", name]
        told = subprocess.run(show, capture_output=True, text=True, check=True).stdout
        assert told == f"{{ssid}}\\n{{password}}\\n", (told, ssid, password)
        assert not network._try(name, _keyfile(name, "Quay", "not-that-one", own=own)), "there is no radio"
        told = subprocess.run(show, capture_output=True, text=True, check=True).stdout
        assert told == f"{{ssid}}\\n{{password}}\\n", ("the former is back", told)
        network._nmcli("connection", "delete", name)
        assert not network._file(name).exists()
"""
"""As root: files that only NetworkManager judges."""
_FOLDER = "/etc/NetworkManager/system-connections"
_GOOD = "[connection]\nid=good\ntype=wifi\n\n[wifi]\nmode=infrastructure\nssid=72;\n"
_QUESTIONS = (
    "nmcli -t -f RUNNING general",
    "nmcli -t -f IN-USE,SSID,SIGNAL,SECURITY device wifi list",
    "nmcli connection up nothing",
    "nmcli connection delete nothing",
    "nmcli connection load FOLDER/bad.nmconnection",
    "nmcli connection load FOLDER/good.nmconnection",
    "nmcli --wait 45 connection up good",
    "nmcli connection delete good",
    "nmcli radio wifi on",
)
_ENOUGH = 48
"""Characters of an error that are compared: what comes after names this machine's devices."""


def real_answers(run: Callable[[str], str]) -> list[str]:
    """Return status and first words of each answer in the booted system."""
    run(f"printf '{_GOOD}' >{_FOLDER}/good.nmconnection; echo '[connection' >{_FOLDER}/bad.nmconnection")
    run(f"chmod 600 {_FOLDER}/*.nmconnection")
    answers = [run(f"{question.replace('FOLDER', _FOLDER)}; echo status $?") for question in _QUESTIONS]
    run(f"rm -f {_FOLDER}/good.nmconnection {_FOLDER}/bad.nmconnection; nmcli connection reload")
    return [_short(question, answer) for question, answer in zip(_QUESTIONS, answers, strict=True)]


def stand_in_answers(folder: Path, *, runs: bool) -> list[str]:
    """Return the same of the stand-in, on a table without a radio."""
    command = nmcli.lay(folder)
    state = {"runs": runs, "wifi": False, "in_reach": [], "active": [], "known": [], "refuses": []}
    (folder / "state.json").write_text(json.dumps(state))
    (folder / "good.nmconnection").write_text(_GOOD)
    (folder / "bad.nmconnection").write_text("[connection\n")
    answers = []
    for question in _QUESTIONS:
        words = question.replace("nmcli", str(command), 1).replace("FOLDER", str(folder))
        environ = {**os.environ, "LC_ALL": "C.UTF-8"}
        done = subprocess.run(words.split(), capture_output=True, text=True, env=environ, check=False)
        answers.append(_short(question, f"{done.stdout}{done.stderr}status {done.returncode}"))
    return answers


def _short(question: str, answer: str) -> str:
    lines = [line for line in answer.strip().splitlines() if line]
    first = lines[0] if len(lines) > 1 and "delete good" not in question else ""
    without_path = first.split(" '/")[0]
    return f"{question}: {lines[-1]} {without_path[:_ENOUGH]}".rstrip()
