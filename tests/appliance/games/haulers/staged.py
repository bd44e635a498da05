"""States of Haulers put together for one test, and what can be done in them."""

from __future__ import annotations

from typing import Any

import msgspec

from appliance.games.haulers.rules.rules import RULES
from appliance.games.haulers.rules.state import Load, State
from appliance.games.protocol import Action, Rejection, Step
from tests.appliance.games.haulers.test_ending import at_the_end

A, B, C = 0, 1, 2
LEGAL, SMUGGLED = Load(card=0, kind="legal"), Load(card=1, kind="smuggled")
"""Two deliveries from Bos to Cid."""


def after(state: State, *actions: Any) -> State:
    for action in actions:
        step = RULES.apply(state, action)
        assert isinstance(step, Step), (action, step)
        state = step.state
    return state


def with_agenda(state: State, *agenda: Any) -> State:
    return msgspec.structs.replace(state, agenda=agenda)


def with_player(state: State, seat: int, **fields: Any) -> State:
    players = list(state.players)
    players[seat] = msgspec.structs.replace(players[seat], **fields)
    return msgspec.structs.replace(state, players=tuple(players))


def dealt(state: State) -> State:
    """Lay all delivery cards on the pile: nobody holds any."""
    return msgspec.structs.replace(state, pile=tuple(range(len(state.edition.deliveries))), discards=())


def at_turn(players: int = 2, **options: Any) -> State:
    """A's turn, every truck in Bos, nobody holds any delivery."""
    return dealt(at_the_end([(0, 0, 0, 0)] * players, **options))


def off_the_pile(state: State, *cards: int) -> State:
    return msgspec.structs.replace(state, pile=tuple(card for card in state.pile if card not in cards))


def code(state: State, action: Action) -> str | None:
    """Return why `action` is refused, None where it is taken."""
    step = RULES.apply(state, action)
    return step.code if isinstance(step, Rejection) else None


def done(state: State, seat: int) -> set[str]:
    return {prompt.do for prompt in RULES.expects(state, seat) if prompt.seat == seat}
