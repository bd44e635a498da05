"""Limits of connections, requests and streams per address. They leave room for others and for the touchscreen.

In a café, all guests may come from one address (NAT). The limits are therefore large enough for six players, a wall and
a few dozen spectators at one address. A browser opens at most six connections to one server, and one stream per page.
"""

from __future__ import annotations

import ipaddress
import threading
from collections import Counter

from appliance.service.sender import is_own, unmapped
from web.words.viewer import Kind

OWN = "own"
"""The key of this machine's own screen. Only the server's totals limit it."""
_PLAYER = "player "
STREAMS_OF_ONE_PLAYER = 6
"""Most streams of one seat, or of all unlocked touchscreens together: as many as one browser can open."""
CONNECTIONS_OF_ONE = 120
"""Most connections of one address. Six players and a wall use at most 42; 78 are left for spectators."""
CONNECTIONS_KEPT = 40
"""Connections that are reserved for this machine's own screen."""
REQUESTS_OF_ONE = 6
"""Most simultaneous requests of one address. Further ones wait; a page is answered in some milliseconds."""
THREADS_KEPT = 4
"""Threads that are reserved for requests of this machine's own screen."""


def whose(address: str) -> str:
    """Return the key that a sender at `address` counts for: `OWN`, an IPv4 address, or an IPv6 /64 network."""
    try:
        ip = ipaddress.ip_address(unmapped(address.partition("%")[0]))
    except ValueError:
        return address
    if is_own(str(ip)):
        return OWN
    # A host with one address of an IPv6 network can use all of them (RFC 4862).
    return str(ip) if ip.version == 4 else str(ipaddress.ip_network((ip, 64), strict=False))


def stream_of(address: str, kind: Kind, seat: int | None) -> str:
    """Return the key that a permitted stream counts for: a phone's counts for its seat, from any address."""
    who = whose(address)
    return f"{_PLAYER}{kind if seat is None else seat}" if who != OWN and kind != "wall" else who


class StreamPlaces:
    """Limits the simultaneous live streams. One address gets at most a quarter. A sixth is reserved for seats and
    touchscreens; a quarter of that sixth is reserved for the own screen.

    :param most: most streams in total, at least 1.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._of_one = max(most // 4, 1)
        self._of_strangers = most - most // 6
        self._of_all_but_own = most - most // 24
        self._taken: Counter[str] = Counter()
        self._lock = threading.Lock()

    def take(self, who: str) -> bool:
        """Take a place for `who`, a result of `stream_of`. Return False if none is left for them."""
        with self._lock:
            if not self._is_free(who):
                return False
            self._taken[who] += 1
            return True

    def give_back(self, who: str) -> None:
        """Give a place back."""
        with self._lock:
            self._taken[who] -= 1
            if not self._taken[who]:
                del self._taken[who]

    def _is_free(self, who: str) -> bool:
        taken = self._taken.total()
        if who == OWN:
            return taken < self._most
        if who.startswith(_PLAYER):
            return taken < self._of_all_but_own and self._taken[who] < STREAMS_OF_ONE_PLAYER
        strangers = sum(number for one, number in self._taken.items() if one != OWN and not one.startswith(_PLAYER))
        room = strangers < self._of_strangers and taken < self._of_all_but_own
        return room and self._taken[who] < self._of_one
