"""Wires from the terminals of the parts to the Raspberry Pi's 40-pin header, for the pins in the settings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import msgspec

Rail = Literal["3V3", "5V", "GND", "5V LED"]

HEADER: dict[int, int] = {
    2: 3, 3: 5, 4: 7, 14: 8, 15: 10, 17: 11, 18: 12, 27: 13, 22: 15, 23: 16, 24: 18, 10: 19, 9: 21, 25: 22, 11: 23,
    8: 24, 7: 26, 0: 27, 1: 28, 5: 29, 6: 31, 12: 32, 13: 33, 19: 35, 16: 36, 26: 37, 20: 38, 21: 40,
}  # fmt: skip
"""BCM number → header pin (Raspberry Pi documentation, GPIO and the 40-pin header)."""
GROUND_PINS = (6, 9, 14, 20, 25, 30, 34, 39)
RAIL_PINS: dict[Rail, int] = {"3V3": 1, "5V": 2, "GND": 6}
STRIP_BCM = 10
"""MOSI of SPI0. The strip's data wire cannot use another pin."""


class Wire(msgspec.Struct, frozen=True):
    """One wire: the part and terminal at its start, its usual colour or "", and its end.

    `to` is a BCM pin, a rail, or a terminal of another board.
    """

    part: str
    terminal: str
    to: int | Rail | str
    colour: str = ""

    @property
    def header_pin(self) -> int | None:
        """The header pin at its end, or None if `to` is not a BCM pin."""
        return HEADER[self.to] if isinstance(self.to, int) else None


def wires(pins: Mapping[str, int], *, with_beams: bool = True) -> tuple[Wire, ...]:
    """Return the wires of a table with all its parts.

    :param pins: setting name → BCM pin, for `pin_scale_dout`, `pin_scale_sck`, `pin_beam_front`,
        `pin_beam_back`, `pin_hourglass`, `pin_buzzer`.
    :param with_beams: whether the table has beams.
    """
    found = [
        Wire("cell", "red", "E+", "red"),
        Wire("cell", "black", "E-", "black"),
        Wire("cell", "white", "A-", "white"),
        Wire("cell", "green", "A+", "green"),
        Wire("hx711", "VCC", "3V3", "red"),
        Wire("hx711", "GND", "GND", "black"),
        Wire("hx711", "DOUT", pins["pin_scale_dout"], "green"),
        Wire("hx711", "SCK", pins["pin_scale_sck"], "blue"),
    ]
    for beam in ("front", "back") if with_beams else ():
        found += [
            Wire(f"emitter_{beam}", "+", "5V", "red"),
            Wire(f"emitter_{beam}", "-", "GND", "black"),
            Wire(f"receiver_{beam}", "+", "3V3", "red"),
            Wire(f"receiver_{beam}", "-", "GND", "black"),
            Wire(f"receiver_{beam}", "OUT", pins[f"pin_beam_{beam}"], "white"),
        ]
    return (
        *found,
        Wire("button", "1", pins["pin_hourglass"], "yellow"),
        Wire("button", "2", "GND", "black"),
        Wire("buzzer", "+", pins["pin_buzzer"], "orange"),
        Wire("buzzer", "-", "GND", "black"),
        Wire("shifter", "1A", STRIP_BCM, "purple"),
        Wire("shifter", "1OE", "GND", "black"),
        Wire("shifter", "VCC", "5V LED", "red"),
        Wire("shifter", "GND", "GND", "black"),
        Wire("strip", "DIN", "1Y", "green"),
        Wire("strip", "+5V", "5V LED", "red"),
        Wire("strip", "GND", "GND", "black"),
    )
