"""Edges of the two beams at the fence → passages, and what is wrong with the beams.

Pure: it takes stamped edges and the time, and owns no timer. Chord and speed of a sphere stay in here (RULES AP-4).
"""

from __future__ import annotations

from collections import deque
from typing import Literal

import msgspec

from hardware.readings import BeamPassage, DeviceHealth, Status

BeamName = Literal["front", "back"]
BEAM_NAMES: tuple[BeamName, BeamName] = ("front", "back")


class BeamEdge(msgspec.Struct, frozen=True):
    """The beam of that name (as in the rig) was broken, or is clear again, at the monotonic second `t_s`."""

    t_s: float
    beam: str
    broken: bool


class BeamLimits(msgspec.Struct, frozen=True, kw_only=True):
    """When an edge, a gap or a silence means something, in seconds.

    The shortest true break is a 15 mm sphere at 2 m/s: about 7 ms. From the front beam to the back one (28 mm) a
    sphere at walking pace takes 0.1 s; one that squeezes through its hole takes longest.
    """

    shortest_s: float = 0.002
    blocked_s: float = 0.5
    transit_s: float = 0.8
    start_grace_s: float = 1.0
    covered_s: float = 90.0
    longest_gap_s: float = 0.15
    chatter_edges: int = 24
    chatter_window_s: float = 1.0
    unseen_breaks: int = 3


BEAM_HEALTH: dict[str, Status] = {
    "beams_ok": "ok",
    "beams_no_driver": "absent",
    "beams_no_gpio": "absent",
    **{
        f"beam_{beam}_{state}": status
        for beam in BEAM_NAMES
        for state, status in (
            ("dark_at_start", "faulty"),
            ("inverted", "faulty"),
            ("dead", "faulty"),
            ("chattering", "faulty"),
            ("covered", "faulty"),
        )
    },
}
"""Every health code of the beams, with its status."""


class _Break(msgspec.Struct):
    """One interval in which a beam was broken; `clear_s` is None while it still is."""

    broken_s: float
    clear_s: float | None = None
    told_blocked: bool = False
