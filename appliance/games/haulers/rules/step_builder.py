"""The step builder of Haulers."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeVar

import msgspec

from appliance.games.base.rules import step_builder
from appliance.games.haulers.rules.actions import Colour
from appliance.games.haulers.rules.codes import HappeningCode
from appliance.games.haulers.rules.stages import Over, Reason, Stage
from appliance.games.haulers.rules.state import Hauler, Load, State
from appliance.games.protocol import Prompt

StageT = TypeVar("StageT")


class StepBuilder(step_builder.StepBuilder[State, HappeningCode]):
    """Builds one step of Haulers."""

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return isinstance(self.state.stage, Over)

    def open(self, kind: type[StageT]) -> StageT | None:
        """Return the open stage if it is of `kind`, else None."""
        stage = self.state.stage
        return stage if isinstance(stage, kind) else None

    def player(self, seat: int) -> Hauler:
        """Return a player with the changes so far."""
        return self.state.players[seat]

    def change_load(self, seat: int, card: int, **fields: Any) -> None:
        """Replace fields of one load."""
        self.change_player(
            seat,
            loads=tuple(
                msgspec.structs.replace(load, **fields) if load.card == card else load
                for load in self.player(seat).loads
            ),
        )

    def take_load(self, seat: int, card: int) -> Load:
        """Remove a load. Its legal or smuggler card goes back to its owner (TR-25); its delivery is discarded."""
        loads = self.player(seat).loads
        self.change_player(seat, loads=tuple(load for load in loads if load.card != card))
        self.change(discards=(*self.state.discards, card))
        return next(load for load in loads if load.card == card)

    def give_back_papers(self, papers: tuple[int, ...]) -> None:
        """Put keep-cards back: under the stack for sale where they are sold (TR-61), else on the transit discards."""
        if self.state.options.keep_cards == "sold":
            self.change(papers_pile=(*self.state.papers_pile, *papers))
        else:
            self.change(transit_discards=(*self.state.transit_discards, *papers))

    # -- the agenda

    def push(self, *stages: Stage) -> None:
        """Put stages on top of the agenda. The last one is open then."""
        self.change(agenda=(*self.state.agenda, *stages))

    def pop(self) -> None:
        """Remove the open stage."""
        self.change(agenda=self.state.agenda[:-1])

    def alter(self, **fields: Any) -> None:
        """Replace fields of the open stage."""
        stage: Any = self.state.stage
        self.change(agenda=(*self.state.agenda[:-1], msgspec.structs.replace(stage, **fields)))

    def alter_turn(self, **fields: Any) -> None:
        """Replace fields of the current turn."""
        turn = self.state.turn_stage()
        self.change(
            agenda=tuple(
                msgspec.structs.replace(turn, **fields) if stage is turn else stage for stage in self.state.agenda
            )
        )

    # -- money and chips

    def earn(self, seat: int, dollars: int) -> None:
        """Pay dollars from the bank to a player; below 0: to the bank."""
        self.change_player(seat, cash=self.player(seat).cash + dollars)
        self.change(bank=self.state.bank + dollars)

    def gain(self, seat: int, colour: Colour, count: int = 1) -> None:
        """Give chips to a player; below 0: take them away."""
        self.change_player(seat, chips=self.player(seat).chips.plus(colour, count))

    def end(self, winners: tuple[int, ...], reason: Reason) -> None:
        """End the game."""
        self.change(agenda=(Over(winners, reason),))


def _nothing(state: State, stage: Any, viewer: int | None) -> Iterable[Prompt]:
    return ()


def _waits(builder: StepBuilder, stage: Any) -> bool:
    return False


class HaulersStage(msgspec.Struct, frozen=True, kw_only=True):
    """The rules of one stage of Haulers. `goes_on` returns False when a decision or a result of chance is needed."""

    prompts: Callable[[State, Any, int | None], Iterable[Prompt]] = _nothing
    """Returns the open prompts as the viewer at a seat (None: everybody) may see them."""
    goes_on: Callable[[StepBuilder, Any], bool | None] = _waits
    """Does everything that needs no decision. Any result other than False: call it again for the then open stage."""
