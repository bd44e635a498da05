"""What holds in every game, whatever is played: shown by random play and by trying every answer of every prompt."""

from __future__ import annotations

from collections import Counter
from itertools import islice
from random import Random
from typing import Any

import msgspec
import pytest

from appliance.games.haulers.rules.actions import Complete, Inspect, Leave
from appliance.games.haulers.rules.rules import RULES
from appliance.games.haulers.rules.stages import Over, Rolling, Shuffling
from appliance.games.haulers.rules.state import State
from appliance.games.protocol import Rejection, Step
from tests.appliance.games.haulers.play import VARIANTS, a_setup, every_answer, own_prompts, played, started
from tests.appliance.games.playing import folded
from tests.narrowed import of_kind

pytestmark = [pytest.mark.slow, pytest.mark.thorough]

START_DOLLARS = 2000


def check_conserved(state: State) -> None:
    """Money against the bank's ledger; every card, upgrade, mission and vehicle in exactly one place."""
    start = START_DOLLARS * len(state.players) if state.options.money else 0
    assert sum(player.cash for player in state.players) == start + state.bank
    assert all(player.cash >= 0 for player in state.players)
    deck = [*state.pile, *state.discards]
    for player in state.players:
        deck += [*player.hand, *(load.card for load in player.loads)]
        assert all(player.unused(kind) >= 0 for kind in ("legal", "smuggled"))
        assert player.room() >= 0
        assert min(msgspec.structs.astuple(player.chips)) >= 0
    assert len(deck) == len(set(deck))
    boats = state.options.boats
    assert len(deck) == sum(boats != "none" or not state.is_overseas(n) for n in range(len(state.edition.deliveries)))
    supplies = state.edition.supplies
    owned = Counter(
        turbo=sum(p.turbo for p in state.players),
        double=sum(p.double for p in state.players),
        radar=sum(p.radars for p in state.players),
        stations=len(state.stations),
        boats=sum(p.boat is not None for p in state.players),
    )
    of_boats = {"none": 0, "two": min(2, supplies.boats)}.get(boats, supplies.boats)
    assert {name: state.stock[name] + owned[name] for name in state.stock} == {
        "turbo": supplies.turbo,
        "double": supplies.double,
        "radar": supplies.radar,
        "stations": supplies.stations,
        "boats": of_boats,
    }
    assert all(len(state.aboard(seat)) <= 1 for seat in range(len(state.players)))
    missions = [*state.mission_pile, *(p.mission for p in state.players if p.mission is not None)]
    assert sorted(missions) == (list(range(len(state.edition.missions))) if state.options.missions != "none" else [])
    transit = [
        *state.transit_pile,
        *state.transit_discards,
        *state.papers_pile,
        *(c for p in state.players for c in p.papers),
    ]
    assert len(transit) == len(set(transit))


def check_asked(state: State) -> None:
    """Somebody is asked as long as the game is open, and nobody who left."""
    prompts = own_prompts(state)
    if isinstance(state.stage, Over):
        assert prompts == []
        return
    assert any(not prompt.optional for prompt in prompts)
    assert all(prompt.seat is None or not state.players[prompt.seat].left for prompt in prompts)
    by_name: dict[str, set[str]] = {}
    for prompt in prompts:
        by_name.setdefault(prompt.prompt, set()).add(prompt.chance)
    assert all(len(chances) == 1 for chances in by_name.values())


def play_through(seed: int) -> State:
    rng = Random(seed)
    options = VARIANTS[seed % len(VARIANTS)]
    players = rng.randint(3 if options.get("boats") == "two" else 2, 4 if options.get("missions") else 6)
    state = started(a_setup(players, **options))
    for _, _, state, _ in played(a_setup(players, **options), rng, 0.001 if seed % 3 == 0 else 0.0):
        check_conserved(state)
        check_asked(state)
    assert RULES.outcome(state) is not None
    return of_kind(State, state)


@pytest.mark.parametrize("seed", range(200))
def test_random_games_end_and_lose_nothing_on_the_way(seed: int) -> None:
    play_through(seed)


@pytest.mark.soak
@pytest.mark.parametrize("batch", range(100))
def test_ten_thousand_random_games(batch: int) -> None:
    for seed in range(1000 + 100 * batch, 1100 + 100 * batch):
        play_through(seed)


@pytest.mark.parametrize("options", VARIANTS)
def test_every_offered_answer_is_legal(options: dict[str, Any]) -> None:
    rng = Random(5)
    for state, _, _, _ in islice(played(a_setup(3, **options), rng), 0, 400, 5):
        for prompt in own_prompts(state):
            for action in every_answer(prompt):
                step = RULES.apply(state, action)
                assert isinstance(step, Step), (prompt, action, step)


def test_nothing_but_what_is_offered_is_legal() -> None:
    """Answers offered at other moments are refused now, unless they are offered now."""
    rng = Random(9)
    steps = list(islice(played(a_setup(3, transit=True, missions="secret"), rng), 300))
    actions = {msgspec.json.encode(action): action for _, action, _, _ in steps}
    for state, _, _, _ in steps[::6]:
        offered = {msgspec.json.encode(a) for p in own_prompts(state) for a in every_answer(p)}
        free = (
            {"shuffle"}
            if isinstance(state.stage, Shuffling)
            else {"roll"}
            if isinstance(state.stage, Rolling)
            else set()
        )
        for code, action in actions.items():
            tag = str(type(action).__struct_config__.tag)
            if code not in offered and tag not in free | {"offer", "ask_boat"}:
                assert isinstance(RULES.apply(state, action), Rejection), (state.stage, action)


def test_chips_come_from_deliveries_and_checks_alone() -> None:
    """With money no chip is ever spent: white and black count deliveries, red counts finds."""
    for seed in range(20):
        found, done = Counter[int](), Counter[int]()
        for before, action, state, happened in played(a_setup(3), Random(seed)):
            if isinstance(action, Complete):
                done[action.seat] += 1
            found.update(h.values["seat"] for h in happened if h.code == "red_chip")
            for seat, player in enumerate(state.players):
                assert player.chips.white + player.chips.black == done[seat]
                assert player.chips.red == found[seat]
            assert not isinstance(action, Inspect) or before.stage != state.stage


@pytest.mark.parametrize("seed", range(8))
def test_replaying_the_actions_gives_the_same_state(seed: int) -> None:
    setup = a_setup(2 + seed % 3, **VARIANTS[seed])
    steps = list(islice(played(setup, Random(seed)), 600))
    again = folded(RULES, setup, [action for _, action, _, _ in steps])
    assert msgspec.json.encode(again) == msgspec.json.encode(steps[-1][2])


def test_prompt_names_never_come_back() -> None:
    for seed in range(4):
        closed: set[str] = set()
        last: set[str] = set()
        for _, _, state, _ in played(a_setup(3, missions="open"), Random(seed)):
            names = {prompt.prompt for prompt in own_prompts(state)}
            closed |= last - names
            assert not closed & names
            last = names


def test_everybody_but_one_leaves() -> None:
    setup = a_setup(3)
    state = next(after for _, _, after, _ in played(setup, Random(1)) if after.turn == 3)
    for seat in (0, 2):
        step = RULES.apply(state, Leave(seat=seat))
        assert isinstance(step, Step)
        state = step.state
        check_conserved(state)
    outcome = RULES.outcome(state)
    assert outcome is not None
    assert (outcome.winners, outcome.reason) == ((), "abandoned")
