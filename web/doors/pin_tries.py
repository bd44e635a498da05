"""Rate limit for PIN entries: wrong entries per minute and per hour, by address and in total. In memory only.

The touchscreen is counted separately. Guesses from the network never lock it, whatever the number of addresses.
"""

from __future__ import annotations

import threading

from hardware.clock import Clock
from web.doors.shares import OWN

TRIES = ((60.0, 5), (3600.0, 30))
"""Windows in real seconds, and the wrong entries that one address may make in each."""
TRIES_OF_ALL = ((60.0, 15), (3600.0, 60))
"""The same for all addresses of the network together: guessing a PIN of four digits takes a week."""
ADDRESSES_MOST = 1000
"""Most addresses that are remembered. The one whose newest entry is oldest is dropped first."""
_ALL = "all"
_LONGEST_S = 3600.0


Limits = tuple[tuple[float, int], ...]
"""Windows in real seconds, and the number of wrong entries that each allows."""


class PinTries:
    """The wrong entries of the last hour, by the key that they count for (`web.doors.shares.whose`).

    :param tries: the limits of one key.
    :param of_all: the limits of all keys of the network together; (): there are none.
    """

    def __init__(self, clock: Clock, tries: Limits = TRIES, of_all: Limits = TRIES_OF_ALL) -> None:
        self._clock, self._tries, self._of_all = clock, tries, of_all
        self._wrong: dict[str, list[float]] = {}
        self._lock = threading.Lock()

    def take(self, who: str) -> bool:
        """Count an entry of `who` as wrong; call `forgive` if it was right. Return False if the limit is reached."""
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
        """Remove the newest entry of `who`."""
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
