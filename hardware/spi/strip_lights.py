"""A WS2812 strip on the data line of an SPI bus, one light per lane.

Only an SPI bus keeps the strip's timing on every Raspberry Pi without root. The strip's data wire goes to MOSI, BCM 10.
Each bit of the strip is sent as four bits of the bus: 1000 is a zero, 1110 a one. Each ends low, so a pause of the bus
between two bytes only prolongs a low.

Timing: WS2812B datasheet (T0H 0.40, T0L 0.85, T1H 0.80, T1L 0.45 µs, each ±0.15) and that of WS2812B-V5 (T0H and T1L
0.22–0.38, T0L and T1H 0.58–1.00 µs, reset 280 µs).
"""

from __future__ import annotations

import os
from pathlib import Path

from hardware.spi.bus import SPI_DEVICE, open_bus

SPI_HZ = 3_300_000
"""Buses divide their clock by even numbers: a Pi 4 gives 3.29 MHz (500/152), a Pi 5 3.23 MHz (200/62)."""

_RESET_BYTES = 128
"""310 µs of low."""
_ZERO, _ONE = 0b1000, 0b1110


def strip_bytes(colours: tuple[tuple[int, int, int], ...]) -> bytes:
    """Encode colours, (red, green, blue) 0–255 each, the first light first, as the bytes to send over the bus."""
    bits = "".join(f"{green:08b}{red:08b}{blue:08b}" for red, green, blue in colours)
    symbols = [_ONE if bit == "1" else _ZERO for bit in bits]
    lights = bytes(high << 4 | low for high, low in zip(symbols[::2], symbols[1::2], strict=True))
    reset = bytes(_RESET_BYTES)
    return reset + lights + reset


class StripLights:
    """A WS2812 strip.

    :raises OSError: there is no such bus, or this user has no access to it.
    """

    def __init__(self, device: Path = SPI_DEVICE) -> None:
        self._bus = open_bus(device, os.O_WRONLY, SPI_HZ)

    def show(self, colours: tuple[tuple[int, int, int], ...]) -> None:
        """Set each light's colour, left to right."""
        os.write(self._bus, strip_bytes(colours))

    def close(self) -> None:
        """Close the bus. The strip keeps its colours."""
        os.close(self._bus)
