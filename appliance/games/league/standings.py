"""Ratings and standings, folded from results.

A rating is a normal distribution of a guest's skill (Weng and Lin 2011, the Plackett–Luce model, by openskill).
The standings show a cautious estimate, mean − 3 standard deviations, so guests with few games are placed low.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache

import msgspec
from openskill.models import PlackettLuce, PlackettLuceRating

from appliance.games.league.result import Result, in_order, name_key

_DIGITS = 9
"""Ratings are rounded to this many digits after each game: the last bits of exp() differ between machines."""
_CAUTION = 3.0
_PLACED_DIGITS = 6
"""Ratings that agree in this many digits share a place."""

_model = PlackettLuce()


class Standing(msgspec.Struct, frozen=True, kw_only=True):
    """One guest: `place` is from 1 and shared by equal ratings; `name` has its latest spelling.

    `rating` is `mean` − 3 `sd`, in the units of openskill: a new guest has 25 ± 8⅓, so 0.
    """

    place: int
    name: str
    rating: float
    mean: float
    sd: float
    played: int
    won: int


class Rated(msgspec.Struct):
    """A guest after some results: the name in its latest spelling, the rating and the counts."""

    name: str
    mean: float
    sd: float
    played: int = 0
    won: int = 0

    @property
    def rating(self) -> float:
        """The cautious estimate, mean − 3 sd, rounded to the digits that decide a place."""
        return round(self.mean - _CAUTION * self.sd, _PLACED_DIGITS)


def standings(results: Iterable[Result]) -> tuple[Standing, ...]:
    """Return the standings of one kind of game. Equal results give the same standings, byte for byte.

    A game with fewer than two known guests is not counted.
    """
    return _folded(in_order(tuple(results)))


@lru_cache(maxsize=16)
def _folded(results: tuple[Result, ...]) -> tuple[Standing, ...]:
    guests: dict[str, Rated] = {}
    for result in results:
        if counts(result):
            count(guests, result)
    return placed(guests)


def placed(guests: Mapping[str, Rated]) -> tuple[Standing, ...]:
    """Return the standings of `guests`, a mapping from `name_key` to the rated guest."""
    ordered = sorted(guests.items(), key=lambda pair: (-pair[1].rating, pair[0]))
    ratings = [guest.rating for _, guest in ordered]
    return tuple(
        Standing(
            place=ratings.index(guest.rating) + 1,
            name=guest.name,
            rating=guest.rating,
            mean=guest.mean,
            sd=guest.sd,
            played=guest.played,
            won=guest.won,
        )
        for _, guest in ordered
    )


def counts(result: Result) -> bool:
    """Return whether a league counts this result: it needs at least two known guests."""
    return sum(guest is not None for guest in result.guests) > 1


def count(guests: dict[str, Rated], result: Result) -> None:
    """Update `guests`, a mapping from `name_key` to the rated guest, with one result.

    Unknown names are added. Call it in the order of `in_order`.
    """
    nobody = _model.rating()
    known: list[Rated | None] = []
    for name in result.guests:
        guest = None
        if name is not None:
            guest = guests.setdefault(name_key(name), Rated(name, nobody.mu, nobody.sigma))
        # If one game has two spellings of one name, only the first is that guest.
        known.append(None if any(guest is one for one in known) else guest)
    before = [[_rated(guest)] for guest in known]
    after = _model.rate(before, ranks=[float(rank) for rank in result.ranks])
    for guest, name, rank, (rating,) in zip(known, result.guests, result.ranks, after, strict=True):
        if guest is not None and name is not None:
            guest.name, guest.played, guest.won = name, guest.played + 1, guest.won + (rank == 1)
            guest.mean, guest.sd = round(rating.mu, _DIGITS), round(rating.sigma, _DIGITS)


def _rated(guest: Rated | None) -> PlackettLuceRating:
    return _model.rating() if guest is None else _model.rating(mu=guest.mean, sigma=guest.sd)
