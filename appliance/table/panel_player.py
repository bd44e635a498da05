"""Drives the panel's lights and buzzer from the table's snapshots."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable

from appliance.games.game import Game
from appliance.snapshot import Snapshot
from appliance.table.table import Table
from appliance.words.errors import where_raised
from hardware.clock import Clock, ended
from hardware.panel import Panel

LOOK_S = 0.05
"""Real seconds between two ticks of the panel while it plays a tune."""
REST_S = 0.5
"""Likewise while it is silent. `stop` may wait this long."""

_log = logging.getLogger(__name__)


class PanelPlayer:
    """Follows the table's snapshots with lights and tunes, for games that define cues.

    :param panel: returns the open panel, or None where there is none. A calibration replaces it by another one.
    """

    def __init__(
        self, table: Table, games: Callable[[str], Game], panel: Callable[[], Panel | None], clock: Clock
    ) -> None:
        self._table, self._games, self._open_panel, self._clock = table, games, panel, clock
        self._version = 0
        self._heard_seq: int | None = None
        self._lit: int | None = None
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="panel", daemon=True)

    def follow(self, panel: Panel, snapshot: Snapshot) -> None:
        """Show one snapshot. Happenings from before the first snapshot play no tune, and neither do corrections."""
        game = None if snapshot.game is None else self._games(snapshot.game)
        lit = None
        if game is not None and game.panel is not None:
            cues = game.panel()
            lit = cues.lit_lane(game.rules.view(snapshot.state, None))
            heard = snapshot.journal_seq if self._heard_seq is None else self._heard_seq
            news = (line.happening for line in snapshot.log if line.seq > heard and line.kind == "happening")
            tune = cues.melody(news)
            if tune is not None:
                panel.play(tune)
        self._heard_seq = snapshot.journal_seq
        if lit != self._lit:
            self._lit = lit
            panel.light_lane(lit)

    def _try_to_follow(self, panel: Panel, snapshot: Snapshot) -> None:
        """Show a snapshot. After a bug the next one is shown: the button needs this thread, too."""
        try:
            self.follow(panel, snapshot)
        except Exception as bug:
            _log.error("%s; lights and tunes follow again", where_raised(bug))

    def start(self) -> None:
        """Follow in a thread until `stop`."""
        self._thread.start()

    def stop(self) -> None:
        """Stop following; the panel stays open."""
        self._stopping.set()
        ended(self._thread)

    def _run(self) -> None:
        panel: Panel | None = None
        while not self._stopping.is_set():
            playing = panel is not None and panel.playing
            snapshot = self._table.wait_newer(self._version, LOOK_S if playing else REST_S)
            before, panel = panel, self._open_panel()
            if panel is not before:  # its lights are off: show the newest snapshot again
                self._lit, self._version = None, 0
            elif snapshot is not None:
                self._version = snapshot.version
                if panel is not None:
                    self._try_to_follow(panel, snapshot)
            if panel is not None:
                panel.tick(self._clock.now_s())
