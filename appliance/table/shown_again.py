"""Which rolls of the open game can be shown again, and which one the touchscreen shows now."""

from __future__ import annotations

from appliance.snapshot import Replay
from hardware.readings import RollKept

REPLAYS_MOST = 8
WATCHED_S = 20.0
"""Whoever watches says so again within this time: a screen that has gone holds nobody up."""


class ShownAgain:
    """The replays of one scope; pictures and moments lie elsewhere (`appliance.sensing.roll_replays`)."""

    def __init__(self) -> None:
        self.scope: str | None = None
        self.replays: tuple[Replay, ...] = ()
        self.watched: int | None = None
        self._until_s = 0.0

    def within(self, scope: str | None) -> bool:
        """Note what replays last for now. Return whether that made an end of some."""
        if scope == self.scope:
            return False
        ended = bool(self.replays)
        self.scope, self.replays, self.watched = scope, (), None
        return ended

    def take(self, kept: RollKept, prompt: str) -> bool:
        """Take a new replay; `prompt` asks about it. Return whether it counts."""
        if kept.scope != self.scope:
            return False
        self.replays = (*self.replays, Replay(kept.number, prompt))[-REPLAYS_MOST:]
        return True

    def knows(self, number: int) -> bool:
        """Whether there is a replay of that number."""
        return any(replay.number == number for replay in self.replays)

    def watch(self, number: int | None, now_s: float) -> None:
        """Somebody watches `number` from now on; None: nobody does."""
        self.watched, self._until_s = number, now_s + WATCHED_S

    @property
    def until_s(self) -> float | None:
        """When nobody watches any more, unless that is said again; None: nobody watches."""
        return None if self.watched is None else self._until_s
