"""A medium beside the card: a USB stick or a network drive. It may hang: then no call returns, and none fails."""

from __future__ import annotations

import threading
from collections.abc import Callable

ANSWERS_S = 5.0
"""Longest wait for a second medium, in seconds."""


class SecondMedium:
    """Does one deed at a time in a thread of its own. While the medium hangs, that thread alone waits for it."""

    def __init__(self) -> None:
        self._thread: threading.Thread | None = None

    @property
    def busy(self) -> bool:
        """Whether a deed has not ended: the medium is slow or hangs."""
        return self._thread is not None and self._thread.is_alive()

    def does(self, deed: Callable[[], None]) -> bool:
        """Do `deed`, and return whether it ended within `ANSWERS_S`. It is not begun while an earlier one goes on."""
        if self.busy:
            return False
        self._thread = threading.Thread(target=deed, name="second-medium", daemon=True)
        self._thread.start()
        self._thread.join(ANSWERS_S)
        return not self.busy
