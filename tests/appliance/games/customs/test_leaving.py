"""Somebody goes out while others are asked (CU-61, CU-62): what waited for them goes on, the rest stays as it was."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from appliance.games.customs.rules.actions import (
    Accept,
    AskLoan,
    Believe,
    ClaimBag,
    Declare,
    Disbelieve,
    GiveUp,
    Leave,
    Lend,
    Open,
    Refuse,
    Repay,
    Search,
)
from appliance.games.customs.rules.rules import RULES
from appliance.games.customs.rules.state import Due, Loan, Owing, State
from appliance.games.protocol import Action, ManyOf, Number, OneOf
from tests.appliance.games.customs.play import a_setup, folded, pack_of, stepped
from tests.appliance.games.recordings import recorded

A, B, C, D = range(4)
"""A is the Officer, B the first traveller."""
DECLARED: tuple[Action, ...] = (pack_of(), Declare(seat=B, goods=()))
PASSED_ON = (*DECLARED, Accept(seat=A))
ON_THE_TABLE: tuple[Action, ...] = (Declare(seat=B, goods=()),)
"""With real cards nothing is shuffled."""


def asked(state: State) -> set[tuple[Any, str]]:
    return {(prompt.seat, prompt.do) for prompt in RULES.expects(state, None)}


def with_money(state: State, seat: int, pounds: int) -> State:
    players = list(state.players)
    players[seat] = msgspec.structs.replace(players[seat], money=pounds)
    return msgspec.structs.replace(state, players=tuple(players))


def declares(seat: int) -> set[tuple[Any, str]]:
    return {(seat, "declare"), (seat, "claim_bag")}


@pytest.mark.parametrize(
    ("physical", "actions", "leaver", "then"),
    [
        (False, (pack_of(),), B, declares(C)),
        (False, (pack_of(),), C, declares(B)),
        (False, DECLARED, B, declares(C)),
        (False, DECLARED, C, {(A, "accept"), (A, "search")}),
        (False, PASSED_ON, B, declares(C)),
        (False, PASSED_ON, C, declares(D)),
        (False, PASSED_ON, D, {(C, "believe"), (C, "disbelieve")}),
        (False, (*PASSED_ON, Believe(seat=C)), C, declares(D)),
        (False, (*PASSED_ON, Believe(seat=C)), B, {(C, "discard")}),
        (True, (*ON_THE_TABLE, Search(seat=A)), B, declares(C)),
        (True, (*ON_THE_TABLE, Search(seat=A)), C, {(B, "open")}),
        (True, (*ON_THE_TABLE, Accept(seat=A), Disbelieve(seat=C)), B, declares(C)),
        (True, (*ON_THE_TABLE, Accept(seat=A), Disbelieve(seat=C)), C, declares(D)),
        (True, (*ON_THE_TABLE, Accept(seat=A), Disbelieve(seat=C)), D, {(B, "open")}),
    ],
)
def test_cu62_only_what_waited_for_the_leaver_goes_on(
    physical: bool, actions: tuple[Action, ...], leaver: int, then: set[tuple[Any, str]]
) -> None:
    assert asked(folded(a_setup(4, physical=physical), (*actions, Leave(seat=leaver)))) == then


def test_cu62_a_hand_that_lapses_is_shown_to_nobody_and_drawn_by_nobody() -> None:
    state = folded(a_setup(4), (pack_of("crown", "bag", "wine", "wine"), ClaimBag(seat=B), Leave(seat=B)))
    assert sorted(map(str, state.put_away)) == ["bag", "crown", "wine", "wine"]
    assert (len(state.hand), len(state.pack), state.discards) == (4, 48, ())
    assert RULES.view(state, None).opened is None


@pytest.mark.parametrize(
    ("name", "leaver", "then"),
    [
        ("CU-60-owes", C, {(B, "ask_loan"), (B, "give_up")}),
        ("CU-60-owes", B, declares(C)),
        ("CU-60-asked", D, {(C, "lend"), (C, "refuse")}),
        ("CU-60-asked", C, {(B, "ask_loan"), (B, "give_up")}),
        ("CU-60-asked", B, declares(C)),
    ],
)
def test_cu60_who_still_owes_is_still_asked(name: str, leaver: int, then: set[tuple[Any, str]]) -> None:
    assert asked(stepped(recorded("customs", name).state, Leave(seat=leaver)).state) == then


def test_cu60_who_owes_is_out_when_the_last_who_could_lend_leaves() -> None:
    state = recorded("customs", "CU-60-owes").state
    state = msgspec.structs.replace(state, stage=Owing(refused=(A, C)))
    after = stepped(state, Leave(seat=D)).state
    assert after.players[B].status == "bankrupt"


def test_cu60_a_refusal_is_no_bankruptcy_while_somebody_else_may_lend() -> None:
    after = stepped(recorded("customs", "CU-60-asked").state, Refuse(seat=C)).state
    assert asked(after) == {(B, "ask_loan"), (B, "give_up")}


@pytest.mark.parametrize("name", ["CU-60-owes", "CU-60-asked"])
@pytest.mark.parametrize("back", [Repay(seat=D, creditor=B, amount=150), Leave(seat=D)])
def test_cu60_who_gets_a_loan_back_in_time_pays_and_is_out_of_nothing(name: str, back: Action) -> None:
    """B owes the Officer a fine of 450 and has 300. D, who owes B 200, pays them back meanwhile, or leaves (CU-61)."""
    state = recorded("customs", name).state
    state = msgspec.structs.replace(state, loans=(Loan(debtor=D, creditor=B, amount=200),))
    after = stepped(state, back)
    assert "paid" in {happening.code for happening in after.happened}
    assert asked(after.state) == declares(C)
    assert after.state.players[A].money == state.players[A].money + 450
    assert after.state.players[B].status == "in"


def test_cu60_what_is_paid_back_in_part_is_not_asked_for_again() -> None:
    state = recorded("customs", "CU-60-owes").state
    state = msgspec.structs.replace(state, loans=(Loan(debtor=D, creditor=B, amount=200),))
    after = stepped(state, Repay(seat=D, creditor=B, amount=149)).state
    assert asked(after) == {(B, "ask_loan"), (B, "give_up")}
    after = stepped(stepped(after, AskLoan(seat=B, lender=C, amount=1)).state, Lend(seat=C)).state
    assert (asked(after), after.players[B].money) == (declares(C), 0)


@pytest.mark.parametrize(("out", "left"), [(B, []), (C, [(B, D)]), (D, [(B, C)])])
def test_cu61_loans_from_and_to_who_goes_bankrupt_are_over(out: int, left: list[tuple[int, int]]) -> None:
    """B owes C 100 and D 50."""
    state = recorded("customs", "CU-61-two-lenders").state
    due = Due(payer=out, payee=A, amount=9_999, rule="CU-21")
    state = msgspec.structs.replace(state, stage=Owing(), dues=(due,), drawer=A, hand=state.pack[:4])
    after = stepped(state, GiveUp(seat=out)).state
    assert after.players[out].status == "bankrupt"
    assert [(loan.debtor, loan.creditor) for loan in after.loans] == left


def test_cu61_who_leaves_pays_their_own_loans_and_nobody_elses() -> None:
    state = recorded("customs", "CU-61-two-lenders").state
    loans = (Loan(debtor=C, creditor=D, amount=70), Loan(debtor=B, creditor=D, amount=50))
    state = with_money(msgspec.structs.replace(state, loans=loans), B, 200)
    after = stepped(state, Leave(seat=B)).state
    assert [(loan.debtor, loan.creditor, loan.amount) for loan in after.loans] == [(C, D, 70)]
    assert after.players[C].money == state.players[C].money
    assert after.players[D].money == state.players[D].money + 50


def test_cu61_a_debtor_alone_may_pay_back_at_any_time_any_whole_pounds_of_the_loan() -> None:
    """B owes C 100 and D 50, and has 60."""
    state = with_money(recorded("customs", "CU-61-two-lenders").state, B, 60)
    offered = {
        viewer: [prompt for prompt in RULES.expects(state, viewer) if prompt.do == "repay"]
        for viewer in (None, A, B, C, D)
    }
    assert {viewer for viewer, prompts in offered.items() if prompts} == {B}
    assert [(prompt.choices["creditor"], prompt.choices["amount"]) for prompt in offered[B]] == [
        (OneOf((C,)), Number(1, 60, unit="£", whole=True)),
        (OneOf((D,)), Number(1, 50, unit="£", whole=True)),
    ]
    assert all(prompt.optional and prompt.seat == B for prompt in offered[B]), "nobody waits for it"


def test_cu32_who_has_left_gets_no_reward() -> None:
    """B owes the Officer a fine of 450 and the Officer owes C the reward; C leaves before B has paid."""
    state = recorded("customs", "CU-60-owes").state
    reward = Due(payer=A, payee=C, amount=100, rule="CU-32")
    state = msgspec.structs.replace(state, dues=(*state.dues, reward))
    after = state
    for action in (Leave(seat=C), AskLoan(seat=B, lender=D, amount=150), Lend(seat=D)):
        after = stepped(after, action).state
    assert after.players[A].money == state.players[A].money + 450
    assert after.players[C].money == 0


def test_cu1_what_lay_open_already_is_no_choice_for_the_next_hand() -> None:
    shown = Open(seat=B, cards=("bag", "crown", "wine", "luggage"))
    actions = (*ON_THE_TABLE, Search(seat=A), shown, Declare(seat=C, goods=()), Search(seat=A))
    (prompt,) = RULES.expects(folded(a_setup(4, physical=True), actions), None)
    choice = prompt.choices["cards"]
    assert isinstance(choice, ManyOf)
    left = dict(zip(choice.values, choice.most_each, strict=True))
    others = dict.fromkeys(("luggage", "cigars", "brandy", "perfume", "watch", "camera", "necklace"), 4)
    assert left == {**others, "wine": 3}
    assert (choice.at_least, choice.at_most) == (4, 4)


def test_cu61_who_leaves_pays_nothing_to_who_has_left() -> None:
    """While B cannot pay the Officer, C owes D 100; D leaves, and then C."""
    state = recorded("customs", "CU-60-owes").state
    state = msgspec.structs.replace(state, dues=(*state.dues, Due(payer=C, payee=D, amount=100, rule="CU-32")))
    left = stepped(state, Leave(seat=D)).state
    after = stepped(left, Leave(seat=C)).state
    assert after.players[D].money == left.players[D].money == 0
    assert after.set_aside == left.set_aside + left.players[C].money
