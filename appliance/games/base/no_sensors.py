"""A referee that reads no sensor; others override what they use."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from appliance.games.protocol import Action, Advice, Area, Rejection, Timer
from hardware.readings import Reading


class NoSensors:
    """Advises nothing and watches nothing."""

    def sense(self, state: Any, reading: Reading) -> Sequence[Advice]:
        """Readings mean nothing here."""
        return ()

    def tick(self, state: Any, now_s: float) -> Sequence[Advice]:
        """Nothing runs."""
        return ()

    def stepped(self, state: Any, action: Action | None, now_s: float) -> Sequence[Advice]:
        """Nothing to prepare."""
        return ()

    def command(self, state: Any, name: str, now_s: float) -> Sequence[Advice] | Rejection:
        """There are no table buttons."""
        return Rejection("unknown_command", "", {"name": name})

    def attention(self, state: Any) -> frozenset[Area]:
        """Return nothing: the camera stays off."""
        return frozenset()

    def resume(self, state: Any, timers: Sequence[Timer], now_s: float) -> Sequence[Advice]:
        """Nothing was running."""
        return ()
