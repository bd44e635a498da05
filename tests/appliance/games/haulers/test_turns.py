"""What a turn allows, what dice do, and weigh stations on the way (TR-10 … TR-26, TR-41, TR-60 … TR-67)."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from appliance.games.haulers.rules import actions
from appliance.games.haulers.rules.actions import Buy, Complete, Drive, EndTurn, Roll
from appliance.games.haulers.rules.stages import Moving, Parley, Rolling, Turn
from appliance.games.haulers.rules.state import Boat, Station
from tests.appliance.games.haulers.staged import (
    LEGAL,
    SMUGGLED,
    A,
    B,
    C,
    after,
    at_turn,
    code,
    done,
    off_the_pile,
    with_agenda,
    with_player,
)


def test_tr26_two_loads_for_one_city_take_two_turns() -> None:
    state = off_the_pile(with_player(at_turn(), A, truck="Cid", double=True, loads=(LEGAL, SMUGGLED)), 0, 1)
    state = after(state, Complete(seat=A, load=0), actions.Skip(seat=A))
    assert code(state, Complete(seat=A, load=1)) == "one_action_a_turn"
    assert code(state, Drive(seat=A, dice=2)) == "no_move_after_action"
    assert not done(state, A) & {"complete", "start", "check", "drive", "sail"}


def test_tr21_a_truck_takes_one_load_with_a_double_carrier_two() -> None:
    state = off_the_pile(with_player(at_turn(), A, hand=(1, 2), loads=(LEGAL,)), 0, 1, 2)
    assert code(state, actions.Start(seat=A, card=1, kind="legal")) == "nobody_there_to_load"
    two = after(with_player(state, A, double=True), actions.Start(seat=A, card=1, kind="legal"), EndTurn(seat=A))
    two = after(two, EndTurn(seat=B))
    assert code(two, actions.Start(seat=A, card=1, kind="smuggled")) == "nobody_there_to_load"


def test_tr10v_after_a_purchase_at_the_end_there_are_only_purchases() -> None:
    state = off_the_pile(with_player(at_turn(purchases="at_the_end"), A, hand=(0,), cash=4000), 0)
    state = after(state, Buy(seat=A, what="radar"))
    assert code(state, Drive(seat=A, dice=2)) == "only_purchases_now"
    assert code(state, actions.Start(seat=A, card=1, kind="legal")) == "only_purchases_now"
    assert code(state, Buy(seat=A, what="turbo")) is None
    assert code(after(at_turn(), Buy(seat=A, what="radar")), Drive(seat=A, dice=2)) is None, "TR-10: in any order"


def test_tr22_smuggled_goods_are_served_and_the_city_counts_for_missions() -> None:
    state = off_the_pile(with_player(at_turn(), A, truck="Cid", loads=(SMUGGLED,)), 1)
    state = after(state, Complete(seat=A, load=1))
    assert (state.players[A].cash, state.players[A].served) == (2000 + 2 * 1500, ("Cid",))


@pytest.mark.parametrize(("die", "spaces"), [(1, 0), (2, 1), (3, 1), (4, 1), (5, 2), (6, 2)])
def test_tr12_how_far_a_boat_sails(die: int, spaces: int) -> None:
    state = with_agenda(with_player(at_turn(), A, boat=Boat(at="Dor")), Turn(seat=A), Moving(seat=A, boat=A))
    state = after(with_agenda(state, *state.agenda, Rolling(seat=A, dice=1, why="boat")), Roll(seat=A, die_1=die))
    moved = state.stage.left if isinstance(state.stage, Moving) else 0
    assert moved == spaces


def test_tr12_a_truck_and_a_boat_do_not_both_move() -> None:
    state = with_player(at_turn(), A, boat=Boat(at="Dor"))
    state = after(state, actions.Sail(seat=A, boat=A), Roll(seat=A, die_1=1))
    assert code(state, Drive(seat=A, dice=2)) == "one_move_a_turn"


@pytest.mark.parametrize(("dice", "drawn"), [((3, 4), True), ((1, 2, 4), True), ((3, 3), False), ((6, 6, 5), False)])
def test_tr60_any_seven_in_play_draws_a_card(dice: tuple[int, ...], drawn: bool) -> None:
    state = with_player(at_turn(transit=True), A, turbo=True)
    state = msgspec.structs.replace(state, transit_pile=(0,), transit_discards=())
    state = after(state, Drive(seat=A, dice=len(dice)))
    state = after(state, Roll(seat=A, **{f"die_{number}": die for number, die in enumerate(dice, start=1)}))
    assert (state.players[A].cash == 2000 - 300) == drawn, "card 0 is a toll of $300"


@pytest.mark.parametrize(
    ("kind", "dice", "again"),
    [
        ("last", (4, 4), True),
        ("last", (1, 2, 4), True),
        ("last", (1, 4, 6), True),
        ("last", (4, 4, 1), False),
        ("last", (3, 4), False),
        ("usual", (4, 4), False),
        ("paid", (4, 4), False),
    ],
)
def test_tr67_doubles_in_a_last_turn_or_7_and_11_with_three_dice_give_another(
    kind: Any, dice: tuple[int, ...], again: bool
) -> None:
    state = with_player(at_turn(extra_turns=True), A, turbo=True)
    state = with_agenda(state, Turn(seat=A, kind=kind))
    state = after(state, Drive(seat=A, dice=len(dice)))
    state = after(state, Roll(seat=A, **{f"die_{number}": die for number, die in enumerate(dice, start=1)}))
    turn = state.turn_stage()
    assert turn is not None
    assert turn.again == again


def test_tr61_a_throttled_turbo_moves_eight_at_most() -> None:
    for throttled, steps in ((False, 15), (True, 8)):
        state = with_player(at_turn(), A, turbo=True, throttled=throttled)
        state = after(state, Drive(seat=A, dice=3), Roll(seat=A, die_1=5, die_2=5, die_3=5))
        assert state.stage == Moving(seat=A, left=steps)


def test_tr66_a_heavy_station_rolls_three_dice_a_plain_one_two() -> None:
    for heavy, dice in ((False, 2), (True, 3)):
        state = off_the_pile(with_player(at_turn(heavy_stations=True), B, loads=(SMUGGLED,)), 1)
        state = msgspec.structs.replace(state, stations={"Bos–Cid 1": Station(A, heavy=heavy)})
        parley = Parley(checker=A, carrier=B, station="Bos–Cid 1")
        state = after(with_agenda(state, Turn(seat=B), Moving(seat=B, left=3), parley), actions.RollOff(seat=A))
        assert state.stage == Rolling(seat=A, dice=dice, why="checker")


def test_tr41_every_station_on_the_way_stops_a_loaded_truck_one_after_the_other_but_not_that_it_starts_from() -> None:
    state = off_the_pile(with_player(at_turn(3), A, truck="Aal–Bos 1", loads=(LEGAL,)), 0)
    stations = {"Aal–Bos 1": Station(B), "Bos–Cid 1": Station(B), "Cid–Dor 1": Station(C)}
    state = msgspec.structs.replace(state, stations=stations)
    state = after(with_agenda(state, Turn(seat=A, moved=True), Moving(seat=A, left=9)), actions.Go(seat=A, to="Dor"))
    assert (state.players[A].truck, done(state, B)) == ("Bos–Cid 1", {"call_in", "wave_on"})
    state = after(state, actions.WaveOn(seat=B), actions.Go(seat=A, to="Dor"))
    assert (state.players[A].truck, done(state, C)) == ("Cid–Dor 1", {"call_in", "wave_on"})
    state = after(state, actions.WaveOn(seat=C), actions.Go(seat=A, to="Dor"))
    assert state.stage == Moving(seat=A, left=4), "five squares of nine"
    back = after(state, actions.Go(seat=A, to="Cid–Dor 1"))
    assert done(back, C) == {"call_in", "wave_on"}, "every entry counts"
