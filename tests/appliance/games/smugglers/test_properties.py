"""What holds in every game, shown by random play that knows nothing but the open prompts."""

from __future__ import annotations

import io
from itertools import islice, product
from random import Random
from typing import Any, get_args

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from appliance.games.protocol import Action, Rejection, Setup, Step
from appliance.games.smugglers.rules.actions import ATTEMPT_OUTCOMES, FOUND, PIECES, Attempt, Roll, TimeUp
from appliance.games.smugglers.rules.rules import RULES
from appliance.games.smugglers.rules.state import State
from appliance.journal.transcript import Transcript, read_transcript, write_transcript
from tests.appliance.games.playing import folded
from tests.appliance.games.smugglers.play import a_setup, every_answer, played
from tests.narrowed import of_kind

pytestmark = [pytest.mark.slow, pytest.mark.thorough]

OPTIONS = st.fixed_dictionaries(
    {},
    optional={
        "goal": st.sampled_from(["full", "short"]),
        "lanes": st.integers(2, 20),
        "tie_band_g": st.sampled_from([0, 0.2, 0.05, 1.5]),
        "same_mass_check": st.booleans(),
    },
)


@st.composite
def setups(draw: st.DrawFn) -> Setup:
    players = draw(st.integers(2, 4))
    options = draw(OPTIONS)
    if players < 4:
        options["illegal_sack"] = draw(st.sampled_from(["token", "piece"]))
    return a_setup(players, draw(st.integers(0, players - 1)), **options)


def check_invariants(state: State) -> None:
    """RULES §1.12, and out + supply + box = 28 of each (DESIGN §4)."""
    for token in ("sweet", "sour"):
        out = sum(player.tokens.of(token) for player in state.players)
        assert out + state.supply.of(token) + state.box.of(token) == 28
        assert state.supply.of(token) >= 3  # SM-100
        assert all(player.tokens.of(token) >= 0 for player in state.players)
    bombs = sum(player.usable_bombs + player.spent_bombs for player in state.players)
    assert bombs + state.pieces.bomb == 4
    assert all(player.usable_bombs >= 0 for player in state.players)
    for player in state.players:
        sweet, sour = player.tokens.sweet, player.tokens.sour
        one, each = (7, 5) if state.options.goal == "full" else (5, 4)
        reached = sweet >= one or sour >= one or (sweet >= each and sour >= each)
        assert reached <= (state.phase == "over"), "SM-96: checked after every token movement"
    assert 1 <= state.boss_lane <= state.options.lanes
    assert len({player.place for player in state.players if player.place}) == len(
        [player for player in state.players if player.place]
    )


@settings(max_examples=60)
@given(setups(), st.integers(0, 10**9), st.sampled_from([0.0, 0.0, 0.01, 0.05]))
def test_play_by_prompts_alone_ends_and_keeps_the_invariants(setup: Setup, seed: int, leaving: float) -> None:
    states = [state for _, _, state, _ in played(setup, Random(seed), leaving)]
    for state in states:
        check_invariants(state)
    outcome = RULES.outcome(states[-1])
    assert outcome is not None
    assert bool(outcome.winners) == (outcome.reason != "abandoned")
    assert RULES.expects(states[-1], None) == ()


@settings(max_examples=25)
@given(setups(), st.integers(0, 10**9))
def test_a_prompt_once_answered_never_comes_back(setup: Setup, seed: int) -> None:
    closed: set[str] = set()
    for before, action, after, _ in played(setup, Random(seed), 0.05 if seed % 2 else 0.01):
        tag, seat = type(action).__struct_config__.tag, getattr(action, "seat", None)
        was = {prompt.prompt for prompt in RULES.expects(before, None)}
        now = {prompt.prompt for prompt in RULES.expects(after, None)}
        answered = {
            prompt.prompt
            for prompt in RULES.expects(before, None)
            if (prompt.do, prompt.seat) == (tag, seat) and tag != "commit"
        }
        closed |= (was - now) | answered
        assert not closed & now


@settings(max_examples=25)
@given(setups(), st.integers(0, 10**9))
def test_transcript_and_fold_lead_to_the_same_bytes(setup: Setup, seed: int) -> None:
    steps = list(played(setup, Random(seed), 0.01))
    actions = [action for _, action, _, _ in steps]
    live = msgspec.json.encode(steps[-1][2])
    assert msgspec.json.encode(folded(RULES, setup, actions)) == live

    transcript = of_kind(Transcript, read_transcript(io.BytesIO(write_transcript(setup, actions).encode())))
    assert msgspec.json.encode(transcript.state) == live
    # A state is also a value that survives being stored.
    assert msgspec.json.decode(live, type=State) == steps[-1][2]


FIELDS = {
    "value": [*range(-1, 9)],
    "outcome": list(ATTEMPT_OUTCOMES),
    "target": [*range(-1, 5)],
    "guess": list(PIECES),
    "token": list(PIECES),
    "source": [*range(-1, 5), "supply", "box"],
    "mass_g": [-1.0, 0.0, 1e-9, 20.0, 1e9, float("inf"), float("nan")],
    "first": [True, False],
    "found": [[], *([piece] for piece in FOUND), list(FOUND), ["bomb"] * 13],
    "seal": ["", "0" * 64, "0" * 64 + "\n", "G" * 64],
    "salt": ["", "0" * 32, "g" * 32],
    "piece": list(PIECES),
}


def anything(seats: range) -> list[Action]:
    """Return every action with every odd value of the fields above, for every seat."""
    kinds = get_args(RULES.action_type)
    found = []
    for kind in kinds:
        names = [name for name in kind.__struct_fields__ if name != "seat"]
        for values in product(*(FIELDS[name] for name in names)):
            fields = {name: tuple(v) if isinstance(v, list) else v for name, v in zip(names, values, strict=True)}
            if "seat" in kind.__struct_fields__:
                found += [kind(seat=seat, **fields) for seat in seats]
            else:
                found.append(kind(**fields))
    return found


@pytest.mark.parametrize("seed", range(6))
def test_all_that_is_offered_is_taken_and_nothing_else(seed: int) -> None:
    everything = anything(range(-1, 5))
    options: dict[str, Any] = {"same_mass_check": seed % 2 == 0, "illegal_sack": "token" if seed % 3 == 2 else "piece"}
    setup = a_setup(2 + seed % 3, **options)
    rng = Random(seed)
    for number, (state, *_) in enumerate(played(setup, rng, 0.005)):
        prompts = RULES.expects(state, None)
        offered = [action for prompt in prompts for action in every_answer(prompt)]
        for action in offered:
            assert isinstance(RULES.apply(state, action), Step), action
        if number % 7:
            continue
        legal = {msgspec.json.encode(action) for action in offered}
        for action in everything:
            step = RULES.apply(state, action)
            tag = type(action).__struct_config__.tag
            if tag in ("leave", "commit", "unseal") or any(p.do == tag == "open" for p in prompts):
                continue
            assert isinstance(step, Step) == (msgspec.json.encode(action) in legal), action


@settings(max_examples=20)
@given(st.integers(0, 10**9), st.integers(2, 4))
def test_refusals_name_a_rule_and_change_nothing(seed: int, players: int) -> None:
    rng = Random(seed)
    everything = anything(range(players))
    for state, *_ in islice(played(a_setup(players), rng), 40):
        for action in rng.sample(everything, 20):
            before = msgspec.json.encode(state)
            step = RULES.apply(state, action)
            assert msgspec.json.encode(state) == before
            if isinstance(step, Rejection):
                assert step.rule.startswith("SM-")


def test_a01_after_a_corrected_verdict_and_undo_the_state_is_byte_identical() -> None:
    setup = a_setup(2)
    actions = [Roll(seat=0, value=1), TimeUp(), Attempt(seat=0, outcome="passed"), Attempt(seat=1, outcome="stuck")]
    corrected = [*actions[:2], Attempt(seat=0, outcome="stuck"), Attempt(seat=0, outcome="passed"), actions[3]]
    before = msgspec.json.encode(folded(RULES, setup, actions))
    assert msgspec.json.encode(folded(RULES, setup, corrected)) != before
    assert msgspec.json.encode(folded(RULES, setup, actions)) == before
