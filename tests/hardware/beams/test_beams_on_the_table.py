"""Spheres rolled by the table's physics, through simulated pins and the real driver, against what truly happened."""

from __future__ import annotations

from random import Random

import pytest

from hardware.beams.beam_break import open_beams
from hardware.beams.beam_pair import BeamEdge, BeamPair
from hardware.clock import ManualClock
from hardware.readings import BeamPassage
from hardware.rig import Rig
from hardware.twin.simulation import Simulation
from hardware.twin.wires.pins import SimulatedPins
from hardware.twin.world.truth import Rolled
from hardware.twin.world.world import World

EXPECTED = {"passed": ["passed"], "stuck": ["blocked"], "short": []}


@pytest.mark.parametrize("seed", range(3))
def test_every_roll_is_judged_as_it_was(seed: int) -> None:
    rng, rig, clock = Random(seed), Rig(), ManualClock(10.0)
    world = World(rig, colours=("yellow", "pink"), seed=seed, start_s=10.0)
    pins = SimulatedPins(clock)
    simulation = Simulation(world, clock, pins=pins)
    edges: list[BeamEdge] = []
    beams = open_beams(rig.beams, clock, edges.append, pin_factory=pins.factory)
    judge = BeamPair()

    def live(duration_s: float) -> list[BeamPassage]:
        readings = []
        for _ in range(round(duration_s / 0.05)):
            simulation.advance_to(clock.now_s() + 0.05)
            for edge in edges:
                readings += judge.edge(edge)
            edges.clear()
            readings += judge.tick(clock.now_s())
        return [reading for reading in readings if isinstance(reading, BeamPassage)]

    live(2.0)
    seen = set()
    for _ in range(25):
        lane = rng.randrange(1, 8)
        with simulation.table():
            world.sculpt(0, max(rig.lane(lane).hole_mm - rng.uniform(-2, 5), 15.0), ())
            deed = world.start_roll(0, lane, rng.uniform(0.05, 1.0))
        passages = []
        while not deed.done:
            passages += live(0.5)
        passages += live(1.5)
        with simulation.table():
            world.lift_sphere(0)
        assert live(2.0) == [], "taking a sphere away is no passage"
        truth = [fact for fact in world.truth if isinstance(fact, Rolled)][-1]
        seen.add(truth.outcome)
        if truth.outcome in EXPECTED:
            assert [passage.outcome for passage in passages] == EXPECTED[truth.outcome]
        if truth.outcome == "passed":
            assert truth.crossed_s is not None
            assert passages[0].crossed_s == pytest.approx(truth.crossed_s, abs=0.03)
    assert {"passed", "stuck"} <= seen
    for beam in beams:
        beam.close()
