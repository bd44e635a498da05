"""Playing by the open prompts alone, as the fuzzer and any page must be able to."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from random import Random
from typing import Any

import msgspec

from appliance.games.game import Action, Choice, Happening, ManyOf, Number, OneOf, Player, Prompt, Setup, Text
from appliance.games.smugglers import GAME
from appliance.games.smugglers.actions import Leave
from appliance.games.smugglers.state import State

PUTTIES = ("yellow", "green", "orange", "pink")


def a_setup(players: int = 2, oldest: int = 0, **options: Any) -> Setup:
    seats = tuple(Player(name="ABCD"[seat], putty=PUTTIES[seat]) for seat in range(players))
    return Setup(format=1, game="smugglers", players=seats, oldest=oldest, options=options)


def started(setup: Setup) -> State:
    return GAME.set_up(setup).state  # type: ignore[union-attr]


def action_of(prompt: Prompt, fields: dict[str, Any]) -> Action:
    seat = {} if prompt.seat is None else {"seat": prompt.seat}
    return msgspec.convert({"do": prompt.do, **seat, **fields}, GAME.action_type)


def one_of(choice: Choice, rng: Random) -> Any:
    match choice:
        case OneOf(values):
            return rng.choice(values)
        case ManyOf(values, at_most, at_least):
            # Mostly one, as at a real table.
            count = rng.choice([1, 1, 1, 1, 1, 1, 0, 2, rng.randint(at_least, at_most)])
            return [rng.choice(values) for _ in range(max(at_least, min(count, at_most)))]
        case Number(unit="g"):
            return round(rng.uniform(19, 20), 2)
        case Text(pattern):
            return "".join(rng.choice("0123456789abcdef") for _ in range(64 if "64" in pattern else 32))
    raise AssertionError(choice)


def answered(prompt: Prompt, rng: Random) -> Action:
    return action_of(prompt, {name: one_of(choice, rng) for name, choice in prompt.choices.items()})


def played(
    setup: Setup, rng: Random, leaving: float = 0.0, most: int = 3000
) -> Iterator[tuple[State, Action, State, tuple[Happening, ...]]]:
    """Play to the end by whatever is asked, yielding every step: before, action, after, happened."""
    state = started(setup)
    for _ in range(most):
        if GAME.outcome(state) is not None:
            return
        if rng.random() < leaving:
            action: Action = Leave(seat=rng.choice(state.here()))
        else:
            action = answered(rng.choice(GAME.expects(state, None)), rng)
        step = GAME.apply(state, action)
        yield state, action, step.state, step.happened  # type: ignore[union-attr]
        state = step.state  # type: ignore[union-attr]


def every_answer(prompt: Prompt) -> Iterator[Action]:
    """Yield every combination of a prompt's finite choices, and the corners of the others."""
    names = list(prompt.choices)
    for values in product(*(list(_corners(choice)) for choice in prompt.choices.values())):
        yield action_of(prompt, dict(zip(names, values, strict=True)))


def _corners(choice: Choice) -> Iterator[Any]:
    match choice:
        case OneOf(values):
            yield from values
        case ManyOf(values, at_most, at_least):
            yield from ([value] * at_least for value in values[:1])
            yield from ([value] for value in values)
            yield from ([first, second] for first in values for second in values)
            yield list(values) * (at_most // len(values))
        case Number(least, most):
            yield from (least, most, 20.0)
        case Text():
            yield one_of(choice, Random(0))
