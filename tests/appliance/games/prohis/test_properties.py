"""What is true in every game of Prohis, however it is played."""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import Any

import pytest

from appliance.games.prohis.rules import actions as acts
from appliance.games.prohis.rules.cards import CARDS, in_play
from appliance.games.prohis.rules.rules import RULES
from appliance.games.prohis.rules.state import State
from appliance.games.protocol import Rejection, SomeOf
from tests.appliance.games.playing import folded
from tests.appliance.games.prohis.play import a_choice, any_setup, own_prompts, played, started, stepped
from tests.narrowed import of_kind, there

pytestmark = [pytest.mark.slow, pytest.mark.thorough]


def all_cards(state: State) -> Counter[str]:
    """Every card there is, wherever it lies."""
    found: Counter[str] = Counter(state.pile)
    found.update(card for card in state.row if card is not None)
    for player in state.players:
        found.update(player.hand)
        found.update(player.warehouse)
    if state.convoy is not None:
        found.update(state.convoy.cards)
        found.update(state.convoy.offer or ())
        if state.convoy.prohi is not None:
            found[state.convoy.prohi] += 1
    return found


def check_game(seed: int) -> Counter[str]:
    """Play one random game and look at every step; return what was done."""
    rng = Random(seed)
    setup = any_setup(rng, physical=seed % 25 == 0)
    closed: set[str] = set()
    done: Counter[str] = Counter()
    for before, action, after, _ in played(setup, rng, 0.01 if seed % 3 == 0 else 0.0):
        done[str(type(action).__struct_config__.tag)] += 1
        if before.phase != "shuffle" and not before.options.physical:
            assert all_cards(before) == in_play(len(setup.players))
            # A gap is filled while the pile lasts (PR-12): the last turns begin with the first gap that stays (PR-43).
            assert (before.last_turns is not None) == (before.row.count(None) > 0)
            assert not before.pile or before.last_turns is None
        asked = own_prompts(after)
        assert asked or RULES.outcome(after) is not None
        assert all(prompt.seat is None or not after.players[prompt.seat].passed for prompt in asked)
        # What was answered and is closed never comes back: a late double tap hits nothing.
        closed |= {prompt.prompt for prompt in own_prompts(before)} - {prompt.prompt for prompt in asked}
        assert not closed & {prompt.prompt for prompt in asked}
        assert sum(done.values()) < 5000
    ended = after
    assert all_cards(ended) == in_play(len(setup.players)) or ended.options.physical
    outcome = RULES.outcome(ended)
    assert outcome is not None
    scores = [there(player.score).points for player in RULES.view(ended, None).players]
    assert outcome.winners == tuple(seat for seat, score in enumerate(scores) if score == max(scores))
    return done


def test_300_random_games_keep_every_card_and_end() -> None:
    done: Counter[str] = Counter()
    for seed in range(300):
        done.update(check_game(seed))
    assert set(done) == {kind.__struct_config__.tag for kind in RULES.action_type.__args__}


@pytest.mark.soak
def test_10000_random_games_keep_every_card_and_end() -> None:
    for seed in range(300, 10_300):
        check_game(seed)


def anything(state: State, rng: Random) -> Any:
    """Some action, mostly nonsense at this moment."""
    seat, card = rng.randint(-1, 6), rng.choice(CARDS)
    some = tuple(rng.choices(CARDS, k=rng.randint(0, 6)))
    return rng.choice(
        [
            acts.Shuffle(order=tuple(range(rng.randint(0, 97)))),
            acts.Start(first=seat),
            acts.Take(seat=seat, slot=rng.randint(-1, 5)),
            acts.Draw(seat=seat),
            acts.StopDrawing(seat=seat),
            acts.LayConvoy(seat=seat, cards=some),
            acts.Declare(seat=seat, prohi=rng.choice([None, "lieutenant", "captain", "major"])),
            acts.Offer(seat=seat, cards=some),
            acts.StopBribing(seat=seat),
            acts.Answer(seat=seat, accept=rng.random() < 0.5),
            acts.Decide(seat=seat, inspect=rng.random() < 0.5),
            acts.Turn(seat=seat, position=rng.randint(-1, 5)),
            acts.Pass(seat=seat),
            acts.EndPlay(),
            acts.Count(seat=seat, place="hand", card=card, number=rng.randint(-1, 70)),
        ]
    )


@pytest.mark.parametrize("seed", range(12))
def test_an_action_is_legal_exactly_when_a_prompt_offers_it(seed: int) -> None:
    """Nonsense is refused with a code; what is taken was on offer, field by field."""
    rng = Random(seed)
    for before, _, _, _ in played(any_setup(rng), rng):
        for _ in range(12):
            action = anything(before, rng)
            step = RULES.apply(before, action)
            offered = any(_offers(prompt, action) for prompt in own_prompts(before))
            if isinstance(step, Rejection):
                assert step.code
                assert step.rule
                assert not offered, (step, action)
            else:
                assert offered, action


def _offers(prompt: Any, action: Any) -> bool:
    if prompt.do != type(action).__struct_config__.tag or prompt.seat != getattr(action, "seat", None):
        return False
    for field, choice in prompt.choices.items():
        value = getattr(action, field)
        if field == "order":
            return sorted(value) == list(range(choice.count))
        if field == "cards":
            size = choice.at_least <= len(value) <= choice.at_most
            owned = not Counter(value) - Counter(choice.values)
            if not (size and owned and tuple(sorted(value)) not in choice.but_not):
                return False
        elif field == "number":
            if not choice.least <= value <= choice.most:
                return False
        elif value not in choice.values:
            return False
    return True


@pytest.mark.parametrize("seed", range(5))
def test_a_game_folds_again_to_the_same_state(seed: int) -> None:
    rng = Random(seed)
    setup = any_setup(rng)
    steps = list(played(setup, rng))
    assert folded(RULES, setup, [action for _, action, _, _ in steps]) == steps[-1][2]


def at_a_bribe(rng: Random, most_cards: int) -> State:
    """Return a random moment at which a Smuggler with at most so many cards may bribe."""
    state: State = started(any_setup(rng))
    while state.phase != "bribe" or not 0 < len(state.players[state.turn].hand) <= most_cards:
        state = stepped(state, a_choice(state, rng)).state
        if RULES.outcome(state) is not None:
            state = started(any_setup(rng))
    return state


def rejecting(state: State, *cards: Any) -> State:
    offered: State = stepped(state, acts.Offer(seat=state.turn, cards=cards)).state
    asked = there(there(offered.convoy).inspector)
    refused: State = stepped(offered, acts.Answer(seat=asked, accept=False)).state
    return refused


@pytest.mark.parametrize("seed", range(6))
def test_pr30_only_the_bribe_rejected_last_is_refused(seed: int) -> None:
    state = at_a_bribe(Random(seed), 6)
    hand = state.players[state.turn].hand
    whole, less = hand, hand[:-1]
    if len(hand) == 1:
        return
    for offers in ((whole,), (whole, less), (whole, less, whole), (whole, less, whole, less)):
        after = state
        for cards in offers:
            after = rejecting(after, *cards)
        again = RULES.apply(after, acts.Offer(seat=state.turn, cards=offers[-1][::-1]))
        assert isinstance(again, Rejection)
        assert again.code == "bribe_repeated"
        other = less if offers[-1] == whole else whole
        assert not isinstance(RULES.apply(after, acts.Offer(seat=state.turn, cards=other)), Rejection)
        open_to = of_kind(SomeOf, RULES.expects(after, state.turn)[0].choices["cards"])
        assert open_to.but_not == (tuple(sorted(offers[-1])),)


def test_pr30_with_one_card_that_was_rejected_the_smuggler_can_only_stop() -> None:
    """Everybody sees that one card is left, so everybody may see that it cannot be offered again."""
    state = at_a_bribe(Random(4), 1)
    state = rejecting(state, *state.players[state.turn].hand)
    for viewer in (None, *range(len(state.players))):
        assert [prompt.do for prompt in RULES.expects(state, viewer)] == ["stop_bribing"]
