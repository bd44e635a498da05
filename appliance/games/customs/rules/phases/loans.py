"""Loans (CU-60, CU-61): asked for in need, given freely, paid back at will, settled at the end."""

from __future__ import annotations

from appliance.games.customs.rules.actions import Repay
from appliance.games.customs.rules.codes import reject
from appliance.games.customs.rules.state import Loan
from appliance.games.customs.rules.step_builder import Draft
from appliance.games.protocol import Rejection


def add_loan(draft: Draft, debtor: int, creditor: int, amount: int) -> None:
    """Hand over the money of a loan and write it down, joined with what `debtor` owes `creditor` already."""
    draft.move_money(creditor, debtor, amount)
    _owe(draft, debtor, creditor, owed(draft, debtor, creditor) + amount)
    draft.tell("loan_given", "CU-61", seat=creditor, target=debtor, amount=amount)


def owed(draft: Draft, debtor: int, creditor: int) -> int:
    """Return the pounds that `debtor` owes `creditor`."""
    pair = (debtor, creditor)
    return next((loan.amount for loan in draft.state.loans if (loan.debtor, loan.creditor) == pair), 0)


def _owe(draft: Draft, debtor: int, creditor: int, amount: int) -> None:
    """Write down what `debtor` owes `creditor` from now on; the order of the loans stays as they were first given."""
    pair = (debtor, creditor)
    known = [(loan.debtor, loan.creditor) for loan in draft.state.loans]
    changed = {(loan.debtor, loan.creditor): loan for loan in draft.state.loans}
    changed[pair] = Loan(debtor=debtor, creditor=creditor, amount=amount)
    order = known if pair in known else [*known, pair]
    draft.change(loans=tuple(changed[one] for one in order if changed[one].amount))


def repay(draft: Draft, action: Repay) -> Rejection | None:
    """Pay a loan back, in part or whole, before the end."""
    debt = owed(draft, action.seat, action.creditor)
    if not debt:
        return reject("no_such_loan", "CU-61", {"seat": action.seat})
    if not 1 <= action.amount <= debt:
        return reject("more_than_owed", "CU-61", {"seat": action.seat})
    if action.amount > draft.state.players[action.seat].money:
        return reject("not_enough_money", "CU-61", {"seat": action.seat})
    _pay_back(draft, action.seat, action.creditor, action.amount)
    return None


def _pay_back(draft: Draft, debtor: int, creditor: int, amount: int) -> None:
    draft.move_money(debtor, creditor, amount)
    _owe(draft, debtor, creditor, owed(draft, debtor, creditor) - amount)
    draft.tell("loan_repaid", "CU-61", seat=debtor, target=creditor, amount=amount)


def settle_loans(draft: Draft) -> None:
    """Settle every principal, oldest loan first, as long as anybody can pay; what nobody can pay lapses (CU-61)."""
    paying = True
    while paying:
        paying = False
        for loan in draft.state.loans:
            amount = min(loan.amount, draft.state.players[loan.debtor].money)
            if amount:
                _pay_back(draft, loan.debtor, loan.creditor, amount)
                paying = True
    for loan in draft.state.loans:
        draft.tell("loan_lapsed", "CU-61", seat=loan.debtor, target=loan.creditor, amount=loan.amount)
    draft.change(loans=())


def repay_all(draft: Draft, debtor: int) -> None:
    """Let who goes out pay loans back, the oldest first, as far as the money goes (CU-61)."""
    for loan in draft.state.loans:
        amount = min(loan.amount, draft.state.players[debtor].money)
        if loan.debtor == debtor and amount:
            _pay_back(draft, debtor, loan.creditor, amount)


def forget_loans(draft: Draft, seat: int) -> None:
    """Strike out every loan from and to a player who is out of the game."""
    draft.change(loans=tuple(loan for loan in draft.state.loans if seat not in (loan.debtor, loan.creditor)))
