"""Detects passages: pairs breaks of the front and the back beam into one outcome per sphere. Pure: it owns no timer.

Geometry (`hardware.rig`): the beams cross all lanes 14 mm before and behind the fence. A sphere always leaves the
front beam before it leaves the back one. A sphere that is stuck in its hole breaks the front beam.
"""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from hardware.beams.beam_monitor import BeamEdge, BeamLimits
from hardware.readings import BeamOutcome, BeamPassage

_BRAKED = 1.5


class _Transit(msgspec.Struct):
    """One sphere between the beams: the seconds at which it broke and left each beam, as far as known.

    `followed`: the front beam was broken again after it, most likely by the same sphere after a bounce.
    """

    front_broken_s: float
    front_clear_s: float | None = None
    back_broken_s: float | None = None
    reported_blocked: bool = False
    followed: bool = False

    def reaches_back_at(self, t_s: float) -> bool:
        """Return whether a sphere with this front break can break the back beam at `t_s` without turning round.

        The distance from leaving the front beam to breaking the back one is at most the chord of the smallest sphere.
        The factor 1.5 allows for braking.
        """
        clear_s = self.front_clear_s
        return clear_s is None or t_s - clear_s <= _BRAKED * (clear_s - self.front_broken_s)


class PassageDetector:
    """Pairs breaks into passages. A back break is assigned to the oldest sphere that can have reached the back beam.

    `missed` counts, by beam, the successive spheres that the other beam saw and this one did not.

    :param may_be_sphere: returns whether a sphere can have broken a beam at a second. It is asked once the camera must
        have reported such a sphere.
    """

    def __init__(self, limits: BeamLimits, may_be_sphere: Callable[[float], bool]) -> None:
        self._limits, self._may_be_sphere = limits, may_be_sphere
        self._transits: list[_Transit] = []
        self._back_alone_s: float | None = None
        self._front_seen_s = float("-inf")
        self.missed = {"front": 0, "back": 0}

    def change(self, change: BeamEdge, now_s: float) -> list[BeamPassage]:
        """Process a debounced edge of a trusted beam; return the passages that ended with it."""
        match change.beam, change.broken:
            case "front", True:
                return self._front_broken(change.t_s, now_s)
            case "front", _:
                self._front_clear(change.t_s)
            case "back", True:
                self._back_broken(change.t_s)
            case "back", _:
                return self._back_clear(change.t_s, now_s)
        return []

    def tick(self, now_s: float) -> list[BeamPassage]:
        """Advance to `now_s`; return spheres that are stuck (blocked) or never came through (bounced)."""
        readings = []
        for transit in list(self._transits):
            if transit.front_clear_s is None:
                waited_s = now_s - transit.front_broken_s
                if (
                    waited_s >= self._limits.blocked_s
                    and not transit.reported_blocked
                    and transit.back_broken_s is None
                ):
                    transit.reported_blocked = True
                    readings.append(_reading("blocked", now_s, transit.front_broken_s))
            elif transit.back_broken_s is None and now_s - transit.front_clear_s > self._limits.transit_s:
                self._transits.remove(transit)
                lasted_s = transit.front_clear_s - transit.front_broken_s
                if lasted_s < self._limits.least_break_s or transit.reported_blocked or transit.followed:
                    continue
                self.missed["back"] += self._may_be_sphere(transit.front_broken_s)
                readings.append(_reading("bounced", now_s, transit.front_broken_s))
        alone_s = self._back_alone_s
        if alone_s is not None and now_s - alone_s > self._limits.transit_s:
            self._back_alone_s = None
            if alone_s - self._front_seen_s > 2 * self._limits.transit_s:
                self.missed["front"] += self._may_be_sphere(alone_s)
        return readings

    def take_back(self, from_s: float) -> None:
        """Discard the breaks that began at `from_s` or later: no sphere made them."""
        self._transits = [transit for transit in self._transits if transit.front_broken_s < from_s]
        for transit in self._transits:
            if transit.back_broken_s is not None and transit.back_broken_s >= from_s:
                transit.back_broken_s = None
        if self._back_alone_s is not None and self._back_alone_s >= from_s:
            self._back_alone_s = None

    def forget(self, beam: str) -> None:
        """Discard the state that depends on a faulty beam."""
        if beam == "front":
            self._transits.clear()
        self._back_alone_s = None
        self.missed[beam] = 0

    def _front_broken(self, t_s: float, now_s: float) -> list[BeamPassage]:
        self.missed["front"] = 0
        self._front_seen_s = t_s
        alone_s, self._back_alone_s = self._back_alone_s, None
        if alone_s is not None and t_s - alone_s <= self._limits.transit_s:
            return [_reading("reversed", now_s, alone_s)]
        for transit in self._transits:
            transit.followed = True
        self._transits.append(_Transit(t_s))
        return []

    def _front_clear(self, t_s: float) -> None:
        self._front_seen_s = t_s
        for transit in self._transits:
            if transit.front_clear_s is None:
                transit.front_clear_s = t_s

    def _back_broken(self, t_s: float) -> None:
        self.missed["back"] = 0
        waiting = [transit for transit in self._transits if transit.back_broken_s is None]
        if not waiting:
            self._back_alone_s = t_s
            return
        on_time = [transit for transit in waiting if transit.reaches_back_at(t_s)]
        (on_time or waiting[-1:])[0].back_broken_s = t_s

    def _back_clear(self, t_s: float, now_s: float) -> list[BeamPassage]:
        if self._back_alone_s is not None and t_s - self._back_alone_s < self._limits.least_break_s:
            self._back_alone_s = None
        for transit in self._transits:
            if transit.back_broken_s is None:
                continue
            if transit.front_clear_s is None:  # another sphere in another lane: this one is still in its hole
                transit.back_broken_s = None
                return []
            self._transits.remove(transit)
            return [_reading("passed", now_s, transit.front_broken_s, self._crossed_s(transit, t_s))]
        return []

    def _crossed_s(self, transit: _Transit, back_clear_s: float) -> float:
        """Return the second at which the centre crossed the fence: half-way between the middles of both breaks.

        A sphere that hung in its hole (`squeezed_s`) breaks the back beam as its centre passes. The back break counts
        as at most twice the front one, because a sphere may come to rest in the back beam.
        """
        assert transit.front_clear_s is not None
        assert transit.back_broken_s is not None
        front_s = transit.front_clear_s - transit.front_broken_s
        if front_s > self._limits.squeezed_s:
            return transit.back_broken_s
        back_s = min(back_clear_s - transit.back_broken_s, 2 * front_s)
        return (transit.front_broken_s + front_s / 2 + transit.back_broken_s + back_s / 2) / 2


def _reading(outcome: BeamOutcome, now_s: float, first_broken_s: float, crossed_s: float | None = None) -> BeamPassage:
    return BeamPassage(t_s=now_s, outcome=outcome, first_broken_s=first_broken_s, crossed_s=crossed_s)
