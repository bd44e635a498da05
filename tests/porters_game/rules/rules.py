"""Porters: hide a load, carry it across. The heaviest load that crosses wins the round; two rounds win the game.

- PO-1: two to four porters. With the option `flip_first`, a coin is flipped before the first round.
- PO-2: each porter hides a load of 0 to 100 g.
- PO-3: they cross in turn. Who is stuck has one second try.
- PO-4: the heaviest load that crossed wins the round; of equal ones, the lowest seat's.
- PO-5: the first to win two rounds wins the game.
- PO-6: a porter may leave at any time. The last one wins.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from appliance.games.base.rules.apply_checks import wrong_seat
from appliance.games.base.rules.set_up_checks import wrong_options, wrong_players
from appliance.games.base.rules.step_builder import StepBuilder
from appliance.games.protocol import Action, Number, OneOf, Outcome, Prompt, Rejection, Setup, Step
from tests.porters_game.rules.actions import Cross, Flip, Hide, Leave, PortersAction
from tests.porters_game.rules.codes import HappeningCode, reject
from tests.porters_game.rules.state import Options, PorterView, State, View

GOAL_ROUNDS = 2
HEAVIEST_G = 100.0

Builder = StepBuilder[State, HappeningCode]


class PortersRules:
    """Porters: pure, no clock, no chance, no input or output."""

    name = "porters"
    revision = 1
    seats = range(2, 5)
    action_type: Any = PortersAction
    options_type: Any = Options
    secret_fields: Mapping[str, frozenset[str]] = {"hide": frozenset({"mass_g"})}

    def set_up(self, setup: Setup) -> Step[State] | Rejection:
        """Start a game (PO-1)."""
        problem = wrong_players(
            setup, revision=self.revision, seats=self.seats, revision_rule="PO-1", players_rule="PO-1"
        ) or wrong_options(setup.options, Options, {"flip_first": "PO-1"}, "PO-1")
        if problem:
            return problem
        seats = len(setup.players)
        flipping = bool(setup.options.get("flip_first", False))
        builder = Builder(State(seats, loads=(None,) * seats, won=(0,) * seats, flipping=flipping))
        builder.tell("porters_met", "PO-1", count=seats)
        return builder.step()

    def apply(self, state: State, action: Action) -> Step[State] | Rejection:
        """Do `action`, or say why not."""
        if self.outcome(state) is not None:
            return reject("game_over", "PO-5")
        if problem := wrong_seat(action, state.seats, "PO-1"):
            return problem
        if getattr(action, "seat", None) in state.gone:
            return reject("porter_left", "PO-6", {"seat": getattr(action, "seat", None)})
        builder = Builder(state)
        match action:
            case Flip():
                problem = _flip(builder)
            case Hide():
                problem = _hide(builder, action)
            case Cross():
                problem = _cross(builder, action)
            case Leave():
                problem = _leave(builder, action)
            case _:
                raise AssertionError(action)
        return problem or builder.step()

    def expects(self, state: State, seat: int | None) -> tuple[Prompt, ...]:
        """Return the open prompts: of Porters everybody sees the same."""
        if self.outcome(state) is not None:
            return ()
        if state.flipping:
            sides = {"heads": OneOf((True, False))}
            return (Prompt(prompt="flip", seat=None, do="flip", choices=sides, chance="must"),)
        if None in state.loads:
            mass = {"mass_g": Number(0.01, 99.9, "g")}
            return tuple(
                Prompt(prompt=f"hide.{state.round}.{who}", seat=who, do="hide", choices=mass)
                for who, load in enumerate(state.loads)
                if load is None
            )
        who = len(state.crossed)
        outcomes = {"outcome": OneOf(("passed", "stuck"))}
        return (Prompt(prompt=f"cross.{state.round}.{who}.{state.tries}", seat=who, do="cross", choices=outcomes),)

    def view(self, state: State, seat: int | None) -> View:
        """Return what the viewer at `seat` may know: no load but their own."""
        players = tuple(
            PorterView(
                here=who not in state.gone,
                hidden=state.loads[who] is not None,
                crossed=state.crossed[who] if who < len(state.crossed) else None,
                rounds=state.won[who],
            )
            for who in range(state.seats)
        )
        own = None if seat is None else state.loads[seat]
        return View(round=state.round, players=players, own_load_g=own, expects=self.expects(state, seat))

    def outcome(self, state: State) -> Outcome | None:
        """Return who won and why, or None while the game is open (PO-5, PO-6)."""
        here = tuple(seat for seat in range(state.seats) if seat not in state.gone)
        if len(here) == 1:
            return Outcome(here, "alone")
        winners = tuple(seat for seat, rounds in enumerate(state.won) if rounds >= GOAL_ROUNDS)
        return Outcome(winners, "two_rounds") if winners else None


def _flip(builder: Builder) -> Rejection | None:
    if not builder.state.flipping:
        return reject("no_flip_now", "PO-1")
    builder.change(flipping=False, flips=builder.state.flips + 1)
    return None


def _hide(builder: Builder, hide: Hide) -> Rejection | None:
    state = builder.state
    if state.flipping or state.loads[hide.seat] is not None:
        return reject("not_to_hide", "PO-2", {"seat": hide.seat})
    if not 0 < hide.mass_g < HEAVIEST_G:
        return reject("bad_load", "PO-2", {"most": HEAVIEST_G})
    builder.change(loads=_with(state.loads, hide.seat, hide.mass_g))
    builder.tell("load_hidden", "PO-2", seat=hide.seat)
    builder.tell("own_load", "PO-2", to=hide.seat)
    _go_on(builder)
    return None


def _cross(builder: Builder, cross: Cross) -> Rejection | None:
    state = builder.state
    if state.flipping or None in state.loads or cross.seat != len(state.crossed):
        return reject("not_to_cross", "PO-3", {"seat": cross.seat})
    builder.tell("load_passed" if cross.outcome == "passed" else "load_stuck", "PO-3", seat=cross.seat)
    if cross.outcome == "stuck" and state.tries == 0:
        builder.change(tries=1)
        return None
    builder.change(crossed=(*state.crossed, cross.outcome == "passed"), tries=0)
    _go_on(builder)
    return None


def _leave(builder: Builder, leave: Leave) -> Rejection | None:
    state = builder.state
    builder.change(gone=tuple(sorted((*state.gone, leave.seat))), loads=_with(state.loads, leave.seat, 0.0))
    if leave.seat == len(state.crossed):
        builder.change(tries=0)
    builder.tell("player_left", "PO-6", seat=leave.seat)
    _go_on(builder)
    return None


def _go_on(builder: Builder) -> None:
    """Pass over who left, and end the round when all have crossed."""
    if None in builder.state.loads:
        return
    while (who := len(builder.state.crossed)) < builder.state.seats:
        if who not in builder.state.gone:
            return
        builder.change(crossed=(*builder.state.crossed, False))
    _end_round(builder)


def _end_round(builder: Builder) -> None:
    state = builder.state
    over = [(load, -seat) for seat, load in enumerate(state.loads) if load and state.crossed[seat]]
    if over:
        seat = -max(over)[1]
        builder.change(won=_with(state.won, seat, state.won[seat] + 1))
        builder.tell("round_won", "PO-4", seat=seat)
    else:
        builder.tell("round_lost", "PO-4")
    loads = tuple(0.0 if seat in state.gone else None for seat in range(state.seats))
    builder.change(round=state.round + 1, loads=loads, crossed=(), tries=0)


def _with(values: tuple[Any, ...], seat: int, value: Any) -> tuple[Any, ...]:
    return (*values[:seat], value, *values[seat + 1 :])


RULES = PortersRules()
