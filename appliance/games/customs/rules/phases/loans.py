"""Loans (CU-60, CU-61): the lender may refuse, the debtor may repay at any time, the rest is settled at the end."""

from __future__ import annotations

from appliance.games.customs.rules.state import Loan, State
from appliance.games.customs.rules.step_builder import StepBuilder
from appliance.games.protocol import Number, OneOf, Prompt


def add_loan(builder: StepBuilder, debtor: int, creditor: int, amount: int) -> None:
    """Move the money of a loan and add it to the existing debt of `debtor` to `creditor`."""
    builder.move_money(creditor, debtor, amount)
    _owe(builder, debtor, creditor, owed(builder, debtor, creditor) + amount)
    builder.tell("loan_given", "CU-61", seat=creditor, target=debtor, amount=amount)


def owed(builder: StepBuilder, debtor: int, creditor: int) -> int:
    """Return the pounds that `debtor` owes `creditor`."""
    pair = (debtor, creditor)
    return next((loan.amount for loan in builder.state.loans if (loan.debtor, loan.creditor) == pair), 0)


def _owe(builder: StepBuilder, debtor: int, creditor: int, amount: int) -> None:
    """Set the debt of `debtor` to `creditor`. Loans stay in the order in which they were first given; 0 removes one."""
    pair = (debtor, creditor)
    known = [(loan.debtor, loan.creditor) for loan in builder.state.loans]
    changed = {(loan.debtor, loan.creditor): loan for loan in builder.state.loans}
    changed[pair] = Loan(debtor=debtor, creditor=creditor, amount=amount)
    order = known if pair in known else [*known, pair]
    builder.change(loans=tuple(changed[one] for one in order if changed[one].amount))


def repayable(state: State, viewer: int | None) -> tuple[Prompt, ...]:
    """Return the prompts to repay loans. They are open at any time and only for the debtor."""
    if viewer is None or viewer not in state.here():
        return ()
    money = state.players[viewer].money
    return tuple(
        Prompt(
            prompt=f"r{state.round}.repay{state.moves}.seat{viewer}",
            seat=viewer,
            do="repay",
            choices={
                "creditor": OneOf((loan.creditor,)),
                "amount": Number(1, min(loan.amount, money), unit="£", whole=True),
            },
            optional=True,
        )
        for loan in state.loans
        if loan.debtor == viewer and money
    )


def pay_back(builder: StepBuilder, debtor: int, creditor: int, amount: int) -> None:
    """Move money that pays a loan back, in part or whole."""
    builder.move_money(debtor, creditor, amount)
    _owe(builder, debtor, creditor, owed(builder, debtor, creditor) - amount)
    builder.tell("loan_repaid", "CU-61", seat=debtor, target=creditor, amount=amount)


def settle_loans(builder: StepBuilder) -> None:
    """Repay all loans, oldest first, until no debtor can pay any more. The rest lapses (CU-61)."""
    paying = True
    while paying:
        paying = False
        for loan in builder.state.loans:
            amount = min(loan.amount, builder.state.players[loan.debtor].money)
            if amount:
                pay_back(builder, loan.debtor, loan.creditor, amount)
                paying = True
    for loan in builder.state.loans:
        builder.tell("loan_lapsed", "CU-61", seat=loan.debtor, target=loan.creditor, amount=loan.amount)
    builder.change(loans=())


def repay_all(builder: StepBuilder, debtor: int) -> None:
    """Repay the loans of a player who goes out, oldest first, as far as their money goes (CU-61)."""
    for loan in builder.state.loans:
        amount = min(loan.amount, builder.state.players[debtor].money)
        if loan.debtor == debtor and amount:
            pay_back(builder, debtor, loan.creditor, amount)


def forget_loans(builder: StepBuilder, seat: int) -> None:
    """Delete every loan from and to a player who is out of the game."""
    builder.change(loans=tuple(loan for loan in builder.state.loans if seat not in (loan.debtor, loan.creditor)))
