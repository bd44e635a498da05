"""Replacement masses for exports without everyone's consent (DESIGN §4).

The masses of each weighing are replaced by the first candidates of a fixed list that give the same public view and
happenings at every step. The choice depends only on public data, so it reveals nothing secret.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from decimal import Decimal
from itertools import product
from typing import Any

from msgspec.structs import replace

from appliance.games.protocol import Action, Rejection, Rules, Setup, Step
from appliance.games.smugglers.rules.actions import Weigh
from appliance.games.smugglers.rules.options import LEAST_TIE_BAND_G
from appliance.games.smugglers.rules.state import State, Trying, Weighing

BASE_G = Decimal(20)
RUNGS_PER_BAND = Decimal("2.5")
"""Masses two rungs apart are a tie; three rungs apart are not."""
COARSE = (0, 3, 6, 9)
"""Rungs for four spheres in any order with any tie groups."""
FINE = tuple(range(10))
"""Rungs for chains of ties (a ties b, b ties c, a does not tie c), visible when somebody leaves during the ranking."""


def anonymise(game: Rules, setup: Setup, actions: Sequence[Action]) -> tuple[Action, ...]:
    """Return `actions` with other masses, folding to equal public views and happenings at every step.

    :raises ValueError: when the actions do not fold.
    """
    state: State = _taken(game.set_up(setup)).state
    replaced: list[Action] = []
    while len(replaced) < len(actions):
        rest = actions[len(replaced) :]
        if isinstance(state.stage, Weighing):
            weighing = _until_settled(game, state, rest)
            replaced.extend(_first_alike(game, state, weighing))
            for action in weighing:
                state = _taken(game.apply(state, action)).state
        else:
            step = _taken(game.apply(state, rest[0]))
            replaced.append(_checked(state, rest[0], step))
            state = step.state
    return tuple(replaced)


def _taken(step: Step[Any] | Rejection) -> Step[Any]:
    if isinstance(step, Rejection):
        raise ValueError(step.code)
    return step


def _until_settled(game: Rules, state: State, actions: Sequence[Action]) -> list[Action]:
    """Return the actions up to the one that settles this weighing."""
    span: list[Action] = []
    for action in actions:
        if not isinstance(state.stage, Weighing):
            break
        span.append(action)
        state = _taken(game.apply(state, action)).state
    return span


def _first_alike(game: Rules, state: State, actions: list[Action]) -> list[Action]:
    """Return `actions` with the first candidate masses that give the same public views and happenings."""
    public = list(_public(game, state, actions))
    weighed = [index for index, action in enumerate(actions) if isinstance(action, Weigh)]
    for masses in _candidates(state, len(weighed)):
        alike = list(actions)
        for index, mass_g in zip(weighed, masses, strict=True):
            alike[index] = replace(actions[index], mass_g=mass_g)
        if all(told == wanted for told, wanted in zip(_public(game, state, alike), public, strict=True)):
            return alike
    raise AssertionError("every order of four spheres fits on the fine rungs")


def _public(game: Rules, state: State, actions: Sequence[Action]) -> Iterator[Any]:
    """Yield the public happenings and view of each step. Stop at the first difference: later steps may not fold."""
    for action in actions:
        step = _taken(game.apply(state, action))
        state = step.state
        yield step.happened, game.view(state, None)


def _candidates(state: State, count: int) -> Iterator[tuple[float, ...]]:
    band_g = max(Decimal(str(state.options.tie_band_g)), Decimal(str(LEAST_TIE_BAND_G)))
    for rungs in (COARSE, FINE):
        for chosen in product(rungs, repeat=count):
            yield tuple(float(BASE_G + band_g / RUNGS_PER_BAND * rung) for rung in chosen)


def _checked(state: State, action: Action, step: Step[State]) -> Action:
    """Replace a weight before an attempt. The new one either equals `BASE_G` or is far from it (SM-46)."""
    if not isinstance(action, Weigh):
        return action
    trying = step.state.stage
    agrees = isinstance(trying, Trying) and trying.same
    far_g = Decimal(0) if agrees else 1 + 2 * Decimal(str(state.options.same_mass_tolerance_g))
    return replace(action, mass_g=float(BASE_G + far_g))
