"""Access rights: a phone acts for its seats, the kiosk for all seats, the host behind the PIN.

The kiosk is trusted on the appliance's own screen (a request from this machine to this machine) and in a browser that
entered the PIN. The rules check every action again.
"""

from __future__ import annotations

from flask import Request

from appliance.snapshot import Snapshot
from web.doors.phones import Phones, Seat
from web.doors.seats import SeatKeys, seating_of
from web.doors.security import from_this_machine
from web.errors import Refused


class Access:
    """The rights of the sender of one request."""

    def __init__(self, request: Request, keys: SeatKeys, phones: Phones, snapshot: Snapshot) -> None:
        self._request = request
        self._keys = keys
        self._phones = phones
        self._snapshot = snapshot

    @property
    def is_own_screen(self) -> bool:
        """Whether the sender is the browser on the appliance's own screen."""
        return from_this_machine(self._request)

    @property
    def is_kiosk(self) -> bool:
        """Whether the sender may act for the whole table."""
        return self.is_own_screen or self._keys.is_kiosk(self._request)

    @property
    def is_host(self) -> bool:
        """Whether the sender may change the settings: by the PIN. Without a PIN: on the appliance itself, or with the
        first-start code."""
        if not self._keys.has_pin:
            return self.is_own_screen or self._keys.is_owner(self._request)
        return self._keys.is_kiosk(self._request)

    def holds(self, seat: int) -> bool:
        """Whether the sender's phone was given `seat` of the open game and still holds it."""
        here = Seat(seating_of(self._snapshot), seat)
        return self._snapshot.game is not None and self._phones.holds(here, self._keys.grant(self._request, here))

    def held_before(self, seat: int) -> bool:
        """Whether the sender's phone was given `seat` of this seating and no longer holds it."""
        here = Seat(seating_of(self._snapshot), seat)
        return bool(self._keys.grant(self._request, here)) and not self.holds(seat)

    def need_kiosk(self) -> None:
        """Refuse every sender except the kiosk."""
        if not self.is_kiosk:
            raise Refused(403, "kiosk_only")

    def need_player(self) -> None:
        """Refuse a sender that is not the kiosk and holds no seat."""
        if not self.is_kiosk and not any(self.holds(seat) for seat in self.seats):
            raise Refused(403, "foreign_seat")

    def acting_for(self, seat: int | None) -> int | None:
        """Return the seat as which an action of `seat` is submitted (None: as the table), or refuse."""
        if seat is not None and self.holds(seat):
            return seat
        if self.is_kiosk:
            return None
        raise Refused(403, "foreign_seat")

    def need_view_of(self, seat: int | None) -> None:
        """Refuse the view of `seat` to any sender that does not hold it. None, the public view, is never refused."""
        if seat is not None and not self.holds(seat):
            raise Refused(403, "foreign_seat")

    @property
    def seats(self) -> range:
        """The seats of the open game."""
        return range(len(self._snapshot.setup.players) if self._snapshot.setup else 0)
