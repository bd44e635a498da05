"""Robot players: legal under the real rules, better with skill, deaf to what they must not know."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any

import msgspec
import pytest

from appliance.games.protocol import Action, Outcome
from appliance.games.smugglers.robots.robot import SKILLS, Robot
from appliance.games.smugglers.rules import actions
from appliance.games.smugglers.rules.actions import Piece
from appliance.games.smugglers.rules.rules import RULES
from appliance.games.smugglers.rules.state import State
from appliance.games.smugglers.rules.view import View
from hardware.rig import Rig
from hardware.twin.world import physics, putty
from tests.appliance.games.smugglers.play import a_setup, started, stepped
from tests.narrowed import there

pytestmark = pytest.mark.slow

HOLES_MM = [lane.hole_mm for lane in Rig().lanes]


def play(
    seed: int, players: int, skills: list[str], first: type[Robot] = Robot, **options: Any
) -> tuple[State, list[Action], Outcome]:
    """Play one whole game without sensors; chance and physics are decided here. Returns the state and the actions.

    Seat 0 is a `first`.
    """
    chance = Random(seed)
    state: State = started(a_setup(players, **options))
    robots = {seat: (Robot if seat else first)(seat, skills[seat], seed) for seat in range(players)}
    hidden: dict[int, tuple[Piece, ...]] = {}
    made: dict[int, float] = {}
    done: list[Action] = []
    for _ in range(5000):
        outcome = RULES.outcome(state)
        if outcome is not None:
            return state, done, outcome
        view = RULES.view(state, None)
        prompt = next(prompt for prompt in view.expects if not prompt.optional)
        action: Action
        match prompt.do, prompt.seat:
            case "roll", int(seat):
                action = actions.Roll(seat=seat, value=chance.randint(1, 6))
            case "tie_roll", int(seat):
                action = actions.TieRoll(seat=seat, value=chance.randint(1, 6))
            case "time_up", _:
                for one, robot in robots.items():
                    own = RULES.view(state, one)
                    hidden[one] = robot.hide(own, own.you.pieces)
                    made[one] = robot.diameter_mm(own, HOLES_MM)
                action = actions.TimeUp()
            case "attempt", int(seat):
                hole = HOLES_MM[there(view.lane) - 1]
                fits = made[seat] * (1 + SKILLS[skills[seat]].spread / 2) < hole
                if robots[seat].declines(view):
                    action = actions.Decline(seat=seat)
                else:
                    action = actions.Attempt(seat=seat, outcome="passed" if fits else "stuck")
            case "weigh", int(seat):
                action = actions.Weigh(seat=seat, mass_g=round(putty.sphere_mass_g(made[seat]), 2))
            case "open", int(seat):
                action = actions.Open(seat=seat, found=hidden[seat])
            case _, int(seat):
                _, action = there(robots[seat].choose(view, view.expects))
        done.append(action)
        state = stepped(state, action).state
        for robot in robots.values():
            robot.watch(RULES.view(state, None))
    raise AssertionError("the game does not end")


@pytest.mark.parametrize("first", range(0, 200, 20))
def test_two_hundred_games_of_robots_are_legal_and_end(first: int) -> None:
    for seed in range(first, first + 20):
        players = 2 + seed % 3
        skills = [("beginner", "average", "expert")[(seed + seat) % 3] for seat in range(players)]
        goal = "short" if seed % 4 == 0 else "full"
        state, _, outcome = play(seed, players, skills, goal=goal, same_mass_check=seed % 5 == 0)
        assert len(outcome.winners) == 1
        winner = state.players[outcome.winners[0]].tokens
        one, each = (7, 5) if goal == "full" else (5, 4)
        assert max(winner.sweet, winner.sour) == one or min(winner.sweet, winner.sour) == each


def test_the_same_seed_plays_the_same_game() -> None:
    skills = ["expert", "average", "beginner", "average"]
    assert play(5, 4, skills)[1] == play(5, 4, skills)[1]
    assert play(5, 4, skills)[1] != play(6, 4, skills)[1]


def test_skill_pays() -> None:
    wins = [0, 0]
    for seed in range(120):
        skills = ["expert", "beginner"] if seed % 2 else ["beginner", "expert"]
        _, _, outcome = play(seed, 2, skills)
        wins[skills[outcome.winners[0]] == "expert"] += 1
    assert wins[1] > 1.4 * wins[0]


def test_a_robot_decides_from_its_own_view_alone() -> None:
    """Secrets of the state that the view hides change nothing: two states with one view get one choice."""
    state = started(a_setup(3))
    for action in (
        actions.Roll(seat=0, value=1),
        actions.TimeUp(),
        *(actions.Attempt(seat=seat, outcome="passed") for seat in range(3)),
        actions.Weigh(seat=0, mass_g=20.0),
        actions.Weigh(seat=1, mass_g=15.0),
    ):
        state = stepped(state, action).state
    choices = []
    for mass_g in (10.0, 12.5):
        ranked = stepped(state, actions.Weigh(seat=2, mass_g=mass_g)).state
        view = RULES.view(ranked, 0)
        choices.append(Robot(0, "expert", 3).choose(view, view.expects))
    assert choices[0] == choices[1]


def test_sizes_aim_below_the_hole_and_scatter_with_skill() -> None:
    state = stepped(started(a_setup(2)), actions.Roll(seat=0, value=1)).state
    view = RULES.view(state, 0)
    hole = HOLES_MM[there(view.lane) - 1]
    for skill, name in ((SKILLS[name], name) for name in SKILLS):
        sizes = [Robot(0, name, seed).diameter_mm(view, HOLES_MM) for seed in range(400)]
        mean = sum(sizes) / len(sizes)
        sd = (sum((size - mean) ** 2 for size in sizes) / len(sizes)) ** 0.5
        assert mean < hole - 0.7 * skill.margin_mm
        assert sd == pytest.approx(skill.size_sd_mm, rel=0.15)
        passing = sum(size * (1 + skill.spread / 2) < hole for size in sizes) / len(sizes)
        assert 0.7 < passing < 0.99


def test_a_spent_bomb_is_never_guessed_by_one_who_pays_attention() -> None:
    state = started(a_setup(2))
    view = RULES.view(state, 0)
    robbed = msgspec.structs.replace(view.players[1], usable_bombs=0, spent_bombs=1)
    view = msgspec.structs.replace(view, players=(view.players[0], robbed))
    belief = Robot(0, "expert", 1).suspicion(view, 1)
    assert belief["bomb"] < 0.05
    assert sum(belief.values()) == pytest.approx(1)


def test_habits_show_in_suspicion() -> None:
    state = started(a_setup(2))
    robot = Robot(0, "expert", 1)
    before = robot.suspicion(RULES.view(state, 0), 1)["sour"]
    for number in range(1, 6):
        view = RULES.view(state, None)
        shown = msgspec.structs.replace(view.players[1], opened=("sour",))
        robot.watch(msgspec.structs.replace(view, round=number, players=(view.players[0], shown)))
    assert robot.suspicion(RULES.view(state, 0), 1)["sour"] > before + 0.2


def test_robots_pushes_carry_the_sphere_to_the_fence_most_of_the_time() -> None:
    rig, chance = Rig(), Random(1)
    outcomes = []
    for seed in range(60):
        push = Robot(0, "average", seed).push()
        pushed = physics.PushedSphere(
            mean_diameter_mm=24, largest_caliper_mm=24.4, lane=4, strength=push.strength, start_mm=(0.0, 220.0)
        )
        outcomes.append(physics.roll(rig, pushed, 0.0, chance).outcome)
    assert outcomes.count("passed") >= 55


class HidesTheSame(Robot):
    piece: Piece = "sweet"

    def hide(self, view: View, pieces: Sequence[Piece]) -> tuple[Piece, ...]:
        return (self.piece,) if self.piece in pieces else super().hide(view, pieces)


class HidesSour(HidesTheSame):
    piece: Piece = "sour"


class HidesBombs(HidesTheSame):
    piece: Piece = "bomb"


class SaysSweet(Robot):
    def suspicion(self, view: View, seat: int) -> dict[Piece, float]:
        return {"sweet": 1.0}


class PlaysSafe(Robot):
    def diameter_mm(self, view: View, holes_mm: Sequence[float]) -> float:
        return min(super().diameter_mm(view, holes_mm), min(holes_mm) - 1.0)


@pytest.mark.soak
@pytest.mark.parametrize("stubborn", [HidesTheSame, HidesSour, HidesBombs, SaysSweet, PlaysSafe])
def test_no_simple_habit_milks_experts(stubborn: type[Robot]) -> None:
    won = []
    for seed in range(200):
        winners = play(seed, 4, ["expert"] * 4, stubborn)[2].winners
        won.append((0 in winners) / len(winners) if winners else 0.25)
    # A quarter is what an even player wins; three standard errors of two hundred such games are 0.09.
    assert sum(won) / len(won) < 0.25 + 0.09
