"""A row of the journal's table of entries, and the chained digest that proves that none was changed, lost or moved."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator

import msgspec

DIGEST_BYTES = 16

Unchained = tuple[int, int, str, float, bytes, bytes | None]
"""An entry before its digest: seq, game, client id, wall-clock seconds, body as JSON, sealed secrets."""


class Row(msgspec.Struct, frozen=True, array_like=True):
    """One row of the table `entries`, column by column."""

    seq: int
    game: int
    client_id: str
    wall_s: float
    body: bytes
    sealed: bytes | None
    digest: bytes

    @property
    def unchained(self) -> Unchained:
        """The row without its digest."""
        return self.seq, self.game, self.client_id, self.wall_s, self.body, self.sealed


class Tip(msgspec.Struct, frozen=True):
    """The number and the digest of the newest entry of a journal or of its copy; 0 and b"" when it is empty."""

    seq: int
    digest: bytes


NO_ENTRY = Tip(0, b"")


def chained(before: bytes, row: Unchained) -> bytes:
    """Return the digest of a row whose predecessor in the same game has the digest `before`; b"" for a game's first."""
    return hashlib.blake2b(before + msgspec.msgpack.encode(row), digest_size=DIGEST_BYTES).digest()


def sound(rows: Iterable[Row]) -> Iterator[Row]:
    """Yield rows from entry 1 on, and stop before the first that is missing, moved or altered."""
    newest: dict[int, bytes] = {}
    for number, row in enumerate(rows, start=1):
        begins = row.seq == row.game
        if row.seq != number or begins == (row.game in newest):
            return
        if chained(newest.get(row.game, b""), row.unchained) != row.digest:
            return
        newest[row.game] = row.digest
        yield row
