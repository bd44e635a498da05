"""An HX711 on an SPI bus: MOSI drives its clock pin, MISO reads its data pin, the bus's own clock stays unconnected.

The bus keeps the timing on a busy processor: two of its bits, 1 and 0, are one clock pulse. Every byte ends with 0, so
SCK is low in a pause between two bytes. The chip tolerates SCK low for any time.
"""

from __future__ import annotations

import ctypes
import fcntl
import os
import struct
from pathlib import Path
from typing import Any, Protocol

from hardware.scale.chip.driver_on_pins import SETTING_PULSES, Reason, counts_of
from hardware.spi.bus import SPI_DEVICE, open_bus

SPI_HZ = 1_000_000
"""SCK is then high for 1 µs. The chip requires 0.2 to 50 µs, and outputs a bit 0.1 µs after the rising edge
(HX711 datasheet)."""

_FRAME_BYTES = 7
_POWER_DOWN = b"\xff" * 16 + b"\0"
"""128 µs high. More than 60 µs power the chip down; the low after them powers it up."""
_TRANSFER = 0x40206B00  # SPI_IOC_MESSAGE(1)


class SpiBus(Protocol):
    """A bus in mode 0."""

    def transfer(self, sent: bytes) -> bytes:
        """Send bytes and return the same number of bytes that were read meanwhile."""
        ...

    def close(self) -> None:
        """Close the bus."""
        ...


class SpiDevice:
    """The kernel's SPI bus.

    :raises OSError: there is no such bus, or this user has no access to it.
    """

    def __init__(self, device: Path = SPI_DEVICE) -> None:
        self._bus = open_bus(device, os.O_RDWR, SPI_HZ)

    def transfer(self, sent: bytes) -> bytes:
        """Send bytes and return the bytes that were read meanwhile."""
        out, back = ctypes.create_string_buffer(sent, len(sent)), ctypes.create_string_buffer(len(sent))
        # struct spi_ioc_transfer: both buffers, their length, the speed, then 0: no delay, default word width.
        asked = struct.pack("QQIIHBBBBBB", ctypes.addressof(out), ctypes.addressof(back), len(sent), SPI_HZ, *[0] * 7)
        fcntl.ioctl(self._bus, _TRANSFER, asked)
        return back.raw

    def close(self) -> None:
        """Close the bus."""
        os.close(self._bus)


class SpiHX711:
    """The chip on a bus, as `LoadCell` reads it.

    :param timing: the `time` module, or simulated time.
    """

    def __init__(self, bus: SpiBus, gain: int, timing: Any) -> None:
        self._bus, self._timing = bus, timing
        self._pulses = SETTING_PULSES[gain]
        bits = "10" * (24 + self._pulses)
        self._frame_sent = int(bits.ljust(8 * _FRAME_BYTES, "0"), 2).to_bytes(_FRAME_BYTES, "big")
        self.ended_s: float = timing.perf_counter()
        self.restart()

    def restart(self) -> None:
        """Power the chip down and up. It then uses channel A, gain 128, until a frame selects another setting."""
        self._bus.transfer(_POWER_DOWN)
        self._frames_in_old_setting = 0 if self._pulses == 1 else 1

    def ready(self) -> bool:
        """Return whether a conversion is ready: DOUT is low while SCK stays low."""
        return self._bus.transfer(b"\0") == b"\0"

    def frame(self) -> int | Reason | None:
        """Clock one conversion out: signed counts, a reason of failure, or None for one made with the old setting."""
        read = self._bus.transfer(self._frame_sent)
        self.ended_s = self._timing.perf_counter()
        levels = f"{int.from_bytes(read, 'big'):0{8 * _FRAME_BYTES}b}"
        if levels[-1] == "0":
            return "stuck_low"
        outcome = counts_of(int(levels[1:48:2], 2))
        if self._frames_in_old_setting and isinstance(outcome, int):
            self._frames_in_old_setting = 0
            return None
        return outcome

    def close(self) -> None:
        """Close the bus. The chip stays powered up, because MOSI idles low."""
        self._bus.close()
