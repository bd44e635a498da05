"""The step builder of Smugglers."""

from __future__ import annotations

from typing import TypeAlias

from appliance.games.base.rules import step_builder
from appliance.games.base.rules.stage_rules import StageRules
from appliance.games.smugglers.rules.actions import Token
from appliance.games.smugglers.rules.codes import HappeningCode
from appliance.games.smugglers.rules.goals import GOALS
from appliance.games.smugglers.rules.state import Over, Reason, State


class StepBuilder(step_builder.StepBuilder[State, HappeningCode]):
    """Builds one step of Smugglers."""

    @property
    def over(self) -> bool:
        """Whether the game has ended. Then no further effects follow (SM-95)."""
        return self.state.phase == "over"

    def gain(self, seat: int, token: Token, rule: str) -> None:
        """Move one token from the supply to `seat` (SM-92) and check whether that wins (SM-96)."""
        self.change(supply=self.state.supply.plus(token, -1))
        self.change_player(seat, tokens=self.state.players[seat].tokens.plus(token))
        self.tell("token_taken", rule, seat=seat, token=token)
        self._see_whether_won(seat)

    def steal(self, seat: int, token: Token, source: int, rule: str) -> None:
        """Move one token from `source` to `seat` and check whether that wins (SM-96)."""
        self.change_player(source, tokens=self.state.players[source].tokens.plus(token, -1))
        self.change_player(seat, tokens=self.state.players[seat].tokens.plus(token))
        self.tell("token_stolen", rule, seat=seat, token=token, source=source)
        self._see_whether_won(seat)

    def win_bomb(self, seat: int) -> None:
        """Put a bomb behind the screen of `seat`. It is usable from the next round on (SM-83)."""
        player = self.state.players[seat]
        self.change_player(seat, usable_bombs=player.usable_bombs + 1, won_bombs=player.won_bombs + 1)

    def spend_bomb(self, seat: int, rule: str) -> None:
        """Mark a bomb of `seat` as spent: it lies in front of their screen (SM-4)."""
        player = self.state.players[seat]
        self.change_player(seat, usable_bombs=player.usable_bombs - 1, spent_bombs=player.spent_bombs + 1)
        self.tell("bomb_spent", rule, seat=seat)

    def end(self, winner: int | None, reason: Reason) -> None:
        """End the game."""
        self.change(phase="over", stage=Over(winner, reason), inspection=None)

    def _see_whether_won(self, seat: int) -> None:
        # Only the taker can reach a goal. Tokens move one at a time, so two players never win at once (SM-97).
        tokens, goal = self.state.players[seat].tokens, GOALS[self.state.options.goal]
        way = goal.reached(tokens.sweet, tokens.sour)
        if way is not None:
            self.end(seat, way)
            self.tell("game_won", goal.rule, winner=seat, reason=way)


SmugglersStage: TypeAlias = StageRules[State, StepBuilder]
"""The rules of one stage of Smugglers."""
