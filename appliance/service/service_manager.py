"""Notifies systemd: ready, alive, stopping (sd_notify(3)).

Without systemd's socket in the environment it does nothing.
"""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Callable, Mapping


class ServiceManager:
    """Notifies the service manager, and feeds its watchdog while `alive` returns True.

    :param environ: `NOTIFY_SOCKET` names the socket (`@` for an abstract one), `WATCHDOG_USEC` the watchdog's timeout
        in microseconds.
    :param alive: called three times within that timeout. Without an answer systemd restarts the appliance.
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
        """Notify that the appliance is ready, and start feeding the watchdog."""
        self._tell("READY=1")
        if self._beat_s:
            self._thread = threading.Thread(target=self._feed, args=(self._beat_s,), name="watchdog", daemon=True)
            self._thread.start()

    def stop(self) -> None:
        """Notify that the appliance stops on purpose."""
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
        # If the manager is gone, there is nobody to notify.
        with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as to_manager:
            to_manager.sendto(state.encode(), self._address)
