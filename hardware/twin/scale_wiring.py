"""The scale's driver on simulated wires: the same `LoadCell`, with a chip model behind its two pins.

Lockstep play hands in a `ManualClock`: nothing sleeps, the driver is polled as the simulation advances. The demo hands
in a running clock, and `open_shared_load_cell` with a `TwinLoad`, which a `ScaleProcess` carries into its child.
"""

from __future__ import annotations

import multiprocessing
import time
from collections.abc import Callable, Container
from typing import Any

from hardware.clock import Clock, ManualClock, WarpedClock
from hardware.load_cell import Gain, LoadCell, Rate
from hardware.twin.chip import CHIP_FAULTS, Hx711Chip
from hardware.twin.fake_lgpio import Header, SimulatedTime, Stalls, hx711_on

DOUT_PIN, SCK_PIN = 5, 6


class _DataWire:
    """DOUT: the chip speaks, the Pi listens."""

    def __init__(self, chip: Hx711Chip) -> None:
        self._chip = chip

    def read(self, t_s: float) -> bool:
        return self._chip.dout(t_s)

    def write(self, high: bool, t_s: float) -> None:
        raise AssertionError("the data pin is an input")


class _ClockWire:
    """PD_SCK: the Pi speaks, the chip listens."""

    def __init__(self, chip: Hx711Chip) -> None:
        self._chip = chip
        self._high = False

    def read(self, t_s: float) -> bool:
        return self._high

    def write(self, high: bool, t_s: float) -> None:
        self._high = high
        self._chip.set_sck(high, t_s)


class TwinLoad:
    """What lies on the pan, in memory shared with the scale's process.

    Made before the process starts; one writer. `mass_g` is the force on the pan in grams, `faults` the names on now.
    """

    def __init__(self) -> None:
        context = multiprocessing.get_context("spawn")
        self._mass_g: Any = context.RawValue("d", 0.0)
        self._fault_bits: Any = context.RawValue("I", 0)

    @property
    def mass_g(self) -> float:
        """The force on the pan in grams."""
        return float(self._mass_g.value)

    @mass_g.setter
    def mass_g(self, mass_g: float) -> None:
        self._mass_g.value = mass_g

    def set_faults(self, names: Container[str]) -> None:
        """Switch exactly those of `CHIP_FAULTS` on that are in `names`."""
        self._fault_bits.value = sum(1 << bit for bit, name in enumerate(CHIP_FAULTS) if name in names)

    def __contains__(self, name: object) -> bool:
        return any(name == known and self._fault_bits.value >> bit & 1 for bit, known in enumerate(CHIP_FAULTS))


class LoadCounts:
    """Counts of a `TwinLoad` at gain 128 for a linear cell: picklable, so that a process can carry it along."""

    def __init__(self, load: TwinLoad, *, counts_per_g: float, zero_counts: float) -> None:
        self._load, self._counts_per_g, self._zero_counts = load, counts_per_g, zero_counts

    def __call__(self, t_s: float) -> float:
        """Return counts at `t_s`."""
        return self._zero_counts + self._counts_per_g * self._load.mass_g


def open_twin_load_cell(
    clock: Clock,
    counts_at: Callable[[float], float],
    *,
    faults: Container[str] = (),
    rate_sps: Rate = 10,
    gain: Gain = 128,
    noise_counts: float = 0.0,
    seed: int = 0,
    stalls: Stalls | None = None,
) -> LoadCell:
    """Return the real driver on a simulated chip that is powered up at the clock's present second.

    :param clock: a `ManualClock` plays as fast as it is moved; any other is kept pace with by sleeping.
    :param counts_at: counts at gain 128 of the conversion that ends at a simulated second.
    :param faults: names of `CHIP_FAULTS` that are on; asked at every use.
    :param noise_counts: white noise the chip adds, where `counts_at` has none of its own.
    """
    wait: Callable[[float], None] | None
    if isinstance(clock, ManualClock):
        wait = None
    else:
        speed = clock.speed if isinstance(clock, WarpedClock) else 1.0

        def wait(duration_s: float) -> None:
            time.sleep(duration_s / speed)

    lived = SimulatedTime(clock, wait)
    chip = Hx711Chip(
        counts_at, rate_sps=rate_sps, noise_counts=noise_counts, seed=seed, faults=faults, start_s=lived.now_s()
    )
    header = Header(lived, stalls=stalls, seed=seed)
    header.plug(DOUT_PIN, _DataWire(chip))
    header.plug(SCK_PIN, _ClockWire(chip))
    return LoadCell(
        lived, dout_pin=DOUT_PIN, sck_pin=SCK_PIN, rate_sps=rate_sps, gain=gain, package=hx711_on(header)
    )
