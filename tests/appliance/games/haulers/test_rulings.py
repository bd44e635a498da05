"""Rulings where one thing meets another: sales, raids and who leaves, cards by hand, boats (TR-60 … TR-67)."""

from __future__ import annotations

from random import Random
from typing import Any

import msgspec
import pytest

from appliance.games.haulers.robots.robot import Robot
from appliance.games.haulers.rules.actions import BuyTurn, Decline, Draw, EndTurn, Judge, Leave, Shuffle, Transfer
from appliance.games.haulers.rules.rules import RULES
from appliance.games.haulers.rules.stages import (
    ByHand,
    Contest,
    Discarding,
    Drawing,
    Judging,
    Moving,
    Raid,
    Refilling,
    Sabotaging,
    Selling,
    Shuffling,
    Stage,
    Turn,
)
from appliance.games.haulers.rules.state import Boat, Load, State
from appliance.games.haulers.rules.view import SeatView
from appliance.games.protocol import AnyOrder, OneOf, Rejection
from tests.appliance.games.haulers.little_land import land_by_hand
from tests.appliance.games.haulers.play import a_setup, played, started, stepped
from tests.appliance.games.haulers.staged import A, B, C, after, dealt, with_agenda, with_player
from tests.appliance.games.haulers.test_ending import at_the_end
from tests.appliance.games.haulers.test_properties import check_conserved
from tests.narrowed import of_kind, there

# -- turns for sale (TR-67)


def for_sale() -> State:
    """C ended the game, all last turns are over, and A, B, C are asked in turn whether they buy one."""
    state = dealt(at_the_end([(0, 0, 0, 0)] * 3, extra_turns=True))
    return with_agenda(msgspec.structs.replace(state, ender=C), Selling(queue=(A, B, C)))


def test_a_bought_turn_is_no_last_turn_of_anybody() -> None:
    bought = after(for_sale(), BuyTurn(seat=A))
    view = RULES.view(bought, None)
    assert (view.seat, view.phase, view.last_turns) == (A, "turn", ())


def test_the_sale_goes_on_where_a_bought_turn_interrupted_it() -> None:
    state = after(for_sale(), BuyTurn(seat=A), EndTurn(seat=A))
    assert [prompt.seat for prompt in RULES.expects(state, None)] == [B, B]
    state = after(state, Decline(seat=B), Decline(seat=C))
    assert [prompt.seat for prompt in RULES.expects(state, None)] == [A, A], "somebody bought: another round"
    ended = RULES.outcome(after(state, Decline(seat=A), Decline(seat=B), Decline(seat=C)))
    assert ended is not None
    assert ended.reason == "most_money"


@pytest.mark.parametrize(("leaver", "next_asked"), [(A, B), (B, C)])
def test_the_sale_goes_on_when_somebody_leaves_during_a_bought_turn(leaver: int, next_asked: int) -> None:
    state = after(for_sale(), BuyTurn(seat=A), Leave(seat=leaver))
    if leaver != A:
        state = after(state, EndTurn(seat=A))
    assert {prompt.seat for prompt in RULES.expects(state, None)} == {next_asked}


# -- leaving


def test_no_card_is_lost_when_somebody_leaves_while_the_deliveries_are_shuffled() -> None:
    state = at_the_end([(0, 0, 0, 0)] * 3)
    cards = tuple(range(len(state.edition.deliveries)))
    state = msgspec.structs.replace(state, pile=(), discards=cards[6:])
    for seat in (A, B, C):
        state = with_player(state, seat, hand=cards[2 * seat : 2 * seat + 2])
    drawing = (Turn(seat=A), Drawing(seat=A, left=1), Shuffling("deliveries", len(cards) - 6))
    state = after(with_agenda(state, *drawing), Leave(seat=C))
    (prompt,) = RULES.expects(state, None)
    assert of_kind(AnyOrder, prompt.choices["order"]).count == len(cards) - 4  # the leaver's cards too
    state = after(state, Shuffle(pile="deliveries", order=tuple(range(len(cards) - 4))))
    check_conserved(state)


def test_who_is_raided_on_the_leavers_boat_loses_the_load_and_is_not_rolled_for() -> None:
    """A rented B's boat; B leaves before the coast guard comes to it."""
    state = dealt(at_the_end([(0, 0, 0, 0)] * 3, transit=True, boats_for_rent=True))
    load = Load(card=6, kind="legal", boat=B)
    state = with_player(state, A, loads=(load,))
    state = msgspec.structs.replace(state, pile=tuple(card for card in state.pile if card != 6))
    state = after(with_agenda(state, Turn(seat=A), Raid(carrier=A, boat=B)), Leave(seat=B))
    assert state.players[A].loads == ()
    assert isinstance(state.stage, Turn)


def test_the_draw_for_a_lost_load_outlasts_the_checker_who_found_it() -> None:
    """A found B's smuggled goods (TR-34) and leaves before B has drawn for them."""
    state = dealt(at_the_end([(0, 0, 0, 0)] * 3))
    state = after(with_agenda(state, Turn(seat=A, acted=True), Refilling(seat=B, count=1)), Leave(seat=A))
    assert {(prompt.seat, prompt.do) for prompt in RULES.expects(state, None)} == {(B, "draw"), (B, "skip")}
    state = after(state, Draw(seat=B))
    assert len(state.players[B].hand) == 1
    assert RULES.view(state, None).seat == B, "the turn after that of who left"


@pytest.mark.parametrize(("owed", "do"), [(Discarding(B), "discard"), (ByHand(B, 8, 1), "done")])
def test_a_card_drawn_in_a_roll_off_is_obeyed_where_the_checker_leaves(owed: Stage, do: str) -> None:
    """B rolled a 7 against A: the check lapses with A, B's transit card does not (TR-60)."""
    state = dealt(at_the_end([(0, 0, 0, 0)] * 3, edition=land_by_hand(), transit=True))
    state = with_player(state, B, hand=(0, 1, 2, 3), loads=(Load(card=4, kind="legal"),))
    contest = Contest(checker=A, carrier=B, checker_total=9, carrier_total=7)
    state = after(with_agenda(state, Turn(seat=A, acted=True), contest, owed), Leave(seat=A))
    assert (B, do) in {(prompt.seat, prompt.do) for prompt in RULES.expects(state, None)}


def test_a_sabotage_whose_only_victim_leaves_is_over() -> None:
    state = dealt(at_the_end([(0, 0, 0, 0)] * 3, transit=True))
    state = with_player(state, B, turbo=True)
    state = after(with_agenda(state, Turn(seat=A), Sabotaging(A)), Leave(seat=B))
    assert (A, "end_turn") in {(prompt.seat, prompt.do) for prompt in RULES.expects(state, None)}


# -- cards by hand (TR-60, TR-62)


def judged() -> State:
    """A and C hold a mission that only people can judge, B one for white chips."""
    state = dealt(at_the_end([(0, 0, 0, 0)] * 3, edition=land_by_hand(), missions="secret"))
    for seat, mission in ((A, 4), (B, 0), (C, 4)):
        state = with_player(state, seat, mission=mission)
    return msgspec.structs.replace(state, ender=B, mission_pile=())


def test_the_table_judges_missions_one_by_one_before_the_bonuses() -> None:
    state = after(judged(), EndTurn(seat=A))
    assert isinstance(state.stage, Judging)
    assert RULES.outcome(state) is None
    (prompt,) = RULES.expects(state, None)
    assert (prompt.seat, prompt.do) == (B, "judge")
    assert set(of_kind(OneOf, prompt.choices["fulfilled"]).values) == {True, False}
    assert isinstance(RULES.apply(state, Judge(seat=A, target=A, fulfilled=True)), Rejection), "not of one's own"
    shown = [player.mission is not None for player in RULES.view(state, None).players]
    assert shown == [True, False, False], "only what is judged is shown"
    verdicts = [Judge(seat=B, target=A, fulfilled=True), Judge(seat=A, target=C, fulfilled=False)]
    assert [
        (one.code, one.values["target"])
        for number, verdict in enumerate(verdicts)
        for one in stepped(after(state, *verdicts[:number]), verdict).happened
        if one.code.startswith("mission_judged")
    ] == [("mission_judged_done", A), ("mission_judged_missed", C)], "everybody hears of each verdict"
    state = after(state, *verdicts)
    assert [(bonus.seat, bonus.for_what) for bonus in state.bonuses] == [(A, "mission")]
    assert there(RULES.outcome(state)).winners == (A,)


def test_nobody_judges_who_has_left() -> None:
    state = after(after(judged(), EndTurn(seat=A)), Leave(seat=A))
    (prompt,) = RULES.expects(state, None)
    assert of_kind(OneOf, prompt.choices["target"]).values == (C,)


def test_robots_say_that_a_card_is_done_and_judge() -> None:
    drawn = at_the_end([(0, 0, 0, 0)] * 2, edition=land_by_hand(), transit=True)
    table = {
        "done": with_agenda(drawn, Turn(seat=A), ByHand(A, 8, 1)),
        "judge": after(judged(), EndTurn(seat=A)),
    }
    for deed, state in table.items():
        seat = next(prompt.seat for prompt in RULES.expects(state, None) if prompt.do == deed)
        assert seat is not None
        view = of_kind(SeatView, RULES.view(state, seat))
        chosen = Robot(seat, "expert", 1).choose(view, view.expects)
        assert chosen is not None
        assert chosen[0].do == deed
        after(state, chosen[1])


@pytest.mark.parametrize(("kind", "deed"), [("smuggled", "show_papers"), ("legal", "roll_off")])
def test_robots_show_papers_to_the_police_when_they_have_something_to_hide(kind: Any, deed: str) -> None:
    state = at_the_end([(0, 0, 0, 0)] * 2, transit=True)
    state = with_player(state, A, loads=(Load(card=0, kind=kind),), papers=(2,))
    view = of_kind(SeatView, RULES.view(with_agenda(state, Turn(seat=A), Raid(carrier=A)), A))
    chosen = Robot(A, "expert", 1).choose(view, view.expects)
    assert chosen is not None
    assert chosen[0].do == deed


# -- boats (TR-64)


def test_boats_for_rent_and_at_most_two_are_chosen_separately() -> None:
    state = started(a_setup(3, boats="two", boats_for_rent=True))
    assert (state.stock["boats"], state.options.boats_for_rent) == (2, True)
    assert started(a_setup(2, boats="rented")).options == started(a_setup(2, boats_for_rent=True)).options
    refused = RULES.set_up(a_setup(2, boats="none", boats_for_rent=True))
    assert isinstance(refused, Rejection)
    assert refused.code == "no_boats_to_rent"


def test_who_gave_a_rented_boat_back_under_way_steers_it_no_further() -> None:
    state = dealt(at_the_end([(0, 0, 0, 0)] * 2, boats_for_rent=True))
    state = with_player(state, B, boat=Boat(at="Dor", renter=A, steers="renter"))
    state = with_player(state, A, truck="Dor", loads=(Load(card=7, kind="legal", boat=B),))
    state = with_agenda(state, Turn(seat=A, moved=True), Moving(seat=A, boat=B, left=1))
    state = after(state, Transfer(seat=A, load=7, boat=None))
    assert state.players[B].boat == Boat(at="Dor")
    assert "go" not in {prompt.do for prompt in RULES.expects(state, A)}


@pytest.mark.slow
def test_random_games_with_every_ruling_end() -> None:
    """Raids on everybody, papers, cards by hand and judged missions meet people who leave."""
    told: set[str] = set()
    for seed in range(12):
        setup = a_setup(
            4, edition=land_by_hand(), transit=True, missions="secret", police="everybody", boats_for_rent=True
        )
        for _, _, state, happened in played(setup, Random(seed), leaving=0.002):
            check_conserved(state)
            told.update(happening.code for happening in happened)
    assert {"papers_shown_to_police", "card_done", "money_handed_over", "chips_from_the_bank", "player_left"} <= told
    assert told & {"mission_judged_done", "mission_judged_missed"}
