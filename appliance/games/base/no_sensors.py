"""A referee that reads no sensor. Other referees override what they use."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from appliance.games.base.rules.codes import reject
from appliance.games.protocol import Action, Advice, Area, Rejection, Timer
from hardware.readings import Reading


class NoSensors:
    """Gives no advice and watches no area."""

    def sense(self, state: Any, reading: Reading) -> Sequence[Advice]:
        """Ignore the reading."""
        return ()

    def tick(self, state: Any, now_s: float) -> Sequence[Advice]:
        """Do nothing: there is no timer."""
        return ()

    def stepped(self, state: Any, action: Action | None, now_s: float) -> Sequence[Advice]:
        """Do nothing."""
        return ()

    def command(self, state: Any, name: str, now_s: float) -> Sequence[Advice] | Rejection:
        """Refuse: there are no table buttons."""
        return reject("unknown_command", "", {"name": name})

    def attention(self, state: Any) -> frozenset[Area]:
        """Return no area: the camera stays off."""
        return frozenset()

    def resume(self, state: Any, timers: Sequence[Timer], now_s: float) -> Sequence[Advice]:
        """Do nothing: no timer was running."""
        return ()
