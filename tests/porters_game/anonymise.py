"""Stand-ins for the loads: who wins a round shows that theirs was the heaviest, and nothing else ever shows."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from appliance.games.protocol import Action, Rejection, Rules, Setup
from tests.porters_game.rules.actions import Hide

HEAVY_G, LIGHT_G = 20.0, 10.0


def anonymise(rules: Rules, setup: Setup, actions: Sequence[Action]) -> tuple[Action, ...]:
    """Return `actions` with other loads, folding to equal public views and happenings at every step.

    :raises ValueError: the actions do not fold.
    """
    step = rules.set_up(setup)
    if isinstance(step, Rejection):
        raise ValueError(step.code)
    replaced = list(actions)
    hidden: dict[int, int] = {}
    for number, action in enumerate(actions):
        step = rules.apply(step.state, action)
        if isinstance(step, Rejection):
            raise ValueError(step.code)
        if isinstance(action, Hide):
            hidden[action.seat] = number
            replaced[number] = replace(action, mass_g=LIGHT_G)
        for happening in step.happened:
            if happening.code == "round_won":
                number_of_winner = hidden[happening.values["seat"]]
                replaced[number_of_winner] = replace(actions[number_of_winner], mass_g=HEAVY_G)
    return tuple(replaced)
