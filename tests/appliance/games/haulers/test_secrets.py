"""Nobody learns a hand, the order of a pile, a hidden mission, or whether goods are legal (TR-20, AP-3, AP-8)."""

from __future__ import annotations

from itertools import islice
from random import Random
from typing import Any

import msgspec
import pytest

from appliance.games.catalogue import the_game
from appliance.games.haulers.anonymise.replaced_cards import anonymise
from appliance.games.haulers.rules.actions import Redraw, Shuffle, Start
from appliance.games.haulers.rules.rules import RULES
from appliance.games.haulers.rules.state import State
from appliance.games.protocol import Rejection, Step
from appliance.journal.fold.history import public_fields
from tests.appliance.games.contract.play import Played
from tests.appliance.games.contract.test_secrets import twins
from tests.appliance.games.haulers.play import a_setup, own_prompts, played
from tests.seeds import seeds

pytestmark = pytest.mark.slow


def seen(state: State, seat: int | None) -> bytes:
    return msgspec.json.encode((RULES.view(state, seat), RULES.expects(state, seat)))


def otherwise(state: State, seat: int | None, rng: Random) -> State:
    """Return a state that differs in everything that `seat` may not know: hands, piles, closed goods, missions."""
    hidden = list(state.pile)
    strangers = [other for other in range(len(state.players)) if other != seat]
    for other in strangers:
        hidden += state.players[other].hand
    rng.shuffle(hidden)
    players = list(state.players)
    for other in strangers:
        player = players[other]
        hand = tuple(hidden.pop() for _ in player.hand)
        kinds = [load.kind for load in player.loads if not load.open]
        swapped: dict[str, Any] = {"legal": "smuggled", "smuggled": "legal"}
        opened = {load.kind for load in player.loads if load.open}
        loads = player.loads
        if not opened and len(set(kinds)) == 1 and len(kinds) <= 2:
            loads = tuple(msgspec.structs.replace(load, kind=swapped[load.kind]) for load in loads)
        players[other] = msgspec.structs.replace(player, hand=hand, loads=loads)
    missions = [*state.mission_pile, *(players[other].mission for other in strangers)]
    if state.options.missions == "secret" and None not in missions:
        rng.shuffle(missions)
        for other in strangers:
            players[other] = msgspec.structs.replace(players[other], mission=missions.pop())
    else:
        missions = list(state.mission_pile)
    transit = list(state.transit_pile)
    rng.shuffle(transit)
    return msgspec.structs.replace(
        state,
        players=tuple(players),
        pile=tuple(hidden),
        mission_pile=tuple(missions),
        transit_pile=tuple(transit),
    )


@pytest.mark.parametrize("seed", seeds(6, 12))
def test_states_that_differ_only_in_secrets_of_others_look_the_same(seed: int) -> None:
    rng = Random(seed)
    options = {"transit": True, "missions": "secret"} if seed % 2 else {"deliveries": 5}
    changed = 0
    for _, _, state, _ in islice(played(a_setup(3, **options), rng), 0, 500, 3):
        if RULES.outcome(state) is not None:
            break
        for seat in (None, 0, 1, 2):
            other = otherwise(state, seat, rng)
            changed += other != state
            assert seen(other, seat) == seen(state, seat)
    assert changed > 100


def test_legal_and_smuggled_starts_are_told_alike_and_open_the_same_prompts() -> None:
    found = 0
    for before, action, _, _ in played(a_setup(3), Random(2)):
        if isinstance(action, Start):
            told = []
            for kind in ("legal", "smuggled"):
                step = RULES.apply(before, msgspec.structs.replace(action, kind=kind))
                if isinstance(step, Step):
                    others = [seat for seat in (None, 0, 1, 2) if seat != action.seat]
                    told.append((step.happened, [seen(step.state, seat) for seat in others]))
            assert all(one == told[0] for one in told)
            found += len(told) == 2
    assert found > 10


def test_what_the_journal_shows_of_an_action_tells_no_secret() -> None:
    kinds = set()
    for _, action, _, _ in islice(played(a_setup(2), Random(3)), 800):
        fields = public_fields(action, RULES.secret_fields)
        if fields["do"] in RULES.secret_fields:
            kinds.add(fields["do"])
            assert not {"order", "card", "kind"} & set(fields)
    assert kinds == {"shuffle", "discard", "start"}


def test_no_happening_names_a_kind_before_it_is_shown() -> None:
    starts = 0
    for _, action, _, happened in islice(played(a_setup(3), Random(4)), 2000):
        said = msgspec.json.encode(happened).decode()
        if isinstance(action, Start):
            starts += 1
            assert "legal" not in said
            assert "smuggl" not in said
    assert starts > 3


def test_a_refused_start_says_nothing_about_the_card() -> None:
    """On the touchscreen others look on when a number is tapped."""
    state = next(after for _, _, after, _ in played(a_setup(2), Random(6)) if after.turn == 1)
    seat = state.first or 0
    steps = [RULES.apply(state, Start(seat=seat, card=card, kind="legal")) for card in (1, 2, 3)]
    refused = [step for step in steps if isinstance(step, Rejection)]
    assert refused
    assert all(step.values == {} for step in refused)


OPTIONS: tuple[dict[str, Any], ...] = (
    {"transit": True, "missions": "secret"},
    {"deliveries": 5},
    {"missions": "open", "boats_for_rent": True},
    {"transit": True, "keep_cards": "sold"},
)


@pytest.mark.parametrize("seed", seeds(4, 8))
def test_stand_ins_tell_the_same_story_and_nothing_that_nobody_saw(seed: int) -> None:
    """Hands, the places of cards in them, every shuffle, hidden missions and kinds: whatever differs in them alone."""
    game = one_game(2 + seed % 3, seed, OPTIONS[seed % len(OPTIONS)])
    replaced = anonymise(RULES, game.setup, game.actions)
    assert replaced is not None
    assert told(game.setup, replaced) == told(game.setup, game.actions)
    assert anonymise(RULES, game.setup, replaced) == replaced
    assert anonymise(RULES, game.setup, flip_unseen(game.setup, list(game.actions))) == replaced
    for twin in twins(game, Random(seed)):
        assert anonymise(RULES, game.setup, twin.actions) == replaced, game.actions[twin.at]


def test_games_in_which_all_cards_were_drawn_and_shuffled_again_have_stand_ins() -> None:
    """Then every card is somewhere, and whole hands are shown to need boats: few deals fit."""
    again = 0
    for seed in (86, 116, 221):
        game = one_game(2 + seed % 3, seed, ({"transit": True}, {"money": False})[seed % 6 == 4])
        deliveries = [one for one in game.actions if isinstance(one, Shuffle) and one.pile == "deliveries"]
        again += len(deliveries) > 1 and any(isinstance(one, Redraw) for one in game.actions)
        replaced = anonymise(RULES, game.setup, game.actions)
        assert replaced is not None
        assert told(game.setup, replaced) == told(game.setup, game.actions)
    assert again


def one_game(players: int, seed: int, options: dict[str, Any]) -> Played:
    """Return a random game as the contract's tests take it."""
    setup = a_setup(players, **options)
    actions = tuple(action for _, action, _, _ in played(setup, Random(seed)))
    steps = [RULES.set_up(setup)]
    for action in actions:
        assert isinstance(steps[-1], Step)
        steps.append(RULES.apply(steps[-1].state, action))
    return Played(the_game("haulers"), setup, actions, tuple(step for step in steps if isinstance(step, Step)))


def told(setup: Any, actions: Any) -> list[bytes]:
    """Return what everybody is told, step by step."""
    step = RULES.set_up(setup)
    found = []
    for action in actions:
        assert isinstance(step, Step)
        step = RULES.apply(step.state, action)
        assert isinstance(step, Step), (action, step)
        found.append(msgspec.json.encode((step.happened, RULES.view(step.state, None))))
    return found


def flip_unseen(setup: Any, actions: list[Any]) -> list[Any]:
    """Return the game with one never opened load of the end declared the other way, where that can be."""
    step = RULES.set_up(setup)
    assert isinstance(step, Step)
    states = [step.state]
    for action in actions:
        step = RULES.apply(states[-1], action)
        assert isinstance(step, Step)
        states.append(step.state)
    for seat, player in enumerate(states[-1].players):
        if len(player.loads) == 1 and not player.loads[0].open:
            card = player.loads[0].card
            at = max(
                i
                for i, a in enumerate(actions)
                if isinstance(a, Start) and a.seat == seat and states[i].players[seat].hand[a.card - 1] == card
            )
            other = "legal" if actions[at].kind == "smuggled" else "smuggled"
            flipped = [*actions[:at], msgspec.structs.replace(actions[at], kind=other), *actions[at + 1 :]]
            if not any(len(state.players[seat].loads) > 1 for state in states[at + 1 :]):
                return flipped
    return actions


def test_the_same_is_asked_of_everybody_where_it_could_tell() -> None:
    """Others see nothing of whether somebody can start, and whoever is asked sees no other's cards."""
    for _, _, state, _ in islice(played(a_setup(3), Random(8)), 0, 600, 7):
        for prompt in own_prompts(state):
            if prompt.do in ("start", "redraw"):
                others = [seat for seat in (None, 0, 1, 2) if seat != prompt.seat]
                assert all(prompt not in RULES.expects(state, seat) for seat in others)
