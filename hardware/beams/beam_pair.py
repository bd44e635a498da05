"""Edges of the two beams at the fence → passages, and what is wrong with the beams.

Pure: it takes stamped edges and the time, and owns no timer. Chord and speed of a sphere stay in here (RULES AP-4).
"""

from __future__ import annotations

from hardware.beams.beam_monitor import BeamEdge, BeamLimits, BeamMonitor
from hardware.beams.passage_detector import PassageDetector
from hardware.readings import BeamPassage, DeviceHealth, Status

__all__ = ["BEAM_HEALTH", "BeamEdge", "BeamLimits", "BeamPair"]

BEAM_HEALTH: dict[str, Status] = {
    "beams_ok": "ok",
    "beams_no_driver": "absent",
    "beams_no_gpio": "absent",
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
    """Follows both beams at the fence. Feed edges as they come and `tick` at least every 0.1 s.

    Changes shorter than `shortest_s` are noise and leave no trace. A beam that is faulty bears no witness.
    """

    def __init__(self, limits: BeamLimits | None = None) -> None:
        limits = limits if limits is not None else BeamLimits()
        self._limits = limits
        self._front, self._back = BeamMonitor("front", limits), BeamMonitor("back", limits)
        self._passages = PassageDetector(limits)
        self._told = ""

    def edge(self, edge: BeamEdge) -> list[BeamPassage | DeviceHealth]:
        """Take an edge as a driver stamped it; return what became known. Beams of other names are ignored."""
        for watch in (self._front, self._back):
            watch.tick(edge.t_s)
            if watch.name == edge.beam:
                watch.edge(edge)
        return self._judge(edge.t_s)

    def tick(self, now_s: float) -> list[BeamPassage | DeviceHealth]:
        """Let time pass; return what became known."""
        for watch in (self._front, self._back):
            watch.tick(now_s - self._limits.late_s)
        return self._judge(now_s)

    def _judge(self, now_s: float) -> list[BeamPassage | DeviceHealth]:
        watches = (self._front, self._back)
        changes = [(change, watch.trusted) for watch in watches for change in watch.take()]
        passages: list[BeamPassage] = []
        for change, trusted in sorted(changes, key=lambda pair: pair[0].t_s):
            if trusted:
                passages += self._passages.change(change, now_s)
        passages += self._passages.tick(now_s)
        self._front.compare(self._back)
        self._back.compare(self._front)
        for watch in watches:
            if not watch.trusted:
                self._passages.forget(watch.name)
            self._judge_dead(watch)
        return [*filter(self._believable, passages), *self._health(now_s)]

    def _believable(self, passage: BeamPassage) -> bool:
        """A sphere stuck in the front beam needs no witness; everything else needs both beams."""
        witnesses = (self._front,) if passage.outcome == "blocked" else (self._front, self._back)
        return all(watch.trusted and watch.fault != "dead" for watch in witnesses)

    def _judge_dead(self, watch: BeamMonitor) -> None:
        missed = self._passages.missed[watch.name]
        if watch.fault is None and missed >= self._limits.missed_breaks:
            watch.fault = "dead"
        elif watch.fault == "dead" and missed == 0:
            watch.fault = None

    def _health(self, now_s: float) -> list[DeviceHealth]:
        watches = (self._front, self._back)
        if not all(watch.known for watch in watches):
            return []
        faults = [f"beam_{watch.name}_{watch.fault}" for watch in watches if watch.fault is not None]
        code = faults[0] if faults else "beams_ok"
        if code == self._told:
            return []
        self._told = code
        return [DeviceHealth(t_s=now_s, device="beams", status=BEAM_HEALTH[code], code=code)]
