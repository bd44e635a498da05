"""The end of a game: bonuses, missions, sharing, and what the variants pay (TR-50 … TR-52, TR-62, TR-65, TR-66)."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from appliance.games.haulers.rules.actions import Complete
from appliance.games.haulers.rules.phases.hauling import chips_for, worth
from appliance.games.haulers.rules.phases.scoring import score
from appliance.games.haulers.rules.rules import RULES
from appliance.games.haulers.rules.stages import Turn
from appliance.games.haulers.rules.state import Bonus, Chips, Load, State, Station
from appliance.games.haulers.rules.step_builder import StepBuilder
from appliance.games.protocol import Step
from tests.appliance.games.haulers.play import a_setup, started
from tests.narrowed import there


def at_the_end(chips: list[tuple[int, int, int, int]], **options: Any) -> State:
    """Return a state with these white, black, red and blue chips, A's turn."""
    state = started(a_setup(len(chips), **options))
    players = tuple(
        msgspec.structs.replace(player, chips=Chips(*one), truck="Bos")
        for player, one in zip(state.players, chips, strict=True)
    )
    ending: State = msgspec.structs.replace(state, players=players, first=0, turn=9, agenda=(Turn(seat=0),))
    return ending


def bonuses(state: State) -> set[tuple[int, str, int]]:
    builder = StepBuilder(state)
    score(builder)
    return {(bonus.seat, bonus.for_what, bonus.dollars) for bonus in builder.state.bonuses}


A, B, C = 0, 1, 2


def test_t19_a_tie_splits_the_bonus_and_a_colour_that_nobody_has_pays_nothing() -> None:
    state = at_the_end([(5, 2, 0, 0), (5, 1, 0, 1), (2, 4, 0, 0)])
    assert bonuses(state) == {(A, "white", 1000), (B, "white", 1000), (C, "black", 2000), (B, "blue", 2000)}


def test_t20_three_tie_and_dollars_are_rounded_down() -> None:
    state = at_the_end([(0, 3, 0, 0)] * 3)
    assert bonuses(state) == {(seat, "black", 666) for seat in (A, B, C)}


def test_second_most_gets_a_thousand_also_after_a_tie_for_first() -> None:
    state = at_the_end([(5, 0, 0, 0), (5, 0, 0, 0), (2, 0, 1, 0)], second_place=True)
    assert bonuses(state) == {(A, "white", 1000), (B, "white", 1000), (C, "white", 1000), (C, "red", 2000)}


def test_equal_money_shares_the_win() -> None:
    builder = StepBuilder(at_the_end([(1, 0, 0, 0), (1, 0, 0, 0), (0, 0, 0, 0)]))
    score(builder)
    assert there(RULES.outcome(builder.state)).winners == (A, B)


def test_loads_on_the_way_and_upgrades_are_worth_nothing() -> None:
    state = at_the_end([(0, 0, 0, 0), (0, 0, 0, 0)])
    rich = msgspec.structs.replace(state.players[0], turbo=True, loads=(Load(card=4, kind="smuggled"),))
    builder = StepBuilder(msgspec.structs.replace(state, players=(rich, state.players[1])))
    score(builder)
    assert there(RULES.outcome(builder.state)).winners == (A, B)


def test_missions_pay_when_fulfilled_before_any_bonus() -> None:
    """0: a white chip; 1: a black chip; 2: $2,000 in cash; 3: a delivery to Cid."""
    state = at_the_end([(1, 0, 0, 0)] * 4, missions="secret")
    players = tuple(
        msgspec.structs.replace(player, mission=number, served=("Cid",) if number == 3 else ())
        for number, player in enumerate(state.players)
    )
    found = bonuses(msgspec.structs.replace(state, players=players))
    assert {(seat, dollars) for seat, what, dollars in found if what == "mission"} == {(0, 2000), (2, 2000), (3, 2000)}


def completing(state: State, card: int, kind: Any) -> State:
    """Let A complete a delivery here and now."""
    player = msgspec.structs.replace(
        state.players[0], truck=state.card(card).bottom, loads=(Load(card=card, kind=kind),)
    )
    state = msgspec.structs.replace(state, players=(player, *state.players[1:]))
    step = RULES.apply(state, Complete(seat=0, load=card))
    assert isinstance(step, Step)
    return step.state


@pytest.mark.parametrize("done", [(6, 0), (0, 6), (3, 3)])
def test_tr50_the_seventh_delivery_of_whatever_kind_begins_the_last_turns(done: tuple[int, int]) -> None:
    state = at_the_end([(*done, 0, 0), (0, 0, 0, 0), (0, 0, 0, 0)])
    after = completing(state, 0, "legal")
    assert after.ender == A
    assert after.last_turns == (B, C)
    assert RULES.outcome(after) is None


def test_t22_nine_black_and_a_smuggled_1500_are_eleven_and_win_at_once() -> None:
    state = at_the_end([(0, 9, 0, 0), (0, 0, 1, 0)], money=False)
    outcome = RULES.outcome(completing(state, 0, "smuggled"))
    assert outcome is not None
    assert (outcome.winners, outcome.reason) == ((A,), "ten_black")


@pytest.mark.parametrize(
    ("pays", "chips"), [(500, 1), (1000, 1), (1200, 1), (1500, 2), (2500, 2), (2800, 2), (3000, 3), (4000, 3)]
)
def test_chips_by_face_value_and_values_between_bands_go_down(pays: int, chips: int) -> None:
    assert chips_for(pays) == chips


@pytest.mark.parametrize(
    ("options", "dollars"),
    [
        ({}, 3000),
        ({"black_market": True}, 3000 + 5 * 200),
        ({"station_premium": True}, 3000 + 2 * 200),
        ({"black_market": True, "station_premium": True}, 3000 + 7 * 200),
    ],
)
def test_tr66_what_smuggled_goods_bring_and_legal_ones_do_not(options: dict[str, Any], dollars: int) -> None:
    state = at_the_end([(0, 2, 0, 0), (0, 3, 0, 0)], **options)
    state = msgspec.structs.replace(state, stations={"Aal–Bos 1": Station(0), "Bos–Cid 1": Station(1)})
    assert worth(state, Load(card=0, kind="smuggled")) == dollars
    assert worth(state, Load(card=0, kind="legal")) == 1500


def test_bonuses_are_paid_by_the_bank() -> None:
    builder = StepBuilder(at_the_end([(1, 0, 0, 0), (0, 0, 0, 0)]))
    score(builder)
    assert builder.state.bank == 2000
    assert builder.state.bonuses == (Bonus(0, "white", 2000),)
