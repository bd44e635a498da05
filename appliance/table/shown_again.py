"""Which rolls of the open game can be shown again, and which one the touchscreen shows now."""

from __future__ import annotations

from appliance.snapshot import Replay
from hardware.readings import RollKept

REPLAYS_MOST = 8
WATCHED_S = 20.0
"""A watch expires after this time unless the screen renews it, so that a closed screen does not delay the game."""


class ShownAgain:
    """The replays of one scope. Their pictures and times are kept in `appliance.sensing.roll_replays`."""

    def __init__(self) -> None:
        self.scope: str | None = None
        self.replays: tuple[Replay, ...] = ()
        self.watched: int | None = None
        self._until_s = 0.0

    def within(self, scope: str | None) -> bool:
        """Set the current scope. A new scope removes the replays of the old one. Return whether there were any."""
        if scope == self.scope:
            return False
        ended = bool(self.replays)
        self.scope, self.replays, self.watched = scope, (), None
        return ended

    def take(self, kept: RollKept, prompt: str) -> bool:
        """Add a new replay, which `prompt` asks about. Return False if it belongs to another scope."""
        if kept.scope != self.scope:
            return False
        self.replays = (*self.replays, Replay(kept.number, prompt))[-REPLAYS_MOST:]
        return True

    def knows(self, number: int) -> bool:
        """Return whether there is a replay of that number."""
        return any(replay.number == number for replay in self.replays)

    def watch(self, number: int | None, now_s: float) -> None:
        """Record that the touchscreen shows replay `number` from now on; None: it shows none."""
        self.watched, self._until_s = number, now_s + WATCHED_S

    @property
    def until_s(self) -> float | None:
        """When the watch expires unless it is renewed; None: nobody watches."""
        return None if self.watched is None else self._until_s
