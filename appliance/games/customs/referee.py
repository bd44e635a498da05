"""The referee of Customs: with real cards it counts what lies on the pan, so that four are seen to be passed on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from appliance.games.base.card_pan import CardPan
from appliance.games.base.no_sensors import NoSensors
from appliance.games.protocol import Advice
from hardware.readings import Reading


class CustomsReferee(NoSensors):
    """Proposes nothing and asks for no sight of the table (`appliance.games.protocol.Referee`).

    :param physical: whether real cards are played with.
    """

    def __init__(self, physical: bool) -> None:
        self._pan = CardPan() if physical else None

    def sense(self, state: Any, reading: Reading) -> Sequence[Advice]:
        """Count real cards on the pan (RULES §4.8)."""
        remark = self._pan.sense(reading) if self._pan is not None else None
        return () if remark is None else (remark,)
