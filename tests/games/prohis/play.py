"""Playing by the open prompts alone, as the fuzzer and any page must be able to."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

import msgspec

from appliance.games.game import Action, Choice, Happening, Number, OneOf, Player, Prompt, Setup, Shuffle, SomeOf, Step
from appliance.games.prohis import GAME
from appliance.games.prohis.actions import Leave
from appliance.games.prohis.state import State

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


def started(setup: Setup) -> State:
    return GAME.set_up(setup).state  # type: ignore[union-attr]


def stepped(state: State, action: Action) -> Step[State]:
    step = GAME.apply(state, action)
    assert isinstance(step, Step), (step, action)
    return step


def action_of(prompt: Prompt, fields: dict[str, Any]) -> Action:
    seat = {} if prompt.seat is None else {"seat": prompt.seat}
    return msgspec.convert({"do": prompt.do, **seat, **fields}, GAME.action_type)


def one_of(choice: Choice, rng: Random) -> Any:
    match choice:
        case OneOf(values):
            return rng.choice(values)
        case SomeOf(values, at_least, at_most, but_not):
            while True:
                some = rng.sample(values, rng.randint(at_least, at_most))
                if tuple(sorted(some)) not in but_not:
                    return some
        case Shuffle(count):
            return rng.sample(range(count), count)
        case Number(least, most, _, True):
            return rng.randint(int(least), min(int(most), 6))
    raise AssertionError(choice)


def own_prompts(state: State) -> list[Prompt]:
    """Return every open prompt as the one who is asked sees it."""
    seats = range(len(state.players))
    mine = [prompt for seat in seats for prompt in GAME.expects(state, seat) if prompt.seat == seat]
    return [prompt for prompt in GAME.expects(state, None) if prompt.seat is None] + mine


def a_choice(state: State, rng: Random) -> Action:
    prompts = own_prompts(state)
    # Passing for good is rare at a real table; a game in which all do at once shows little.
    weights = [0.05 if prompt.do == "pass" else 1.0 for prompt in prompts]
    prompt = rng.choices(prompts, weights)[0]
    return action_of(prompt, {field: one_of(choice, rng) for field, choice in prompt.choices.items()})


def played(
    setup: Setup, rng: Random, leaving: float = 0.0
) -> Iterator[tuple[State, Action, State, tuple[Happening, ...]]]:
    """Yield each step of a random game: the state before, the action, the state after, what happened."""
    state = started(setup)
    while GAME.outcome(state) is None:
        action = a_choice(state, rng)
        if rng.random() < leaving and not setup.options.get("physical"):
            here = [seat for seat, player in enumerate(state.players) if not player.passed]
            action = Leave(seat=rng.choice(here))
        step = stepped(state, action)
        yield state, action, step.state, step.happened
        state = step.state
