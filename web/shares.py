"""How much of the server one address may have. What a stranger takes leaves room for others and for the touchscreen.

A café's network may show all its guests by one address (NAT). The shares therefore fit six players, a wall and a few
dozen who watch, all by one address. A browser opens six connections to one server at most, and one stream a page.
"""

from __future__ import annotations

import ipaddress
import threading
from collections import Counter

from web.viewer import Kind

OWN = "own"
"""Whom this machine's own screen counts for. It is bounded by what there is, and by nobody else."""
_PLAYER = "player "
STREAMS_OF_ONE_PLAYER = 6
"""As many as the browser of one seat, or of one unlocked touchscreen, can open."""
CONNECTIONS_OF_ONE = 120
"""Six players and a wall keep 42 at most. 78 are left for those who watch."""
CONNECTIONS_KEPT = 40
"""Connections that no stranger can take."""
REQUESTS_OF_ONE = 6
"""Requests of one address under way at once; its further ones wait. A page is answered in some milliseconds."""
THREADS_KEPT = 4
"""Threads that no stranger's request can take."""


def whose(address: str) -> str:
    """Return what a sender at `address` counts for: `OWN`, an IPv4 address, or a whole IPv6 network of one house."""
    try:
        ip = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return address
    ip = getattr(ip, "ipv4_mapped", None) or ip
    if is_own(str(ip)):
        return OWN
    # Whoever has one IPv6 address of a network can take all of them (RFC 4862).
    return str(ip) if ip.version == 4 else str(ipaddress.ip_network((ip, 64), strict=False))


def stream_of(address: str, kind: Kind, seat: int | None) -> str:
    """Return what a stream counts for, whose sender at `address` may see it: a phone's for its seat, wherever it is."""
    who = whose(address)
    return f"{_PLAYER}{kind if seat is None else seat}" if who != OWN and kind != "wall" else who


def is_own(address: str) -> bool:
    """Return whether `address` is this machine itself."""
    try:
        return ipaddress.ip_address(address).is_loopback
    except ValueError:
        return False


class StreamPlaces:
    """The live streams that may run at once. A quarter is the most for one address. A sixth is kept from all strangers,
    for seats and unlocked touchscreens, and a part of that from these, for the own screen.

    :param most: all streams together, at least 1.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._of_one = max(most // 4, 1)
        self._of_strangers = most - most // 6
        self._of_all_but_own = most - most // 24
        self._taken: Counter[str] = Counter()
        self._lock = threading.Lock()

    def take(self, who: str) -> bool:
        """Take a place for `who`: the result of `stream_of`. False: none is left for them."""
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
