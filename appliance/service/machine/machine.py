"""The table's side: sends requests to the machine's socket, and reads the notes of the last upgrade."""

from __future__ import annotations

import socket
from pathlib import Path

import msgspec

from appliance.service.machine.asks import NOTE, SOCKET, UPDATE_NOTE, Ask, Done, RolledBack, UpdateNote
from hardware.files.regular_file import MOST_TEXT_BYTES, UNDECODABLE, read_ordinary

_ANSWERS_WITHIN_S = 150.0
"""Longer than the helper may run (RuntimeMaxSec= of its unit)."""
_UNREADABLE = (OSError, *UNDECODABLE)
"""Exceptions from reading a missing or damaged file, or an incomplete answer."""


class Machine:
    """The machine, reached through the folder of its socket and its notes."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def ask(self, ask: Ask) -> Done:
        """Send a request and return the answer; `machine_silent` when there is none."""
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
        """Return the note about a failed upgrade. It stays until an upgrade succeeds."""
        try:
            return msgspec.json.decode(read_ordinary(self._folder / NOTE, MOST_TEXT_BYTES), type=RolledBack)
        except _UNREADABLE:
            return None

    def last_update(self) -> UpdateNote | None:
        """Return the note of the last update that was requested."""
        try:
            return msgspec.json.decode(read_ordinary(self._folder / UPDATE_NOTE, MOST_TEXT_BYTES), type=UpdateNote)
        except _UNREADABLE:
            return None
