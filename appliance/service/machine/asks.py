"""Asks and answers between the table and its machine: one JSON object each way."""

from __future__ import annotations

import re
from typing import Literal

import msgspec

SOCKET = "socket"
NOTE = "rolled-back.json"
UPDATE_NOTE = "update.json"

_PASSWORD = re.compile(r"[ -~]{8,63}")
"""What WPA2 takes: 8 to 63 printable ASCII characters (IEEE 802.11, annex J.4)."""


class Look(msgspec.Struct, frozen=True, tag="look"):
    """What is there?"""


class Join(msgspec.Struct, frozen=True, tag="join"):
    """Join a Wi-Fi; `password` "" for an open one."""

    ssid: str
    password: str = ""


class OpenAccessPoint(msgspec.Struct, frozen=True, tag="access_point"):
    """Make a Wi-Fi of the table's own, that phones join."""

    ssid: str
    password: str


class CloseAccessPoint(msgspec.Struct, frozen=True, tag="no_access_point"):
    """End the table's own Wi-Fi."""


class Touchscreen(msgspec.Struct, frozen=True, tag="touchscreen"):
    """Show the kiosk's page on this machine's own screen from now on, or no longer."""

    on: bool


class Updates(msgspec.Struct, frozen=True, tag="updates"):
    """Which newer releases are there? `refresh`: ask apt's sources first."""

    refresh: bool = False


class Install(msgspec.Struct, frozen=True, tag="install"):
    """Install a release that was found; from a stick the file of this SHA-256 and no other."""

    source: Literal["apt", "stick"]
    version: str
    sha256: str = ""


Ask = Look | Join | OpenAccessPoint | CloseAccessPoint | Touchscreen | Updates | Install


class Update(msgspec.Struct, frozen=True, kw_only=True):
    """A newer release: where it is, its version, and of a file on a stick its digest and its name."""

    source: Literal["apt", "stick"]
    version: str
    sha256: str = ""
    file: str = ""


class UpdateNote(msgspec.Struct, frozen=True, kw_only=True):
    """What came of the last update that was asked for."""

    version: str
    result: Literal["running", "installed", "failed", "went_back"]
    at_utc: str


class UpdateState(msgspec.Struct, frozen=True, kw_only=True):
    """The installed version, what is newer, and the last update."""

    installed: str
    found: tuple[Update, ...] = ()
    last: UpdateNote | None = None


class Wifi(msgspec.Struct, frozen=True):
    """A Wi-Fi in reach."""

    ssid: str
    signal_percent: int
    secured: bool
    joined: bool


class AccessPoint(msgspec.Struct, frozen=True):
    """The table's own Wi-Fi, as phones join it."""

    ssid: str
    password: str


class MachineState(msgspec.Struct, frozen=True, kw_only=True):
    """What is there: the touchscreen's programs and unit, the network and what is in reach."""

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
    "sources_silent",
    "touchscreen_refused",
    "update_gone",
    "update_refused",
    "wifi_refused",
]
"""What prevented it: a code, of which `rejection.<code>` is the sentence. "": nothing."""


class Done(msgspec.Struct, frozen=True):
    """What came of an ask."""

    problem: Problem = ""
    state: MachineState | None = None
    updates: UpdateState | None = None


class RolledBack(msgspec.Struct, frozen=True):
    """The note of an upgrade that did not serve. `older_calibration`: that of before the upgrade had to be put back."""

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
