"""A league night: queue, pairings, late entries, no-shows, standings."""

from __future__ import annotations

import itertools
import random
from collections import Counter

import msgspec
import pytest

from appliance.games.league.night import Came, NightEvent, NightState, Seated, Went, night_state
from appliance.games.league.result import Result

TWELVE = [f"G{n:02}" for n in range(12)]


class Night:
    """A night that is played: each game is won by one of its guests."""

    def __init__(self, guests: list[str], *, size: int = 4, least: int = 2) -> None:
        self.events: list[NightEvent] = [Came(guest) for guest in guests]
        self.results: list[Result] = []
        self.size, self.least = size, least

    def stand(self, playing: int | None = None) -> NightState:
        return night_state(self.events, self.results, size=self.size, least=self.least, playing=playing)

    def play(self, winner: int = 0) -> tuple[str, ...]:
        guests = self.stand().next
        game = 100 + len(self.events)
        self.events.append(Seated(guests, game))
        ranks = tuple(1 if place == winner else 2 for place in range(len(guests)))
        self.results.append(Result(table="t", seq=game, played_s=0.0, game="x", guests=guests, ranks=ranks))
        return guests


def test_everybody_plays_once_before_anybody_plays_twice() -> None:
    night = Night(TWELVE)
    assert sorted(itertools.chain(*(night.play() for _ in range(3)))) == TWELVE
    assert sorted(itertools.chain(*(night.play() for _ in range(3)))) == TWELVE


def test_pairs_that_have_met_meet_again_only_when_they_must() -> None:
    night = Night(TWELVE)
    met = Counter(frozenset(pair) for _ in range(6) for pair in itertools.combinations(night.play(), 2))
    # 6 games of 4 are 36 pairs. Four guests out of three earlier games are two at least who have met: 33 at best.
    assert max(met.values()) <= 2
    assert len(met) >= 32


@pytest.mark.parametrize("seed", range(5))
def test_in_any_night_turns_of_those_who_stay_differ_by_one_at_most(seed: int) -> None:
    chance = random.Random(seed)
    night = Night(TWELVE[: chance.randint(5, 12)], size=chance.randint(2, 4))
    turns: Counter[str] = Counter({event.guest: 0 for event in night.events if isinstance(event, Came)})
    for _ in range(40):
        turns.update(night.play(0))
        assert max(turns.values()) - min(turns.values()) <= 1


def test_who_comes_late_plays_soon_and_not_every_game_until_they_have_caught_up() -> None:
    night = Night(TWELVE[:5], size=2)
    for _ in range(10):
        night.play()
    night.events.append(Came("Late"))
    games = [night.play() for _ in range(6)]
    assert any("Late" in game for game in games[:3])
    assert 1 <= sum("Late" in game for game in games) <= 3


def test_who_was_away_for_a_while_plays_no_more_than_the_others_from_then_on() -> None:
    night = Night(["Ann", "Ben", "Cleo", "Dan"], size=2)
    night.events.append(Went("Dan"))
    for _ in range(6):
        night.play()
    night.events.append(Came("Dan"))
    assert Counter(itertools.chain(*(night.play() for _ in range(4)))) == dict.fromkeys(
        ("Ann", "Ben", "Cleo", "Dan"), 2
    )


def test_who_comes_back_is_as_due_as_those_who_played_least() -> None:
    night = Night(["Ann", "Ben", "Cleo", "Dan"], size=2)
    night.events.append(Went("Dan"))
    for _ in range(7):
        rested = next(iter({"Ann", "Ben", "Cleo"}.difference(night.play())))
    night.events.append(Came("Dan"))
    # 14 turns of three: two played five games, who rested last four. Dan has not played at all, so they waited longer.
    assert night.stand().waiting[:2] == ("Dan", rested)


def test_of_equally_due_guests_those_who_have_waited_longest_come_first() -> None:
    night = Night(["Ann", "Ben", "Cleo", "Dan"], size=2)
    for game, pair in enumerate((("Cleo", "Dan"), ("Ann", "Ben"))):
        night.events.append(Seated(pair, game))
        night.results.append(Result(table="t", seq=game, played_s=0.0, game="x", guests=pair, ranks=(1, 2)))
    assert night.stand().waiting == ("Cleo", "Dan", "Ann", "Ben")


def test_who_does_not_come_when_called_is_passed_over_until_they_are_back() -> None:
    night = Night(TWELVE[:6], size=3)
    called = night.stand().next
    night.events.append(Went(called[0], missing=True))
    assert called[0] not in night.stand().next
    assert len(night.play()) == 3
    assert next(one for one in night.stand().standings if one.name == called[0]).missing
    night.events.append(Came(called[0]))
    assert not next(one for one in night.stand().standings if one.name == called[0]).missing
    assert called[0] in night.play()


def test_too_few_have_no_next_game_and_few_have_a_small_one() -> None:
    assert Night(["Ann"], least=2).stand().next == ()
    assert set(Night(["Ann", "Ben", "Cleo"], size=4).stand().next) == {"Ann", "Ben", "Cleo"}


def test_equal_guests_share_a_place() -> None:
    night = Night(TWELVE[:4], size=2)
    night.play()
    night.play()
    table = [(one.place, one.won, one.played) for one in night.stand().standings]
    assert table == [(1, 1, 1), (1, 1, 1), (3, 0, 1), (3, 0, 1)]


def test_an_amended_result_refolds_the_standings() -> None:
    night = Night(TWELVE[:2], size=2)
    first, second = night.play()
    assert night.stand().standings[0].name == first
    night.results[0] = msgspec.structs.replace(night.results[0], ranks=(2, 1))
    assert night.stand().standings[0].name == second


def test_a_game_that_was_put_away_unfinished_was_nobodys_turn() -> None:
    night = Night(TWELVE[:6], size=3)
    called = night.stand().next
    night.events.append(Seated(called, 7))
    assert set(night.stand(playing=7).next).isdisjoint(called)
    assert night.stand().next == called


def test_nobody_begins_twice_while_another_has_not_begun() -> None:
    night = Night(["Ann", "Ben", "Cleo"], size=3)
    assert {night.play()[0] for _ in range(3)} == {"Ann", "Ben", "Cleo"}


def test_the_night_is_the_same_byte_for_byte_from_its_stored_events() -> None:
    night = Night(TWELVE)
    for _ in range(7):
        night.play()
    stored = msgspec.json.decode(msgspec.json.encode(night.events), type=list[NightEvent])
    again = night_state(stored, list(reversed(night.results)), size=4, least=2)
    assert msgspec.json.encode(again) == msgspec.json.encode(night.stand())
