"""Playing by the open prompts alone, as the fuzzer and any page must be able to."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from random import Random
from typing import Any

import msgspec

from appliance.games.game import Action, Choice, Happening, Number, OneOf, Player, Prompt, Setup, Shuffle, Step
from appliance.games.haulers import GAME
from appliance.games.haulers.actions import Leave, Stop
from appliance.games.haulers.state import State
from tests.games.haulers.little_land import little_land

LIKELY = {"complete": 60, "start": 30, "go": 6, "drive": 6, "sail": 4, "transfer": 6, "end_turn": 2, "stop": 0.1}
"""What a random player prefers, so that deliveries arrive and games end; everything else weighs 1."""


def a_setup(players: int = 2, **options: Any) -> Setup:
    seats = tuple(Player(name="ABCDEF"[seat]) for seat in range(players))
    return Setup(format=1, game="haulers", players=seats, options={"edition": little_land(), **options})


def started(setup: Setup) -> State:
    step = GAME.set_up(setup)
    assert isinstance(step, Step), step
    return step.state


def action_of(prompt: Prompt, fields: dict[str, Any]) -> Action:
    seat = {} if prompt.seat is None else {"seat": prompt.seat}
    return msgspec.convert({"do": prompt.do, **seat, **fields}, GAME.action_type)


def one_of(choice: Choice, rng: Random) -> Any:
    match choice:
        case OneOf(values):
            return rng.choice(values)
        case Number(least, most):
            return rng.randint(int(least), min(int(most), int(least) + 400))
        case Shuffle(count):
            return rng.sample(range(count), count)
    raise AssertionError(choice)


def answered(prompt: Prompt, rng: Random) -> Action:
    return action_of(prompt, {name: one_of(choice, rng) for name, choice in prompt.choices.items()})


def decided(state: State, prompt: Prompt, rng: Random) -> Action:
    """Return a random answer; who drives often heads for a city that his deliveries name, so that games end."""
    if prompt.do == "go" and prompt.seat is not None and rng.random() < 0.7:
        player = state.players[prompt.seat]
        wanted = [state.card(load.card).bottom for load in player.loads] or [state.card(c).top for c in player.hand]
        if player.truck in wanted and getattr(state.stage, "boat", None) is None:
            return Stop(seat=prompt.seat)
        reached = [city for city in wanted if city in prompt.choices["to"].values]  # type: ignore[union-attr]
        if reached:
            return action_of(prompt, {"to": rng.choice(reached)})
    return answered(prompt, rng)


def every_prompt(state: State) -> list[Prompt]:
    """Return what anybody is asked, each as the one who is asked sees it."""
    public = GAME.expects(state, None)
    asked = sorted({prompt.seat for prompt in public if prompt.seat is not None})
    own = (prompt for seat in asked for prompt in GAME.expects(state, seat) if prompt.seat == seat)
    return [*(prompt for prompt in public if prompt.seat is None), *own]


def played(
    setup: Setup, rng: Random, leaving: float = 0.0, most: int = 200_000
) -> Iterator[tuple[State, Action, State, tuple[Happening, ...]]]:
    """Play to the end by whatever is asked, yielding every step: before, action, after, happened."""
    state = started(setup)
    for _ in range(most):
        if GAME.outcome(state) is not None:
            return
        prompts = every_prompt(state)
        if state.first is not None and rng.random() < leaving:
            action: Action = Leave(seat=rng.choice(state.here()))
        else:
            action = decided(state, rng.choices(prompts, [LIKELY.get(prompt.do, 1) for prompt in prompts])[0], rng)
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
        case Number(least, most):
            yield from {int(least), int(most)}
        case Shuffle(count):
            yield list(range(count))
            yield list(reversed(range(count)))


VARIANTS: tuple[dict[str, Any], ...] = (
    {},
    {"transit": True},
    {"transit": True, "police": "everybody", "keep_cards": "sold", "sabotage": "limited", "missions": "open"},
    {"transit": True, "keep_cards": "out", "sabotage": "out", "missions": "secret", "extra_turns": True},
    {"deliveries": 6, "second_place": True},
    {"deliveries": 5, "purchases": "at_the_end"},
    {"boats": "rented", "black_market": True},
    {"boats": "none", "station_premium": True, "heavy_stations": True},
    {"money": False, "transit": True},
    {"extra_turns": True, "dice": "real"},
)
