"""Robots play whole games, sensibly, by what a seat may see."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from random import Random
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest

from appliance.games.haulers.robots.robot import SKILLS, Robot
from appliance.games.haulers.rules.rules import RULES
from appliance.games.haulers.rules.state import State
from appliance.games.haulers.rules.view import SeatView
from appliance.games.haulers.table_data import our_edition
from appliance.games.protocol import Action, OneOf, Player, Prompt, Setup, Step
from appliance.table.draws.dealer import Dealer
from tests.appliance.games.haulers.play import VARIANTS
from tests.narrowed import of_kind

pytestmark = pytest.mark.slow

OURS = msgspec.to_builtins(our_edition())


def robot_game(
    seed: int, players: int, skills: list[str], first: type[Robot] = Robot, begins: int | None = None, **options: Any
) -> tuple[State, Counter[str]]:
    """Return how a game of robots ended, and how often it told what; seat 0 is a `first`.

    :param begins: the seat that has the first turn; None: the highest start roll says who (TR-3).
    """
    seats = tuple(Player(name="ABCDEF"[seat]) for seat in range(players))
    step = RULES.set_up(Setup(format=1, game="haulers", players=seats, options={"edition": OURS, **options}))
    assert isinstance(step, Step)
    state, told, order = step.state, Counter[str](), Random(seed)
    robots = [(Robot if seat else first)(seat, skills[seat % len(skills)], seed) for seat in range(players)]
    for _ in range(6000):
        if RULES.outcome(state) is not None:
            return state, told
        step = RULES.apply(state, _next(state, robots, order))
        assert isinstance(step, Step), step
        told.update(happening.code for happening in step.happened)
        found = state.first is None and step.state.first is not None and begins is not None
        state = msgspec.structs.replace(step.state, first=begins) if found else step.state
    raise AssertionError("the robots do not come to an end")


def _next(state: State, robots: list[Robot], order: Random) -> Action:
    """Return what is done next: of several who may act, chance says who is first, for a bribe comes before a roll."""
    public = RULES.expects(state, None)
    for prompt in public:
        if prompt.do in ("roll", "shuffle"):
            whose = {} if prompt.seat is None else {"seat": prompt.seat}
            drawn = Dealer().draw(prompt, str(order.getrandbits(64)))
            action: Action = msgspec.convert({"do": prompt.do, **whose, **drawn}, RULES.action_type)
            return action
    asked = sorted({prompt.seat for prompt in public if prompt.seat is not None})
    for robot in (robots[seat] for seat in order.sample(asked, len(asked))):
        view = of_kind(SeatView, RULES.view(state, robot.seat))
        chosen = robot.choose(view, view.expects)
        if chosen is not None:
            assert chosen[0] in view.expects
            return chosen[1]
    raise AssertionError(f"nobody acts in {state.stage}")


@pytest.mark.parametrize("seed", range(len(VARIANTS)))
def test_robots_finish_games_of_every_variant(seed: int) -> None:
    options = {name: value for name, value in VARIANTS[seed].items() if name != "edition"}
    robot_game(seed, 2 + seed % 4, sorted(SKILLS), **options)


def test_robots_end_a_game_in_which_goods_for_overseas_filled_trucks_without_a_boat() -> None:
    robot_game(100_042, 4, ["average", "average", "expert", "expert"])


def test_robots_deliver_rather_than_wander() -> None:
    """A delivery takes a truck a handful of turns, not dozens."""
    turns = deliveries = 0
    for seed in range(8):
        state, told = robot_game(seed, 3, ["expert"])
        turns += state.turn
        deliveries += told["legal_delivered"] + told["smuggled_delivered"]
    assert turns / deliveries < 9


def test_robots_use_the_whole_game() -> None:
    told: Counter[str] = Counter()
    for seed in range(10):
        told += robot_game(seed, 4, sorted(SKILLS), transit=True)[1]
    for code in (
        "smuggled_delivered",
        "legal_delivered",
        "bribe_paid",
        "smuggling_found",
        "station_built",
        "blue_chip",
    ):
        assert told[code] > 0, code


class AlwaysSmuggles(Robot):
    def __init__(self, seat: int, skill: str, seed: int) -> None:
        super().__init__(seat, skill, seed)
        self.skill = replace(self.skill, nerve=9.0)


class NeverSmuggles(Robot):
    def __init__(self, seat: int, skill: str, seed: int) -> None:
        super().__init__(seat, skill, seed)
        self.skill = replace(self.skill, nerve=-9.0)


class AlwaysRefuses(Robot):
    def _as_checker(self, view: SeatView, open_: dict[str, list[Prompt]]) -> tuple[Prompt, Action]:
        return self._take(open_["roll_off"][0])


class OffersTheLeast(Robot):
    def _parley(self, view: SeatView, open_: dict[str, list[Prompt]]) -> tuple[Prompt, Action] | None:
        chosen = super()._parley(view, open_)
        if chosen is None or chosen[0].do != "offer":
            return chosen
        return self._take(chosen[0], amount=1)


@pytest.mark.soak
@pytest.mark.parametrize("stubborn", [AlwaysSmuggles, NeverSmuggles, AlwaysRefuses, OffersTheLeast])
def test_no_simple_habit_milks_experts(stubborn: type[Robot]) -> None:
    won = []
    for seed in range(100):
        outcome = RULES.outcome(robot_game(seed, 4, ["expert"], stubborn)[0])
        assert outcome is not None
        won.append((0 in outcome.winners) / len(outcome.winners))
    # A quarter is what an even player wins; three standard errors of a hundred such games are 0.13.
    assert sum(won) / len(won) < 0.25 + 0.13


def test_a_boat_is_set_on_the_sea_from_which_the_load_can_be_reached() -> None:
    sea = {"Ost": ("a",), "a": ("Ost", "b"), "b": ("a",), "lake 1": ("lake 2",), "lake 2": ("lake 1",)}
    card = SimpleNamespace(top="Ost", bottom="West")
    view = SimpleNamespace(you=SimpleNamespace(hand=(card,)), board=SimpleNamespace(overseas=("Ost",), sea=sea))
    squares = Prompt(prompt="boat", do="buy", seat=0, choices={"at": OneOf(values=("lake 1", "lake 2", "b", "a"))})
    assert Robot(0, "expert", 1)._mooring(view, squares) == "a"  # type: ignore[arg-type]  # all that it looks at


def test_a_robot_is_the_same_for_the_same_seed() -> None:
    first, second = (robot_game(11, 3, ["average"])[0] for _ in range(2))
    assert first == second
