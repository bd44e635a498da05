"""One suite over every way an edge reaches `BeamBreak`: simulated pins, gpiozero's lgpio pins on a simulated header,
and a Raspberry Pi's pins.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from hardware.beams.beam_break import BeamBreak, BeamError, open_beams
from hardware.beams.beam_pair import BeamEdge
from hardware.clock import Clock, ManualClock, WarpedClock
from hardware.rig import Beam, Rig
from hardware.twin.wires.pins import SimulatedPins
from tests.hardware.lgpio_pins import lgpio_pins

ON_A_PI = Path("/proc/device-tree/system/linux,revision").exists()
FRONT = 17


class PulledHeader:
    """A header, its clock, and a hand that pulls pins low."""

    def __init__(self, factory: Any, clock: Clock, pull: Callable[[int, bool], None], wait: Callable[[float], None]):
        self.factory, self.clock, self.pull, self.wait = factory, clock, pull, wait


def simulated_pins() -> Iterator[PulledHeader]:
    clock = ManualClock(1_000.0)
    pins = SimulatedPins(clock)
    yield PulledHeader(pins.factory, clock, pins.drive, lambda s: clock.advance_to(clock.now_s() + s))
    pins.close()


def lgpio_on_a_simulated_header() -> Iterator[PulledHeader]:
    clock = ManualClock(time.monotonic())
    with lgpio_pins(clock) as (factory, header):

        def wait(duration_s: float) -> None:
            clock.advance_to(clock.now_s() + duration_s)
            header.time.now_s()

        yield PulledHeader(factory, clock, lambda pin, low: header.drive(pin, not low), wait)


def real_pins() -> Iterator[PulledHeader]:
    if not ON_A_PI:
        pytest.skip("needs a Raspberry Pi with BCM 23 wired to BCM 17")
    from gpiozero import OutputDevice
    from gpiozero.pins.lgpio import LGPIOFactory

    factory = LGPIOFactory()
    out = OutputDevice(23, initial_value=True, pin_factory=factory)
    yield PulledHeader(factory, WarpedClock(1.0), lambda pin, low: out.off() if low else out.on(), time.sleep)
    out.close()
    factory.close()


BENCHES = [simulated_pins, lgpio_on_a_simulated_header, real_pins]


@pytest.fixture(params=BENCHES, ids=lambda make: make.__name__)
def pulled(request: pytest.FixtureRequest) -> Iterator[PulledHeader]:
    yield from request.param()


def test_a_break_of_12_ms_arrives_with_its_stamps(pulled: PulledHeader) -> None:
    edges: list[BeamEdge] = []
    beam = BeamBreak(FRONT, "front", pulled.clock, edges.append, pin_factory=pulled.factory)
    pulled.wait(0.5)
    broken_s = pulled.clock.now_s()
    pulled.pull(FRONT, True)
    pulled.wait(0.012)
    pulled.pull(FRONT, False)
    pulled.wait(0.1)
    beam.close()
    assert [(edge.beam, edge.broken) for edge in edges] == [("front", False), ("front", True), ("front", False)]
    assert edges[1].t_s == pytest.approx(broken_s, abs=1e-3)
    assert edges[2].t_s - edges[1].t_s == pytest.approx(0.012, abs=1e-3)


def test_edges_half_a_millisecond_apart_are_not_swallowed(pulled: PulledHeader) -> None:
    edges: list[BeamEdge] = []
    beam = BeamBreak(FRONT, "front", pulled.clock, edges.append, pin_factory=pulled.factory)
    for _ in range(10):
        pulled.wait(0.0005)
        pulled.pull(FRONT, True)
        pulled.wait(0.0005)
        pulled.pull(FRONT, False)
    pulled.wait(0.1)
    beam.close()
    assert len(edges) == 21


@pytest.mark.slow
def test_edges_go_on_after_a_garbage_collection(pulled: PulledHeader) -> None:
    """gpiozero holds handlers weakly: a bare lambda would be gone."""
    edges: list[BeamEdge] = []

    def opened() -> BeamBreak:
        return BeamBreak(FRONT, "front", pulled.clock, lambda edge: edges.append(edge), pin_factory=pulled.factory)

    beam = opened()
    gc.collect()
    pulled.pull(FRONT, True)
    pulled.wait(0.1)
    beam.close()
    assert [edge.broken for edge in edges] == [False, True]


def test_closed_it_is_silent_and_can_be_opened_again(pulled: PulledHeader) -> None:
    edges: list[BeamEdge] = []
    for _ in range(2):
        beam = BeamBreak(FRONT, "front", pulled.clock, edges.append, pin_factory=pulled.factory)
        beam.close()
        pulled.pull(FRONT, True)
        pulled.pull(FRONT, False)
    pulled.wait(0.1)
    assert [edge.broken for edge in edges] == [False, False]


def test_a_pin_that_is_taken_is_an_error_with_a_code_and_leaves_nothing_open() -> None:
    clock = ManualClock()
    pins = SimulatedPins(clock)
    twice = (Beam("front", 17, 14.0, 16.0), Beam("back", 17, -14.0, 8.0))
    with pytest.raises(BeamError) as caught:
        open_beams(twice, clock, lambda edge: None, pin_factory=pins.factory)
    assert caught.value.code == "beams_no_gpio"
    beams = open_beams(Rig().beams, clock, lambda edge: None, pin_factory=pins.factory)
    assert len(beams) == 2
    for beam in beams:
        beam.close()


def test_a_pin_that_another_program_holds_is_an_error_with_a_code_and_leaves_nothing_open() -> None:
    clock = ManualClock(time.monotonic())
    with lgpio_pins(clock) as (factory, header):
        header.taken.add(Rig().beams[1].pin)
        with pytest.raises(BeamError) as caught:
            open_beams(Rig().beams, clock, lambda edge: None, pin_factory=factory)
        assert caught.value.code == "beams_no_gpio"
        assert "GPIO busy" in str(caught.value)
        header.taken.clear()
        del caught
        gc.collect()
        for beam in open_beams(Rig().beams, clock, lambda edge: None, pin_factory=factory):
            beam.close()


def test_edges_go_on_after_one_that_came_while_its_beam_was_closed(caplog: pytest.LogCaptureFixture) -> None:
    """lgpio's thread may hold an edge already when its callback is cancelled."""
    clock = ManualClock(time.monotonic())
    edges: list[BeamEdge] = []
    with lgpio_pins(clock) as (factory, header):
        beam = BeamBreak(FRONT, "front", clock, edges.append, pin_factory=factory)
        [on_its_way] = header.listeners(FRONT)
        beam.close()
        header.tell(on_its_way, FRONT, high=False)
        beam = BeamBreak(FRONT, "front", clock, edges.append, pin_factory=factory)
        header.drive(FRONT, high=False)
        beam.close()
    assert [edge.broken for edge in edges] == [False, False, True]
    assert "an edge of pin 17 is lost" in caplog.text


def test_edges_go_on_after_an_error_of_whoever_takes_them(caplog: pytest.LogCaptureFixture) -> None:
    clock = ManualClock(time.monotonic())
    edges: list[BeamEdge] = []

    def take(edge: BeamEdge) -> None:
        edges.append(edge)
        if len(edges) == 2:
            raise ValueError

    with lgpio_pins(clock) as (factory, header):
        beam = BeamBreak(FRONT, "front", clock, take, pin_factory=factory)
        header.drive(FRONT, high=False)
        header.drive(FRONT, high=True)
        beam.close()
    assert [edge.broken for edge in edges] == [False, True, False]
    assert "an edge of pin 17 is lost" in caplog.text


def test_an_edge_told_late_keeps_the_moment_it_happened() -> None:
    clock = ManualClock(20.0)
    pins = SimulatedPins(clock)
    edges: list[BeamEdge] = []
    beam = BeamBreak(FRONT, "front", clock, edges.append, pin_factory=pins.factory)
    clock.advance_to(21.0)
    pins.drive(FRONT, True, t_s=20.9875)
    beam.close()
    assert edges[-1].t_s == pytest.approx(20.9875, abs=1e-9)


def test_simulated_wiring_faults_show_at_the_pin() -> None:
    clock, faults = ManualClock(), {"beam inverted"}
    pins = SimulatedPins(clock, faults=faults)
    pins.refresh()
    edges: list[BeamEdge] = []
    beams = open_beams(Rig().beams, clock, edges.append, pin_factory=pins.factory)
    assert [(edge.beam, edge.broken) for edge in edges] == [("front", True), ("back", False)]
    faults.clear()
    pins.refresh()
    assert edges[-1].broken is False
    faults.add("beam dead")
    pins.drive(FRONT, True)
    assert len(edges) == 3
    for beam in beams:
        beam.close()
