"""Payment of dues in order (CU-64), and what happens to players who cannot pay (RULES §4.7)."""

from __future__ import annotations

from appliance.games.customs.rules.actions import AskLoan, GiveUp, Lend, Refuse
from appliance.games.customs.rules.codes import reject
from appliance.games.customs.rules.phases.loans import add_loan, forget_loans
from appliance.games.customs.rules.phases.rounds import (
    discard_hand,
    draw_hand,
    end_if_too_few,
    end_round,
    put_hand_away,
)
from appliance.games.customs.rules.refusals import refusal
from appliance.games.customs.rules.state import Asking, Doubting, Due, Owing, State
from appliance.games.customs.rules.step_builder import StepBuilder
from appliance.games.protocol import Rejection

LARGEST_LOAN = 10_000
"""Pounds that can be asked for at once."""


def pay(builder: StepBuilder) -> None:
    """Pay the dues in order as far as the payers have money. Then go on, or wait for the payer who cannot pay."""
    while builder.state.dues:
        first = builder.state.dues[0]
        players = builder.state.players
        if players[first.payer].status != "in" or players[first.payee].status != "in":
            # Whoever is out neither pays nor is paid any more.
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
    """After all dues: pass the hand on, or let the next traveller draw. Skip players who went out (CU-62)."""
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
    """Return who may still be asked to lend for the first due (CU-60)."""
    refused = state.stage.refused if isinstance(state.stage, Owing | Asking) else ()
    return tuple(seat for seat in state.here() if seat != state.dues[0].payer and seat not in refused)


def ask_loan(builder: StepBuilder, action: AskLoan) -> Rejection | None:
    """Let a payer without enough money ask another player for a loan (CU-60)."""
    state = builder.state
    stage = state.stage
    if not isinstance(stage, Owing) or action.seat != state.dues[0].payer:
        return refusal(state)
    if action.lender not in lenders(state):
        return reject("cannot_be_asked", "CU-61", {"targets": list(lenders(state))})
    if not 1 <= action.amount <= LARGEST_LOAN:
        return reject("loan_range", "CU-61", {"most": LARGEST_LOAN})
    builder.change(stage=Asking(lender=action.lender, amount=action.amount, refused=stage.refused))
    builder.tell("loan_asked", "CU-60", seat=action.seat, target=action.lender, amount=action.amount)
    return None


def lend(builder: StepBuilder, action: Lend) -> Rejection | None:
    """Give the money that was asked for."""
    state = builder.state
    stage = state.stage
    if not isinstance(stage, Asking) or action.seat != stage.lender:
        return refusal(state)
    if state.players[action.seat].money < stage.amount:
        return reject("not_enough_money", "CU-61", {"seat": action.seat})
    first = state.dues[0]
    add_loan(builder, first.payer, action.seat, stage.amount)
    if first.amount <= builder.state.players[first.payer].money:
        pay(builder)
    else:
        builder.change(stage=Owing(refused=stage.refused))
    return None


def refuse(builder: StepBuilder, action: Refuse) -> Rejection | None:
    """Refuse the loan. The same lender is not asked again for this payment."""
    stage = builder.state.stage
    if not isinstance(stage, Asking) or action.seat != stage.lender:
        return refusal(builder.state)
    builder.tell("loan_refused", "CU-61", seat=action.seat, target=builder.state.dues[0].payer)
    builder.change(stage=Owing(refused=(*stage.refused, action.seat)))
    if not lenders(builder.state):
        go_bankrupt(builder)
    return None


def give_up(builder: StepBuilder, action: GiveUp) -> Rejection | None:
    """Borrow no more: pay what one has, and be out."""
    state = builder.state
    if not isinstance(state.stage, Owing) or action.seat != state.dues[0].payer:
        return refusal(state)
    go_bankrupt(builder)
    return None


def pay_all_due(builder: StepBuilder, payer: int) -> None:
    """Let a player who goes out pay their dues in order, as far as their money goes (CU-61)."""
    for one in builder.state.dues:
        amount = min(one.amount, builder.state.players[payer].money)
        if one.payer == payer and builder.state.players[one.payee].status == "in" and amount:
            builder.move_money(payer, one.payee, amount)
            builder.tell("paid", "CU-61", seat=payer, target=one.payee, amount=amount)


def go_bankrupt(builder: StepBuilder) -> None:
    """Let the payer of the first due pay all their money and leave the game (CU-60, CU-61)."""
    first = builder.state.dues[0]
    pay_all_due(builder, first.payer)
    builder.change_player(first.payer, status="bankrupt")
    builder.tell("player_bankrupt", "CU-60", seat=first.payer)
    forget_loans(builder, first.payer)
    go_on_without(builder, first.payer)


def go_on_without(builder: StepBuilder, seat: int) -> None:
    """Go on after `seat` went out in the middle of paying (CU-62, CU-63)."""
    if end_if_too_few(builder):
        return
    if seat == builder.state.officer:
        builder.tell("officer_out", "CU-62", seat=seat)
        end_round(builder)
    else:
        pay(builder)
