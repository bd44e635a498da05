"""The strip's wire, read as the strip reads it: by how long it is high and low."""

from __future__ import annotations

import fcntl
import itertools
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from hardware.spi import bus
from hardware.spi.strip_lights import SPI_HZ, StripLights, strip_bytes

RED, GREEN, BLUE = (255, 0, 0), (0, 255, 0), (0, 0, 255)
LANES = ((255, 160, 40), (0, 0, 0), RED, GREEN, BLUE, (1, 2, 128), (255, 255, 255))

# µs: (high of a zero, low of a zero, high of a one, low of a one), lowest and highest.
WS2812B = ((0.25, 0.55), (0.70, 1.00), (0.65, 0.95), (0.30, 0.60))
WS2812B_V5 = ((0.22, 0.38), (0.58, 1.00), (0.58, 1.00), (0.22, 0.42))
RESET_US = 280.0


def even_division(clock_hz: int) -> float:
    """The rate that a bus makes of a wish: its clock by the next even number (spi-bcm2835.c, spi-dw-core.c)."""
    divisor = -(-clock_hz // SPI_HZ)
    return clock_hz / (divisor + divisor % 2)


BUSES_HZ = {"as asked": float(SPI_HZ), "Pi 4": even_division(500_000_000), "Pi 5": even_division(200_000_000)}


def levels(sent: bytes) -> list[tuple[int, int]]:
    """(level, bits of the bus) of every stretch of the wire."""
    bits = "".join(f"{byte:08b}" for byte in sent)
    return [(int(level), len(list(stretch))) for level, stretch in itertools.groupby(bits)]


@pytest.mark.parametrize("bus_hz", BUSES_HZ.values(), ids=BUSES_HZ)
@pytest.mark.parametrize("chip", [WS2812B, WS2812B_V5], ids=["WS2812B", "WS2812B-V5"])
def test_a_strip_reads_the_colours_within_its_datasheet_s_times(chip: tuple[Any, ...], bus_hz: float) -> None:
    stretches = [(level, 1e6 * bits / bus_hz) for level, bits in levels(strip_bytes(LANES))]
    assert stretches[0][0] == stretches[-1][0] == 0
    assert min(stretches[0][1], stretches[-1][1]) > RESET_US
    (zero_high, zero_low, one_high, one_low), read = chip, ""
    for (_, high_us), (_, low_us) in pairs(stretches[1:]):
        one = high_us > 0.55
        low, high = one_high if one else zero_high
        assert low <= high_us <= high
        low, high = one_low if one else zero_low
        assert low <= low_us <= high or low_us > RESET_US, "the last bit's low runs into the reset"
        read += "1" if one else "0"
    assert len(read) == 24 * len(LANES)
    seen = [tuple(int(read[at + k : at + k + 8], 2) for k in (8, 0, 16)) for at in range(0, len(read), 24)]
    assert seen == list(LANES), "the chip takes green first, the highest bit first"


def pairs(stretches: list[tuple[int, float]]) -> list[tuple[tuple[int, float], tuple[int, float]]]:
    assert all(level == (k + 1) % 2 for k, (level, _) in enumerate(stretches))
    return list(zip(stretches[::2], stretches[1::2], strict=True))


def test_the_bus_is_set_up_as_the_kernel_s_header_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    device = tmp_path / "spidev0.0"
    device.touch()
    asked: list[tuple[int, bytes]] = []
    monkeypatch.setattr(fcntl, "ioctl", lambda bus, request, value: asked.append((request, value)))
    lights = StripLights(device)
    lights.show(LANES)
    lights.close()
    assert device.read_bytes() == strip_bytes(LANES)
    assert [int.from_bytes(value, "little") for _, value in asked] == [0, SPI_HZ]
    assert len(strip_bytes(LANES)) <= 4096, "one transfer: spidev's buffer"


@pytest.mark.skipif(
    shutil.which("cc") is None or not Path("/usr/include/linux/spi/spidev.h").exists(),
    reason="needs a C compiler and the kernel's headers",
)
def test_the_requests_are_the_kernel_s_own(tmp_path: Path) -> None:
    program = tmp_path / "requests"
    source = (
        "#include <stdio.h>\n#include <sys/ioctl.h>\n#include <linux/spi/spidev.h>\n"
        'int main(void) { printf("%lu %lu", SPI_IOC_WR_MODE + 0UL, SPI_IOC_WR_MAX_SPEED_HZ + 0UL); }\n'
    )
    subprocess.run(["cc", "-x", "c", "-", "-o", str(program)], input=source, text=True, check=True)
    printed = subprocess.run([str(program)], capture_output=True, text=True, check=True).stdout
    assert printed.split() == [str(bus.SET_MODE), str(bus.SET_SPEED_HZ)]


def test_what_is_no_bus_is_refused_and_given_back(tmp_path: Path) -> None:
    device = tmp_path / "file"
    device.touch()
    before = len(list(Path("/proc/self/fd").iterdir()))
    with pytest.raises(OSError, match="ioctl"):
        StripLights(device)
    assert len(list(Path("/proc/self/fd").iterdir())) == before
