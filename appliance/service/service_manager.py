"""What systemd is told: that the appliance serves, that its loop still works, that it ends (sd_notify(3)).

Without systemd's socket in the environment nothing is told to anybody.
"""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Callable, Mapping


class ServiceManager:
    """Tells the service manager, and feeds its watchdog while `alive` says so.

    :param environ: `NOTIFY_SOCKET` names the socket (`@` for an abstract one), `WATCHDOG_USEC` the watchdog's patience
        in microseconds.
    :param alive: asked three times within that patience; what does not answer is started anew by systemd.
    """

    def __init__(self, environ: Mapping[str, str], alive: Callable[[], bool]) -> None:
        name = environ.get("NOTIFY_SOCKET", "")
        self._address = "\0" + name[1:] if name.startswith("@") else name
        patience_us = environ.get("WATCHDOG_USEC", "")
        self._beat_s = int(patience_us) / 3e6 if self._address and patience_us.isdecimal() else None
        self._alive = alive
        self._stopping = threading.Event()
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Say that everything serves; from now on feed the watchdog."""
        self._tell("READY=1")
        if self._beat_s:
            self._thread = threading.Thread(target=self._feed, args=(self._beat_s,), name="watchdog", daemon=True)
            self._thread.start()

    def stop(self) -> None:
        """Say that the end is meant."""
        self._stopping.set()
        self._tell("STOPPING=1")

    def beat(self) -> None:
        """Feed the watchdog once, if the appliance is alive."""
        if self._alive():
            self._tell("WATCHDOG=1")

    def _feed(self, every_s: float) -> None:
        while not self._stopping.wait(every_s):
            self.beat()

    def _tell(self, state: str) -> None:
        if not self._address:
            return
        # A manager that is gone needs not be told.
        with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as to_manager:
            to_manager.sendto(state.encode(), self._address)
