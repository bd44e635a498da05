"""The simulation behind real drivers: exact moments, lockstep determinism, pace, and every fault by its name."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from functools import cache

import numpy as np
import pytest

from hardware.beams.beam_break import open_beams
from hardware.beams.beam_monitor import BeamEdge
from hardware.cameras.camera import Frame
from hardware.clock import Clock, ManualClock, WarpedClock
from hardware.rig import Rig
from hardware.scale.load_cell import ReadFailure, Sample
from hardware.twin.cameras.camera import KEPT_FRAMES, TwinCamera
from hardware.twin.drawing.renderer import Renderer
from hardware.twin.drawing.viewpoint import twin_view
from hardware.twin.faults import BadFaultIntervalError, FaultInterval, Faults, UnknownFaultError, parse_fault
from hardware.twin.simulation import Simulation
from hardware.twin.wires.pins import SimulatedPins
from hardware.twin.wires.scale_wiring import TwinLoad, open_twin_load_cell
from hardware.twin.world.truth import Rolled, Weighed
from hardware.twin.world.world import World
from tests.narrowed import of_kind, there
from tests.patience import GIVEN_UP_S

pytestmark = pytest.mark.slow

RIG = Rig()


@cache
def renderer() -> Renderer:
    return Renderer(RIG, twin_view())


class Rigged:
    """A simulated table with the real beam driver, the real scale driver and a camera, in lockstep."""

    def __init__(self, seed: int = 1, faults: Sequence[str] = (), fps: float = 30.0) -> None:
        self.clock = ManualClock(50.0)
        self.faults = Faults(*faults)
        self.world = World(
            RIG, colours=("yellow", "green", "orange", "pink"), seed=seed, start_s=50.0, faults=self.faults
        )
        self.pins = SimulatedPins(self.clock, faults=self.faults)
        self.camera = TwinCamera(renderer(), fps=fps, faults=self.faults)
        self.simulation = Simulation(self.world, self.clock, pins=self.pins, camera=self.camera)
        self.edges: list[BeamEdge] = []
        self.beams = open_beams(RIG.beams, self.clock, self.edges.append, pin_factory=self.pins.factory)
        self.edges.clear()
        cell = self.simulation.scale_cell(seed)
        self.cell = open_twin_load_cell(self.clock, cell.counts_at, faults=self.faults, seed=seed)
        self.samples: list[Sample | ReadFailure] = []
        self.frames: list[Frame] = []

    def run(self, seconds: float) -> Rigged:
        until_s = self.clock.now_s() + seconds
        while self.clock.now_s() < until_s:
            self.simulation.advance_to(self.clock.now_s() + 1 / 30)
            while (outcome := self.cell.poll()) is not None:
                self.samples.append(outcome)
            while (frame := self.camera.read(0.0)) is not None:
                self.frames.append(frame)
        return self

    def attempt(self, seat: int = 0, diameter_mm: float = 24.0, lane: int = 4) -> Rigged:
        with self.simulation.table() as world:
            world.sculpt(seat, diameter_mm, ("sweet",))
            world.start_roll(seat, lane)
        return self.run(4.0)

    def counts(self, last: int = 20) -> list[int]:
        return [sample.counts for sample in self.samples[-last:] if isinstance(sample, Sample)]


Rigging = Callable[..., Rigged]


@pytest.fixture
def rigged() -> Iterator[Rigging]:
    made: list[Rigged] = []

    def make(seed: int = 1, faults: Sequence[str] = (), fps: float = 30.0) -> Rigged:
        made.append(Rigged(seed, faults, fps))
        return made[-1]

    yield make
    for one in made:
        for beam in one.beams:
            beam.close()
        one.pins.close()


def test_edges_reach_the_driver_stamped_with_the_moment_they_happened(rigged: Rigging) -> None:
    table = rigged().attempt()
    rolled = next(fact for fact in table.world.truth if isinstance(fact, Rolled))
    path = there(table.world.spheres[0].roll)
    broken = [edge for edge in table.edges if edge.broken]
    assert [edge.beam for edge in broken] == ["front", "back"]
    assert broken[0].t_s < there(rolled.crossed_s) < broken[1].t_s + 0.05
    for edge in table.edges:
        beam = next(one for one in RIG.beams if one.name == edge.beam)
        _, y, z = path.centre_at(edge.t_s)
        assert np.hypot(y - beam.y_mm, z - beam.z_mm) == pytest.approx(12.0, abs=0.05)


def test_frames_come_at_their_rate_with_their_own_stamps(rigged: Rigging) -> None:
    table = rigged(fps=25.0).run(2.0)
    stamps = [frame.t_s for frame in table.frames]
    assert len(stamps) == pytest.approx(50, abs=1)
    assert np.diff(stamps) == pytest.approx(0.04, abs=1e-6)
    assert [frame.index for frame in table.frames] == list(range(len(stamps)))
    assert table.frames[0].image.shape == (432, 768, 3)


def test_nobody_watching_costs_no_pictures(rigged: Rigging) -> None:
    table = rigged()
    table.camera.attended = False
    assert table.run(2.0).frames == []
    table.camera.attended = True
    assert 29 <= len(table.run(1.0).frames) <= 33


def test_a_late_reader_gets_the_newest_pictures_and_no_queue(rigged: Rigging) -> None:
    table = rigged()
    table.simulation.advance_to(60.0)
    kept = []
    while (frame := table.camera.read(0.0)) is not None:
        kept.append(frame.t_s)
    assert len(kept) <= KEPT_FRAMES
    assert kept[-1] > 59.9


def test_a_still_is_large_and_of_this_moment(rigged: Rigging) -> None:
    table = rigged().run(0.5)
    still = table.camera.still()
    assert still.image.shape == (864, 1536, 3)
    assert still.t_s == pytest.approx(table.clock.now_s(), abs=0.05)


def test_the_scale_driver_reads_the_mass_off_the_simulated_chip(rigged: Rigging) -> None:
    table = rigged().run(2.0)
    empty = np.mean(table.counts())
    with table.simulation.table() as world:
        world.sculpt(1, 30.0, ("bomb",))
        world.put_on_pan(1)
    table.run(5.0)
    true_g = next(fact.mass_g for fact in table.world.truth if isinstance(fact, Weighed))
    assert (np.mean(table.counts()) - empty) / 8000 == pytest.approx(true_g, abs=0.05)


def history(rigged: Rigging) -> tuple[object, ...]:
    table = rigged(seed=11).attempt()
    return table.world.truth, table.edges, table.samples, [frame.t_s for frame in table.frames]


def test_lockstep_is_the_same_every_time(rigged: Rigging) -> None:
    assert history(rigged) == history(rigged)


def test_paced_it_follows_its_clock_and_never_falls_behind() -> None:
    clock = WarpedClock(50.0)
    world = World(RIG, colours=("pink", "green"), seed=2, start_s=clock.now_s())
    fell = threading.Event()
    simulation = Simulation(world, clock)
    with simulation.table() as lent:
        lent.throw_die()
        lent.at(clock.now_s() + 5.0, fell.set)
    simulation.start()
    assert fell.wait(GIVEN_UP_S)
    simulation.stop()
    assert len(world.truth) == 1
    assert world.now_s <= clock.now_s()


def test_a_scale_in_another_process_is_told_loads_and_faults() -> None:
    clock = ManualClock(0.0)
    world = World(RIG, colours=("pink", "green"), seed=2)
    load = TwinLoad()
    simulation = Simulation(world, clock, load=load)
    with simulation.table() as lent:
        lent.sculpt(0, 28.0, ("sweet",))
        lent.put_on_pan(0)
        lent.faults.switch("stuck bit", True)
    assert "stuck bit" in load
    simulation.advance_to(6.0)
    assert load.load_g(6.0) == pytest.approx(world.spheres[0].lump.mass_g, abs=1e-3)
    with simulation.table() as lent:
        lent.faults.switch("stuck bit", False)
    assert "stuck bit" not in load


# Faults


def test_faults_are_switched_by_name_and_unknown_names_are_refused() -> None:
    with pytest.raises(UnknownFaultError, match="scale unplugged"):
        Faults("flood")
    faults = Faults("beam dead")
    assert list(faults) == ["beam dead"]
    faults.switch("beam dead", False)
    assert list(faults) == []


@pytest.mark.parametrize(
    ("words", "spell"),
    [
        ("beam dead", FaultInterval("beam dead")),
        ("scale unplugged@20-40", FaultInterval("scale unplugged", 20.0, 40.0)),
        ("light gone@2.5-", FaultInterval("light gone", 2.5)),
    ],
)
def test_a_fault_may_come_and_go(words: str, spell: FaultInterval) -> None:
    assert parse_fault(words) == spell


@pytest.mark.parametrize(
    "words", ["beam dead@", "beam dead@soon", "beam dead@40-20", "beam dead@nan-2", "beam dead@1-2-3"]
)
def test_seconds_that_cannot_be_read_are_refused(words: str) -> None:
    with pytest.raises(BadFaultIntervalError, match="@20-40"):
        parse_fault(words)


def test_an_unknown_fault_is_refused_whatever_its_seconds() -> None:
    with pytest.raises(UnknownFaultError, match="scale unplugged"):
        parse_fault("flood@1-2")


def test_a_fault_is_there_between_its_seconds_alone(rigged: Rigging) -> None:
    table = rigged()
    with table.simulation.table() as world:
        world.schedule_fault(FaultInterval("beam inverted", 1.0, 2.0))
    front = table.beams[0]
    seen = []
    for _ in range(3):
        table.run(0.9)
        seen.append(front.is_active)
    assert seen == [False, True, False]


def test_scale_unplugged_answers_nothing(rigged: Rigging) -> None:
    table = rigged().run(2.0)
    assert table.counts()
    table.faults.switch("scale unplugged", True)
    table.samples.clear()
    table.run(4.0)
    assert table.samples
    assert all(isinstance(outcome, ReadFailure) and outcome.reason == "no_answer" for outcome in table.samples)


def test_stuck_bit_is_one_in_every_count(rigged: Rigging) -> None:
    counts = rigged(faults=["stuck bit"]).run(3.0).counts()
    common = counts[0]
    for one in counts:
        common &= one
    healthy = rigged().run(3.0).counts()
    shared = healthy[0]
    for one in healthy:
        shared &= one
    assert common & ~shared


def test_a_noisy_supply_makes_counts_jump_by_a_gram_and_more(rigged: Rigging) -> None:
    noisy, quiet = (rigged(faults=names).run(4.0).counts() for names in (["noisy supply"], []))
    assert np.std(noisy) > 8000
    assert np.std(quiet) < 400


def test_an_inverted_beam_reads_broken_while_it_is_clear(rigged: Rigging) -> None:
    table = rigged()
    front, back = table.beams
    assert not front.is_active
    with table.simulation.table() as world:
        world.faults.switch("beam inverted", True)
    assert front.is_active
    assert not back.is_active
    table.edges.clear()
    table.attempt()
    assert next(edge.broken for edge in table.edges if edge.beam == "front") is False


def test_a_dead_beam_never_breaks_and_the_other_still_does(rigged: Rigging) -> None:
    table = rigged(faults=["beam dead"]).attempt()
    assert {edge.beam for edge in table.edges} == {"back"}


def test_a_frozen_camera_repeats_its_picture_with_new_stamps(rigged: Rigging) -> None:
    table = rigged().run(0.5)
    table.faults.switch("camera frozen", True)
    table.frames.clear()
    table.attempt()
    first = table.frames[0].image
    assert all(np.array_equal(frame.image, first) for frame in table.frames)
    assert len({frame.t_s for frame in table.frames}) == len(table.frames)


def test_light_and_cover_can_be_switched_while_it_runs(rigged: Rigging) -> None:
    table = rigged().run(0.2)
    good = table.frames[-1].image.mean()
    for name in ("light gone", "camera covered"):
        table.faults.switch(name, True)
        assert table.run(0.2).frames[-1].image.mean() < 0.35 * good
        table.faults.switch(name, False)
        assert table.run(0.2).frames[-1].image.mean() == pytest.approx(good, rel=0.01)


def test_a_swapped_sphere_is_another_players_and_happens_once(rigged: Rigging) -> None:
    table = rigged(faults=["sphere swapped"])
    with table.simulation.table() as world:
        for seat, diameter_mm in enumerate((24.0, 26.0, 28.0, 30.0)):
            world.sculpt(seat, diameter_mm, ("sweet",))
        world.put_on_pan(2)
    table.run(3.0)
    assert of_kind(Weighed, table.world.truth[-1]).colour != "orange"
    with table.simulation.table() as world:
        world.lift_from_pan()
    table.run(3.0)
    with table.simulation.table() as world:
        world.put_on_pan(2)
    table.run(3.0)
    assert of_kind(Weighed, table.world.truth[-1]).colour == "orange"


def test_any_clock_will_do() -> None:
    class Noon(Clock):
        speed = 1.0

        def now_s(self) -> float:
            return 43_200.0

    world = World(RIG, colours=("pink",), seed=1, start_s=43_200.0)
    simulation = Simulation(world, Noon())
    simulation.advance_to(43_201.0)
    assert world.now_s == 43_201.0
