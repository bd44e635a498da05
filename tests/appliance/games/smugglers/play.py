"""Random players of Smugglers: games to open, and how likely each answer is."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from random import Random
from typing import Any

from appliance.games.protocol import Action, Choice, ManyOf, Number, OneOf, Player, Prompt, Setup, Text
from appliance.games.smugglers.rules.actions import Leave
from appliance.games.smugglers.rules.rules import RULES
from appliance.games.smugglers.rules.state import State
from hardware.readings import PuttyColour
from tests.appliance.games import playing
from tests.appliance.games.playing import Played

started = partial(playing.started, RULES)
stepped = partial(playing.stepped, RULES)
folded = partial(playing.folded, RULES)
action_of = partial(playing.action_of, RULES)

PUTTIES: tuple[PuttyColour, ...] = ("yellow", "green", "orange", "pink")


def a_setup(players: int = 2, oldest: int = 0, **options: Any) -> Setup:
    seats = tuple(Player(name="ABCD"[seat], putty=PUTTIES[seat]) for seat in range(players))
    return Setup(format=1, game="smugglers", players=seats, oldest=oldest, options=options)


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


def played(setup: Setup, rng: Random, leaving: float = 0.0) -> Iterator[Played]:
    """Yield each step of a random game in which somebody leaves with probability `leaving` a step."""

    def decide(state: State) -> Action:
        if rng.random() < leaving:
            return Leave(seat=rng.choice(state.here()))
        return answered(rng.choice(RULES.expects(state, None)), rng)

    return playing.played(RULES, setup, decide, most=3_000)


def corners(choice: Choice) -> Iterator[Any]:
    """Yield every value of a finite choice, the extremes of any other."""
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


every_answer = partial(playing.every_answer, RULES, corners=corners)
