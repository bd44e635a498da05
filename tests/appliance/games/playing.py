"""Playing any game by its open prompts alone, as the fuzzer and every page must be able to."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import product
from typing import Any

import msgspec

from appliance.games.protocol import Action, Choice, Game, Happening, Prompt, Setup, Step

Played = tuple[Any, Action, Any, tuple[Happening, ...]]
"""One step: the state before, the action, the state after, what happened."""


def started(game: Game, setup: Setup) -> Any:
    step = game.set_up(setup)
    assert isinstance(step, Step), step
    return step.state


def stepped(game: Game, state: Any, action: Action) -> Step[Any]:
    step = game.apply(state, action)
    assert isinstance(step, Step), (step, action)
    return step


def folded(game: Game, setup: Setup, actions: Sequence[Action]) -> Any:
    """Return the state after `actions`, all of which must be taken."""
    state = started(game, setup)
    for action in actions:
        state = stepped(game, state, action).state
    return state


def told(game: Game, setup: Setup, actions: Sequence[Action]) -> list[str]:
    """Return the codes of what happens while `actions` are done, in order; not what set-up tells."""
    state, codes = started(game, setup), []
    for action in actions:
        step = stepped(game, state, action)
        codes += [happening.code for happening in step.happened]
        state = step.state
    return codes


def action_of(game: Game, prompt: Prompt, fields: dict[str, Any]) -> Action:
    seat = {} if prompt.seat is None else {"seat": prompt.seat}
    action: Action = msgspec.convert({"do": prompt.do, **seat, **fields}, game.action_type)
    return action


def own_prompts(game: Game, state: Any) -> list[Prompt]:
    """Return every open prompt as the one who is asked sees it."""
    seats = range(len(state.players))
    mine = [prompt for seat in seats for prompt in game.expects(state, seat) if prompt.seat == seat]
    return [prompt for prompt in game.expects(state, None) if prompt.seat is None] + mine


def played(game: Game, setup: Setup, decide: Callable[[Any], Action], most: int) -> Iterator[Played]:
    """Play to the end, yielding every step.

    :param decide: returns what is done in a state.
    :param most: steps in which the game must have ended.
    """
    state = started(game, setup)
    for _ in range(most):
        if game.outcome(state) is not None:
            return
        action = decide(state)
        step = stepped(game, state, action)
        yield state, action, step.state, step.happened
        state = step.state
    raise AssertionError("the game does not end")


def every_answer(game: Game, prompt: Prompt, corners: Callable[[Choice], Iterable[Any]]) -> Iterator[Action]:
    """Yield every combination of a prompt's finite choices, and the corners of the others."""
    names = list(prompt.choices)
    for values in product(*(list(corners(choice)) for choice in prompt.choices.values())):
        yield action_of(game, prompt, dict(zip(names, values, strict=True)))
