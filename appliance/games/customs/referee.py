"""The referee of Customs. It counts real cards on the pan, so that people can check that four are passed on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from appliance.games.base.card_pan import CardPan
from appliance.games.base.no_sensors import NoSensors
from appliance.games.protocol import Advice
from hardware.readings import Reading


class CustomsReferee(NoSensors):
    """Makes no proposals and watches no area of the table (`appliance.games.protocol.Referee`).

    :param physical: whether real cards are used.
    """

    def __init__(self, physical: bool) -> None:
        self._pan = CardPan() if physical else None

    def sense(self, state: Any, reading: Reading) -> Sequence[Advice]:
        """Count real cards on the pan (RULES §4.8)."""
        remark = self._pan.sense(reading) if self._pan is not None else None
        return () if remark is None else (remark,)
