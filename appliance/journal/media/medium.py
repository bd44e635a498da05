"""A medium beside the card: a USB stick or a network drive. It may hang: then no call returns, and none fails."""

from __future__ import annotations

import threading
from collections.abc import Callable

ANSWERS_S = 5.0
"""Longest wait for a medium, in seconds."""


class Medium:
    """Does one deed at a time in a thread of its own. While the medium hangs, that thread alone waits for it."""

    def __init__(self) -> None:
        self._turn = threading.Lock()
        self._late: threading.Thread | None = None

    def does(self, deed: Callable[[], None]) -> bool:
        """Do `deed`, and return whether it ended within `ANSWERS_S`. Callers in several threads take turns.

        It is not begun while an earlier one is late, nor when its turn does not come within `ANSWERS_S`, nor when this
        process may have no more threads.
        """
        late = self._late
        if (late is not None and late.is_alive()) or not self._turn.acquire(timeout=ANSWERS_S):
            return False
        thread = threading.Thread(target=self._do, args=(deed,), name="medium", daemon=True)
        try:
            thread.start()
        except RuntimeError:
            self._turn.release()
            return False
        thread.join(ANSWERS_S)
        if thread.is_alive():
            self._late = thread
        return not thread.is_alive()

    def _do(self, deed: Callable[[], None]) -> None:
        try:
            deed()
        finally:
            self._turn.release()
