"""Playing any game by its open prompts alone, as the fuzzer and every page must be able to."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import product
from typing import Any

import msgspec

from appliance.games.protocol import Action, Choice, Happening, Prompt, Rules, Setup, Step

Played = tuple[Any, Action, Any, tuple[Happening, ...]]
"""One step: the state before, the action, the state after, what happened."""


def started(rules: Rules, setup: Setup) -> Any:
    step = rules.set_up(setup)
    assert isinstance(step, Step), step
    return step.state


def stepped(rules: Rules, state: Any, action: Action) -> Step[Any]:
    step = rules.apply(state, action)
    assert isinstance(step, Step), (step, action)
    return step


def folded(rules: Rules, setup: Setup, actions: Sequence[Action]) -> Any:
    """Return the state after `actions`, all of which must be taken."""
    state = started(rules, setup)
    for action in actions:
        state = stepped(rules, state, action).state
    return state


def told(rules: Rules, setup: Setup, actions: Sequence[Action]) -> list[str]:
    """Return the codes of what happens while `actions` are done, in order; not what set-up tells."""
    state, codes = started(rules, setup), []
    for action in actions:
        step = stepped(rules, state, action)
        codes += [happening.code for happening in step.happened]
        state = step.state
    return codes


def action_of(rules: Rules, prompt: Prompt, fields: dict[str, Any]) -> Action:
    seat = {} if prompt.seat is None else {"seat": prompt.seat}
    action: Action = msgspec.convert({"do": prompt.do, **seat, **fields}, rules.action_type)
    return action


def own_prompts(rules: Rules, state: Any) -> list[Prompt]:
    """Return every open prompt as the one who is asked sees it."""
    seats = range(len(state.players))
    mine = [prompt for seat in seats for prompt in rules.expects(state, seat) if prompt.seat == seat]
    return [prompt for prompt in rules.expects(state, None) if prompt.seat is None] + mine


def played(rules: Rules, setup: Setup, decide: Callable[[Any], Action], most: int) -> Iterator[Played]:
    """Play to the end, yielding every step.

    :param decide: returns what is done in a state.
    :param most: steps in which the game must have ended.
    """
    state = started(rules, setup)
    for _ in range(most):
        if rules.outcome(state) is not None:
            return
        action = decide(state)
        step = stepped(rules, state, action)
        yield state, action, step.state, step.happened
        state = step.state
    raise AssertionError("the game does not end")


def every_answer(rules: Rules, prompt: Prompt, corners: Callable[[Choice], Iterable[Any]]) -> Iterator[Action]:
    """Yield every combination of a prompt's finite choices, and the corners of the others."""
    names = list(prompt.choices)
    for values in product(*(list(corners(choice)) for choice in prompt.choices.values())):
        yield action_of(rules, prompt, dict(zip(names, values, strict=True)))
