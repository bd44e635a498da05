"""The result of a game, as a league takes it, and who a guest is."""

from __future__ import annotations

import unicodedata

import msgspec


class Result(msgspec.Struct, frozen=True, kw_only=True):
    """One finished game that somebody won.

    `table` and `seq` name the game: no two results of a league have both alike. `played_s` is when it was opened,
    seconds since 1970. `ranks` are from 1, one for each of `guests`; equal ranks are a tie. A guest of None is
    somebody unknown: an opponent who is nobody else's, and who is in no standings.
    """

    table: str
    seq: int
    played_s: float
    game: str
    guests: tuple[str | None, ...]
    ranks: tuple[int, ...]

    @property
    def won_by(self) -> tuple[str, ...]:
        """The known guests who won."""
        pairs = zip(self.guests, self.ranks, strict=True)
        return tuple(guest for guest, rank in pairs if rank == 1 and guest is not None)


def name_key(name: str) -> str:
    """Return the key by which spellings of one name are equal: case, width and spaces make no other name.

    It is wider than `wrong_names`, which decides whether two may play one game.
    """
    return " ".join(unicodedata.normalize("NFKC", name).casefold().split())


def in_order(results: tuple[Result, ...]) -> tuple[Result, ...]:
    """Return results in the order in which a league folds them; that of their arrival does not matter."""
    return tuple(sorted(results, key=lambda one: (one.played_s, one.table, one.seq)))
