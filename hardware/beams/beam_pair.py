"""The two beams at the fence: turns their edges into passages and health.

Pure: it takes timestamped edges and the time, and owns no timer. Chord and speed of a sphere never leave this module
(RULES AP-4).
"""

from __future__ import annotations

import math
from collections import deque

from hardware.beams.beam_monitor import BeamEdge, BeamLimits, BeamMonitor
from hardware.beams.camera_witness import CameraWitness
from hardware.beams.passage_detector import PassageDetector
from hardware.readings import AT_HOLE, BEYOND_FENCE, BeamPassage, DeviceHealth, Reading, RollPlace, Status

CHANGES_MOST = 16
__all__ = ["BEAM_HEALTH", "BeamEdge", "BeamLimits", "BeamPair"]

BEAM_HEALTH: dict[str, Status] = {
    "beams_ok": "ok",
    "beams_off": "absent",
    "beams_no_driver": "absent",
    "beams_no_gpio": "absent",
    "beams_no_folder": "absent",
    "beam_front_dark_at_start": "faulty",
    "beam_front_inverted": "faulty",
    "beam_front_dead": "faulty",
    "beam_front_chattering": "faulty",
    "beam_front_covered": "faulty",
    "beam_back_dark_at_start": "faulty",
    "beam_back_inverted": "faulty",
    "beam_back_dead": "faulty",
    "beam_back_chattering": "faulty",
    "beam_back_covered": "faulty",
}
"""Every health code of the beams, with its status."""


class BeamPair:
    """Monitors both beams. Feed edges as they come and call `tick` at least every 0.1 s.

    Changes shorter than `shortest_s` are noise and are ignored. Faulty beams are ignored. Breaks of both beams at the
    same moment are no passage, and a fault when they repeat.
    """

    def __init__(self, limits: BeamLimits | None = None) -> None:
        limits = limits if limits is not None else BeamLimits()
        self._limits = limits
        self._front, self._back = BeamMonitor("front", limits), BeamMonitor("back", limits)
        self._witness = CameraWitness()
        self._passages = PassageDetector(limits, self._witness.sphere_may_cross)
        self._last_codes: tuple[str, ...] = ()
        self._broken: list[RollPlace] = []
        self._changes: deque[BeamEdge] = deque(maxlen=CHANGES_MOST)
        self._broken_s = {"front": -math.inf, "back": -math.inf}

    def edge(self, edge: BeamEdge) -> list[BeamPassage | DeviceHealth]:
        """Process an edge with the driver's timestamp; return new passages and changes of health.

        Edges of other beams than `front` and `back` are ignored.
        """
        for monitor in (self._front, self._back):
            monitor.tick(edge.t_s)
            if monitor.name == edge.beam:
                monitor.edge(edge)
        return self._update(edge.t_s)

    def attend(self, track: bool, now_s: float) -> None:
        """Set whether a roll is expected now. The camera watches the track only then."""
        self._witness.attend(track, now_s)

    def see(self, reading: Reading) -> None:
        """Process a reading of the camera: a beam is faulty if it missed a sphere that the camera saw cross it."""
        self._witness.take(reading)

    def tick(self, now_s: float) -> list[BeamPassage | DeviceHealth]:
        """Advance to `now_s`; return new passages and changes of health."""
        for monitor in (self._front, self._back):
            monitor.sphere_may_rest = self._witness.sphere_may_rest(monitor.name, monitor.since_s)
            monitor.tick(now_s - self._limits.late_s)
        for crossing in self._witness.crossed(now_s):
            for monitor in (self._front, self._back):
                judged = monitor.name in crossing.beams and monitor.fault is None and monitor.known
                if judged and not monitor.was_broken(crossing.from_s, crossing.until_s):
                    self._passages.missed[monitor.name] = self._limits.missed_breaks
        return self._update(now_s)

    def _update(self, now_s: float) -> list[BeamPassage | DeviceHealth]:
        monitors = (self._front, self._back)
        changes = [(change, monitor) for monitor in monitors for change in monitor.take()]
        passages: list[BeamPassage] = []
        for change, monitor in sorted(changes, key=lambda pair: pair[0].t_s):
            if self._coincides(change, monitor):
                continue
            if monitor.trusted:
                self._show(change)
                passages += self._passages.change(change, now_s)
        passages += self._passages.tick(now_s)
        self._front.compare(self._back)
        self._back.compare(self._front)
        for monitor in monitors:
            if not monitor.trusted:
                self._passages.forget(monitor.name)
            self._check_dead(monitor)
        return [*filter(self._is_supported, passages), *self._health(now_s)]

    def take_places(self) -> list[RollPlace]:
        """Return places of a sphere derived from the breaks since the last call: at or beyond the fence, lane unknown.

        At most the newest two are returned. They serve to draw the sphere where no camera sees it.
        """
        places, self._broken = self._broken, []
        return places

    def take_changes(self) -> list[BeamEdge]:
        """Return the debounced edges of trusted beams since the last call: at most the newest `CHANGES_MOST`."""
        changes = list(self._changes)
        self._changes.clear()
        return changes

    def _coincides(self, change: BeamEdge, monitor: BeamMonitor) -> bool:
        """Return whether the other beam broke so shortly before that no sphere broke both. Take its break back then."""
        if not change.broken or not (monitor.trusted or monitor.fault == "chattering"):
            return False
        self._broken_s[change.beam] = change.t_s
        first_s = min(self._broken_s.values())
        if change.t_s - first_s >= self._limits.least_transit_s:
            return False
        self._passages.take_back(first_s)
        for each in (self._front, self._back):
            each.coincided(change.t_s)
        return True

    def _show(self, change: BeamEdge) -> None:
        self._changes.append(change)
        if change.broken:
            place = AT_HOLE if change.beam == "front" else BEYOND_FENCE
            self._broken = [*self._broken[-1:], RollPlace(t_s=change.t_s, lane=None, place=place)]

    def _is_supported(self, passage: BeamPassage) -> bool:
        """Return whether the beams needed for the outcome work: `blocked` needs the front beam, all others both."""
        needed = (self._front,) if passage.outcome == "blocked" else (self._front, self._back)
        return all(monitor.trusted and monitor.fault != "dead" for monitor in needed)

    def _check_dead(self, monitor: BeamMonitor) -> None:
        missed = self._passages.missed[monitor.name]
        if monitor.fault is None and missed >= self._limits.missed_breaks:
            monitor.fault = "dead"
        elif monitor.fault == "dead" and missed == 0:
            monitor.fault = None

    def _health(self, now_s: float) -> list[DeviceHealth]:
        monitors = (self._front, self._back)
        if not all(monitor.known for monitor in monitors):
            return []
        faults = [f"beam_{monitor.name}_{monitor.fault}" for monitor in monitors if monitor.fault is not None]
        codes = tuple(faults or ["beams_ok"])
        if codes == self._last_codes:
            return []
        self._last_codes = codes
        return [DeviceHealth(t_s=now_s, device="beams", status=BEAM_HEALTH[codes[0]], code=codes[0], further=codes[1:])]
