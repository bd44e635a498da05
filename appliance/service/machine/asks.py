"""Requests and answers between the table and its machine: one JSON object each way."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import Literal

import msgspec

SOCKET = "socket"
NOTE = "rolled-back.json"
UPDATE_NOTE = "update.json"
RUNS_MOST = timedelta(minutes=20)
"""Longest time for which an update's note "running" is believed. An update takes some minutes."""

_PASSWORD = re.compile(r"[ -~]{8,63}")
"""What WPA2 accepts: 8 to 63 printable ASCII characters (IEEE 802.11, annex J.4)."""


class Look(msgspec.Struct, frozen=True, tag="look"):
    """Ask for the state of the machine."""


class Join(msgspec.Struct, frozen=True, tag="join"):
    """Join a Wi-Fi; `password` "" for an open one."""

    ssid: str
    password: str = ""


class OpenAccessPoint(msgspec.Struct, frozen=True, tag="access_point"):
    """Open the table's own Wi-Fi, which phones can join."""

    ssid: str
    password: str


class CloseAccessPoint(msgspec.Struct, frozen=True, tag="no_access_point"):
    """Close the table's own Wi-Fi."""


class Touchscreen(msgspec.Struct, frozen=True, tag="touchscreen"):
    """Switch the kiosk's page on this machine's own screen on or off."""

    on: bool


class Updates(msgspec.Struct, frozen=True, tag="updates"):
    """Ask for newer releases. `refresh`: ask apt's sources first."""

    refresh: bool = False


class Install(msgspec.Struct, frozen=True, tag="install"):
    """Install a release that was found. From a stick, only the file with this SHA-256 is installed."""

    source: Literal["apt", "stick"]
    version: str
    sha256: str = ""


Ask = Look | Join | OpenAccessPoint | CloseAccessPoint | Touchscreen | Updates | Install


class Update(msgspec.Struct, frozen=True, kw_only=True):
    """A newer release: its source, its version, and for a file on a stick its digest and its path, percent-encoded."""

    source: Literal["apt", "stick"]
    version: str
    sha256: str = ""
    file: str = ""


class UpdateNote(msgspec.Struct, frozen=True, kw_only=True):
    """The result of the last update that was requested."""

    version: str
    result: Literal["running", "installed", "failed", "went_back"]
    at_utc: str

    def may_run(self, now: datetime) -> bool:
        """Return whether the update may still run. A pulled plug leaves a note that says so for ever."""
        if self.result != "running":
            return False
        try:
            at = datetime.fromisoformat(self.at_utc)
        except ValueError:
            return False
        # A clock that was set back since would make the note young for as long again.
        return abs(now - at.replace(tzinfo=at.tzinfo or UTC)) <= RUNS_MOST


class UpdateState(msgspec.Struct, frozen=True, kw_only=True):
    """The installed version, the newer releases, and the last update."""

    installed: str
    found: tuple[Update, ...] = ()
    last: UpdateNote | None = None


class Wifi(msgspec.Struct, frozen=True):
    """A Wi-Fi in range."""

    ssid: str
    signal_percent: int
    secured: bool
    joined: bool


class AccessPoint(msgspec.Struct, frozen=True):
    """The table's own Wi-Fi, as phones join it."""

    ssid: str
    password: str


class MachineState(msgspec.Struct, frozen=True, kw_only=True):
    """The state of the machine: the touchscreen's programs and unit, the network, and the Wi-Fis in range."""

    touchscreen: Literal["on", "off", "not_installed"]
    network: Literal["ready", "no_network_manager", "no_wifi"]
    wifis: tuple[Wifi, ...] = ()
    own: AccessPoint | None = None


Problem = Literal[
    "",
    "access_point_refused",
    "machine_silent",
    "malformed_ask",
    "no_network_manager",
    "no_touchscreen",
    "no_wifi",
    "not_a_wifi_name",
    "not_a_wifi_password",
    "not_from_package",
    "not_saved",
    "sources_silent",
    "touchscreen_refused",
    "update_gone",
    "update_refused",
    "wifi_refused",
]
"""Why a request failed: a code, whose sentence is `rejection.<code>`. "": it succeeded."""


class Done(msgspec.Struct, frozen=True):
    """The answer to a request."""

    problem: Problem = ""
    state: MachineState | None = None
    updates: UpdateState | None = None


class RolledBack(msgspec.Struct, frozen=True):
    """The note about a failed upgrade: the release that failed, and the one that runs again. `older_calibration`: the
    calibration from before the upgrade had to be restored."""

    failed: str
    runs: str
    at_utc: str
    older_calibration: bool = False


def wifi_problem(ssid: str, password: str, *, may_be_open: bool) -> Problem:
    """Return the code of what is wrong with a Wi-Fi's name (1 to 32 bytes) or password, or ""."""
    if not 1 <= len(ssid.encode()) <= 32 or not ssid.isprintable():
        return "not_a_wifi_name"
    if (password or not may_be_open) and not _PASSWORD.fullmatch(password):
        return "not_a_wifi_password"
    return ""


def join_code(wifi: AccessPoint) -> str:
    """Return the text of the QR code by which a phone joins a Wi-Fi (ZXing's "WIFI:" scheme)."""
    ssid, password = (re.sub(r'([\\;,:"])', r"\\\1", text) for text in (wifi.ssid, wifi.password))
    return f"WIFI:T:WPA;S:{ssid};P:{password};;"
