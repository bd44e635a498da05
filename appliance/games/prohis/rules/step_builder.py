"""The step builder of Prohis."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeAlias

import msgspec

from appliance.games.base.rules import step_builder
from appliance.games.base.rules.stage_rules import StageRules
from appliance.games.prohis.rules.cards import Card, arranged, without
from appliance.games.prohis.rules.codes import HappeningCode
from appliance.games.prohis.rules.state import Convoy, State, Trader


class StepBuilder(step_builder.StepBuilder[State, HappeningCode]):
    """Builds one step of Prohis."""

    @property
    def convoy(self) -> Convoy:
        """The convoy on the table. There must be one."""
        assert self.state.convoy is not None
        return self.state.convoy

    def change_convoy(self, **fields: Any) -> None:
        """Replace fields of the convoy."""
        self.change(convoy=msgspec.structs.replace(self.convoy, **fields))

    def player(self, seat: int) -> Trader:
        """Return the player at `seat`."""
        return self.state.players[seat]

    def hand_in(self, seat: int, cards: Iterable[Card]) -> None:
        """Put cards into a hand."""
        self.change_player(seat, hand=arranged((*self.player(seat).hand, *cards)))

    def hand_out(self, seat: int, cards: Iterable[Card]) -> None:
        """Take cards out of a hand. The hand must have them."""
        self.change_player(seat, hand=without(self.player(seat).hand, cards))

    def store(self, seat: int, cards: Iterable[Card]) -> None:
        """Put cards face down into a warehouse."""
        self.change_player(seat, warehouse=arranged((*self.player(seat).warehouse, *cards)))


ProhisStage: TypeAlias = StageRules[State, StepBuilder]
"""The rules of one stage of Prohis."""
