"""Random players of Customs: games to open, and how likely each answer is."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import combinations_with_replacement
from random import Random
from typing import Any

from appliance.games.customs.rules.actions import Leave, Shuffle
from appliance.games.customs.rules.cards import PACK, Card
from appliance.games.customs.rules.rules import RULES
from appliance.games.customs.rules.state import State
from appliance.games.protocol import Action, AnyOrder, Choice, ManyOf, Number, OneOf, Player, Prompt, Setup
from tests.appliance.games import playing
from tests.appliance.games.playing import Played

started = partial(playing.started, RULES)
stepped = partial(playing.stepped, RULES)
folded = partial(playing.folded, RULES)
action_of = partial(playing.action_of, RULES)
own_prompts = partial(playing.own_prompts, RULES)

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


def pack_of(*top: Card) -> Shuffle:
    """A shuffle that puts `top` on top, in order, and the rest of the pack below in its own order."""
    free = list(range(len(PACK)))
    first = []
    for card in top:
        number = next(number for number in free if PACK[number] == card)
        free.remove(number)
        first.append(number)
    return Shuffle(order=(*first, *free))


def one_of(choice: Choice, rng: Random) -> Any:
    match choice:
        case OneOf(values):
            return rng.choice(values)
        case ManyOf(values, at_most, at_least, most_each):
            count = rng.randint(at_least, rng.randint(at_least, at_most))
            pool = [
                value
                for value, most in zip(values, most_each or (at_most,) * len(values), strict=True)
                for _ in range(most)
            ]
            return rng.sample(pool, count)
        case Number(least, most):
            return rng.choice([int(least), int(most), rng.randint(int(least), int(most)), int(min(most, 200))])
        case AnyOrder(count):
            order = list(range(count))
            rng.shuffle(order)
            return order
    raise AssertionError(choice)


def answered(prompt: Prompt, rng: Random) -> Action:
    return action_of(prompt, {name: one_of(choice, rng) for name, choice in prompt.choices.items()})


def played(setup: Setup, rng: Random, leaving: float = 0.0) -> Iterator[Played]:
    """Yield each step of a random game in which somebody leaves with probability `leaving` a step."""

    def decide(state: State) -> Action:
        if rng.random() < leaving:
            return Leave(seat=rng.choice(state.here()))
        return answered(rng.choice(own_prompts(state)), rng)

    return playing.played(RULES, setup, decide, most=20_000)


def corners(choice: Choice) -> Iterator[Any]:
    """Yield every value of a finite choice, the extremes of any other."""
    match choice:
        case OneOf(values):
            yield from values
        case ManyOf(values, at_most, at_least, most_each):
            most = dict(zip(values, most_each or (at_most,) * len(values), strict=True))
            for count in range(at_least, at_most + 1):
                for some in combinations_with_replacement(values, count):
                    if all(some.count(value) <= most[value] for value in some):
                        yield some
        case Number(least, most):
            yield from {int(least), int(most), int(least + most) // 2}
        case AnyOrder(count):
            yield list(range(count))
            yield list(reversed(range(count)))


every_answer = partial(playing.every_answer, RULES, corners=corners)
