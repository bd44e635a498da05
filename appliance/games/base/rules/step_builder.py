"""Builds one step. A builder is the only mutable object in rules and is used for one `apply` only."""

from __future__ import annotations

from typing import Any, Generic, TypeVar

import msgspec

from appliance.games.base.rules.codes import CodeT
from appliance.games.protocol import Happening, Step

StateT = TypeVar("StateT", bound=Any)


class StepBuilder(Generic[StateT, CodeT]):
    """Holds the state and the happenings of the step so far: `StepBuilder[State, HappeningCode]`.

    `change_player` is for states with a tuple `players`, one for each seat.
    """

    def __init__(self, state: StateT) -> None:
        self.state = state
        self._happened: list[Happening] = []

    def tell(self, code: CodeT, rule: str, *, to: int | None = None, **values: Any) -> None:
        """Announce that something happened by `rule`: to everybody, or to the seat `to` alone."""
        self._happened.append(Happening(code, values, rule, to))

    def change(self, **fields: Any) -> None:
        """Replace fields of the state."""
        self.state = msgspec.structs.replace(self.state, **fields)

    def change_player(self, seat: int, **fields: Any) -> None:
        """Replace fields of one player."""
        players = list(self.state.players)
        players[seat] = msgspec.structs.replace(players[seat], **fields)
        self.change(players=tuple(players))

    def step(self) -> Step[StateT]:
        """Return the finished step."""
        return Step(self.state, tuple(self._happened))
