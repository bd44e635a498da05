"""Real cards: counting by weight, the entries, and the timer of a negotiation."""

from __future__ import annotations

from random import Random

import pytest

from appliance.games.base.card_scale import CardStack, card_mass_g, count_cards
from appliance.games.prohis.game import GAME
from appliance.games.prohis.rules.rules import RULES
from appliance.games.protocol import Remark, Timer, Timing
from hardware.readings import DeviceHealth, LoadRemoved, MassSettled, Reading
from tests.appliance.games.prohis.play import a_choice, a_setup, started, stepped

STACK = CardStack(cards=20, mass_g=36.0, sd_g=0.02)


@pytest.mark.parametrize("cards", [1, 2, 3, 4, 12, 40])
def test_as_many_cards_as_lie_there(cards: int) -> None:
    counted = count_cards(cards * 1.8, 0.02, STACK)
    assert counted.cards == cards
    assert counted.sure


def test_cards_that_differ_a_little_are_still_counted_right_and_honestly() -> None:
    """By simulation: single cards differ by 1 %; whoever says "sure" is right."""
    rng = Random(1)
    for _ in range(2000):
        cards = rng.randint(1, 96)
        mass_g = sum(rng.gauss(1.8, 0.018) for _ in range(cards)) + rng.gauss(0, 0.05)
        stack = CardStack(20, sum(rng.gauss(1.8, 0.018) for _ in range(20)) + rng.gauss(0, 0.05), 0.05)
        counted = count_cards(mass_g, 0.05, stack)
        assert counted.cards == cards or not counted.sure


def test_half_a_card_is_not_sure() -> None:
    assert not count_cards(1.8 * 10.45, 0.02, STACK).sure
    assert count_cards(0.0, 0.02, STACK).cards == 0


@pytest.mark.parametrize("stack", [CardStack(0, 36.0), CardStack(20, 0.0)])
def test_an_empty_stack_calibrates_nothing(stack: CardStack) -> None:
    with pytest.raises(ValueError, match="stack"):
        card_mass_g(stack)


def test_the_kiosk_is_told_what_lies_on_the_pan() -> None:
    setup = a_setup(3, physical=True)
    referee, state = GAME.referee(setup, Timing()), started(setup)

    def said(reading: Reading) -> list[tuple[str, object]]:
        return [
            (one.code, one.values.get("number")) for one in referee.sense(state, reading) if isinstance(one, Remark)
        ]

    assert said(DeviceHealth(t_s=0, device="scale", status="ok", code="ok")) == [("lay_stack", 20)]
    assert said(MassSettled(t_s=1, mass_g=0.9, sd_g=0.02, samples=50)) == [("no_stack", 20)]
    assert said(MassSettled(t_s=2, mass_g=36.0, sd_g=0.02, samples=50)) == [("stack_weighed", 20)]
    assert said(LoadRemoved(t_s=3)) == [("pan_counts", None)]
    assert said(MassSettled(t_s=4, mass_g=1.8 * 33, sd_g=0.02, samples=50)) == [("pan_count", 33)]
    assert said(MassSettled(t_s=5, mass_g=1.8 * 7.5, sd_g=0.02, samples=50))[0][0] == "pan_unsure"
    assert said(DeviceHealth(t_s=6, device="scale", status="faulty", code="no_answer")) == [("", None)]


def test_cards_dealt_here_are_never_weighed() -> None:
    setup = a_setup(3)
    referee = GAME.referee(setup, Timing())
    assert referee.sense(started(setup), MassSettled(t_s=2, mass_g=36.0, sd_g=0.02, samples=50)) == ()
    assert referee.attention(started(setup)) == frozenset()


def test_pr30_a_negotiation_is_timed_once_and_the_timer_decides_nothing() -> None:
    rng, setup = Random(3), a_setup(4, bribe_limit_s=60)
    referee, state = GAME.referee(setup, Timing()), started(setup)
    timers: list[tuple[int, Timer]] = []
    while RULES.outcome(state) is None:
        action = a_choice(state, rng)
        state = stepped(state, action).state
        timers += [(state.turns, one) for one in referee.stepped(state, action, 10.0) if isinstance(one, Timer)]
        assert referee.tick(state, 1e6) == ()
    assert len(timers) == len({turn for turn, _ in timers}) > 3
    assert {(one.name, one.started_s, one.ends_s) for _, one in timers} == {("negotiation", 10.0, 70.0)}
