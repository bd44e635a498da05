"""More of what the recordings of Customs show: who is asked and told what, and what is seen."""

from __future__ import annotations

from functools import partial

import msgspec

from appliance.games.customs.rules.actions import Discard, Leave
from appliance.games.customs.rules.cards import PACK
from appliance.games.customs.rules.rules import RULES
from appliance.games.protocol import OneOf, Rejection
from tests.appliance.games import recordings
from tests.appliance.games.customs.play import a_setup, folded, pack_of, stepped
from tests.narrowed import of_kind

recorded = partial(recordings.recorded, "customs")
told = partial(recordings.told, "customs")


def test_c01_the_pack_has_26_luggage_the_bag_the_crown_and_seven_kinds_of_four() -> None:
    assert len(PACK) == 56
    assert {card: PACK.count(card) for card in set(PACK)} == {
        **dict.fromkeys(("wine", "cigars", "brandy", "perfume", "watch", "camera", "necklace"), 4),
        "luggage": 26,
        "bag": 1,
        "crown": 1,
    }


def test_cu4_what_cannot_be_divided_is_told_only_where_there_is_something() -> None:
    def told_at_set_up(players: int) -> list[tuple[str, int]]:
        step = RULES.set_up(a_setup(players, money=10_000, smallest_note=5))
        assert not isinstance(step, Rejection)
        return [(one.code, one.values["amount"]) for one in step.happened if one.code.startswith("money_")]

    assert told_at_set_up(4) == [("money_divided", 2500)]
    assert told_at_set_up(3) == [("money_divided", 3330), ("money_set_aside", 10)]


def test_c04_c22_what_happens_is_told_in_order() -> None:
    assert told("C-04")[-6:] == [
        *("goods_declared", "search_ordered", "hand_opened", "truth_not_told", "paid", "hand_drawn")
    ]
    assert told("C-10")[-6:] == ["hand_disbelieved", "hand_opened", "truth_not_told", "paid", "paid", "hand_drawn"]
    # The first of the four rounds is started by set-up.
    assert told("C-22").count("round_started") == 3
    assert told("C-22")[-2:] == ["pack_ran_out", "game_shared"]


def test_c19_only_the_bag_is_offered_to_its_receiver_and_nobody_else_sees_that() -> None:
    transcript = recorded("C-14")
    before = folded(transcript.setup, transcript.actions[:-1])
    assert RULES.view(before, 2).you.may_go == ("luggage", "watch")
    refused = recorded("C-19-bluff")
    received = folded(refused.setup, refused.actions[:4])
    assert RULES.view(received, 2).you.may_go == ("bag",)
    assert RULES.expects(received, 2)[0].choices["card"] == OneOf(("bag",))
    for viewer in (None, 0, 1, 3):
        assert RULES.expects(received, viewer)[0].choices == {}
    refusal = RULES.apply(received, Discard(seat=2, card="luggage"))
    assert isinstance(refusal, Rejection)
    assert refusal.values == {"seat": 2}


def test_cu30_nobody_sees_a_hand_that_is_not_yet_believed() -> None:
    state = recorded("CU-20").state
    for seat in range(4):
        assert RULES.view(state, seat).you.hand == ()


def test_leave_is_refused_twice_and_after_the_end() -> None:
    left = recorded("leave-traveller").state
    assert of_kind(Rejection, RULES.apply(left, Leave(seat=1))).code == "seat_is_out"
    assert of_kind(Rejection, RULES.apply(recorded("CU-63").state, Leave(seat=0))).code == "game_over"


def test_cu61_who_leaves_pays_every_lender_the_oldest_first_and_takes_only_the_rest_along() -> None:
    """B owes C 100 and D 50 and has 120, then 200."""
    indebted = recorded("CU-61-two-lenders").state
    for money, c_gets, d_gets in ((120, 100, 20), (200, 100, 50)):
        players = list(indebted.players)
        players[1] = msgspec.structs.replace(players[1], money=money)
        before = msgspec.structs.replace(indebted, players=tuple(players))
        after = stepped(before, Leave(seat=1)).state
        assert [player.money for player in after.players] == [750, 0, 200 + c_gets, 250 + d_gets]
        assert after.set_aside == before.set_aside + money - c_gets - d_gets
        assert after.loans == ()


def test_cu61_the_money_that_a_leaver_takes_along_is_as_hidden_as_their_balance() -> None:
    for show in (False, True):
        state = folded(a_setup(4, show_balances=show), (pack_of("wine"), Leave(seat=1)))
        for viewer in (None, 0, 2, 3):
            assert RULES.view(state, viewer).set_aside == (2_500 if show else 0)


def test_cu60_whether_a_lender_has_the_money_shows_to_them_alone() -> None:
    asked = recorded("CU-60-asked").state
    lender = asked.stage.lender

    def offered(money: int, viewer: int | None) -> list[str]:
        players = list(asked.players)
        players[lender] = msgspec.structs.replace(players[lender], money=money)
        state = msgspec.structs.replace(asked, players=tuple(players))
        return [prompt.do for prompt in RULES.expects(state, viewer)]

    for viewer in {None, 0, 1, 2, 3} - {lender}:
        assert offered(0, viewer) == offered(asked.stage.amount, viewer) == ["lend", "refuse"]
    assert offered(asked.stage.amount, lender) == ["lend", "refuse"]
    assert offered(0, lender) == ["refuse"]
