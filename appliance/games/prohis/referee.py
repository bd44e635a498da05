"""The referee of Prohis. It times negotiations, and counts real cards on the pan."""

from __future__ import annotations

from collections.abc import Sequence

from appliance.games.base.card_pan import CardPan
from appliance.games.base.no_sensors import NoSensors
from appliance.games.prohis.rules.options import Options
from appliance.games.prohis.rules.state import State
from appliance.games.protocol import Action, Advice, Timer
from hardware.readings import MassSettled, Reading

NEGOTIATION = "negotiation"


class ProhisReferee(NoSensors):
    """Advises the table in one open game of Prohis. It proposes no actions, because cards are secret."""

    def __init__(self, options: Options) -> None:
        self._options = options
        self._pan = CardPan()
        self._talked_turn: int | None = None

    def sense(self, state: State, reading: Reading) -> Sequence[Advice]:
        """Count real cards on the pan."""
        over = state.phase == "over" and isinstance(reading, MassSettled)
        remark = self._pan.sense(reading) if self._options.physical and not over else None
        return () if remark is None else (remark,)

    def stepped(self, state: State, action: Action | None, now_s: float) -> Sequence[Advice]:
        """Start the negotiation's timer when an Inspector comes (PR-30)."""
        limit_s = self._options.bribe_limit_s
        if limit_s is None or state.phase != "bribe" or self._talked_turn == state.turns:
            return ()
        self._talked_turn = state.turns
        return (Timer(name=NEGOTIATION, started_s=now_s, ends_s=now_s + limit_s),)

    def resume(self, state: State, timers: Sequence[Timer], now_s: float) -> Sequence[Advice]:
        """Resume after a restart. The timer of a negotiation is not started twice."""
        if any(timer.name == NEGOTIATION for timer in timers):
            self._talked_turn = state.turns
        return ()
