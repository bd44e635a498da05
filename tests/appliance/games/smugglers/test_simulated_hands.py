"""Hands at the simulated table: whole games by deeds alone, patience, taking over a seat, tapping where sense fails."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import Any

import pytest

from appliance.games.protocol import Action, Prompt, Rejection
from appliance.games.smugglers.referee import balance_ranking
from appliance.games.smugglers.robots.robot import Robot
from appliance.games.smugglers.robots.simulated_hands import SimulatedHands
from appliance.games.smugglers.rules import actions
from appliance.games.smugglers.rules.rules import RULES
from appliance.games.smugglers.rules.state import State
from hardware.clock import ManualClock
from hardware.readings import Device
from hardware.rig import Rig
from hardware.twin.simulation import Simulation
from hardware.twin.world.truth import DieFell, Rolled, SphereOpened, TrueEvent, Weighed
from hardware.twin.world.world import World
from tests.appliance.games.smugglers.play import PUTTIES, a_setup, started
from tests.narrowed import of_kind, there

pytestmark = pytest.mark.slow


def taken(answer: Sequence[Action] | Rejection) -> Sequence[Action]:
    assert not isinstance(answer, Rejection), answer
    return answer


class Evening:
    """A game at a simulated table whose senses are perfect, but sometimes miss something altogether.

    :param missed: the share of facts that the senses never tell.
    """

    def __init__(self, seed: int = 1, players: int = 3, missed: float = 0.0, **options: Any) -> None:
        putties = PUTTIES[:players]
        self.state: State = started(a_setup(players, hourglass_s=20.0, **options))
        self.begun = self.state
        self.clock = ManualClock(10.0)
        self.world = World(Rig(), colours=putties, seed=seed, start_s=10.0, on_button=lambda *_: None)
        self.simulation = Simulation(self.world, self.clock)
        self.world.on_button = self.pressed
        robots = {
            seat: Robot(seat, ("beginner", "average", "expert")[(seat + seed) % 3], seed) for seat in range(players)
        }
        self.missing: frozenset[Device] = frozenset()
        self.hands = SimulatedHands(
            self.simulation, robots, self.tapped, self.press, missing=lambda: self.missing, seed=seed
        )
        self.seats = {putty: seat for seat, putty in enumerate(putties)}
        self.chance, self.missed = Random(seed), missed
        self.told = 0
        self.known: list[tuple[float, TrueEvent | actions.TimeUp]] = []
        self.done: list[Action] = []
        self.taps: list[Action] = []
        self.refused: list[tuple[Action, Rejection]] = []
        self.presses = 0
        self.pressed_buttons: list[str] = []
        self.question: str | None = None

    def pressed(self, name: str, down: bool, t_s: float) -> None:
        if down:
            self.presses += 1
            self.known.append((t_s + self.state.options.hourglass_s, actions.TimeUp()))

    def tapped(self, seat: int | None, prompt: str, action: Action) -> None:
        self.taps.append(action)
        self.act(action)

    def press(self, button: str) -> None:
        how, *seats = button.split(".")
        self.pressed_buttons.append(button)
        if how == "without_scale":
            return
        if how == "undo":
            assert isinstance(self.done.pop(), actions.Weigh)
            done, self.done, self.state = self.done, [], self.begun
            for action in done:
                self.act(action)
        elif how == "same_mass":
            self.act_all(taken(balance_ranking.compared(self.state, same=True)))
        else:
            self.act_all(taken(balance_ranking.ranked_next(self.state, [int(seat) for seat in seats])))

    def act_all(self, actions: Sequence[Action]) -> None:
        for action in actions:
            self.act(action)

    def act(self, action: Action) -> None:
        step = RULES.apply(self.state, action)
        if isinstance(step, Rejection):
            self.refused.append((action, step))
            return
        self.done.append(action)
        self.state = step.state

    def answer_to(self, fact: TrueEvent | actions.TimeUp) -> Action | None:
        """The action that a fact means now, if any prompt waits for it."""
        for prompt in RULES.expects(self.state, None):
            if isinstance(fact, actions.TimeUp):
                if prompt.do == "time_up":
                    return fact
                continue
            if (seat := prompt.seat) is None:
                continue
            match prompt.do, fact:
                case "roll", DieFell():
                    return actions.Roll(seat=seat, value=fact.value)
                case "tie_roll", DieFell():
                    return actions.TieRoll(seat=seat, value=fact.value)
                case "attempt", Rolled() if self.seats[fact.colour] == seat:
                    return actions.Attempt(seat=seat, outcome=fact.outcome)
                case "weigh", Weighed() if self.seats[fact.colour] == seat:
                    return actions.Weigh(seat=seat, mass_g=round(fact.mass_g, 2))
                case "open", SphereOpened() if self.seats[fact.colour] == seat and fact.pieces:
                    return actions.Open(seat=seat, found=fact.pieces)
        return None

    def live(self, until: Callable[[], object], most_s: float = 6000.0) -> None:
        limit_s = self.clock.now_s() + most_s
        while not until():
            assert self.clock.now_s() < limit_s, RULES.expects(self.state, None)
            self.simulation.advance_to(self.clock.now_s() + 0.1)
            now_s = self.clock.now_s()
            for fact in self.world.truth[self.told :]:
                if self.chance.random() >= self.missed:
                    slow = isinstance(fact, Rolled) and fact.outcome == "stuck"
                    self.known.append((now_s + (6.0 if slow else 2.5), fact))
            self.told = len(self.world.truth)
            for due_s, told in list(self.known):
                if now_s >= due_s:
                    self.known.remove((due_s, told))
                    if (action := self.answer_to(told)) is not None:
                        self.act(action)
            self.hands.play(lambda seat: RULES.view(self.state, seat), now_s, self.question)

    def over(self) -> bool:
        return RULES.outcome(self.state) is not None

    def expected(self, do: str) -> Prompt | None:
        return next((prompt for prompt in RULES.expects(self.state, None) if prompt.do == do), None)


def fallen(evening: Evening) -> list[DieFell]:
    """Return the throws of the die, the only events so far."""
    return [of_kind(DieFell, fact) for fact in evening.world.truth]


@pytest.mark.parametrize("seed", range(12))
def test_whole_games_are_played_by_deeds_and_only_choices_are_tapped(seed: int) -> None:
    evening = Evening(seed, players=2 + seed % 3, same_mass_check=seed % 4 == 1)
    evening.live(evening.over)
    assert evening.refused == []
    sensed = (actions.Roll, actions.TieRoll, actions.TimeUp, actions.Attempt, actions.Weigh)
    assert not [tap for tap in evening.taps if isinstance(tap, sensed)]
    assert all(tap.found == () for tap in evening.taps if isinstance(tap, actions.Open))
    assert evening.presses == sum(isinstance(action, actions.TimeUp) for action in evening.done)


def test_one_seed_one_evening() -> None:
    one, other = (Evening(4) for _ in range(2))
    for evening in (one, other):
        evening.live(evening.over)
    assert one.done == other.done


def test_what_is_rolled_weighed_and_opened_is_what_was_sculpted() -> None:
    evening = Evening(3, players=4)
    evening.live(evening.over)
    rolls = [(fact.colour, fact.outcome) for fact in evening.world.truth if isinstance(fact, Rolled)]
    told = [(PUTTIES[action.seat], action.outcome) for action in evening.done if isinstance(action, actions.Attempt)]
    assert told == rolls
    for action in evening.done:
        if isinstance(action, actions.Weigh):
            masses = [fact.mass_g for fact in evening.world.truth if isinstance(fact, Weighed)]
            assert any(abs(mass - action.mass_g) < 0.01 for mass in masses)


@pytest.mark.parametrize("seed", [1, 2])
def test_deaf_senses_only_cost_time(seed: int) -> None:
    """What the senses missed is tried again, then people tap what they saw; the game still ends."""
    evening = Evening(seed, missed=0.4)
    evening.live(evening.over, most_s=12_000.0)
    assert evening.refused == []
    assert [tap for tap in evening.taps if isinstance(tap, actions.Attempt)]


def test_a_deed_is_done_once_and_then_waited_for() -> None:
    evening = Evening(1, missed=1.0)
    prompt = there(evening.expected("roll")).prompt
    evening.live(lambda: len(evening.world.truth) == 1)
    thrown_s = evening.clock.now_s()
    evening.live(lambda: len(evening.world.truth) == 2)
    assert evening.clock.now_s() - thrown_s > 8.0
    evening.live(lambda: prompt not in [asked.prompt for asked in RULES.expects(evening.state, None)])
    assert evening.taps[0] == actions.Roll(seat=0, value=fallen(evening)[1].value)


def rolled_by(evening: Evening) -> list[Rolled]:
    return [fact for fact in evening.world.truth if isinstance(fact, Rolled)]


def test_a_question_about_a_roll_is_answered_soon_with_what_happened() -> None:
    evening = Evening(2, missed=1.0)
    evening.act(actions.Roll(seat=0, value=2))
    evening.act(actions.TimeUp())
    evening.live(lambda: rolled_by(evening))
    asked_s = evening.clock.now_s()
    evening.question = there(evening.expected("attempt")).prompt
    evening.live(lambda: evening.taps)
    assert evening.clock.now_s() - asked_s < 5.0
    assert evening.taps == [actions.Attempt(seat=0, outcome=rolled_by(evening)[0].outcome)]


def test_a_die_that_is_not_clear_is_thrown_again_sm_21() -> None:
    evening = Evening(2, missed=1.0)
    evening.live(lambda: len(evening.world.truth) == 1)
    evening.question = there(evening.expected("roll")).prompt
    evening.missed = 0.0
    evening.live(lambda: len(evening.world.truth) == 2)
    evening.question = None
    evening.live(lambda: evening.done)
    assert evening.taps == []
    assert evening.done == [actions.Roll(seat=0, value=fallen(evening)[-1].value)]


def all_equal(evening: Evening) -> Evening:
    """Bring a game of two to where both are equal and have to roll for it."""
    evening.act(actions.Roll(seat=0, value=2))
    evening.act(actions.TimeUp())
    for seat in (0, 1):
        evening.act(actions.Attempt(seat=seat, outcome="passed"))
    for seat in (0, 1):
        evening.act(actions.Weigh(seat=seat, mass_g=20.0))
    return evening


def test_of_equals_the_one_who_is_asked_first_throws_and_a_robot_waits_for_a_person() -> None:
    evening = all_equal(Evening(2, players=2))
    evening.hands.automatic.discard(0)
    until_s = evening.clock.now_s() + 20.0
    evening.live(lambda: evening.clock.now_s() >= until_s)
    assert evening.world.truth == []
    evening.act(actions.TieRoll(seat=0, value=3))
    evening.live(lambda: evening.expected("tie_roll") is None or len(evening.done) == 8)
    assert evening.done[7] == actions.TieRoll(seat=1, value=fallen(evening)[0].value)


def test_without_a_scale_the_balance_says_who_is_heavier_and_nobody_names_grams() -> None:
    evening = Evening(4, players=4, missed=1.0, tie_band_g=0.5)
    evening.missing = frozenset({"scale"})
    evening.act(actions.Roll(seat=0, value=2))
    evening.act(actions.TimeUp())
    for seat in range(4):
        evening.act(actions.Attempt(seat=seat, outcome="passed"))
    evening.live(lambda: evening.expected("weigh") is None, most_s=300.0)
    masses_g = {seat: sphere.lump.mass_g for seat, sphere in evening.world.spheres.items()}
    buttons = [button for button in evening.pressed_buttons if button != "without_scale"]
    rest = sorted(masses_g, key=masses_g.__getitem__, reverse=True)
    ranked = 0
    for button in buttons:
        assert ranked < 2, "both armchairs were decided"
        level = sorted(seat for seat in rest if masses_g[rest[0]] - masses_g[seat] <= 0.5)
        assert button == ".".join(["rank", *map(str, level)])
        rest, ranked = [seat for seat in rest if seat not in level], ranked + len(level)
    assert ranked >= 2


def test_a_seat_that_a_person_took_is_left_alone() -> None:
    evening = Evening(5, players=2)
    evening.hands.automatic.discard(0)
    for _ in range(600):
        evening.simulation.advance_to(evening.clock.now_s() + 0.1)
        evening.hands.play(lambda seat: RULES.view(evening.state, seat), evening.clock.now_s())
    assert evening.world.truth == []
    evening.act(actions.Roll(seat=0, value=2))
    until_s = evening.clock.now_s() + 15.0
    evening.live(lambda: evening.clock.now_s() >= until_s)
    assert evening.presses == 0
    assert evening.taps == []


def test_a_sensor_replaced_by_taps_still_sees_the_deed_done_first() -> None:
    evening = Evening(6, players=2, missed=1.0)
    evening.missing = frozenset({"camera"})
    evening.live(lambda: evening.taps, most_s=30.0)
    assert isinstance(evening.world.truth[0], DieFell)
    assert evening.taps == [actions.Roll(seat=0, value=fallen(evening)[0].value)]


def test_the_table_is_cleared_for_the_next() -> None:
    """One sphere on the track at a time (SM-37), an empty tray before a sphere is opened, one load on the pan."""
    evening = Evening(8, players=4)

    def looked_over() -> bool:
        places = [sphere.place for sphere in evening.world.spheres.values()]
        assert sum(place in ("start", "rolling", "track") for place in places) <= 1
        assert places.count("pan") <= 1
        assert not (evening.world.die_in_tray and evening.world.scene().stones)
        return evening.over()

    evening.live(looked_over)


def test_hands_take_up_a_game_in_the_middle() -> None:
    """After a restart the putty is gone: they make new spheres and go on."""
    evening = Evening(9, players=3)
    evening.live(lambda: evening.expected("attempt") is not None)
    later = Evening(9, players=3)
    later.state = evening.state
    later.live(later.over)
    assert later.refused == []


def test_a_persons_sphere_is_weighed_by_the_hands_when_he_cannot() -> None:
    evening = Evening(5, players=2)
    evening.hands.automatic.clear()
    for action in (
        actions.Roll(seat=0, value=2),
        actions.TimeUp(),
        actions.Attempt(seat=0, outcome="passed"),
        actions.Attempt(seat=1, outcome="passed"),
    ):
        evening.act(action)
    evening.live(lambda: evening.expected("weigh") is None, most_s=90.0)
    assert evening.taps == []
    assert sum(isinstance(fact, Weighed) for fact in evening.world.truth) == 2
    assert evening.expected("inspect") or evening.expected("tie_roll")


def test_the_hands_roll_a_persons_sphere_when_they_are_asked_and_the_senses_judge_it() -> None:
    evening = Evening(7, players=2)
    evening.hands.automatic.discard(0)
    for action in (actions.Roll(seat=0, value=2), actions.TimeUp()):
        evening.act(action)
    until_s = evening.clock.now_s() + 20.0
    evening.live(lambda: evening.clock.now_s() >= until_s)
    assert not any(isinstance(fact, Rolled) for fact in evening.world.truth), "nothing rolls by itself"
    evening.hands.lend(1)
    evening.hands.lend(0)
    evening.live(lambda: evening.expected("attempt") is None or len(evening.done) > 2, most_s=60.0)
    rolled = next(fact for fact in evening.world.truth if isinstance(fact, Rolled))
    assert rolled.colour == evening.world.colours[0]
    assert evening.done[2] == actions.Attempt(seat=0, outcome=rolled.outcome)
    assert evening.taps == []


def test_the_hands_turn_a_persons_hourglass_when_they_are_asked() -> None:
    evening = Evening(7, players=2)
    evening.hands.automatic.discard(0)
    evening.act(actions.Roll(seat=0, value=2))
    evening.hands.lend(0)
    evening.live(lambda: evening.presses, most_s=30.0)
    assert evening.presses == 1
