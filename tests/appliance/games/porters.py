"""Porters as the table's own tests use it: an old rules revision is taken too, and the referee follows a script."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import msgspec

from appliance.games.game import Game
from appliance.games.protocol import Action, Advice, Area, Rejection, Setup, Step, Timer, Timing
from hardware.readings import Reading
from tests.porters_game.game import GAME
from tests.porters_game.rules.actions import Cross, Flip, Hide
from tests.porters_game.rules.rules import PortersRules
from tests.porters_game.rules.state import State

__all__ = ["Cross", "Flip", "Hide", "Porters", "ScriptedReferee"]


class Porters(PortersRules):
    revision = 3

    def __init__(self) -> None:
        self.referees: list[ScriptedReferee] = []

    def set_up(self, setup: Setup) -> Step[State] | Rejection:
        return super().set_up(msgspec.structs.replace(setup, rules=self.revision))

    def referee(self, setup: Setup, timing: Timing) -> ScriptedReferee:
        self.referees.append(ScriptedReferee(timing))
        return self.referees[-1]

    def declared(self) -> Game:
        return replace(GAME, rules=self, referee=lambda setup, timing: self.referee(setup, timing))


class ScriptedReferee:
    """Advises what a test wrote into `script`, keyed by the kind of call; remembers what it was told."""

    def __init__(self, timing: Timing) -> None:
        self.timing = timing
        self.heard: list[tuple[Any, ...]] = []
        self.script: dict[str, list[Sequence[Advice]]] = {}
        self.resumed_with: tuple[Timer, ...] | None = None

    def _next(self, kind: str) -> Sequence[Advice]:
        lines = self.script.get(kind, [])
        return lines.pop(0) if lines else []

    def sense(self, state: State, reading: Reading) -> Sequence[Advice]:
        self.heard.append(("sense", reading))
        return self._next("sense")

    def tick(self, state: State, now_s: float) -> Sequence[Advice]:
        self.heard.append(("tick", now_s))
        return self._next("tick")

    def stepped(self, state: State, action: Action | None, now_s: float) -> Sequence[Advice]:
        self.heard.append(("stepped", action))
        return self._next("stepped")

    def command(self, state: State, name: str, now_s: float) -> Sequence[Advice] | Rejection:
        self.heard.append(("command", name))
        if name == "turn_hourglass":
            return [Timer(name="hourglass", started_s=now_s, ends_s=now_s + 40.0)]
        return Rejection("unknown_command", "AP-6")

    def attention(self, state: State) -> frozenset[Area]:
        return frozenset({"pan"} if None in state.loads else {"track"})

    def resume(self, state: State, timers: Sequence[Timer], now_s: float) -> Sequence[Advice]:
        self.resumed_with = tuple(timers)
        return []
