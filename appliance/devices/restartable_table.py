"""A real table that can release its devices for a calibration and opens them again with the new files."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from appliance.devices.real_table import RealTable
from hardware.panel import Panel


class RestartableTable:
    """Builds the real table, and builds it again after each release, so that it reads its calibrations again.

    :param build: makes a table from the files as they are now; touches no device yet.
    """

    def __init__(self, build: Callable[[], RealTable]) -> None:
        self._build = build
        self._table: RealTable = build()
        self._running = self._ended = False
        self._lock = threading.Lock()

    @property
    def panel(self) -> Panel | None:
        """The panel of the current table."""
        return self._table.panel

    def live_picture(self) -> bytes | None:
        """Return the newest picture of the track that people may see, or None."""
        return self._table.live_picture()

    def start(self) -> None:
        """Open all devices that are present."""
        with self._lock:
            self._table.start()
            self._running = True

    def stop(self) -> None:
        """Close all devices for good: nothing is opened again, even when a release is still active."""
        with self._lock:
            self._ended = True
            if self._running:
                self._running = False
                self._table.stop()

    @contextmanager
    def released(self) -> Iterator[None]:
        """Keep the devices closed inside the context; afterwards open them with the files as they are then."""
        with self._lock:
            was_running, self._running = self._running, False
        try:
            with self._lock:
                if was_running:
                    self._table.stop()
            yield
        finally:
            with self._lock:
                if was_running and not self._ended:
                    self._table = self._build()
                    self._table.start()
                    self._running = True
