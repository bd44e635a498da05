"""Whoever only listens knows the ledger: what is paid and lent is told whole, in order, and with the right values."""

from __future__ import annotations

from typing import Any

import pytest

from appliance.games.customs.rules.actions import Accept, ClaimBag, Declare
from appliance.games.customs.rules.rules import RULES
from appliance.games.customs.rules.state import Appointing, Over, Shuffling, State
from appliance.games.protocol import Action, Happening
from tests.appliance.games.customs.play import a_setup, folded, pack_of, stepped
from tests.appliance.games.recordings import NAMES, heard


class Listener:
    """Keeps money, loans and the pack by what is announced alone."""

    def __init__(self, players: int) -> None:
        self.money = [0] * players
        self.status = ["in"] * players
        self.loans: dict[tuple[int, int], int] = {}
        self.officer: int | None = None
        self.round, self.pack = 0, 0
        self.winners: tuple[int, ...] = ()

    def pay(self, payer: int, payee: int, amount: int) -> None:
        self.money[payer] -= amount
        self.money[payee] += amount

    def owe(self, debtor: int, creditor: int, amount: int) -> None:
        owed = self.loans.pop((debtor, creditor), 0) + amount
        if owed:
            self.loans[debtor, creditor] = owed

    def forget(self, seat: int) -> None:
        self.loans = {pair: amount for pair, amount in self.loans.items() if seat not in pair}

    def hear(self, happening: Happening) -> None:
        values: dict[str, Any] = happening.values
        seat, target, amount = values.get("seat", -1), values.get("target", -1), values.get("amount", 0)
        match happening.code:
            case "money_divided":
                self.money = [amount] * len(self.money)
            case "paid":
                self.pay(seat, target, amount)
            case "loan_given":
                self.pay(seat, target, amount)
                self.owe(target, seat, amount)
            case "loan_repaid":
                self.pay(seat, target, amount)
                self.owe(seat, target, -amount)
            case "loan_lapsed":
                self.owe(seat, target, -amount)
            case "player_bankrupt":
                self.status[seat] = "bankrupt"
                self.forget(seat)
            case "round_started":
                self.officer, self.round, self.pack = seat, values["round"], 56
            case "hand_drawn":
                self.pack -= 4
            case "card_discarded":
                self.pack -= 1
            case "game_won" | "game_shared":
                self.winners = tuple(values["winners"])
                assert {self.money[winner] for winner in self.winners} == {amount}


@pytest.mark.parametrize("name", NAMES["customs"])
def test_who_only_listens_knows_the_ledger(name: str) -> None:
    listener: Listener | None = None
    for state, happened in heard("customs", name):
        assert isinstance(state, State)
        listener = listener or Listener(len(state.players))
        left = None
        for happening in happened:
            listener.hear(happening)
            if happening.code == "player_left":
                left = happening.values["seat"]
        if left is not None:
            # What is left after the debts goes out of the game; it is told by nobody's hand.
            listener.status[left], listener.money[left] = "left", 0
            listener.forget(left)
        assert listener.money == [player.money for player in state.players]
        assert listener.status == [player.status for player in state.players]
        assert listener.loans == {(loan.debtor, loan.creditor): loan.amount for loan in state.loans}
        assert (listener.officer, listener.round) == (state.officer, state.round)
        if not isinstance(state.stage, Appointing | Shuffling | Over) and not state.options.physical:
            assert listener.pack == len(state.pack)
        assert listener.winners == RULES.view(state, None).winners


@pytest.mark.parametrize(
    ("said", "told"),
    [(ClaimBag(seat=1), "claim_accepted"), (Declare(seat=1, goods=("wine",)), "declaration_accepted")],
)
def test_cu40_only_a_claim_is_saluted(said: Action, told: str) -> None:
    state = folded(a_setup(4), (pack_of(), said))
    first, *_ = stepped(state, Accept(seat=0)).happened
    assert (first.code, first.values) == (told, {"seat": 0, "target": 1})
