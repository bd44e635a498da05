"""Whoever only listens knows how many cards lie where, and which ones lie open."""

from __future__ import annotations

import pytest

from appliance.games.prohis.rules.rules import RULES
from appliance.games.prohis.rules.state import State
from appliance.games.protocol import Happening
from tests.appliance.games.recordings import NAMES, heard


class Listener:
    """Counts cards by what is announced alone. Where a Prohi goes is a house rule, so the options are known."""

    def __init__(self, state: State) -> None:
        self.to_hand = state.options.seized_prohi == "hand"
        self.hand = [0] * len(state.players)
        self.warehouse = [0] * len(state.players)
        self.passed = [False] * len(state.players)
        self.pile, self.convoy, self.bribe = 0, 0, 0
        self.smuggler, self.inspector = -1, -1
        self.shown: list[str] = []
        self.winners: tuple[int, ...] = ()

    def hear(self, happening: Happening) -> None:
        values = happening.values
        seat, number = values.get("seat", -1), values.get("number", 0)
        match happening.code:
            case "cards_dealt":
                self.hand, self.pile = [6] * len(self.hand), number
            case "row_card_taken":
                self.hand[seat], self.pile = self.hand[seat] + 1, max(0, self.pile - 1)
            case "pile_card_drawn":
                self.hand[seat], self.pile = self.hand[seat] + 1, self.pile - 1
            case "convoy_laid":
                self.hand[seat] -= number
                self.convoy, self.smuggler, self.shown = number, seat, []
            case "inspector_came":
                assert values["target"] == self.smuggler
                self.hand[seat], self.inspector = self.hand[seat] - 1, seat
            case "bribe_offered" | "bribe_shown":
                assert values["target"] == self.inspector
                self.hand[seat], self.bribe = self.hand[seat] - number, number
            case "bribe_rejected":
                self.hand[self.smuggler], self.bribe = self.hand[self.smuggler] + self.bribe, 0
            case "bribe_accepted":
                self.warehouse[seat] += number
                self.hand[seat], self.bribe, self.inspector = self.hand[seat] + 1, 0, -1
            case "inspection_waived":
                self.warehouse[seat], self.inspector = self.warehouse[seat] + 1, -1
            case "inspection_waived_to_hand":
                self.hand[seat], self.inspector = self.hand[seat] + 1, -1
            case "card_turned":
                self.shown.append(values["card"])
            case "prohi_won":
                self.hand[seat], self.inspector = self.hand[seat] + 1, -1
            case "convoy_seized":
                self.warehouse[seat] += number + (not self.to_hand)
                self.hand[seat] += self.to_hand
                self.convoy, self.inspector = 0, -1
            case "convoy_arrived" | "convoy_called_off":
                # Where Smuggler or Inspector left, the Prohi and the bribe are still there: both go back.
                if self.inspector >= 0:
                    self.hand[self.inspector] += 1
                self.hand[seat] += self.bribe
                if happening.code == "convoy_arrived":
                    self.warehouse[seat] += number
                else:
                    self.hand[seat] += self.convoy
                self.convoy, self.bribe, self.inspector = 0, 0, -1
            case "player_passed" | "player_left":
                self.passed[seat] = True
            case "game_won" | "win_shared":
                self.winners = tuple(values["winners"])


@pytest.mark.parametrize("name", NAMES["prohis"])
def test_who_only_listens_knows_how_many_cards_lie_where(name: str) -> None:
    listener: Listener | None = None
    for state, happened in heard("prohis", name):
        assert isinstance(state, State)
        listener = listener or Listener(state)
        for happening in happened:
            listener.hear(happening)
        view = RULES.view(state, None)
        if not state.options.physical:
            assert listener.hand == [player.hand for player in view.players]
            assert listener.warehouse == [player.warehouse for player in view.players]
            assert listener.pile == view.pile
        assert listener.passed == [player.passed for player in view.players]
        if view.convoy is not None:
            assert listener.convoy == len(view.convoy.cards)
            assert listener.shown == [view.convoy.cards[position] for position in view.convoy.turned]
            assert listener.bribe == (view.convoy.offer.number if view.convoy.offer else 0)
        assert listener.winners == view.winners
