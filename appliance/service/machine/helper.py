"""The side that runs as root: one process for each request, started by `smugglers-machine.socket`."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Literal

import msgspec

from appliance.journal.media.removable_media import Sticks
from appliance.service.load_settings import SettingsError, load_settings
from appliance.service.machine.asks import (
    Ask,
    CloseAccessPoint,
    Done,
    Install,
    Join,
    Look,
    MachineState,
    OpenAccessPoint,
    Problem,
    Touchscreen,
    Updates,
    UpdateState,
    wifi_problem,
)
from appliance.service.machine.network_manager import NetworkManager
from appliance.service.machine.updates import UNIT as UPDATE
from appliance.service.machine.updates import Releases
from appliance.settings import Settings
from hardware.files.regular_file import UNDECODABLE

UNIT = "smugglers-kiosk.service"
FOLDER = Path("/var/lib/smugglers-machine")
NetworkAsk = Look | Join | OpenAccessPoint | CloseAccessPoint | Touchscreen
PROGRAMS = (Path("/usr/bin/cage"), Path("/usr/bin/chromium"))
_ASK_MOST_BYTES = 4096


def answer(ask: Ask, network: NetworkManager, programs: tuple[Path, ...] = PROGRAMS) -> Done:
    """Carry out a request and return its result, with the state after it."""
    if isinstance(ask, Updates | Install):
        return _of_updates(ask, Releases(FOLDER, _sticks()))
    return Done(_do(ask, network, programs), _state(network, programs))


def _sticks() -> Sticks:
    """Return the USB sticks where the table's own settings look for them; its unit reads the same file."""
    settings = load_settings(None, os.environ)
    return Sticks((Settings() if isinstance(settings, SettingsError) else settings).stick_paths)


def _of_updates(ask: Updates | Install, releases: Releases) -> Done:
    problem: Problem = ""
    if isinstance(ask, Install):
        problem = releases.lay_ready(ask)
        if not problem and not _systemctl("start", "--no-block", UPDATE.format(what="install")):
            problem = "update_refused"
    elif ask.refresh and not _systemctl("start", UPDATE.format(what="look")):
        problem = "sources_silent"
    state = UpdateState(installed=releases.installed(), found=releases.found(), last=releases.note())
    return Done(problem, updates=state)


def _do(ask: NetworkAsk, network: NetworkManager, programs: tuple[Path, ...]) -> Problem:
    match ask:
        case Look():
            return ""
        case Touchscreen(on):
            if on and not all(program.exists() for program in programs):
                return "no_touchscreen"
            return "" if _systemctl("enable" if on else "disable", "--now", UNIT) else "touchscreen_refused"
        case CloseAccessPoint():
            network.close_own()
            return ""
        case OpenAccessPoint() if network.own() is not None:
            return ""  # another device was faster, and phones have joined by that password
        case Join(ssid, password) | OpenAccessPoint(ssid, password):
            joins = isinstance(ask, Join)
            if problem := wifi_problem(ssid, password, may_be_open=joins) or _network_problem(network):
                return problem
            try:
                done = network.join(ssid, password) if joins else network.open_own(ssid, password)
            except OSError:
                return "not_saved"
            return "" if done else "wifi_refused" if joins else "access_point_refused"


def _network_problem(network: NetworkManager) -> Literal["", "no_network_manager", "no_wifi"]:
    if not network.runs():
        return "no_network_manager"
    return "" if network.device() else "no_wifi"


def _state(network: NetworkManager, programs: tuple[Path, ...]) -> MachineState:
    lacks = _network_problem(network)
    installed = all(program.exists() for program in programs)
    return MachineState(
        touchscreen="not_installed" if not installed else "on" if _systemctl("is-enabled", "--quiet", UNIT) else "off",
        network=lacks or "ready",
        wifis=() if lacks else network.in_reach(),
        own=None if lacks else network.own(),
    )


def _systemctl(*arguments: str) -> bool:
    try:
        done = subprocess.run(  # noqa: S603  # its arguments are ours
            ["systemctl", *arguments],  # noqa: S607  # the unit sets PATH
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=60,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0


def main() -> None:
    """Answer the one request on standard input to standard output: both are the table's socket."""
    told = sys.stdin.buffer.read(_ASK_MOST_BYTES)
    try:
        ask = msgspec.json.decode(told, type=Ask)
    except UNDECODABLE:
        done = Done("malformed_ask")
    else:
        done = answer(ask, NetworkManager())
    sys.stdout.buffer.write(msgspec.json.encode(done) + b"\n")


if __name__ == "__main__":
    main()
