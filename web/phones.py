"""Which seats are played by phone. Their hands are shown on no shared screen until the phone gives them back."""

from __future__ import annotations

from web.seats import Seat


class Phones:
    """The seats that phones took and gave back, in memory only. After a restart a phone is known when it reconnects."""

    def __init__(self) -> None:
        self._taken: frozenset[Seat] = frozenset()
        self._let_go: frozenset[Seat] = frozenset()

    def take(self, seat: Seat) -> bool:
        """Note that a phone plays `seat`. Return whether that is new."""
        new = seat not in self._taken
        here = frozenset(one for one in self._taken if one.seating == seat.seating)
        self._taken, self._let_go = here | {seat}, self._let_go - {seat}
        return new

    def let_go(self, seat: Seat) -> None:
        """Give `seat` back to the touchscreen. The phone's cookie is invalid until it joins again."""
        self._taken, self._let_go = self._taken - {seat}, self._let_go | {seat}

    def was_let_go(self, seat: Seat) -> bool:
        """Return whether `seat` was given back and not joined since."""
        return seat in self._let_go

    def playing(self, seating: str) -> frozenset[int]:
        """Return the seats of those games that phones play."""
        return frozenset(seat.seat for seat in self._taken if seat.seating == seating)
