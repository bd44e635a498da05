"""Robots play whole games by what they see, sensibly, and the same again with the same seed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from random import Random

import msgspec
import pytest

import appliance.games.customs.robot as robot
from appliance.games.customs.robot import SKILLS, Robot
from appliance.games.customs.rules.actions import Accept, AskLoan, Believe, Declare, Disbelieve, Lend, Search
from appliance.games.customs.rules.cards import dutiable
from appliance.games.customs.rules.rules import RULES
from appliance.games.customs.rules.state import Asking, Declaration, Due, Loan, State
from appliance.games.customs.rules.view import SeatView
from appliance.games.protocol import Action, OneOf, Prompt
from tests.appliance.games.customs.play import a_setup, answered, folded, pack_of, played, started, stepped
from tests.appliance.games.customs.robots import robots_played
from tests.narrowed import of_kind, there

AVERAGE = ["average"] * 6


@pytest.mark.parametrize("players", range(3, 7))
@pytest.mark.parametrize("skill", SKILLS)
def test_robots_play_whole_games(players: int, skill: str) -> None:
    setup = a_setup(players, first_officer=None)
    steps = list(robots_played(setup, [skill] * players, players))
    outcome = RULES.outcome(steps[-1][2])
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
        outcome = RULES.outcome(over)
        assert outcome is not None
        wins.update(skills[seat] for seat in outcome.winners)
    assert wins["expert"] > 1.5 * wins["beginner"]


class TellsTheTruth(Robot):
    def _declare(self, view: SeatView) -> Declaration:
        return Declaration(seat=self.seat, goods=dutiable(view.you.hand))


class DeclaresNothing(Robot):
    def _declare(self, view: SeatView) -> Declaration:
        return Declaration(seat=self.seat)


class ClaimsTheBag(Robot):
    def _declare(self, view: SeatView) -> Declaration:
        return Declaration(seat=self.seat, bag=True)


class AlwaysAnswers(Robot):
    deed: type[Action] = Accept

    def choose(self, view: SeatView, prompts: Sequence[Prompt]) -> tuple[Prompt, Action] | None:
        chosen = super().choose(view, prompts)
        tag = self.deed.__struct_config__.tag
        mine = [prompt for prompt in prompts if prompt.seat == self.seat and prompt.do == tag]
        return (mine[0], self.deed(seat=self.seat)) if mine else chosen


class LetsEverybodyPass(AlwaysAnswers):
    deed = Accept


class SearchesEverybody(AlwaysAnswers):
    deed = Search


class BelievesEverybody(AlwaysAnswers):
    deed = Believe


class BelievesNobody(AlwaysAnswers):
    deed = Disbelieve


HABITS = [
    TellsTheTruth,
    DeclaresNothing,
    ClaimsTheBag,
    LetsEverybodyPass,
    SearchesEverybody,
    BelievesEverybody,
    BelievesNobody,
]


@pytest.mark.soak
@pytest.mark.parametrize("stubborn", HABITS)
def test_no_simple_habit_milks_experts(stubborn: type[Robot]) -> None:
    won = []
    for seed in range(200):
        *_, (_, _, over) = robots_played(a_setup(4, first_officer=None), ["expert"] * 4, seed, first=stubborn)
        outcome = RULES.outcome(over)
        assert outcome is not None
        won.append((0 in outcome.winners) / len(outcome.winners))
    # A quarter is what an even player wins; three standard errors of two hundred such games are 0.09.
    assert sum(won) / len(won) < 0.25 + 0.09


def test_the_same_seed_plays_the_same_game() -> None:
    games = [[action for _, action, _ in robots_played(a_setup(3), AVERAGE[:3], 5)] for _ in range(2)]
    assert games[0] == games[1]
    assert games[0] != [action for _, action, _ in robots_played(a_setup(3), AVERAGE[:3], 6)]


def test_robots_answer_whatever_a_random_game_asks_them() -> None:
    for seed in range(20):
        robots = [Robot(seat, "average", seed) for seat in range(4)]
        for state, *_ in played(a_setup(4, money=2_000), Random(seed), 0.002):
            for seat in range(4):
                view = RULES.view(state, seat)
                chosen = robots[seat].choose(view, view.expects)
                due = [p for p in view.expects if p.seat == seat and not p.optional]
                assert (chosen is None) == (not due)
                if chosen is not None:
                    assert not hasattr(RULES.apply(state, chosen[1]), "code"), chosen


def test_a_robot_does_not_look_at_cards_that_are_not_its_own() -> None:
    """The Officer's choice is the same whatever lies in the suitcase."""
    setup = a_setup(4)
    said = Declare(seat=1, goods=("wine",))
    chosen = []
    for cards in (("wine", "luggage", "luggage", "luggage"), ("crown", "necklace", "camera", "watch")):
        view = RULES.view(folded(setup, [pack_of(*cards), said]), 0)
        chosen.append(Robot(0, "expert", 1).choose(view, view.expects))
    assert chosen[0] == chosen[1]


def test_a_demo_without_score_can_be_opened_with_the_demo_options() -> None:
    options = robot.demo_options()
    setup = a_setup(4).__class__(format=1, game="customs", players=a_setup(4).players, options=options)
    assert RULES.view(started(setup), None).demo


def test_robots_lend_no_more_than_their_limit_to_who_never_repays() -> None:
    """B declares Crowns without end, and asks every robot again and again for what is missing."""
    for seed in range(6):
        robots = {seat: Robot(seat, "average", seed) for seat in (0, 2, 3)}
        rng = Random(seed)
        state = folded(a_setup(4, money=4_000), [])
        most_owed = 0
        while RULES.outcome(state) is None and state.players[1].status == "in":
            public = next(prompt for prompt in RULES.expects(state, None) if not prompt.optional)
            if public.seat is None:
                action = answered(public, rng)
            elif public.seat != 1:
                view = RULES.view(state, public.seat)
                action = there(robots[public.seat].choose(view, view.expects))[1]
            else:
                action = spending(state)
            state = stepped(state, action).state
            for seat in robots:
                owed = sum(loan.amount for loan in state.loans if loan.creditor == seat and loan.debtor == 1)
                assert owed <= robot.CREDIT
                most_owed = max(most_owed, owed)
        assert most_owed > 0


def spending(state: State) -> Action:
    """What somebody does who spends all their money, and other people's."""
    mine = {prompt.do: prompt for prompt in RULES.expects(state, 1) if prompt.seat == 1 and not prompt.optional}
    if "declare" in mine:
        return Declare(seat=1, goods=("necklace",) * 4)
    if "ask_loan" in mine:
        return AskLoan(seat=1, lender=of_kind(OneOf, mine["ask_loan"].choices["lender"]).values[0], amount=100)
    return answered(next(iter(mine.values())), Random(0))


def test_a_robot_lends_nothing_more_to_who_owes_it_since_an_earlier_round() -> None:
    state = folded(a_setup(4, money=10_000), [pack_of("luggage")])
    asked = msgspec.structs.replace(
        state,
        dues=(Due(payer=1, payee=0, amount=2_600, rule="CU-20"),),
        stage=Asking(lender=2, amount=100, refused=()),
    )
    owing = (Loan(debtor=1, creditor=2, amount=50),)

    def lends(*, since: int | None, seed: int) -> bool:
        lender = Robot(2, "average", seed)
        if since is not None:
            before = msgspec.structs.replace(state, round=since, loans=owing)
            lender.choose(RULES.view(before, 2), RULES.expects(before, 2))
        now = msgspec.structs.replace(asked, round=2, loans=() if since is None else owing)
        view = RULES.view(now, 2)
        return isinstance(there(lender.choose(view, view.expects))[1], Lend)

    assert any(lends(since=None, seed=seed) for seed in range(8))
    assert any(lends(since=2, seed=seed) for seed in range(8))
    assert not any(lends(since=1, seed=seed) for seed in range(40))
