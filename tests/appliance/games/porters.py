"""Porters, a tiny honest game for the table's own tests: hide a load, carry it across; the heaviest that crossed wins.

Each porter hides a load (its mass is secret). Then they cross in turn: passed, or stuck with one second try. A round is
won by the heaviest load that crossed; first to two rounds wins the game.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import msgspec

from appliance.games.game import Game
from appliance.games.protocol import (
    Action,
    Advice,
    Area,
    Happening,
    Number,
    OneOf,
    Outcome,
    Prompt,
    Rejection,
    Setup,
    Step,
    Timer,
    Timing,
)
from hardware.readings import Reading

GOAL = 2


class Hide(Action, frozen=True, tag="hide"):
    seat: int
    mass_g: float


class Cross(Action, frozen=True, tag="cross"):
    seat: int
    outcome: Literal["passed", "stuck"]


class Flip(Action, frozen=True, tag="flip"):
    heads: bool


class State(msgspec.Struct, frozen=True):
    seats: int
    round: int = 1
    loads: tuple[float | None, ...] = ()
    crossed: tuple[bool, ...] = ()
    tries: int = 0
    won: tuple[int, ...] = ()
    flips: int = 0
    flipping: bool = False


class View(msgspec.Struct, frozen=True):
    round: int
    hidden: tuple[bool, ...]
    crossed: tuple[bool, ...]
    won: tuple[int, ...]


class Options(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    flip_first: bool = False


class Porters:
    name = "porters"
    revision = 3
    seats = range(2, 5)
    action_type: Any = Hide | Cross | Flip
    options_type: Any = Options
    secret_fields: Mapping[str, frozenset[str]] = {"hide": frozenset({"mass_g"})}

    def __init__(self) -> None:
        self.referees: list[ScriptedReferee] = []

    def set_up(self, setup: Setup) -> Step[State] | Rejection:
        if len(setup.players) not in self.seats:
            return Rejection("wrong_player_count", "P-1")
        seats = len(setup.players)
        state = State(
            seats, loads=(None,) * seats, won=(0,) * seats, flipping=bool(setup.options.get("flip_first", False))
        )
        return Step(state, (Happening("porters_met", {"count": seats}),))

    def apply(self, state: State, action: Action) -> Step[State] | Rejection:
        if self.outcome(state) is not None:
            return Rejection("game_over", "P-9")
        match action:
            case Flip():
                if not state.flipping:
                    return Rejection("no_flip_now", "P-2")
                return Step(msgspec.structs.replace(state, flipping=False, flips=state.flips + 1))
            case Hide():
                return self._hide(state, action)
            case Cross():
                return self._cross(state, action)
        raise AssertionError(action)

    def _hide(self, state: State, hide: Hide) -> Step[State] | Rejection:
        if state.flipping or not 0 <= hide.seat < state.seats or state.loads[hide.seat] is not None:
            return Rejection("not_to_hide", "P-3", {"seat": hide.seat})
        if not 0 < hide.mass_g < 100:
            return Rejection("bad_load", "P-3")
        loads = tuple(hide.mass_g if seat == hide.seat else load for seat, load in enumerate(state.loads))
        return Step(
            msgspec.structs.replace(state, loads=loads),
            (Happening("load_hidden", {"seat": hide.seat}), Happening("own_load", {}, to=hide.seat)),
        )

    def _cross(self, state: State, cross: Cross) -> Step[State] | Rejection:
        if None in state.loads or cross.seat != len(state.crossed):
            return Rejection("not_to_cross", "P-4", {"seat": cross.seat})
        said = (Happening(f"load_{cross.outcome}", {"seat": cross.seat}),)
        if cross.outcome == "stuck" and state.tries == 0:
            return Step(msgspec.structs.replace(state, tries=1), said)
        crossed = (*state.crossed, cross.outcome == "passed")
        state = msgspec.structs.replace(state, crossed=crossed, tries=0)
        return Step(state if len(crossed) < state.seats else self._next_round(state), said)

    def _next_round(self, state: State) -> State:
        over = [(load or 0.0, -seat) for seat, load in enumerate(state.loads) if state.crossed[seat]]
        won = list(state.won)
        if over:
            won[-max(over)[1]] += 1
        return State(state.seats, state.round + 1, (None,) * state.seats, won=tuple(won), flips=state.flips)

    def expects(self, state: State, seat: int | None) -> tuple[Prompt, ...]:
        if self.outcome(state) is not None:
            return ()
        if state.flipping:
            return (
                Prompt(prompt="flip", seat=None, do="flip", choices={"heads": OneOf((True, False))}, chance="must"),
            )
        if None in state.loads:
            return tuple(
                Prompt(
                    prompt=f"hide.{state.round}.{who}", seat=who, do="hide", choices={"mass_g": Number(0.01, 99.9, "g")}
                )
                for who, load in enumerate(state.loads)
                if load is None
            )
        who = len(state.crossed)
        choices = {"outcome": OneOf(("passed", "stuck"))}
        return (Prompt(prompt=f"cross.{state.round}.{who}.{state.tries}", seat=who, do="cross", choices=choices),)

    def view(self, state: State, seat: int | None) -> View:
        return View(state.round, tuple(load is not None for load in state.loads), state.crossed, state.won)

    def outcome(self, state: State) -> Outcome | None:
        winners = tuple(seat for seat, rounds in enumerate(state.won) if rounds >= GOAL)
        return Outcome(winners, "two_rounds") if winners else None

    def referee(self, setup: Setup, timing: Timing) -> ScriptedReferee:
        self.referees.append(ScriptedReferee(timing))
        return self.referees[-1]

    def declared(self) -> Game:
        return Game(rules=self, folder=Path(__file__).parent, referee=lambda setup, timing: self.referee(setup, timing))


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
