"""When an input changed, by the table's clock: the kernel's stamps where they are of that clock, else the moment."""

from __future__ import annotations

import pytest

from hardware.clock import ManualClock
from hardware.gpio.stamped_input import StampedInput
from tests.hardware.lgpio_pins import lgpio_pins

NOW_S = 10_000.0
PIN = 17


@pytest.mark.parametrize(
    ("tick_s", "stamped_s"),
    [
        (NOW_S, NOW_S),
        (NOW_S - 0.25, NOW_S - 0.25),
        (NOW_S - 3_000.0, NOW_S - 3_000.0),
        (NOW_S - 4_000.0, NOW_S),
        (NOW_S + 0.02, NOW_S + 0.02),
        (NOW_S + 1.0, NOW_S),
        (1.8e9, NOW_S),
    ],
    ids=["now", "late", "held up for long", "of another clock", "clocks read in turn", "ahead", "since 1970"],
)
def test_an_edge_has_the_kernels_time_unless_that_is_of_another_clock(tick_s: float, stamped_s: float) -> None:
    clock = ManualClock(NOW_S)
    told: list[tuple[float, bool]] = []
    with lgpio_pins(clock) as (factory, header):
        beam = StampedInput(PIN, clock, lambda t_s, active: told.append((t_s, active)), pin_factory=factory)
        (listener,) = header.listeners(PIN)
        listener(0, PIN, 0, round(tick_s * 1e9))
        beam.close()
    ((told_s, active),) = told
    assert told_s == pytest.approx(stamped_s, abs=1e-3)
    assert active
