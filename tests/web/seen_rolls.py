"""Rolls as camera and beams tell them, on a table without either."""

from __future__ import annotations

import numpy as np

from hardware.beams.beam_monitor import BeamEdge
from hardware.readings import (
    AT_HOLE,
    BEYOND_FENCE,
    BeamPassage,
    DeviceHealth,
    PassageSeen,
    RollPlace,
    SphereOnTrack,
)
from tests.web.stand import Stand

FPS = 30.0


def senses_work(stand: Stand) -> None:
    """Camera and beams report that they work."""
    for device in ("camera", "beams"):
        stand.table.sense(DeviceHealth(t_s=stand.clock.now_s(), device=device, status="ok", code=f"{device}_ok"))
    stand.table.step()


def roll_seen(stand: Stand, *, camera: bool = True) -> int:
    """Let camera and beams see a sphere pass in lane 7; return the number of its replay. Time stands still."""
    replays, now_s = stand.rolls.replays, stand.clock.now_s()
    assert replays is not None
    replays.tick(now_s)
    replays.see(now_s, None)
    began_s = now_s + 1.6
    said = [
        SphereOnTrack(t_s=began_s - 0.5, lane=7, colour=None),
        RollPlace(t_s=began_s, lane=7, place=AT_HOLE),
        RollPlace(t_s=began_s + 0.05, lane=7, place=BEYOND_FENCE),
        PassageSeen(
            t_s=began_s + 0.1,
            outcome="passed",
            lane=7,
            colour=None,
            started_s=began_s - 0.5,
            crossed_s=began_s + 0.02,
            confidence=1.0,
        ),
    ]
    beams = BeamPassage(t_s=began_s + 0.1, outcome="passed", first_broken_s=began_s, crossed_s=began_s + 0.02)
    if camera:
        for frame in range(round(2.4 * FPS)):
            replays.see(now_s + frame / FPS, np.full((36, 32, 3), 3 * frame, np.uint8))
    edges = [("front", True), ("front", False), ("back", True), ("back", False)]
    replays.note_edges(BeamEdge(began_s + n / 40, *edge) for n, edge in enumerate(edges))
    for reading in [*(said if camera else []), beams]:
        replays.note(reading)
        if not isinstance(reading, RollPlace):
            stand.table.sense(reading)
    before = stand.table.snapshot().replays
    replays.tick(began_s + 1.5)
    assert stand.table.alive()
    (new,) = set(stand.table.snapshot().replays) - set(before)
    return new.number
