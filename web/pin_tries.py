"""Slows guessing of the PIN: so many wrong entries in a minute and in an hour, by address and from all. In memory only.

The touchscreen counts alone. Whoever guesses from the network, from however many addresses, never locks it.
"""

from __future__ import annotations

import threading

from hardware.clock import Clock
from web.shares import OWN

TRIES = ((60.0, 5), (3600.0, 30))
"""Real seconds, and how many wrong entries of one address fit into them."""
TRIES_OF_ALL = ((60.0, 15), (3600.0, 60))
"""Likewise for all addresses of the network together: a PIN of four digits lasts a week of guessing."""
ADDRESSES_MOST = 1000
"""As many addresses are remembered at most; the one that was wrong longest ago is forgotten first."""
_ALL = "all"
_LONGEST_S = 3600.0


Limits = tuple[tuple[float, int], ...]
"""Windows in real seconds, and how many entries fit into each."""


class PinTries:
    """The wrong entries of the last hour, by what they count for (`web.shares.whose`).

    :param tries: what one of these may enter.
    :param of_all: what all of the network together may enter; (): nobody counts for anybody else.
    """

    def __init__(self, clock: Clock, tries: Limits = TRIES, of_all: Limits = TRIES_OF_ALL) -> None:
        self._clock, self._tries, self._of_all = clock, tries, of_all
        self._wrong: dict[str, list[float]] = {}
        self._lock = threading.Lock()

    def take(self, who: str) -> bool:
        """Count a try of `who` as wrong; `forgive` it if it was right. False: there were too many, none is left."""
        with self._lock:
            now_s = self._clock.now_s() / self._clock.speed
            free = self._is_free(who, self._tries, now_s) and (who == OWN or self._is_free(_ALL, self._of_all, now_s))
            if free:
                for one in self._counted(who):
                    self._wrong[one] = [*self._wrong.pop(one, []), now_s]
            while len(self._wrong) > ADDRESSES_MOST:
                del self._wrong[next(iter(self._wrong))]
            return free

    def forgive(self, who: str) -> None:
        """Take back the newest try of `who`."""
        with self._lock:
            for one in self._counted(who):
                self._wrong[one] = self._wrong.get(one, [])[:-1]

    def _counted(self, who: str) -> tuple[str, ...]:
        return (who, _ALL) if self._of_all and who != OWN else (who,)

    def _is_free(self, who: str, tries: Limits, now_s: float) -> bool:
        wrong = [at_s for at_s in self._wrong.get(who, []) if now_s - at_s < _LONGEST_S]
        if who in self._wrong:
            self._wrong[who] = wrong
        return all(sum(now_s - at_s < window_s for at_s in wrong) < most for window_s, most in tries)
