"""The result of a game, as a league uses it, and the key that identifies a guest."""

from __future__ import annotations

import unicodedata

import msgspec


class Result(msgspec.Struct, frozen=True, kw_only=True):
    """One finished game that somebody won.

    `table` and `seq` together identify the game within a league. `played_s` is when it was opened, in seconds since
    1970. `ranks` are from 1, one for each of `guests`; equal ranks are a tie. None in `guests` is an unknown player:
    a different one in every game, and in no standings.
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
    """Return a key that is equal for all spellings of one name: case, width and spaces are ignored.

    It treats more names as equal than `wrong_names`, which decides whether two players may play one game.
    """
    return " ".join(unicodedata.normalize("NFKC", name).casefold().split())


def in_order(results: tuple[Result, ...]) -> tuple[Result, ...]:
    """Return the results in the order in which a league folds them, whatever their order of arrival."""
    return tuple(sorted(results, key=lambda one: (one.played_s, one.table, one.seq)))
