"""Controls NetworkManager by `nmcli` and key files. A password is in a file of root's, never on a command line."""

from __future__ import annotations

import configparser
import os
import re
import subprocess
from pathlib import Path

from appliance.service.machine.asks import AccessPoint, Wifi
from hardware.files.regular_file import prepared, read_text, remove_abandoned_drafts, sync, write_private

KEYFILES = Path("/etc/NetworkManager/system-connections")
TRIALS = Path("/run/NetworkManager/system-connections")
"""The folder of connections that last until the machine is switched off. One hides that of `KEYFILES` with its UUID."""
WIFI, OWN = "smugglers-wifi", "smugglers-access-point"
UUIDS = {WIFI: "058d37d9-eccb-4f60-b1a8-fcaddac0bb51", OWN: "eea3e6ce-d713-435e-a43a-abfd3a636e47"}
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)
_FIELD = re.compile(r"((?:\\.|[^\\:])*)(?::|$)")
"""One field of `nmcli -t`, read from the left: a backslash escapes the next character, also a backslash."""
_BLANKS = {"s": " ", "n": "\n", "t": "\t", "r": "\r"}
"""The letters that stand for white space after a backslash in a key file (GLib, key file format)."""
_UP_WITHIN_S = 45
_GIVEN_UP_S = 60

_HEAD = """[connection]
id={name}
uuid={uuid}
type=wifi
autoconnect-priority={priority}

[wifi]
mode={mode}
ssid={ssid}
{band}
{security}[ipv4]
method={method}

[ipv6]
method={method6}
"""
_SECURED = "[wifi-security]\nkey-mgmt=wpa-psk\n{only}psk={psk}\n\n"


class NetworkManager:
    """The functions of NetworkManager that the table needs.

    :param keyfiles: the folder in which it keeps its connections.
    :param trials: the folder in which it keeps those that are tried.
    """

    def __init__(self, keyfiles: Path = KEYFILES, trials: Path = TRIALS) -> None:
        self._keyfiles, self._trials = keyfiles, trials

    def runs(self) -> bool:
        """Return whether NetworkManager is installed and runs."""
        return self._lines("RUNNING", "general") == [["running"]]

    def device(self) -> str:
        """Return the name of the first Wi-Fi device that NetworkManager manages, or ""."""
        for fields in self._lines("DEVICE,TYPE,STATE", "device"):
            if len(fields) == 3 and fields[1] == "wifi" and fields[2] != "unmanaged":
                return fields[0]
        return ""

    def in_reach(self) -> tuple[Wifi, ...]:
        """Return the Wi-Fis in range, each name once: the joined one first, then the strongest."""
        best: dict[str, Wifi] = {}
        for fields in self._lines("IN-USE,SSID,SIGNAL,SECURITY", "device", "wifi", "list"):
            if len(fields) == 4 and fields[1] and fields[2].isdecimal():
                one = Wifi(fields[1], int(fields[2]), fields[3] not in ("", "--"), fields[0] == "*")
                known = best.get(one.ssid)
                if known is None or (one.joined, one.signal_percent) > (known.joined, known.signal_percent):
                    best[one.ssid] = one
        return tuple(sorted(best.values(), key=lambda one: (-one.joined, -one.signal_percent, one.ssid)))

    def own(self) -> AccessPoint | None:
        """Return the table's own Wi-Fi, if it has one and it is up."""
        active = self._lines("NAME", "connection", "show", "--active")
        if [OWN] not in active:
            return None
        read = configparser.ConfigParser(interpolation=None)
        try:
            read.read_string(read_text(self._file(OWN)))
            name = bytes(int(byte) for byte in read["wifi"]["ssid"].split(";") if byte).decode()
            return AccessPoint(
                name, _ESCAPED.sub(lambda one: _BLANKS.get(one[1], one[1]), read["wifi-security"]["psk"])
            )
        except (OSError, ValueError, KeyError, configparser.Error):
            return None

    def join(self, ssid: str, password: str) -> bool:
        """Join a Wi-Fi, now and at every start. If that fails, restore the network. Return whether it succeeded.

        :raises OSError: its key file cannot be written; the network is as it was.
        """
        # Its priority is above the table's own Wi-Fi, which is for places without another one in range.
        return self._try(WIFI, _keyfile(WIFI, ssid, password, own=False))

    def open_own(self, ssid: str, password: str) -> bool:
        """Open the table's own Wi-Fi, now and at every start without a known one in range.

        :raises OSError: as `join`.
        """
        return self._try(OWN, _keyfile(OWN, ssid, password, own=True))

    def close_own(self) -> None:
        """Close the table's own Wi-Fi."""
        self._drop(self._trials / self._file(OWN).name)
        self._nmcli("connection", "delete", OWN)

    def _try(self, name: str, text: str) -> bool:
        """Bring a connection up, and only then keep its file: a machine that is switched off meanwhile has the former.

        A process that is killed meanwhile leaves a trial, which the next one replaces.
        """
        before = self._active()
        file = self._file(name)
        trial = self._trials / file.name
        remove_abandoned_drafts(self._keyfiles, {file.name}.__contains__)
        # Laid ready first: when it is to be kept, the disk may be full.
        with prepared(file, text.encode()) as fresh:
            self._nmcli("radio", "wifi", "on")
            write_private(trial, text.encode())
            try:
                done = self._load(trial) and self._up(UUIDS[name])
                if done:
                    fresh.replace(file)
                    sync(file.parent)
                    self._load(file)
            finally:
                self._drop(trial)
        if done:
            return True
        # Restart only what the attempt ended: restarting a cable's connection would cut off the page that asked.
        now = self._active()
        for one in before:
            if one not in now:
                self._up(one)
        return False

    def _up(self, uuid: str) -> bool:
        return self._nmcli("--wait", str(_UP_WITHIN_S), "connection", "up", uuid) is not None

    def _active(self) -> list[str]:
        """Return the UUIDs of the connections that are up: names need not be unique."""
        return [fields[0] for fields in self._lines("UUID", "connection", "show", "--active") if fields[0]]

    def _load(self, file: Path) -> bool:
        """Load a key file. nmcli does not fail if NetworkManager refuses it; it stays unknown."""
        return self._nmcli("connection", "load", str(file)) is not None

    def _drop(self, trial: Path) -> None:
        """Remove a trial. It is not deleted by nmcli, which would hide the file of `KEYFILES` from then on, too."""
        trial.unlink(missing_ok=True)
        self._load(trial)

    def _file(self, name: str) -> Path:
        return self._keyfiles / f"{name}.nmconnection"

    def _lines(self, fields: str, *arguments: str) -> list[list[str]]:
        told = self._nmcli("-t", "-f", fields, *arguments) or ""
        return [_fields(line) for line in told.splitlines()]

    def _nmcli(self, *arguments: str) -> str | None:
        """Return what nmcli prints, or None when it fails, hangs or is not installed."""
        try:
            done = subprocess.run(  # noqa: S603  # what people typed is in a file
                ["nmcli", *arguments],  # noqa: S607  # the unit sets PATH
                env={"PATH": os.environ.get("PATH", "/usr/bin"), "LC_ALL": "C.UTF-8"},
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                timeout=_GIVEN_UP_S,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired):
            return None
        return done.stdout if done.returncode == 0 else None


def _fields(line: str) -> list[str]:
    # At the end of the line, an empty match follows the last field.
    return [_ESCAPED.sub(r"\1", one) for one in _FIELD.findall(line + ":")][:-1]


def _keyfile(name: str, ssid: str, password: str, *, own: bool) -> str:
    """Return the key file of a connection (nm-settings-keyfile(5)): the name as bytes, the password escaped."""
    psk = password.replace("\\", "\\\\")
    psk = re.sub("^ +| +$", lambda blanks: "\\s" * len(blanks[0]), psk)
    # Phones of any age join WPA2 with CCMP.
    only = "proto=rsn;\npairwise=ccmp;\n" if own else ""
    return _HEAD.format(
        name=name,
        uuid=UUIDS[name],
        priority=0 if own else 10,
        mode="ap" if own else "infrastructure",
        ssid="".join(f"{byte};" for byte in ssid.encode()),
        band="band=bg\n" if own else "",
        security=_SECURED.format(only=only, psk=psk) if password else "",
        method="shared" if own else "auto",
        method6="ignore" if own else "auto",
    )
