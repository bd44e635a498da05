"""Slows guessing of the PIN: each address may be wrong so often in a minute and in an hour. In memory only."""

from __future__ import annotations

import threading

from hardware.clock import Clock

TRIES = ((60.0, 5), (3600.0, 30))
"""Real seconds, and how many wrong entries of one address fit into them."""
ADDRESSES_MOST = 1000
"""As many addresses are remembered at most; the one that was wrong longest ago is forgotten first."""


class PinTries:
    """The wrong entries of the last hour, by the address that they came from."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._wrong: dict[str, list[float]] = {}
        self._lock = threading.Lock()

    def take(self, address: str) -> bool:
        """Count a try of `address` as wrong; `forgive` it if it was right. False: there were too many, none is left."""
        with self._lock:
            now_s = self._clock.now_s() / self._clock.speed
            longest_s = max(window_s for window_s, _ in TRIES)
            wrong = [at_s for at_s in self._wrong.pop(address, []) if now_s - at_s < longest_s]
            free = all(sum(now_s - at_s < window_s for at_s in wrong) < most for window_s, most in TRIES)
            self._wrong[address] = [*wrong, now_s] if free else wrong
            while len(self._wrong) > ADDRESSES_MOST:
                del self._wrong[next(iter(self._wrong))]
            return free

    def forgive(self, address: str) -> None:
        """Take back the newest try of `address`."""
        with self._lock:
            self._wrong[address] = self._wrong.get(address, [])[:-1]
