"""The referee of Customs: with real cards it counts what lies on the pan, so that four are seen to be passed on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from appliance.games.base.card_pan import CardPan
from appliance.games.protocol import Action, Advice, Area, Rejection, Timer
from hardware.readings import Reading


class CustomsReferee:
    """Proposes nothing and asks for no sight of the table (`appliance.games.protocol.Referee`).

    :param physical: whether real cards are played with.
    """

    def __init__(self, physical: bool) -> None:
        self._pan = CardPan() if physical else None

    def sense(self, state: Any, reading: Reading) -> Sequence[Advice]:
        """Count real cards on the pan (RULES §4.8)."""
        remark = self._pan.sense(reading) if self._pan is not None else None
        return () if remark is None else (remark,)

    def tick(self, state: Any, now_s: float) -> Sequence[Advice]:
        """Own no timer."""
        return ()

    def stepped(self, state: Any, action: Action | None, now_s: float) -> Sequence[Advice]:
        """Say nothing."""
        return ()

    def command(self, state: Any, name: str, now_s: float) -> Sequence[Advice] | Rejection:
        """Refuse: this game has no buttons beyond its actions."""
        return Rejection("unknown_command", "AP-6", {"name": name})

    def attention(self, state: Any) -> frozenset[Area]:
        """Look at nothing: there are cards on the table (AP-11)."""
        return frozenset()

    def resume(self, state: Any, timers: Sequence[Timer], now_s: float) -> Sequence[Advice]:
        """Have nothing to go on with."""
        return ()
