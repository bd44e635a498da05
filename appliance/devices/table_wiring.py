"""The wires of this table, from the pins of its settings."""

from __future__ import annotations

import msgspec

from appliance.settings import Settings
from calibration.sheets.wiring import Wire, wires


def table_wires(settings: Settings) -> tuple[Wire, ...]:
    """Return every wire of a table with these settings."""
    pins = {field.name: getattr(settings, field.name) for field in msgspec.structs.fields(Settings)}
    used = {name: pin for name, pin in pins.items() if name.startswith("pin_")}
    return wires(used, with_beams=settings.beams != "none")
