"""What holds in every game, shown by random play that knows nothing but the open prompts."""

from __future__ import annotations

import io
from collections import Counter
from itertools import product
from random import Random
from typing import Any, get_args

import msgspec
import pytest

from appliance.games.customs.rules.actions import Discard, Leave, Open
from appliance.games.customs.rules.cards import CARDS, GOODS, PACK
from appliance.games.customs.rules.rules import RULES
from appliance.games.customs.rules.state import Asking, Exchanging, Over, Shuffling, State
from appliance.games.protocol import Action, Rejection, Setup, Step
from appliance.journal.transcript import Transcript, read_transcript, write_transcript
from tests.appliance.games.customs.play import a_setup, every_answer, own_prompts, played
from tests.appliance.games.playing import folded
from tests.narrowed import of_kind, there

pytestmark = [pytest.mark.slow, pytest.mark.thorough]

MONEY = (400, 3_000, 10_000, 100_000)
LEAVING = (0.0, 0.0, 0.002, 0.02)


def setup_of(seed: int) -> Setup:
    options: dict[str, Any] = {
        "money": MONEY[seed % 4],
        "physical": seed % 5 == 0,
        "show_balances": seed % 3 == 0,
        "first_officer": None if seed % 2 else seed % 3,
    }
    return a_setup(3 + seed // 4 % 4, **options)


def check_invariants(state: State) -> None:
    options = state.options
    assert sum(player.money for player in state.players) + state.set_aside == options.total  # C-26, CU-4
    assert all(player.money >= 0 for player in state.players)
    cards = [*state.pack, *state.hand, *state.discards, *state.put_away]
    if state.round and not isinstance(state.stage, Shuffling | Over):
        assert len(cards) == len(PACK)
        if not options.physical:
            assert Counter(cards) == Counter(PACK)
        assert not Counter(card for card in cards if card is not None) - Counter(PACK)  # CU-1
        assert state.players[there(state.officer)].status == "in"
        assert len(state.hand) in (0, 4)
    if not isinstance(state.stage, Over):
        assert len(state.here()) >= 3  # CU-63
    assert all(loan.amount > 0 and loan.debtor != loan.creditor for loan in state.loans)
    out = {seat for seat, player in enumerate(state.players) if player.status != "in"}
    assert not out & {seat for loan in state.loans for seat in (loan.debtor, loan.creditor)}
    for prompt in own_prompts(state):
        assert prompt.seat not in out
        if prompt.seat is not None and not prompt.optional:
            travels = prompt.do in ("declare", "claim_bag", "believe", "disbelieve", "discard", "open")
            assert not (travels and prompt.seat == state.officer)  # CU-5
    assert sum(player.served for player in state.players) == state.round  # each Officer once (CU-3)


def play_out(seed: int) -> State:
    state: State | None = None
    rng = Random(seed)
    for _, _, state, _ in played(setup_of(seed), rng, LEAVING[seed // 7 % 4]):
        check_invariants(state)
    assert state is not None
    assert RULES.expects(state, None) == ()
    outcome = RULES.outcome(state)
    assert outcome is not None
    richest = max(player.money for player in state.players if player.status == "in")
    assert {seat for seat in state.here() if state.players[seat].money == richest} == set(outcome.winners)
    assert state.loans == ()
    return state


def test_300_games_end_and_keep_the_invariants() -> None:
    reasons = Counter(of_kind(Over, play_out(seed).stage).reason for seed in range(300))
    assert set(reasons) == {"all_were_officer", "too_few_players"}
    assert min(reasons.values()) > 20


@pytest.mark.soak
def test_10000_games_end_and_keep_the_invariants() -> None:
    for seed in range(1_000, 11_000):
        play_out(seed)


@pytest.mark.parametrize("seed", range(25))
def test_a_prompt_once_answered_never_comes_back(seed: int) -> None:
    closed: set[str] = set()
    for before, _, after, _ in played(setup_of(seed), Random(seed), 0.002):
        was, now = ({prompt.prompt for prompt in own_prompts(state)} for state in (before, after))
        closed |= was - now
        assert not closed & now


@pytest.mark.parametrize("seed", range(25))
def test_transcript_and_fold_lead_to_the_same_bytes(seed: int) -> None:
    setup = setup_of(seed)
    steps = list(played(setup, Random(seed), 0.002))
    actions = [action for _, action, _, _ in steps]
    live = msgspec.json.encode(steps[-1][2])
    assert msgspec.json.encode(folded(RULES, setup, actions)) == live
    transcript = of_kind(Transcript, read_transcript(io.BytesIO(write_transcript(setup, actions).encode())))
    assert msgspec.json.encode(transcript.state) == live
    assert msgspec.json.decode(live, type=State) == steps[-1][2]


FIELDS: dict[str, list[Any]] = {
    "officer": [*range(-1, 6)],
    "order": [(), tuple(range(56)), tuple(range(55, -1, -1)), (0,) * 56, tuple(range(57))],
    "goods": [(), ("wine",), ("crown",) * 4, ("wine",) * 5, GOODS],
    "cards": [(), ("wine",) * 4, CARDS[:4], CARDS[:3], ("bag",) * 5],
    "card": list(CARDS),
    "lender": [*range(-1, 6)],
    "creditor": [*range(-1, 6)],
    "amount": [-1, 0, 1, 150, 10_000, 10_001, 10**9],
}


def anything(seats: range) -> list[Action]:
    """Return every action with every odd value of the fields above, for every seat."""
    found = []
    for kind in get_args(RULES.action_type):
        names = [name for name in kind.__struct_fields__ if name != "seat"]
        for values in product(*(FIELDS[name] for name in names)):
            fields = dict(zip(names, values, strict=True))
            if "seat" in kind.__struct_fields__:
                found += [kind(seat=seat, **fields) for seat in seats]
            else:
                found.append(kind(**fields))
    return found


def legal_beyond_offers(state: State, action: Action) -> bool:
    """What is legal without being offered as such: leaving, and amounts between the corners of a number."""
    tag = type(action).__struct_config__.tag
    return tag in ("leave", "ask_loan", "repay") or isinstance(action, Open)


@pytest.mark.parametrize("seed", range(10))
def test_all_that_is_offered_is_taken_and_nothing_else(seed: int) -> None:
    setup = setup_of(seed)
    everything = anything(range(-1, 6))
    for number, (state, *_) in enumerate(played(setup, Random(seed), 0.002)):
        if number % 5:
            continue
        offered = [action for prompt in own_prompts(state) for action in every_answer(prompt)]
        for action in offered:
            assert isinstance(RULES.apply(state, action), Step), action
        legal = {msgspec.json.encode(action) for action in offered}
        for action in everything:
            if not legal_beyond_offers(state, action):
                taken = isinstance(RULES.apply(state, action), Step)
                same = msgspec.json.encode(_as_offered(action)) in legal
                assert taken == same, action


def _as_offered(action: Action) -> Action:
    """A declaration with its goods in the order of the offers."""
    goods = getattr(action, "goods", None)
    return action if goods is None else msgspec.structs.replace(action, goods=tuple(sorted(goods, key=GOODS.index)))


@pytest.mark.parametrize("seed", range(10))
def test_refusals_name_a_rule_and_change_nothing(seed: int) -> None:
    rng = Random(seed)
    everything = anything(range(-1, 6))
    for state, *_ in played(setup_of(seed), rng):
        before = msgspec.json.encode(state)
        for action in rng.sample(everything, 10):
            step = RULES.apply(state, action)
            if isinstance(step, Rejection):
                assert step.rule.startswith(("CU-", "AP-"))
        assert msgspec.json.encode(state) == before


def test_every_stage_and_every_action_is_reached_by_random_play() -> None:
    actions, stages = set(), set()
    for seed in range(60):
        for before, action, *_ in played(setup_of(seed), Random(seed), 0.002):
            actions.add(type(action))
            stages.add(type(before.stage))
    assert actions == set(get_args(RULES.action_type))
    assert {Asking, Exchanging, Shuffling} < stages


def test_c26_loans_and_fines_move_money_and_make_none() -> None:
    """Step by step: a player's loss is somebody's gain, but for the money that a leaver takes along."""
    for seed in range(40):
        for before, action, after, happened in played(setup_of(seed), Random(seed), 0.01):
            moved = [one.values for one in happened if one.code in ("paid", "loan_given", "loan_repaid")]
            change = [new.money - old.money for old, new in zip(before.players, after.players, strict=True)]
            for values in moved:
                change[values["seat"]] += values["amount"]
                change[values["target"]] -= values["amount"]
            if isinstance(action, Leave):
                change[action.seat] = 0
            assert not any(change), (action, happened)


def test_a_discard_shows_its_card_and_takes_one_off_the_pack() -> None:
    discards = 0
    for before, action, after, _ in played(a_setup(4), Random(2)):
        if isinstance(action, Discard):
            discards += 1
            assert after.discards[-1] == action.card
            assert len(before.pack) - len(after.pack) == 1
            assert len(after.hand) == 4
    assert discards > 3
