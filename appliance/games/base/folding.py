"""Folds a game again from its set-up, one action at a time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from appliance.games.protocol import Action, Rejection, Rules, Setup, Step


class Folded(NamedTuple):
    """One action of a game: the state before it, and the step that it led to."""

    before: Any
    action: Action
    step: Step[Any]


def folded(rules: Rules, setup: Setup, actions: Sequence[Action]) -> Iterator[Folded]:
    """Yield every action of a game with the state before it and the step after it.

    :raises ValueError: an action, or the set-up, is refused.
    """
    step = _taken(rules.set_up(setup))
    for action in actions:
        before, step = step.state, _taken(rules.apply(step.state, action))
        yield Folded(before, action, step)


def _taken(step: Step[Any] | Rejection) -> Step[Any]:
    if isinstance(step, Rejection):
        raise ValueError(step.code)
    return step
