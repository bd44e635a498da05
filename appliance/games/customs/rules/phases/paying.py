"""Payment of dues in order (CU-64), and players who cannot pay (RULES §4.7)."""

from __future__ import annotations

from appliance.games.customs.rules.actions import AskLoan, GiveUp, Lend, Refuse, Repay
from appliance.games.customs.rules.codes import reject
from appliance.games.customs.rules.phases.loans import add_loan, forget_loans, owed, pay_back
from appliance.games.customs.rules.phases.rounds import (
    discard_hand,
    draw_hand,
    end_if_too_few,
    end_round,
    put_hand_away,
)
from appliance.games.customs.rules.prompts import prompt_of
from appliance.games.customs.rules.state import Asking, Doubting, Due, Owing, State
from appliance.games.customs.rules.step_builder import CustomsStage, StepBuilder
from appliance.games.protocol import Choice, Number, OneOf, Prompt, Rejection

LARGEST_LOAN = 10_000
"""Most pounds that can be asked for at once."""


def pay(builder: StepBuilder) -> None:
    """Pay the dues in order. Stop and wait at the first payer without enough money; otherwise continue the game."""
    while builder.state.dues:
        first = builder.state.dues[0]
        players = builder.state.players
        if players[first.payer].status != "in" or players[first.payee].status != "in":
            # Players who are out neither pay nor are paid.
            _strike_first(builder)
        elif first.amount <= players[first.payer].money:
            builder.move_money(first.payer, first.payee, first.amount)
            builder.tell("paid", first.rule, seat=first.payer, target=first.payee, amount=first.amount)
            _strike_first(builder)
        else:
            _cannot_pay(builder, first)
            return
    _go_on(builder)


def _strike_first(builder: StepBuilder) -> None:
    builder.change(dues=builder.state.dues[1:])


def _cannot_pay(builder: StepBuilder, first: Due) -> None:
    builder.change(stage=Owing())
    builder.tell("payment_failed", "CU-60", seat=first.payer, target=first.payee, amount=first.amount)


def _go_on(builder: StepBuilder) -> None:
    """Pass the hand on or let the next traveller draw, after all dues. Skip players who went out (CU-62)."""
    state = builder.state
    if state.passes_on:
        assert state.declaration is not None
        declarer = state.declaration.seat
        receiver = state.next_traveller(declarer)
        if state.players[declarer].status == "in":
            builder.change(stage=Doubting(receiver), passes_on=False)
            builder.tell("hand_passed", "CU-20", seat=declarer, target=receiver)
            return
        drawer = receiver
        put_hand_away(builder)
    else:
        assert state.drawer is not None
        drawer = state.drawer
        if state.players[drawer].status != "in":
            drawer = state.next_traveller(drawer)
        discard_hand(builder)
    builder.change(passes_on=False, drawer=None)
    draw_hand(builder, drawer)


def lenders(state: State) -> tuple[int, ...]:
    """Return the seats that may still be asked for a loan for the first due (CU-60)."""
    refused = state.stage.refused if isinstance(state.stage, Owing | Asking) else ()
    return tuple(seat for seat in state.here() if seat != state.dues[0].payer and seat not in refused)


def ask_loan(builder: StepBuilder, action: AskLoan) -> Rejection | None:
    """Let a payer without enough money ask another player for a loan (CU-60)."""
    state = builder.state
    if action.lender not in lenders(state):
        return reject("cannot_be_asked", "CU-61", {"targets": list(lenders(state))})
    if not 1 <= action.amount <= LARGEST_LOAN:
        return reject("loan_range", "CU-61", {"most": LARGEST_LOAN})
    builder.change(stage=Asking(lender=action.lender, amount=action.amount, refused=state.at(Owing).refused))
    builder.tell("loan_asked", "CU-60", seat=action.seat, target=action.lender, amount=action.amount)
    return None


def lend(builder: StepBuilder, action: Lend) -> Rejection | None:
    """Give the loan that was asked for."""
    state, stage = builder.state, builder.state.at(Asking)
    if state.players[action.seat].money < stage.amount:
        return reject("not_enough_money", "CU-61", {"seat": action.seat})
    add_loan(builder, state.dues[0].payer, action.seat, stage.amount)
    builder.change(stage=Owing(refused=stage.refused))
    pay_once_able(builder)
    return None


def refuse(builder: StepBuilder, action: Refuse) -> Rejection | None:
    """Refuse the loan. The same lender is not asked again for this payment."""
    stage = builder.state.at(Asking)
    builder.tell("loan_refused", "CU-61", seat=action.seat, target=builder.state.dues[0].payer)
    builder.change(stage=Owing(refused=(*stage.refused, action.seat)))
    if not lenders(builder.state):
        go_bankrupt(builder)
    return None


def give_up(builder: StepBuilder, action: GiveUp) -> Rejection | None:
    """Stop borrowing: the payer pays all their money and is out."""
    go_bankrupt(builder)
    return None


def repay(builder: StepBuilder, action: Repay) -> Rejection | None:
    """Pay a loan back before the end, in part or whole. Who needed that money for a payment pays at once (CU-60)."""
    debt = owed(builder, action.seat, action.creditor)
    if not debt:
        return reject("no_such_loan", "CU-61", {"seat": action.seat})
    if not 1 <= action.amount <= debt:
        return reject("more_than_owed", "CU-61", {"seat": action.seat})
    if action.amount > builder.state.players[action.seat].money:
        return reject("not_enough_money", "CU-61", {"seat": action.seat})
    pay_back(builder, action.seat, action.creditor, action.amount)
    pay_once_able(builder)
    return None


def pay_once_able(builder: StepBuilder) -> bool:
    """Pay on if the payer of the first due was short of money and now has enough. Return whether they had."""
    state = builder.state
    if not isinstance(state.stage, Owing | Asking) or state.dues[0].amount > state.players[_payer(state)].money:
        return False
    pay(builder)
    return True


def pay_all_due(builder: StepBuilder, payer: int) -> None:
    """Pay the dues of a player who goes out, in order, as far as their money goes (CU-61)."""
    for one in builder.state.dues:
        amount = min(one.amount, builder.state.players[payer].money)
        if one.payer == payer and builder.state.players[one.payee].status == "in" and amount:
            builder.move_money(payer, one.payee, amount)
            builder.tell("paid", "CU-61", seat=payer, target=one.payee, amount=amount)


def go_bankrupt(builder: StepBuilder) -> None:
    """Make the payer of the first due bankrupt: they pay their dues as far as possible and are out (CU-60, CU-61)."""
    first = builder.state.dues[0]
    pay_all_due(builder, first.payer)
    builder.change_player(first.payer, status="bankrupt")
    builder.tell("player_bankrupt", "CU-60", seat=first.payer)
    forget_loans(builder, first.payer)
    go_on_without(builder, first.payer)


def go_on_without(builder: StepBuilder, seat: int) -> None:
    """Continue after `seat` went out during the payments (CU-62, CU-63)."""
    if end_if_too_few(builder):
        return
    if seat == builder.state.officer:
        builder.tell("officer_out", "CU-62", seat=seat)
        end_round(builder)
    else:
        pay(builder)


# -- the stages


def _payer(state: State) -> int:
    return state.dues[0].payer


def _owing(state: State, viewer: int | None) -> tuple[Prompt, ...]:
    situation = f"owe{state.moves}.asked{len(state.at(Owing).refused)}"
    ask: dict[str, Choice] = {
        "lender": OneOf(lenders(state)),
        "amount": Number(1, LARGEST_LOAN, unit="£", whole=True),
    }
    return (
        prompt_of(state, situation, _payer(state), "ask_loan", ask),
        prompt_of(state, situation, _payer(state), "give_up"),
    )


def _asking(state: State, viewer: int | None) -> tuple[Prompt, ...]:
    stage = state.at(Asking)
    situation = f"lend{state.moves}.asked{len(stage.refused)}"
    refusal = prompt_of(state, situation, stage.lender, "refuse")
    if viewer == stage.lender and state.players[viewer].money < stage.amount:
        return (refusal,)
    # To all others it is veiled, so that they do not learn whether the lender has enough money.
    return (prompt_of(state, situation, stage.lender, "lend", veiled=viewer != stage.lender), refusal)


def _left_while_owing(builder: StepBuilder, seat: int) -> None:
    due = builder.state.dues[0]
    if seat in (due.payer, due.payee):
        go_on_without(builder, seat)
    elif not pay_once_able(builder) and not lenders(builder.state):
        go_bankrupt(builder)


def _left_while_asking(builder: StepBuilder, seat: int) -> None:
    due, asking = builder.state.dues[0], builder.state.at(Asking)
    if seat in (due.payer, due.payee):
        go_on_without(builder, seat)
    elif not pay_once_able(builder) and seat == asking.lender:
        builder.change(stage=Owing(refused=asking.refused))
        if not lenders(builder.state):
            go_bankrupt(builder)


OWING = CustomsStage(
    asked=lambda state: (_payer(state),),
    due=lambda state: reject("payment_due", "CU-60", {"seat": _payer(state)}),
    prompts=_owing,
    does={AskLoan: ask_loan, GiveUp: give_up},
    left=_left_while_owing,
)
ASKING = CustomsStage(
    asked=lambda state: (state.at(Asking).lender,),
    due=lambda state: reject("answer_due", "CU-61", {"seat": state.at(Asking).lender}),
    prompts=_asking,
    does={Lend: lend, Refuse: refuse},
    left=_left_while_asking,
)
