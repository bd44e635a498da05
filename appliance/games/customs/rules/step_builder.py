"""The step builder of Customs."""

from __future__ import annotations

from typing import TypeAlias

from appliance.games.base.rules import step_builder
from appliance.games.base.rules.stage_rules import StageRules
from appliance.games.customs.rules.codes import HappeningCode
from appliance.games.customs.rules.state import Over, State


class StepBuilder(step_builder.StepBuilder[State, HappeningCode]):
    """Builds one step of Customs."""

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return isinstance(self.state.stage, Over)

    def move_money(self, payer: int, payee: int, amount: int) -> None:
        """Move pounds from one player to another. The payer must have them."""
        players = self.state.players
        assert 0 <= amount <= players[payer].money
        self.change_player(payer, money=players[payer].money - amount)
        self.change_player(payee, money=self.state.players[payee].money + amount)
        self.change(moves=self.state.moves + 1)


CustomsStage: TypeAlias = StageRules[State, StepBuilder]
"""The rules of one stage of Customs."""
