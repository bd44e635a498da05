"""What the table keeps of its guests beside the journal: whose name was erased."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from pathlib import Path

import msgspec

from appliance.games.league.result import same_guest
from appliance.games.protocol import Setup
from hardware.regular_file import write_private


class Kept(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The content of the file. `erased`: by guest, the newest journal entry at that time; later games count again."""

    erased: Mapping[str, int] = {}


class EveningStore:
    """One small file, written atomically.

    :param file: where it is kept; None: until the next start.
    """

    def __init__(self, file: Path | None) -> None:
        self._file = file
        self._lock = threading.Lock()
        self._kept = self._load()

    @property
    def kept(self) -> Kept:
        """What is kept now."""
        return self._kept

    def erase(self, name: str, newest: int) -> None:
        """Forget who `name` was in the games up to the journal's entry `newest`.

        :raises OSError: it cannot be stored; nothing has changed.
        """
        with self._lock:
            self._store(msgspec.structs.replace(self._kept, erased={**self._kept.erased, same_guest(name): newest}))

    def is_erased(self, name: str, game: int) -> bool:
        """Say whether `name` was erased from the game of that number."""
        return game <= self._kept.erased.get(same_guest(name), 0)

    def without_erased(self, setup: Setup, game: int, called: str) -> Setup:
        """Return the set-up of a past game with erased names replaced by `called`, which is numbered."""
        players, guests = [], 0
        for player in setup.players:
            if self.is_erased(player.name, game):
                guests += 1
                name = called if guests == 1 or not called else f"{called} {guests}"
                player = msgspec.structs.replace(player, name=name)
            players.append(player)
        return msgspec.structs.replace(setup, players=tuple(players)) if guests else setup

    def _store(self, kept: Kept) -> None:
        if self._file is not None:
            write_private(self._file, msgspec.json.encode(kept))
        self._kept = kept

    def _load(self) -> Kept:
        if self._file is None or not self._file.exists():
            return Kept()
        try:
            return msgspec.json.decode(self._file.read_bytes(), type=Kept)
        except msgspec.DecodeError:
            return Kept()
