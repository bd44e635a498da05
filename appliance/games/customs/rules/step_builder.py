"""One step being written: the only thing in the rules that changes, and it never outlives one `apply`."""

from __future__ import annotations

from typing import Any

import msgspec

from appliance.games.customs.rules.state import Over, State
from appliance.games.protocol import Happening, Step


class Draft:
    """The state so far and what happened so far, in order."""

    def __init__(self, state: State) -> None:
        self.state = state
        self._happened: list[Happening] = []

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return isinstance(self.state.stage, Over)

    def tell(self, code: str, rule: str, **values: Any) -> None:
        """Announce to everybody that something happened by `rule`."""
        self._happened.append(Happening(code, values, rule))

    def change(self, **fields: Any) -> None:
        """Replace fields of the state."""
        self.state = msgspec.structs.replace(self.state, **fields)

    def change_player(self, seat: int, **fields: Any) -> None:
        """Replace fields of one player."""
        players = list(self.state.players)
        players[seat] = msgspec.structs.replace(players[seat], **fields)
        self.change(players=tuple(players))

    def move_money(self, payer: int, payee: int, amount: int) -> None:
        """Move pounds from one player to another; the payer has them."""
        players = self.state.players
        assert 0 <= amount <= players[payer].money
        self.change_player(payer, money=players[payer].money - amount)
        self.change_player(payee, money=self.state.players[payee].money + amount)
        self.change(moves=self.state.moves + 1)

    def step(self) -> Step[State]:
        """Return the finished step."""
        return Step(self.state, tuple(self._happened))
