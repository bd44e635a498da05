"""Playing by the open prompts alone, as the fuzzer and any page must be able to."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations_with_replacement, product
from random import Random
from typing import Any

import msgspec

from appliance.games.customs import GAME
from appliance.games.customs.actions import Leave, Shuffle
from appliance.games.customs.cards import PACK, Card
from appliance.games.customs.state import State
from appliance.games.game import Action, Choice, Happening, ManyOf, Number, OneOf, Player, Prompt, Setup, Step
from appliance.games.game import Shuffle as AnyOrder

TARIFF = {
    "wine": {"duty": 20, "fine": 50},
    "cigars": {"duty": 40, "fine": 100},
    "brandy": {"duty": 60, "fine": 150},
    "perfume": {"duty": 80, "fine": 200},
    "watch": {"duty": 120, "fine": 300},
    "camera": {"duty": 160, "fine": 400},
    "necklace": {"duty": 240, "fine": 600},
    "crown": {"duty": 500, "fine": 1000},
}
"""The arbitrary tariff of the scenarios."""


def a_setup(players: int = 4, **options: Any) -> Setup:
    seats = tuple(Player(name="ABCDEF"[seat]) for seat in range(players))
    given = {"tariff": TARIFF, "money": 10_000, "first_officer": 0, **options}
    return Setup(format=1, game="customs", players=seats, options=given)


def started(setup: Setup) -> State:
    return GAME.set_up(setup).state  # type: ignore[union-attr]


def pack_of(*top: Card) -> Shuffle:
    """A shuffle that puts `top` on top, in order, and the rest of the pack below in its own order."""
    free = list(range(len(PACK)))
    first = []
    for card in top:
        number = next(number for number in free if PACK[number] == card)
        free.remove(number)
        first.append(number)
    return Shuffle(order=(*first, *free))


def folded(setup: Setup, actions: Sequence[Action]) -> State:
    state = started(setup)
    for action in actions:
        step = GAME.apply(state, action)
        assert isinstance(step, Step), (action, step)
        state = step.state
    return state


def action_of(prompt: Prompt, fields: dict[str, Any]) -> Action:
    seat = {} if prompt.seat is None else {"seat": prompt.seat}
    return msgspec.convert({"do": prompt.do, **seat, **fields}, GAME.action_type)


def one_of(choice: Choice, rng: Random) -> Any:
    match choice:
        case OneOf(values):
            return rng.choice(values)
        case ManyOf(values, at_most, at_least):
            return [rng.choice(values) for _ in range(rng.randint(at_least, rng.randint(at_least, at_most)))]
        case Number(least, most):
            return rng.choice([int(least), int(most), rng.randint(int(least), int(most)), int(min(most, 200))])
        case AnyOrder(count):
            order = list(range(count))
            rng.shuffle(order)
            return order
    raise AssertionError(choice)


def answered(prompt: Prompt, rng: Random) -> Action:
    return action_of(prompt, {name: one_of(choice, rng) for name, choice in prompt.choices.items()})


def own_prompts(state: State) -> list[Prompt]:
    """Every open prompt as the one who has to answer it sees it."""
    public = [prompt for prompt in GAME.expects(state, None) if prompt.seat is None]
    seats = range(len(state.players))
    return public + [prompt for seat in seats for prompt in GAME.expects(state, seat) if prompt.seat == seat]


def played(
    setup: Setup, rng: Random, leaving: float = 0.0, most: int = 20_000
) -> Iterator[tuple[State, Action, State, tuple[Happening, ...]]]:
    """Play to the end by whatever is asked, yielding every step: before, action, after, happened."""
    state = started(setup)
    for _ in range(most):
        if GAME.outcome(state) is not None:
            return
        if rng.random() < leaving:
            action: Action = Leave(seat=rng.choice(state.here()))
        else:
            action = answered(rng.choice(own_prompts(state)), rng)
        step = GAME.apply(state, action)
        assert isinstance(step, Step), (action, step)
        yield state, action, step.state, step.happened
        state = step.state
    raise AssertionError("the game does not end")


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
            for count in range(at_least, at_most + 1):
                yield from combinations_with_replacement(values, count)
        case Number(least, most):
            yield from {int(least), int(most), int(least + most) // 2}
        case AnyOrder(count):
            yield list(range(count))
            yield list(reversed(range(count)))
