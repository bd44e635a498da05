"""One step being written: the only thing in the rules that changes, and it never outlives one `apply`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec

from appliance.games.prohis.rules.cards import Card, arranged, without
from appliance.games.prohis.rules.state import Convoy, State, Trader
from appliance.games.protocol import Happening, Step


class Draft:
    """The state so far and what happened so far, in order."""

    def __init__(self, state: State) -> None:
        self.state = state
        self._happened: list[Happening] = []

    @property
    def convoy(self) -> Convoy:
        """The convoy on the table; there must be one."""
        assert self.state.convoy is not None
        return self.state.convoy

    def tell(self, code: str, rule: str, *, to: int | None = None, **values: Any) -> None:
        """Announce that something happened by `rule`, to everybody or to one seat."""
        self._happened.append(Happening(code, values, rule, to))

    def change(self, **fields: Any) -> None:
        """Replace fields of the state."""
        self.state = msgspec.structs.replace(self.state, **fields)

    def change_player(self, seat: int, **fields: Any) -> None:
        """Replace fields of one player."""
        players = list(self.state.players)
        players[seat] = msgspec.structs.replace(players[seat], **fields)
        self.change(players=tuple(players))

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
        """Take cards, which are there, out of a hand."""
        self.change_player(seat, hand=without(self.player(seat).hand, cards))

    def store(self, seat: int, cards: Iterable[Card]) -> None:
        """Put cards face down into a warehouse."""
        self.change_player(seat, warehouse=arranged((*self.player(seat).warehouse, *cards)))

    def step(self) -> Step[State]:
        """Return the finished step."""
        return Step(self.state, tuple(self._happened))
