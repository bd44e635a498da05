"""Random players of Haulers: games to open, and how likely each answer is."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from random import Random
from typing import Any

from appliance.games.haulers.rules.actions import Leave, Stop
from appliance.games.haulers.rules.map.board import paths
from appliance.games.haulers.rules.rules import RULES
from appliance.games.haulers.rules.state import State
from appliance.games.protocol import Action, AnyOrder, Choice, Number, OneOf, Player, Prompt, Setup
from tests.appliance.games import playing
from tests.appliance.games.haulers.little_land import land_by_hand, little_land
from tests.appliance.games.playing import Played
from tests.narrowed import of_kind, there

started = partial(playing.started, RULES)
stepped = partial(playing.stepped, RULES)
folded = partial(playing.folded, RULES)
action_of = partial(playing.action_of, RULES)

LIKELY = {"complete": 60, "start": 30, "go": 6, "drive": 6, "sail": 4, "end_turn": 2, "stop": 0.1, "done": 40}
"""What a random player prefers, so that deliveries arrive and games end; everything else weighs 1."""


LONGEST = 10_000
"""Steps in which every game must have ended: twice the longest of the soak's ten thousand."""


def a_setup(players: int = 2, **options: Any) -> Setup:
    seats = tuple(Player(name="ABCDEF"[seat]) for seat in range(players))
    return Setup(format=1, game="haulers", players=seats, options={"edition": little_land(), **options})


def own_prompts(state: State) -> list[Prompt]:
    """Return what `playing.own_prompts` does, in less time: here everybody sees who is asked."""
    public = RULES.expects(state, None)
    asked = sorted({prompt.seat for prompt in public if prompt.seat is not None})
    mine = [prompt for seat in asked for prompt in RULES.expects(state, seat) if prompt.seat == seat]
    return [prompt for prompt in public if prompt.seat is None] + mine


def one_of(choice: Choice, rng: Random) -> Any:
    match choice:
        case OneOf(values):
            return rng.choice(values)
        case Number(least, most):
            return rng.randint(int(least), min(int(most), int(least) + 400))
        case AnyOrder(count):
            return rng.sample(range(count), count)
    raise AssertionError(choice)


def answered(prompt: Prompt, rng: Random) -> Action:
    return action_of(prompt, {name: one_of(choice, rng) for name, choice in prompt.choices.items()})


def decided(state: State, prompt: Prompt, rng: Random) -> Action:
    """Return a random answer; who is on the way mostly heads for where his goods are wanted, so that games end."""
    if prompt.do == "go" and prompt.seat is not None and rng.random() < 0.7:
        boat = getattr(state.stage, "boat", None)
        wanted = wanted_at(state, prompt.seat, boat)
        ways = state.board.ways(state.vehicle(boat))
        here = state.players[prompt.seat].truck if boat is None else state.players[boat].boat.at
        if here in wanted:
            return Stop(seat=prompt.seat)
        if wanted:
            steps = {square: len(path) for square, path in paths(ways, rng.choice(wanted), len(ways)).items()}
            squares = of_kind(OneOf, prompt.choices["to"]).values
            return action_of(prompt, {"to": min(squares, key=lambda square: steps.get(square, 0))})
    return answered(prompt, rng)


def wanted_at(state: State, seat: int, boat: int | None) -> list[str]:
    """Return the squares where a truck (None) or the boat of a seat can go on with what it carries, or load."""
    player, overseas = state.players[seat], state.board.overseas
    if boat is not None:
        aboard = [state.card(load.card).bottom for _, load in state.aboard(boat)]
        fetched = [state.card(card).top for card in player.hand if state.card(card).top in overseas]
        at_port = [player.truck] if player.truck in state.board.ports else list(state.board.ports)
        return [city for city in aboard if city in overseas] or [*at_port, *(() if aboard else fetched)]
    berths = [there(state.players[owner].boat).at for owner in state.steered_by(seat)]
    ports = [berth for berth in berths if berth in state.board.ports] or list(state.board.ports)
    bottoms = [state.card(load.card).bottom for load in player.on_truck()]
    meets_boat = any(load.boat is not None for load in player.loads) or any(city in overseas for city in bottoms)
    tops = [state.card(card).top for card in player.hand if player.room() > 0]
    return [city for city in (*bottoms, *tops) if city not in overseas] + (ports if meets_boat else [])


def chance_of(state: State, prompt: Prompt) -> float:
    """Return how likely a random player takes up a prompt: goods go aboard to get overseas, ashore to get back."""
    if prompt.do == "transfer":
        (load,), (boat,) = (of_kind(OneOf, prompt.choices[field]).values for field in ("load", "boat"))
        return 20 if (state.card(load).bottom in state.board.overseas) == (boat is not None) else 0.5
    return LIKELY.get(prompt.do, 1)


def played(setup: Setup, rng: Random, leaving: float = 0.0, most: int = LONGEST) -> Iterator[Played]:
    """Yield each step of a random game in which somebody leaves with probability `leaving` a step."""

    def decide(state: State) -> Action:
        prompts = own_prompts(state)
        if state.first is not None and rng.random() < leaving:
            return Leave(seat=rng.choice(state.here()))
        return decided(state, rng.choices(prompts, [chance_of(state, prompt) for prompt in prompts])[0], rng)

    return playing.played(RULES, setup, decide, most)


def corners(choice: Choice) -> Iterator[Any]:
    """Yield every value of a finite choice, the extremes of any other."""
    match choice:
        case OneOf(values):
            yield from values
        case Number(least, most):
            yield from {int(least), int(most)}
        case AnyOrder(count):
            yield list(range(count))
            yield list(reversed(range(count)))


every_answer = partial(playing.every_answer, RULES, corners=corners)


VARIANTS: tuple[dict[str, Any], ...] = (
    {},
    {"transit": True},
    {"transit": True, "police": "everybody", "keep_cards": "sold", "sabotage": "limited", "missions": "open"},
    {"transit": True, "keep_cards": "out", "sabotage": "out", "missions": "secret", "extra_turns": True},
    {"deliveries": 6, "second_place": True},
    {"deliveries": 5, "purchases": "at_the_end"},
    {"boats_for_rent": True, "black_market": True},
    {"boats": "none", "station_premium": True, "heavy_stations": True},
    {"money": False, "transit": True},
    {"extra_turns": True, "dice": "real"},
    {"boats": "two", "boats_for_rent": True, "transit": True, "police": "everybody"},
    {"edition": land_by_hand(), "transit": True, "missions": "secret"},
)
