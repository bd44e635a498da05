"""Robots play whole games of Prohis by what their seat may see, and skill shows."""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import Any

import pytest

from appliance.games.prohis.robot import SKILLS, Robot, seizure
from appliance.games.prohis.rules import actions
from appliance.games.prohis.rules.phases.ending import points
from appliance.games.prohis.rules.rules import RULES
from appliance.games.prohis.rules.state import State
from appliance.games.prohis.rules.view import SeatView
from appliance.games.protocol import Action, Prompt, SomeOf
from appliance.table.draws.dealer import Dealer
from tests.appliance.games.prohis.deal import cards
from tests.appliance.games.prohis.play import a_setup, action_of, started, stepped


def recorded_robots(
    skills: list[str], seed: int, first: type[Robot] = Robot, **options: Any
) -> tuple[State, list[Action]]:
    """Return a game of robots and what they did; seat 0 is a `first`."""
    state, dealer, rng = started(a_setup(len(skills), **options)), Dealer(), Random(seed)
    robots = [(Robot if seat else first)(seat, skill, seed) for seat, skill in enumerate(skills)]
    done: list[Action] = []
    while RULES.outcome(state) is None:
        drawn = [prompt for prompt in RULES.expects(state, None) if prompt.chance == "must"]
        if drawn:
            action = action_of(drawn[0], dealer.draw(drawn[0], str(seed), len(done)))
        else:
            chosen = None
            for seat in rng.sample(range(len(skills)), len(skills)):
                chosen = chosen or robots[seat].choose(RULES.view(state, seat), RULES.expects(state, seat))
            assert chosen is not None, state.phase
            assert chosen[0].do == type(chosen[1]).__struct_config__.tag
            action = chosen[1]
        done.append(action)
        state = stepped(state, action).state
    return state, done


def played_by_robots(skills: list[str], seed: int, **options: Any) -> tuple[State, Counter[str]]:
    state, done = recorded_robots(skills, seed, **options)
    return state, Counter(str(type(action).__struct_config__.tag) for action in done)


@pytest.mark.slow
@pytest.mark.parametrize("players", [3, 4, 5, 6])
@pytest.mark.parametrize("options", [{}, {"declarations": "hidden", "open_bribes": True, "hand_cap": True}])
def test_robots_play_whole_games_with_everything_in_them(players: int, options: dict[str, Any]) -> None:
    done: Counter[str] = Counter()
    for seed in range(6):
        state, did = played_by_robots([list(SKILLS)[(seed + k) % 3] for k in range(players)], seed, **options)
        assert max(points(player) for player in state.players) > 10_000
        done.update(did)
    assert {"take", "draw", "convoy", "declare", "offer", "answer", "stop_bribing", "decide", "turn"} <= set(done)


def test_a_robot_answers_the_same_to_the_same_and_only_when_asked() -> None:
    first, second = (played_by_robots(["expert"] * 3, 5)[0] for _ in range(2))
    assert first == second
    assert Robot(0, "expert", 1).choose(RULES.view(first, 0), RULES.expects(first, 0)) is None


@pytest.mark.soak
def test_experts_beat_beginners() -> None:
    wins: Counter[str] = Counter()
    for seed in range(600):
        skills = ["expert", "beginner", "expert", "beginner"]
        state, _ = played_by_robots(skills if seed % 2 else skills[::-1], seed)
        for seat in state.winners:
            wins[(skills if seed % 2 else skills[::-1])[seat]] += 1
    # Much is the luck of the deal; players of equal skill get two standard errors beyond half in one run of forty.
    games = wins.total()
    assert wins["expert"] / games > 0.5 + 2 * (0.25 / games) ** 0.5, wins


class NeverInspects(Robot):
    def _declare(self, view: SeatView, prompt: Prompt) -> actions.Declare:
        return actions.Declare(seat=self.seat, prohi=None)


class AlwaysRefuses(Robot):
    def _accepts(self, view: SeatView) -> bool:
        return False


class AlwaysWaives(Robot):
    def _insists(self, view: SeatView) -> bool:
        return False


class NeverBribes(Robot):
    def _bribe(self, view: SeatView, mine: dict[str, Prompt]) -> tuple[Prompt, Action]:
        return mine["stop_bribing"], actions.StopBribing(seat=self.seat)


class OffersTheLeast(Robot):
    def _bribe(self, view: SeatView, mine: dict[str, Prompt]) -> tuple[Prompt, Action]:
        choice = mine["offer"].choices["cards"] if "offer" in mine else None
        if isinstance(choice, SomeOf) and "legal" in view.you.hand and ("legal",) not in choice.but_not:
            return mine["offer"], actions.Offer(seat=self.seat, cards=("legal",))
        return mine["stop_bribing"], actions.StopBribing(seat=self.seat)


@pytest.mark.soak
@pytest.mark.parametrize("stubborn", [NeverInspects, AlwaysRefuses, AlwaysWaives, NeverBribes, OffersTheLeast])
def test_no_simple_habit_milks_experts(stubborn: type[Robot]) -> None:
    won = []
    for seed in range(200):
        winners = recorded_robots(["expert"] * 4, seed, stubborn)[0].winners
        won.append((0 in winners) / len(winners))
    # A quarter is what an even player wins; three standard errors of two hundred such games are 0.09.
    assert sum(won) / len(won) < 0.25 + 0.09


@pytest.mark.parametrize(
    ("load", "turns", "chance"),
    [
        ("II", 1, 1.0),
        ("LL", 2, 0.0),
        ("LI", 1, 0.5),
        ("LI", 2, 1.0),
        ("LLLI", 3, 0.75),
        ("MI", 2, 0.5),
        ("LMI", 3, 0.5),
    ],
)
def test_seizure_odds(load: str, turns: int, chance: float) -> None:
    """By hand: with a Prohi in the load, it is even odds which of the two is met first."""
    assert seizure(tuple(cards(load)), turns) == pytest.approx(chance)
