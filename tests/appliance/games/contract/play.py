"""Playing any game, knowing nothing of it but its declaration and its open prompts."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import count
from random import Random
from typing import Any, NamedTuple

import msgspec

from appliance.games.catalogue import GAMES, the_game
from appliance.games.game import Game
from appliance.games.protocol import (
    Action,
    AnyOrder,
    Choice,
    ManyOf,
    Number,
    OneOf,
    Player,
    Prompt,
    Rejection,
    Setup,
    SomeOf,
    Step,
    Text,
)
from tests.porters_game.game import GAME as PORTERS

EVERY: dict[str, Game] = {name: the_game(name) for name in GAMES} | {PORTERS.name: PORTERS}
"""Every game that must keep the contract: those of the catalogue, and the example of docs/adding-a-game.md."""
NAMES = ("Ann", "Ben", "Cleo", "Dan", "Eva", "Finn")
COLOURS = ("yellow", "green", "orange", "pink")
LONGEST = 20_000
"""Steps in which a game must have ended."""
LEAVING = 0.004
"""How likely somebody leaves at a step, so that a game of bad dice ends too."""
TEXTS = tuple("0123456789abcdef"[number % 16] * length for length in range(1, 129) for number in (0, 10))


@dataclass(frozen=True)
class Played:
    """A game that was played to its end: its actions, and every state, the first before any action."""

    game: Game
    setup: Setup
    actions: tuple[Action, ...]
    steps: tuple[Step[Any], ...]

    @property
    def seats(self) -> range:
        return range(len(self.setup.players))


class Asked(NamedTuple):
    prompt: Prompt
    action: Action


def a_setup(game: Game, players: int | None = None, **options: Any) -> Setup:
    """Return a set-up that the game takes: with the options of its robots, and with colours where it wants some."""
    players = players or min(game.rules.seats[-1], max(3, game.rules.seats[0]))
    given = {**(game.robots().demo_options() if game.robots else {}), **options}
    plain = tuple(Player(name=name) for name in NAMES[:players])
    coloured = tuple(Player(name=n, putty=c) for n, c in zip(NAMES[:players], COLOURS, strict=False))
    setups = [Setup(format=1, game=game.name, players=seated, options=given) for seated in (plain, coloured)]
    setups = [msgspec.structs.replace(setup, rules=game.rules.revision) for setup in setups]
    refused = [game.rules.set_up(setup) for setup in setups]
    for setup, step in zip(setups, refused, strict=True):
        if isinstance(step, Step):
            return setup
    raise AssertionError(refused)


def own_prompts(game: Game, state: Any, seats: int) -> list[Prompt]:
    """Return every open prompt as the one who is asked sees it."""
    everybody = [prompt for prompt in game.rules.expects(state, None) if prompt.seat is None]
    return everybody + [p for seat in range(seats) for p in game.rules.expects(state, seat) if p.seat == seat]


def one_of(choice: Choice, random: Random) -> Any:
    """Return one value that `choice` offers."""
    match choice:
        case OneOf(values):
            return random.choice(values)
        case ManyOf(values, at_most, at_least, most_each):
            most = most_each or (at_most,) * len(values)
            pool = [value for value, number in zip(values, most, strict=True) for _ in range(number)]
            return random.sample(pool, random.randint(at_least, min(at_most, len(pool), at_least + 2)))
        case SomeOf(values, at_least, at_most, but_not):
            for _ in count():
                some = random.sample(values, random.randint(at_least, at_most))
                if tuple(sorted(some)) not in but_not:
                    return some
        case Number(least, most, whole=whole):
            few = min(most, least + 50)
            value = random.choice([random.uniform(least, most), random.uniform(least, few), least, most])
            return int(value) if whole else min(most, max(least, round(value, 2)))
        case Text(pattern):
            return random.choice([text for text in TEXTS if re.fullmatch(pattern, text)])
        case AnyOrder(size):
            return random.sample(range(size), size)
    raise AssertionError(choice)


def answer(game: Game, prompt: Prompt, random: Random) -> Action:
    """Return one answer that `prompt` offers."""
    fields = {name: one_of(choice, random) for name, choice in prompt.choices.items()}
    return action_of(game, prompt.do, prompt.seat, fields)


def action_of(game: Game, do: str, seat: int | None, fields: dict[str, Any]) -> Action:
    named = {} if seat is None else {"seat": seat}
    action: Action = msgspec.convert({"do": do, **named, **fields}, game.rules.action_type)
    return action


def leave_of(game: Game, seat: int) -> Action:
    return action_of(game, "leave", seat, {})


def play(game: Game, seed: int, *, leaving: float = LEAVING, players: int | None = None) -> Played:
    """Play a random game to its end by its open prompts alone."""
    random, setup = Random(seed), a_setup(game, players)
    return _play(game, setup, lambda state: _at_random(game, setup, state, random, leaving))


def play_robots(game: Game, skill: str, seed: int) -> Played:
    """Play a game to its end among robots of one skill; the table's facts and chance are random."""
    setup = a_setup(game)
    return _play(game, setup, robots_decide(game, setup, skill, seed))


def robots_decide(game: Game, setup: Setup, skill: str, seed: int) -> Callable[[Any], Action]:
    """Return what gives the next action in a state among robots of one skill."""
    assert game.robots is not None
    random, seats = Random(seed), len(setup.players)
    robots = [game.robots().Robot(seat, skill, seed + seat) for seat in range(seats)]

    def decide(state: Any) -> Action:
        for prompt in game.rules.expects(state, None):
            if prompt.seat is None and not prompt.optional:
                return answer(game, prompt, random)
        for seat in random.sample(range(seats), seats):
            view = game.rules.view(state, seat)
            mine = [prompt for prompt in view.expects if prompt.seat == seat]
            chosen = robots[seat].choose(view, view.expects) if mine else None
            if chosen is not None:
                assert chosen[0] in mine, "a robot answers a prompt of its own"
                return chosen[1]
        # What hands do on the table, robots do not choose.
        left = own_prompts(game, state, seats)
        facts = [prompt for prompt in left if prompt.by == "table" or game.hands is not None]
        assert facts, "a robot decides what no fact of the table decides"
        return answer(game, random.choice(facts), random)

    return decide


def _at_random(game: Game, setup: Setup, state: Any, random: Random, leaving: float) -> Action:
    seats = len(setup.players)
    if random.random() < leaving:
        action = leave_of(game, random.randrange(seats))
        if isinstance(game.rules.apply(state, action), Step):
            return action
    return answer(game, random.choice(own_prompts(game, state, seats)), random)


def _play(game: Game, setup: Setup, decide: Any) -> Played:
    step = game.rules.set_up(setup)
    assert isinstance(step, Step), step
    actions, steps = [], [step]
    while game.rules.outcome(step.state) is None:
        action = decide(step.state)
        step = game.rules.apply(step.state, action)
        assert isinstance(step, Step), (step, action)
        actions.append(action)
        steps.append(step)
        assert len(actions) < LONGEST, "the game does not end"
    return Played(game, setup, tuple(actions), tuple(steps))


def refold(played: Played, actions: tuple[Action, ...]) -> tuple[Step[Any], ...] | Rejection:
    """Return every step of the same game with other actions, or why one of them is refused."""
    step = played.game.rules.set_up(played.setup)
    assert isinstance(step, Step)
    steps = [step]
    for action in actions:
        after = played.game.rules.apply(steps[-1].state, action)
        if isinstance(after, Rejection):
            return after
        steps.append(after)
    return tuple(steps)


def told(game: Game, step: Step[Any], viewer: int | None) -> bytes:
    """Return every byte that one viewer gets of a step: the view, the prompts, and what happened."""
    heard = [one for one in step.happened if one.to in (None, viewer)]
    return msgspec.json.encode((game.rules.view(step.state, viewer), game.rules.expects(step.state, viewer), heard))


def story(game: Game, steps: tuple[Step[Any], ...], viewer: int | None = None) -> Iterator[bytes]:
    """Yield `told` of every step."""
    return (told(game, step, viewer) for step in steps)
