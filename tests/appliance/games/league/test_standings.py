"""Ratings and standings of a league, from results alone."""

from __future__ import annotations

import itertools
import math
import random

import msgspec
import pytest

from appliance.games.league.result import Result
from appliance.games.league.seasons import season_of, seasons_of
from appliance.games.league.standings import standings

_numbers = itertools.count(1)


def result(*guests: str | None, won: int = 1, table: str = "one", at_s: float | None = None) -> Result:
    """A game that the first `won` of `guests` won."""
    seq = next(_numbers)
    ranks = tuple(1 if place < won else 2 for place in range(len(guests)))
    played_s = float(seq) if at_s is None else at_s
    return Result(table=table, seq=seq, played_s=played_s, game="smugglers", guests=guests, ranks=ranks)


def test_a_first_game_of_two_is_rated_as_the_paper_says() -> None:
    first, second = standings([result("Ann", "Ben")])
    # Weng and Lin 2011, algorithm 4, with two players of mean 25 and sd 25/3, beta 25/6, and what a game adds, 25/300.
    variance = (25 / 3) ** 2 + (25 / 300) ** 2
    c = math.sqrt(2 * (variance + (25 / 6) ** 2))
    moved = variance / c * 0.5
    sd = math.sqrt(variance * (1 - math.sqrt(variance) / c * variance / c**2 * 0.25))
    assert (first.mean, second.mean) == pytest.approx((25 + moved, 25 - moved))
    assert (first.sd, second.sd) == pytest.approx((sd, sd))
    assert [(one.place, one.name, one.played, one.won) for one in (first, second)] == [
        (1, "Ann", 1, 1),
        (2, "Ben", 1, 0),
    ]
    assert first.rating == pytest.approx(25 + moved - 3 * sd, abs=1e-5)


def test_the_standings_are_the_same_byte_for_byte_in_whatever_order_results_arrive() -> None:
    chance = random.Random(14)
    guests = [f"G{n}" for n in range(12)]
    results = [result(*chance.sample(guests, 4), table=chance.choice(("one", "two"))) for _ in range(60)]
    told = msgspec.json.encode(standings(results))
    for _ in range(3):
        chance.shuffle(results)
        assert msgspec.json.encode(standings(results)) == told


def test_who_wins_more_against_the_same_guests_stands_higher() -> None:
    results = [result("Ann", "Ben", "Cleo") for _ in range(6)] + [result("Ben", "Ann", "Cleo") for _ in range(3)]
    assert [one.name for one in standings(results)] == ["Ann", "Ben", "Cleo"]


def test_equal_guests_share_a_place_and_the_next_place_is_left_out() -> None:
    table = standings([result("Ann", "Ben", "Cleo", "Dan")])
    assert [(one.place, one.name) for one in table] == [(1, "Ann"), (2, "Ben"), (2, "Cleo"), (2, "Dan")]
    table = standings([result("Ann", "Ben", "Cleo", won=2)])
    assert [(one.place, one.won) for one in table] == [(1, 1), (1, 1), (3, 0)]


def test_spellings_of_one_name_are_one_guest_called_as_last_spelt() -> None:
    table = standings([result("ann", "Ben"), result("Ann ", "BEN"), result("ＡＮＮ", "Ben")])
    assert [(one.name, one.played) for one in table] == [("ＡＮＮ", 3), ("Ben", 3)]


def test_somebody_unknown_is_in_no_standings_and_beating_them_alone_counts_for_nothing() -> None:
    assert standings([result("Ann", None)]) == ()
    table = standings([result("Ann", "Ben", None)])
    assert [one.name for one in table] == ["Ann", "Ben"]


def test_a_name_twice_in_one_game_is_one_guest_and_one_game() -> None:
    assert [(one.name, one.played) for one in standings([result("Ann", "ann", "Ben")])] == [("Ann", 1), ("Ben", 1)]


@pytest.mark.parametrize(
    ("played_s", "season"),
    [
        (0.0, "1970-Q1"),
        (1_767_225_599.0, "2025-Q4"),
        (1_767_225_600.0, "2026-Q1"),
        (1_790_812_800.0, "2026-Q4"),
        (1e300, ""),
    ],
)
def test_a_season_is_a_quarter_of_the_year(played_s: float, season: str) -> None:
    assert season_of(played_s) == season


def test_seasons_are_listed_newest_first() -> None:
    results = [result("Ann", "Ben", at_s=at) for at in (0.0, 1_767_225_600.0, 1_767_225_599.0)]
    assert seasons_of(results) == ("2026-Q1", "2025-Q4", "1970-Q1")
