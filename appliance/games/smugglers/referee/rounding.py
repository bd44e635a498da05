"""The optional time limit for rounding a sphere (SM-30). The timer only warns; people decide (AP-6)."""

from __future__ import annotations

from collections.abc import Sequence

from appliance.games.protocol import Advice, Timer
from appliance.games.smugglers.referee.codes import remark

ROUNDING = "rounding"
_NO_REMARK = remark(ROUNDING, "")
_NO_TIMER = Timer(name=ROUNDING, started_s=0.0, ends_s=0.0)


class RoundingCap:
    """Times the player at the track from their call until their own first attempt starts.

    It does not start with the hourglass: putty slumps while its owner waits, so later players need the time most.

    :param cap_s: the option `rounding_cap_s`; None for no advice at all.
    """

    def __init__(self, cap_s: float | None) -> None:
        self._cap_s = cap_s
        self._seat: int | None = None
        self._timer: Timer | None = None

    def stepped(self, seat: int | None, now_s: float) -> list[Advice]:
        """Return the advice after a step. `seat` is at the track before its own first roll; None: nobody is."""
        if self._cap_s is None:
            return []
        if seat != self._seat:
            self._seat = seat
            self._timer = None if seat is None else Timer(name=ROUNDING, started_s=now_s, ends_s=now_s + self._cap_s)
        return [self._timer or _NO_TIMER, _NO_REMARK, *self.tick(now_s)]

    def rolled(self) -> list[Advice]:
        """End the timer, because a sphere rolls."""
        if self._timer is None:
            return []
        self._timer = None
        return [_NO_TIMER, _NO_REMARK]

    def tick(self, now_s: float) -> list[Advice]:
        """Return the warning once the cap is reached. It is repeated at each tick; the table shows it once."""
        if self._timer is None or now_s < self._timer.ends_s:
            return []
        return [remark(ROUNDING, "rounding_over", {"seat": self._seat})]

    def resume(self, timers: Sequence[Timer]) -> None:
        """Resume after a restart with the time that was left."""
        kept = next((timer for timer in timers if timer.name == ROUNDING), None)
        if self._timer is not None and kept is not None:
            self._timer = kept
