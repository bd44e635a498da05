"""Random players of Prohis: games to open, and how likely each answer is."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from random import Random
from typing import Any

from appliance.games.prohis.rules.actions import Leave
from appliance.games.prohis.rules.rules import RULES
from appliance.games.prohis.rules.state import State
from appliance.games.protocol import Action, AnyOrder, Choice, Number, OneOf, Player, Setup, SomeOf
from tests.appliance.games import playing
from tests.appliance.games.playing import Played

started = partial(playing.started, RULES)
stepped = partial(playing.stepped, RULES)
action_of = partial(playing.action_of, RULES)
own_prompts = partial(playing.own_prompts, RULES)

OPTIONS: dict[str, tuple[Any, ...]] = {
    "declarations": ("open", "hidden"),
    "open_bribes": (False, True),
    "waived_prohi": ("warehouse", "hand"),
    "seized_prohi": ("warehouse", "hand"),
    "hand_cap": (False, True),
    "bribe_limit_s": (None, 60.0),
}


def a_setup(players: int = 4, **options: Any) -> Setup:
    seats = tuple(Player(name="ABCDEF"[seat]) for seat in range(players))
    return Setup(format=1, game="prohis", players=seats, options=options)


def any_setup(rng: Random, *, physical: bool = False) -> Setup:
    options = {name: rng.choice(values) for name, values in OPTIONS.items()}
    return a_setup(rng.randint(3, 6), physical=physical, **options)


def one_of(choice: Choice, rng: Random) -> Any:
    match choice:
        case OneOf(values):
            return rng.choice(values)
        case SomeOf(values, at_least, at_most, but_not):
            while True:
                some = rng.sample(values, rng.randint(at_least, at_most))
                if tuple(sorted(some)) not in but_not:
                    return some
        case AnyOrder(count):
            return rng.sample(range(count), count)
        case Number(least, most, _, True):
            return rng.randint(int(least), min(int(most), 6))
    raise AssertionError(choice)


def a_choice(state: State, rng: Random) -> Action:
    prompts = own_prompts(state)
    # Passing for good is rare at a real table; a game in which all do at once shows little.
    weights = [0.05 if prompt.do == "pass" else 1.0 for prompt in prompts]
    prompt = rng.choices(prompts, weights)[0]
    return action_of(prompt, {field: one_of(choice, rng) for field, choice in prompt.choices.items()})


def played(setup: Setup, rng: Random, leaving: float = 0.0) -> Iterator[Played]:
    """Yield each step of a random game in which somebody leaves with probability `leaving` a step."""

    def decide(state: State) -> Action:
        action = a_choice(state, rng)
        if rng.random() < leaving and not setup.options.get("physical"):
            here = [seat for seat, player in enumerate(state.players) if not player.passed]
            return Leave(seat=rng.choice(here))
        return action

    return playing.played(RULES, setup, decide, most=5_000)
