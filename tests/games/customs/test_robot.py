"""Robots play whole games by what they see, sensibly, and the same again with the same seed."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest

import appliance.games.customs.robot as robot
from appliance.games.customs import GAME
from appliance.games.customs.actions import Declare
from appliance.games.customs.robot import SKILLS, Robot
from tests.games.customs.play import a_setup, folded, pack_of, played
from tests.games.customs.robots import robots_played

AVERAGE = ["average"] * 6


@pytest.mark.parametrize("players", range(3, 7))
@pytest.mark.parametrize("skill", SKILLS)
def test_robots_play_whole_games(players: int, skill: str) -> None:
    setup = a_setup(players, first_officer=None)
    steps = list(robots_played(setup, [skill] * players, players))
    outcome = GAME.outcome(steps[-1][2])
    assert outcome is not None
    assert outcome.reason == "all_were_officer"
    assert all(player.served or player.status != "in" for player in steps[-1][2].players)


def test_the_counter_sees_everything_that_makes_the_game() -> None:
    """Truth and lies, searches and trust, Informers, and both ways of discarding: none is rare, none is all."""
    deeds: Counter[str] = Counter()
    truths: Counter[bool] = Counter()
    for seed in range(12):
        for before, action, after in robots_played(a_setup(4), ["average"] * 4, seed):
            deeds[type(action).__name__] += 1
            if after.opened is not None and after.opened is not before.opened:
                truths[after.opened.honest] += 1
    assert 0.1 < deeds["Search"] / (deeds["Search"] + deeds["Accept"]) < 0.9
    assert 0.03 < deeds["Disbelieve"] / (deeds["Disbelieve"] + deeds["Believe"]) < 0.9
    assert 0.15 < truths[True] / truths.total() < 0.85
    assert deeds["ClaimBag"] > 10


def test_experts_earn_more_than_beginners() -> None:
    wins: Counter[str] = Counter()
    for seed in range(40):
        skills = ["expert", "beginner"] * 2 if seed % 2 else ["beginner", "expert"] * 2
        *_, (_, _, over) = robots_played(a_setup(4), skills, seed)
        outcome = GAME.outcome(over)
        assert outcome is not None
        wins.update(skills[seat] for seat in outcome.winners)
    assert wins["expert"] > 1.5 * wins["beginner"]


def test_the_same_seed_plays_the_same_game() -> None:
    games = [[action for _, action, _ in robots_played(a_setup(3), AVERAGE[:3], 5)] for _ in range(2)]
    assert games[0] == games[1]
    assert games[0] != [action for _, action, _ in robots_played(a_setup(3), AVERAGE[:3], 6)]


def test_robots_answer_whatever_a_random_game_asks_them() -> None:
    for seed in range(20):
        robots = [Robot(seat, "average", seed) for seat in range(4)]
        for state, *_ in played(a_setup(4, money=2_000), Random(seed), 0.002):
            for seat in range(4):
                view = GAME.view(state, seat)
                chosen = robots[seat].choose(view, view.expects)
                due = [p for p in view.expects if p.seat == seat and not p.optional]
                assert (chosen is None) == (not due)
                if chosen is not None:
                    assert not hasattr(GAME.apply(state, chosen[1]), "code"), chosen


def test_a_robot_does_not_look_at_cards_that_are_not_its_own() -> None:
    """The Officer's choice is the same whatever lies in the suitcase."""
    setup = a_setup(4)
    said = Declare(seat=1, goods=("wine",))
    chosen = []
    for cards in (("wine", "luggage", "luggage", "luggage"), ("crown", "necklace", "camera", "watch")):
        view = GAME.view(folded(setup, [pack_of(*cards), said]), 0)
        chosen.append(Robot(0, "expert", 1).choose(view, view.expects))
    assert chosen[0] == chosen[1]


def test_a_demo_without_score_can_be_opened_with_the_demo_options() -> None:
    options = robot.demo_options()
    setup = a_setup(4).__class__(format=1, game="customs", players=a_setup(4).players, options=options)
    assert GAME.view(GAME.set_up(setup).state, None).demo
