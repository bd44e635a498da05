"""Opens the kernel's SPI bus."""

from __future__ import annotations

import fcntl
import os
import struct
from pathlib import Path

SPI_DEVICE = Path("/dev/spidev0.0")
SET_MODE = 0x40016B01  # SPI_IOC_WR_MODE, linux/spi/spidev.h
SET_SPEED_HZ = 0x40046B04  # SPI_IOC_WR_MAX_SPEED_HZ


def open_bus(device: Path, access: int, speed_hz: int) -> int:
    """Open a bus in SPI mode 0 and return its file descriptor.

    :param access: `os.O_WRONLY` or `os.O_RDWR`.
    :raises OSError: there is no such bus, or this user has no access to it.
    """
    bus = os.open(device, access | os.O_CLOEXEC)
    try:
        fcntl.ioctl(bus, SET_MODE, struct.pack("B", 0))
        fcntl.ioctl(bus, SET_SPEED_HZ, struct.pack("I", speed_hz))
    except OSError:
        os.close(bus)
        raise
    return bus
