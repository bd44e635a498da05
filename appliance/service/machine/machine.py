"""The table's side: asks the machine through its socket, and reads what the last upgrade left to say."""

from __future__ import annotations

import socket
from pathlib import Path

import msgspec

from appliance.service.machine.asks import NOTE, SOCKET, UPDATE_NOTE, Ask, Done, RolledBack, UpdateNote

_ANSWERS_WITHIN_S = 150.0
"""Longer than the helper lives (RuntimeMaxSec= of its unit)."""
_UNREADABLE = (OSError, msgspec.MsgspecError, UnicodeDecodeError)
"""What reading raises for a file that is not there or damaged, or an answer that breaks off."""


class Machine:
    """The machine behind the folder of its socket and its note."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def ask(self, ask: Ask) -> Done:
        """Ask and return what came of it; `machine_silent` when nobody answers."""
        try:
            with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as to_machine:
                to_machine.settimeout(_ANSWERS_WITHIN_S)
                to_machine.connect(str(self._folder / SOCKET))
                to_machine.sendall(msgspec.json.encode(ask))
                to_machine.shutdown(socket.SHUT_WR)
                told = b"".join(iter(lambda: to_machine.recv(65536), b""))
            return msgspec.json.decode(told, type=Done)
        except _UNREADABLE:
            return Done("machine_silent")

    def rolled_back(self) -> RolledBack | None:
        """Return the note of an upgrade that did not serve, until one serves."""
        try:
            return msgspec.json.decode((self._folder / NOTE).read_bytes(), type=RolledBack)
        except _UNREADABLE:
            return None

    def last_update(self) -> UpdateNote | None:
        """Return what the last update that was asked for noted."""
        try:
            return msgspec.json.decode((self._folder / UPDATE_NOTE).read_bytes(), type=UpdateNote)
        except _UNREADABLE:
            return None
