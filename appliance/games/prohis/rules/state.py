"""The state of a game of Prohis, frozen. Tuples over players are in the order of the seats."""

from __future__ import annotations

from typing import Literal

import msgspec

from appliance.games.prohis.rules.actions import Place
from appliance.games.prohis.rules.cards import Card, Cards, Prohi
from appliance.games.prohis.rules.options import Options

Phase = Literal[
    "shuffle", "start", "turn", "second", "declare", "bribe", "answer", "decide", "inspect", "play", "count", "over"
]
"""The decision that is due: the shuffle, the first player, a turn, a second card, declarations, a bribe, the answer to
it, whether to inspect without a bribe, the next card to turn; with real cards the end of play, and the count."""
Reason = Literal["pile_ran_out", "all_passed", "counted"]

ROW = 4
"""Number of face-up cards (PR-4)."""


class Counted(msgspec.Struct, frozen=True):
    """One entry of a count of real cards."""

    place: Place
    card: Card
    number: int


class Trader(msgspec.Struct, frozen=True, kw_only=True):
    """A player. `hand` and `warehouse` are arranged by kind and secret. `passed`: out until the end (PR-40).

    `left`: out as well, because they left the table.
    """

    name: str
    hand: Cards = ()
    warehouse: Cards = ()
    passed: bool = False
    left: bool = False
    counted: tuple[Counted, ...] = ()
    """With real cards: the entries made so far."""


class Declared(msgspec.Struct, frozen=True):
    """A player's declaration about a convoy: a Prohi, or None to let it pass."""

    seat: int
    prohi: Prohi | None


class Convoy(msgspec.Struct, frozen=True, kw_only=True):
    """A convoy on the table; the player whose turn it is laid it (PR-20)."""

    cards: Cards
    """In the order in which they were laid. Secret until turned."""
    declared: tuple[Declared, ...] = ()
    """In the order in which they were made."""
    inspector: int | None = None
    prohi: Prohi | None = None
    """The Inspector's Prohi, taken out of their hand."""
    offer: Cards | None = None
    """The bribe on the table, taken out of the Smuggler's hand. Secret."""
    rejected: int = 0
    """Number of rejected bribes."""
    just_rejected: Cards | None = None
    """The last rejected bribe, arranged. The next offer must differ from it (PR-30). Secret."""
    turned: tuple[int, ...] = ()
    """Positions turned up, in order."""


class State(msgspec.Struct, frozen=True, kw_only=True):
    """One game of Prohis at one moment. It holds secrets; players get it only through `view.py`."""

    options: Options
    players: tuple[Trader, ...]
    phase: Phase
    pile: Cards = ()
    """The draw pile, its next card first. Secret."""
    row: tuple[Card | None, ...] = ()
    """The face-up cards; None is an empty slot."""
    turn: int = 0
    """The seat whose turn it is. During a convoy this is the Smuggler."""
    turns: int = 0
    """Number of turns started."""
    convoy: Convoy | None = None
    last_turns: tuple[int, ...] | None = None
    """Seats that still have a last turn, in order; None until the end is triggered (PR-43)."""
    winners: tuple[int, ...] = ()
    reason: Reason | None = None

    def around(self, seat: int) -> tuple[int, ...]:
        """Return all seats clockwise, starting left of `seat` and ending with it."""
        count = len(self.players)
        return tuple((seat + step) % count for step in range(1, count + 1))

    def active(self, seat: int) -> tuple[int, ...]:
        """Return the seats that have not passed, clockwise from the left of `seat`, ending with it."""
        return tuple(other for other in self.around(seat) if not self.players[other].passed)

    def undeclared(self) -> tuple[int, ...]:
        """Return the seats that still have to declare about the convoy, clockwise from the Smuggler."""
        assert self.convoy is not None
        said = {declared.seat for declared in self.convoy.declared}
        return tuple(seat for seat in self.active(self.turn) if seat != self.turn and seat not in said)
