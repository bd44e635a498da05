"""Edges made by spheres whose truth is known, by hands and by bad wires; and what the beams say of them."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from hardware.beams.beam_pair import BeamEdge, BeamPair
from hardware.readings import BeamPassage, DeviceHealth, PassageSeen, Reading
from hardware.rig import Rig

RIG = Rig()
HEIGHTS_MM = {"front": 16.0, "back": 8.0}
PLACES_MM = {"front": 14.0, "back": -14.0}


@dataclass
class Pass:
    """A sphere that rolls through at constant acceleration; `crossed_s` is when its centre is over the fence."""

    diameter_mm: float
    speed_m_s: float
    crossed_s: float
    acceleration_m_s2: float = 0.0

    def edges(self) -> list[BeamEdge]:
        radius = self.diameter_mm / 2
        out = []
        for beam, y_mm in PLACES_MM.items():
            surface_mm = RIG.ramp_z_mm(y_mm) if y_mm > 0 else RIG.landing_z_mm
            half_mm = math.sqrt(max(radius**2 - (surface_mm + radius - HEIGHTS_MM[beam]) ** 2, 0.0))
            if half_mm:
                out.append(BeamEdge(self.when_s(y_mm + half_mm), beam, True))
                out.append(BeamEdge(self.when_s(y_mm - half_mm), beam, False))
        return out

    def when_s(self, y_mm: float) -> float:
        way_m, v, a = -y_mm / 1000, self.speed_m_s, self.acceleration_m_s2
        return self.crossed_s + (way_m / v if a == 0 else (math.sqrt(v * v + 2 * a * way_m) - v) / a)


START = [BeamEdge(0.0, "front", False), BeamEdge(0.0, "back", False)]


def judged(edges: list[BeamEdge], until_s: float, judge: BeamPair | None = None, from_s: float = 0.0) -> list[Reading]:
    """Feed edges and a tick every 20 ms, in order of time."""
    judge = judge or BeamPair()
    moments: list[tuple[float, BeamEdge | None]] = [(edge.t_s, edge) for edge in edges]
    moments += [(from_s + 0.02 * k, None) for k in range(1, int((until_s - from_s) / 0.02))]
    out: list[Reading] = []
    for t_s, edge in sorted(moments, key=lambda moment: moment[0]):
        out += judge.tick(t_s) if edge is None else judge.edge(edge)
    return out


def passages(readings: list[Reading]) -> list[BeamPassage]:
    return [reading for reading in readings if isinstance(reading, BeamPassage)]


def codes(readings: list[Reading]) -> list[str]:
    return [reading.code for reading in readings if isinstance(reading, DeviceHealth)]


def dips(times_s: Iterable[float], lasting_s: float, later_s: float = 0.0, first: str = "front") -> list[BeamEdge]:
    """Breaks of both beams at these times; the one that is not `first` follows `later_s` later."""
    second = "back" if first == "front" else "front"
    return [
        BeamEdge(t_s + delay_s + (0.0 if broken else lasting_s), beam, broken)
        for t_s in times_s
        for beam, delay_s in ((first, 0.0), (second, later_s))
        for broken in (True, False)
    ]


def inverted(edges: list[BeamEdge], *beams: str) -> list[BeamEdge]:
    return [BeamEdge(edge.t_s, edge.beam, edge.broken != (edge.beam in beams)) for edge in edges]


def flicker(beam: str, rate_hz: float, from_s: float, until_s: float, dark: float = 0.5) -> list[BeamEdge]:
    """Breaks of one beam at this rate; each lasts the share `dark` of the period."""
    onsets_s = [from_s + k / rate_hz for k in range(round((until_s - from_s) * rate_hz))]
    return [
        BeamEdge(t_s, beam, broken)
        for onset_s in onsets_s
        for t_s, broken in ((onset_s, True), (onset_s + dark / rate_hz, False))
    ]


def watched() -> BeamPair:
    """Beams beside a camera that works and watches for a roll, well for two seconds."""
    beams = BeamPair()
    beams.see(DeviceHealth(t_s=0.0, device="camera", status="ok", code="camera_ok"))
    beams.attend(True, 0.0)
    assert codes(judged(START, 2.0, beams)) == ["beams_ok"]
    return beams


def seen(outcome: Literal["passed", "stuck", "astray"], at_s: float) -> PassageSeen:
    return PassageSeen(
        t_s=at_s + 0.1,
        outcome=outcome,
        lane=3,
        colour=None,
        started_s=at_s - 0.5,
        crossed_s=at_s if outcome == "passed" else None,
        confidence=0.9,
    )
