"""Lines in a terminal that are drawn again and again, and a cursor that comes back whatever ends or suspends that."""

from __future__ import annotations

import os
import signal
import threading
from types import FrameType
from typing import Any

from rich.control import Control
from rich.live import Live

from appliance.service.stop_signals import stop_signals_wait

_SHOW_CURSOR, _HIDE_CURSOR = (str(Control.show_cursor(shown)).encode() for shown in (True, False))


class LiveScreen(Live):
    """A `Live` whose beginning and end no signal cuts in two, and which shows the cursor while Ctrl-Z suspends it."""

    _before: Any = None
    """The handler of SIGTSTP that was there before."""

    def start(self, refresh: bool = False) -> None:
        """Hide the cursor and begin to draw."""
        with stop_signals_wait():
            super().start(refresh)
            if self.console.is_terminal and threading.current_thread() is threading.main_thread():
                self._before = signal.signal(signal.SIGTSTP, self._suspend)

    def stop(self) -> None:
        """Draw no more and show the cursor."""
        with stop_signals_wait():
            if self._before is not None:
                signal.signal(signal.SIGTSTP, self._before)
                self._before = None
            super().stop()

    def _suspend(self, number: int, _: FrameType | None) -> None:
        """Suspend this process as if nobody handled the signal. It may interrupt a write, so it writes by itself."""
        terminal = self.console.file.fileno()
        os.write(terminal, _SHOW_CURSOR)
        signal.signal(number, signal.SIG_DFL)
        signal.raise_signal(number)
        signal.signal(number, self._suspend)
        os.write(terminal, _HIDE_CURSOR)
