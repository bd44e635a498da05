"""Counts cards on the pan. A first stack with a known number of cards calibrates it.

Used by the referees of games with real cards. It only makes remarks.
"""

from __future__ import annotations

from typing import Literal

from appliance.games.base.advice import Remarks
from appliance.games.base.card_scale import CardStack, count_cards
from appliance.games.protocol import Remark
from hardware.readings import DeviceHealth, LoadRemoved, MassSettled, Reading

STACK_CARDS = 20
"""Cards in the calibration stack: enough to count a hundred at a time, few enough to count by hand."""
CARD_LEAST_G, CARD_MOST_G = 0.3, 10.0
"""Possible masses of one playing card."""
TOPIC = "pan"
CardPanRemark = Literal["lay_stack", "no_stack", "pan_count", "pan_counts", "pan_unsure", "stack_weighed"]
"""Codes of these remarks. Each game that counts cards has the sentences in its words."""
remark = Remarks[CardPanRemark]()


class CardPan:
    """Stores the calibration stack and whether there is a working scale."""

    def __init__(self) -> None:
        self._stack: CardStack | None = None
        self._scale = False

    def sense(self, reading: Reading) -> Remark | None:
        """Return the remark after `reading`, or None when the reading does not concern the pan.

        Codes: `lay_stack`, `no_stack`, `stack_weighed`, `pan_counts`, `pan_count`, `pan_unsure`; "" without a scale.
        """
        if isinstance(reading, DeviceHealth) and reading.device == "scale":
            self._scale = reading.status == "ok"
            return self._idle()
        if isinstance(reading, LoadRemoved):
            return self._idle()
        return self._weighed(reading) if isinstance(reading, MassSettled) else None

    def _idle(self) -> Remark:
        if not self._scale:
            return remark(TOPIC, "")
        if self._stack is None:
            return remark(TOPIC, "lay_stack", {"number": STACK_CARDS})
        return remark(TOPIC, "pan_counts")

    def _weighed(self, reading: MassSettled) -> Remark:
        if self._stack is not None:
            counted = count_cards(reading.mass_g, reading.sd_g, self._stack)
            return remark(TOPIC, "pan_count" if counted.sure else "pan_unsure", {"number": counted.cards})
        if not CARD_LEAST_G <= reading.mass_g / STACK_CARDS <= CARD_MOST_G:
            return remark(TOPIC, "no_stack", {"number": STACK_CARDS})
        self._stack = CardStack(STACK_CARDS, reading.mass_g, reading.sd_g)
        return remark(TOPIC, "stack_weighed", {"number": STACK_CARDS})
