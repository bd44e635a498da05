"""Whole games by robots under the real rules, without time, sensors or hands. Results of dice and hands are random."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from appliance.games.game import Game, Robot
from appliance.games.protocol import (
    Action,
    AnyOrder,
    Choice,
    ManyOf,
    Number,
    OneOf,
    Outcome,
    Player,
    Prompt,
    Rejection,
    Setup,
    SomeOf,
    Step,
    Text,
)
from appliance.games.read_action import read_action

STEPS_MOST = 20_000


class Played(NamedTuple):
    """A game that robots played to its end."""

    game: Game
    setup: Setup
    actions: tuple[Action, ...]
    outcome: Outcome


def play(game: Game, names: Sequence[str], seed: int) -> Played | None:
    """Return a whole game of robots; None if it does not end within `STEPS_MOST` actions.

    :param names: of the players; the game must allow their number.
    """
    chance = random.Random(seed)
    assert game.robots is not None, "the games of the house have robots"
    robots = game.robots()
    skill = list(robots.SKILLS)[-1]
    setup = _setup(game, game.demo_players(names), robots.demo_options())
    step = game.rules.set_up(setup)
    assert isinstance(step, Step), step
    seated = [robots.Robot(seat, skill, seed + seat) for seat in range(len(names))]
    actions: list[Action] = []
    while (outcome := game.rules.outcome(step.state)) is None:
        if len(actions) == STEPS_MOST:
            return None
        action = _next(game, step.state, seated, chance)
        after = game.rules.apply(step.state, action)
        assert not isinstance(after, Rejection), after
        step = after
        actions.append(action)
    return Played(game, setup, tuple(actions), outcome)


def _setup(game: Game, players: Sequence[Player], options: dict[str, Any]) -> Setup:
    return Setup(format=1, game=game.name, players=tuple(players), options=options, rules=game.rules.revision)


def _next(game: Game, state: Any, robots: Sequence[Robot], chance: random.Random) -> Action:
    for prompt in game.rules.expects(state, None):
        if prompt.seat is None and not prompt.optional:
            return _answer(game, prompt, chance)
    for seat in chance.sample(range(len(robots)), len(robots)):
        view = game.rules.view(state, seat)
        if any(prompt.seat == seat for prompt in view.expects):
            chosen = robots[seat].choose(view, view.expects)
            if chosen is not None:
                return chosen[1]
    return _answer(game, chance.choice(list(_open(game, state, len(robots)))), chance)


def _open(game: Game, state: Any, seats: int) -> Iterator[Prompt]:
    """Yield the open prompts, each as its own seat sees it, including those for hands, which robots do not answer."""
    yield from (prompt for prompt in game.rules.expects(state, None) if prompt.seat is None)
    for seat in range(seats):
        yield from (prompt for prompt in game.rules.expects(state, seat) if prompt.seat == seat)


def _answer(game: Game, prompt: Prompt, chance: random.Random) -> Action:
    whose = {} if prompt.seat is None else {"seat": prompt.seat}
    fields = {name: _value(choice, chance) for name, choice in prompt.choices.items()}
    return read_action({"do": prompt.do, **whose, **fields}, game.rules)


def _value(choice: Choice, chance: random.Random) -> Any:
    match choice:
        case OneOf(values):
            return chance.choice(values)
        case ManyOf(at_most=at_most, at_least=at_least, most=most):
            pool = [value for value, number in most.items() for _ in range(number)]
            return chance.sample(pool, min(len(pool), at_least or min(1, at_most)))
        case SomeOf(values, at_least, at_most, but_not):
            while True:
                some = chance.sample(values, chance.randint(at_least, at_most))
                if tuple(sorted(some)) not in but_not:
                    return some
        case Number(least, most, whole=whole):
            value = chance.uniform(least, min(most, least + 50))
            return int(value) if whole else min(most, max(least, round(value, 2)))
        case AnyOrder(count):
            return chance.sample(range(count), count)
        case Text():
            return "0" * 64
