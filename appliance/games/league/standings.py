"""Ratings and standings, folded from results.

A rating is a normal distribution of what a guest can do (Weng and Lin 2011, the Plackett–Luce model, by openskill).
What stands in the standings is its cautious end, mean − 3 standard deviations: whoever has played little stands low.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

import msgspec
from openskill.models import PlackettLuce, PlackettLuceRating

from appliance.games.league.result import Result, in_order, name_key

_DIGITS = 9
"""Ratings are rounded after each game: the last bits of exp() differ from machine to machine."""
_CAUTION = 3.0
_PLACED_DIGITS = 6
"""Ratings that agree in so many digits share a place."""

_model = PlackettLuce()


class Standing(msgspec.Struct, frozen=True, kw_only=True):
    """One guest: `place` from 1, shared by equal ratings; `name` as it was spelt last.

    `rating` is `mean` − 3 `sd`, in the units of openskill: a new guest has 25 ± 8⅓, so 0.
    """

    place: int
    name: str
    rating: float
    mean: float
    sd: float
    played: int
    won: int


class _Guest(msgspec.Struct):
    name: str
    mean: float
    sd: float
    played: int = 0
    won: int = 0


def standings(results: Iterable[Result]) -> tuple[Standing, ...]:
    """Return the standings of one kind of game after `results`: the same for the same results, byte for byte.

    A game with fewer than two known guests is not counted.
    """
    return _folded(in_order(tuple(results)))


@lru_cache(maxsize=16)
def _folded(results: tuple[Result, ...]) -> tuple[Standing, ...]:
    guests: dict[str, _Guest] = {}
    for result in results:
        if sum(guest is not None for guest in result.guests) > 1:
            _count(guests, result)
    ordered = sorted(guests.items(), key=lambda pair: (-_rating(pair[1]), pair[0]))
    ratings = [_rating(guest) for _, guest in ordered]
    return tuple(
        Standing(
            place=ratings.index(rating) + 1,
            name=guest.name,
            rating=rating,
            mean=guest.mean,
            sd=guest.sd,
            played=guest.played,
            won=guest.won,
        )
        for rating, (_, guest) in zip(ratings, ordered, strict=True)
    )


def _count(guests: dict[str, _Guest], result: Result) -> None:
    nobody = _model.rating()
    known: list[_Guest | None] = []
    for name in result.guests:
        fresh = _Guest(name or "", nobody.mu, nobody.sigma)
        guest = None if name is None else guests.setdefault(name_key(name), fresh)
        # Of two spellings of one name in one game only the first is that guest.
        known.append(None if guest is None or any(guest is one for one in known) else guest)
    before = [[_rated(guest)] for guest in known]
    after = _model.rate(before, ranks=[float(rank) for rank in result.ranks])
    for guest, name, rank, (rating,) in zip(known, result.guests, result.ranks, after, strict=True):
        if guest is not None and name is not None:
            guest.name, guest.played, guest.won = name, guest.played + 1, guest.won + (rank == 1)
            guest.mean, guest.sd = round(rating.mu, _DIGITS), round(rating.sigma, _DIGITS)


def _rated(guest: _Guest | None) -> PlackettLuceRating:
    return _model.rating() if guest is None else _model.rating(mu=guest.mean, sigma=guest.sd)


def _rating(guest: _Guest) -> float:
    return round(guest.mean - _CAUTION * guest.sd, _PLACED_DIGITS)
