"""Replaces the kinds of goods that nobody saw (TR-20): legal while legal cards last, else smuggled."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from msgspec.structs import replace

from appliance.games.haulers.rules.actions import KINDS, Kind, Leave, Start
from appliance.games.haulers.rules.state import OF_EACH_KIND, Load, State
from appliance.games.protocol import Action


@dataclass
class _Carried:
    """A load of `seat` from action `start` to action `end`. `kind` is None if it was never shown."""

    seat: int
    start: int
    end: int
    kind: Kind | None


def kinds_replaced(states: Sequence[State], actions: Sequence[Action]) -> list[Action]:
    """Return the actions with other kinds for goods that were never shown. `states` are those of the true game."""
    carried = [
        _carried(states, actions, number, action.seat)
        for number, action in enumerate(actions)
        if isinstance(action, Start)
    ]
    replaced = list(actions)
    for one in carried:
        if one.kind is None:
            one.kind = next((kind for kind in KINDS if _free(carried, one, kind)), "smuggled")
            start = actions[one.start]
            assert isinstance(start, Start)
            replaced[one.start] = replace(start, kind=one.kind)
    return replaced


def _carried(states: Sequence[State], actions: Sequence[Action], start: int, seat: int) -> _Carried:
    (card,) = {load.card for load in states[start + 1].players[seat].loads} - {
        load.card for load in states[start].players[seat].loads
    }
    shown = False
    for number in range(start + 1, len(actions)):
        load = _load(states[number], seat, card)
        assert load is not None
        shown = shown or load.open
        if _load(states[number + 1], seat, card) is None:
            shown = shown or not _lost_unseen(actions[number], seat, load)
            return _Carried(seat, start, number, load.kind if shown else None)
    load = _load(states[-1], seat, card)
    return _Carried(seat, start, len(actions), load.kind if load is not None and load.open else None)


def _load(state: State, seat: int, card: int) -> Load | None:
    return next((load for load in state.players[seat].loads if load.card == card), None)


def _lost_unseen(action: Action, seat: int, load: Load) -> bool:
    """Return whether a load was lost because its owner, or the owner of the boat that carried it, left."""
    return isinstance(action, Leave) and action.seat in (seat, load.boat)


def _free(carried: Sequence[_Carried], one: _Carried, kind: Kind) -> bool:
    """Return whether a card of `kind` is free for `one` during its whole transport."""
    same = [other for other in carried if other is not one and other.seat == one.seat and other.kind == kind]
    starts = [one.start, *(other.start for other in same if one.start < other.start < one.end)]
    return all(sum(other.start <= at < other.end for other in same) < OF_EACH_KIND for at in starts)
