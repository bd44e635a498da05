"""Replaces secrets in exports without everyone's consent: everything that never became public (DESIGN §4).

Cards that nobody ever saw but their holder change places in the first deck until they lie in the order of the edition,
and goods whose kind was never shown become legal as far as legal cards reach. Everything public stays as it was.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from msgspec.structs import replace

from appliance.games.haulers.rules.actions import Kind, Redraw, Shuffle, Start
from appliance.games.haulers.rules.state import OF_EACH_KIND, State
from appliance.games.protocol import Action, Rejection, Rules, Setup, Step


def anonymise(game: Rules, setup: Setup, actions: Sequence[Action]) -> tuple[Action, ...]:
    """Return `actions` with other secrets, folding to equal public views and happenings at every step.

    :raises ValueError: when the actions do not fold.
    """
    states = [_taken(game.set_up(setup)).state]
    for action in actions:
        states.append(_taken(game.apply(states[-1], action)).state)
    return tuple(_kinds(states, _decks(states, actions)))


def _taken(step: Step[Any] | Rejection) -> Step[Any]:
    if isinstance(step, Rejection):
        raise ValueError(step.code)
    return step


def _decks(states: Sequence[State], actions: Sequence[Action]) -> list[Action]:
    """Let the cards that never became public lie in the first deck in the order of the edition."""
    public: set[int] = set()
    for state, action in zip(states, actions, strict=False):
        if isinstance(action, Start):
            public.add(state.players[action.seat].hand[action.card - 1])
        elif isinstance(action, Redraw):
            public |= set(state.players[action.seat].hand)
    replaced = list(actions)
    for place, action in enumerate(actions):
        if isinstance(action, Shuffle) and action.pile == "deliveries":
            cards = [states[place].discards[index] for index in action.order]
            unseen = iter(sorted(card for card in cards if card not in public))
            laid = [card if card in public else next(unseen) for card in cards]
            old = {card: index for index, card in enumerate(states[place].discards)}
            replaced[place] = replace(action, order=tuple(old[card] for card in laid))
            break
    return replaced


def _kinds(states: Sequence[State], actions: list[Action]) -> list[Action]:
    """Let goods whose kind was never shown be legal as far as that fits the loads shown beside them."""
    last = states[-1]
    for place, action in enumerate(actions):
        if not isinstance(action, Start):
            continue
        (load,) = set(_cards(states[place + 1], action.seat)) - set(_cards(states[place], action.seat))
        carried = next((one for one in last.players[action.seat].loads if one.card == load), None)
        started_again = any(load not in _cards(state, action.seat) for state in states[place + 1 :])
        if carried is None or carried.open or started_again:
            continue
        most_legal = max(
            sum(one.kind == "legal" and one.card != load for one in state.players[action.seat].loads)
            for state in states[place + 1 :]
        )
        kind: Kind = "legal" if most_legal < OF_EACH_KIND else "smuggled"
        actions[place] = replace(action, kind=kind)
    return actions


def _cards(state: State, seat: int) -> tuple[int, ...]:
    return tuple(load.card for load in state.players[seat].loads)
