"""The self-test while the appliance runs: once at the start, into the log, and again when the host asks for it."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable

from appliance.devices.self_test import Finding
from appliance.devices.whole_self_test import WholeSelfTest, collected
from appliance.snapshot import Snapshot
from appliance.words.catalogues import Words
from hardware.clock import ended

LISTENS_S = 5.0
"""How long facts are collected once all devices have started, in real seconds."""
STARTED_WITHIN_S = 60.0
"""Longest wait for the devices to start."""
_LOOK_S = 0.25
_log = logging.getLogger(__name__)


class StandingSelfTest:
    """Collects facts for some seconds in a thread of its own; nothing waits for it.

    :param snapshot: returns the table's newest snapshot, for the health of its devices.
    :param words: of the language of the log.
    """

    def __init__(
        self, test: WholeSelfTest, snapshot: Callable[[], Snapshot], words: Words, *, listens_s: float = LISTENS_S
    ) -> None:
        self._test, self._snapshot, self._words, self._listens_s = test, snapshot, words, listens_s
        self._stopping = threading.Event()
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None

    @property
    def listening(self) -> bool:
        """Whether a test is under way."""
        return self._thread is not None and self._thread.is_alive()

    def start(self) -> None:
        """Begin a test, unless one is under way."""
        with self._lock:
            if self.listening or self._stopping.is_set():
                return
            self._test.begin()
            self._thread = threading.Thread(target=self._run, name="self-test", daemon=True)
            self._thread.start()

    def stop(self) -> None:
        """End a test that is under way."""
        self._stopping.set()
        ended(self._thread)

    def findings(self, words: Words) -> list[Finding]:
        """Return the current findings, with sentences in the language of `words`."""
        snapshot = self._snapshot()
        devices = collected(snapshot.health.values())
        return self._test.findings(devices, words, game_open=snapshot.game is not None)

    def _run(self) -> None:
        for _ in range(int(STARTED_WITHIN_S / _LOOK_S)):
            if not collected(self._snapshot().health.values()).awaited or self._stopping.wait(_LOOK_S):
                break
        self._stopping.wait(self._listens_s)
        self._test.listens = False
        if self._stopping.is_set():
            return
        for finding in self.findings(self._words):
            if finding.verdict != "good":
                _log.warning("self-test: %s: %s (%s)", finding.what, finding.sentence, finding.code)
        _log.info("self-test done")
