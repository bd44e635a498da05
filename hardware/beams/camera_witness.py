"""Checks the beams against the camera: a sphere must break them, and only a sphere may keep them dark for long.

Pure: it does no I/O and owns no timer.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterator

import msgspec

from hardware.readings import DeviceHealth, PassageSeen, Reading, SphereOnTrack

ROLL_S = 4.0
"""Longest time from a sphere's start to the fence."""
SLACK_S = 0.7
"""Longest delay of a start reported by the camera after the beam's edge, and of an edge after the crossing."""


class Crossed(msgspec.Struct, frozen=True):
    """A sphere crossed `beams` at some moment from `from_s` to `until_s`."""

    beams: tuple[str, ...]
    from_s: float
    until_s: float


class _Roll(msgspec.Struct, frozen=True):
    """A sphere that started to roll, and the outcome once it is known."""

    started_s: float
    outcome: str | None = None


class CameraWitness:
    """Collects the camera's readings. Initially a roll is expected and the camera counts as not working."""

    def __init__(self) -> None:
        self._sees = False
        self._attends = True
        self._attended_s = -math.inf
        self._rolls: deque[_Roll] = deque(maxlen=8)
        self._crossed: deque[Crossed] = deque(maxlen=8)

    def attend(self, track: bool, now_s: float) -> None:
        """Set whether a roll is expected. The camera watches the track only then."""
        self._attends = track
        if track:
            self._attended_s = now_s

    def take(self, reading: Reading) -> None:
        """Process a reading of the camera; other readings are ignored."""
        match reading:
            case DeviceHealth(device="camera"):
                self._sees = reading.status == "ok"
            case SphereOnTrack():
                self._rolls.append(_Roll(reading.t_s))
            case PassageSeen():
                self._ended(reading)

    def _ended(self, passage: PassageSeen) -> None:
        while self._rolls and self._rolls[-1].started_s >= passage.started_s:
            self._rolls.pop()
        self._rolls.append(_Roll(passage.started_s, passage.outcome))
        if passage.outcome == "passed":
            crossed_s = passage.t_s if passage.crossed_s is None else passage.crossed_s
            self._crossed.append(Crossed(("front", "back"), passage.started_s, crossed_s + SLACK_S))
        elif passage.outcome == "stuck":
            self._crossed.append(Crossed(("front",), passage.started_s, passage.t_s))

    def crossed(self, now_s: float) -> Iterator[Crossed]:
        """Yield, once each, the crossings whose edges must all have arrived by `now_s`."""
        while self._crossed and self._crossed[0].until_s <= now_s:
            yield self._crossed.popleft()

    def sphere_may_cross(self, t_s: float) -> bool:
        """Return whether a sphere can have broken a beam at `t_s`: a roll was expected, and a working camera saw one.

        The camera may report the start up to `SLACK_S` after `t_s`.
        """
        if self._nobody_rolls(t_s):
            return False
        return not self._sees or any(self._reaches(roll, t_s) for roll in self._rolls)

    def sphere_may_rest(self, beam: str, since_s: float) -> bool:
        """Return whether a sphere resting in the beam can explain its level since `since_s`.

        A sphere that passed has left the front beam. A sphere that went astray is rolled again, so it must be taken out
        of the beam.
        """
        if self._nobody_rolls(since_s):
            return False
        if not self._sees:
            return True
        left = ("passed", "astray") if beam == "front" else ("stuck",)
        return any(self._reaches(roll, since_s) and roll.outcome not in left for roll in self._rolls)

    def _nobody_rolls(self, t_s: float) -> bool:
        return not self._attends and t_s > self._attended_s + SLACK_S

    @staticmethod
    def _reaches(roll: _Roll, t_s: float) -> bool:
        """Return whether the sphere of this roll can have come to a beam at `t_s`."""
        return t_s - ROLL_S <= roll.started_s <= t_s + SLACK_S
