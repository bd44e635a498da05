"""Keeps the timers that run in a game through a power cut and a pause."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from appliance.games.protocol import Timer
from appliance.journal.entries import KeptTimer
from appliance.journal.journal import Journal
from hardware.clock import Clock

DISK_RETRY_S = 2.0
"""Seconds until a failed write to the journal is tried again."""
CLOCK_SET_S = 2.0
"""Seconds by which the wall clock must have been set for the kept timers to be stored again."""


class TimerStore:
    """Stores the timers of one open game in the journal.

    :param game: the seq of the entry that opened the game.
    :param holds_some: whether the journal holds timers of this game already.
    """

    def __init__(self, journal: Journal, clock: Clock, game: int, *, holds_some: bool) -> None:
        self._journal = journal
        self._clock = clock
        self._game = game
        self._stored: dict[str, Timer] | None = None if holds_some else {}
        self._apart_s = 0.0
        """Wall clock minus `clock` when the timers were stored."""
        self._again_s = float("-inf")

    def keep(self, timers: Mapping[str, Timer]) -> bool:
        """Store the running timers when they changed. Return whether it did.

        Their ends are stored on the wall clock, so they are stored again when that clock was set. A failed write is
        tried again after `DISK_RETRY_S`.

        :raises JournalError: the journal cannot be written.
        """
        now_s = self._clock.now_s()
        apart_s = self._journal.wall_s() - now_s
        clock_was_set = bool(timers) and abs(apart_s - self._apart_s) > CLOCK_SET_S
        if (timers == self._stored and not clock_was_set) or now_s < self._again_s:
            return False
        self._again_s = now_s + DISK_RETRY_S
        self._journal.keep_timers(self._game, self.lasting(timers))
        self._stored, self._apart_s, self._again_s = dict(timers), apart_s, now_s
        return True

    def lasting(self, timers: Mapping[str, Timer]) -> tuple[KeptTimer, ...]:
        """Return timers as they are stored: with the time that is left."""
        now_s = self._clock.now_s()
        return tuple(
            KeptTimer(name=timer.name, left_s=timer.ends_s - now_s, lasts_s=timer.ends_s - timer.started_s)
            for timer in timers.values()
        )

    def running(self, kept: Sequence[KeptTimer]) -> list[Timer]:
        """Return stored timers as they run from now on."""
        now_s = self._clock.now_s()
        return [Timer(name=k.name, started_s=now_s + k.left_s - k.lasts_s, ends_s=now_s + k.left_s) for k in kept]
