"""Nobody learns what is somebody else's: states that differ only in secrets give equal views and prompts."""

from __future__ import annotations

from random import Random
from typing import Any

import msgspec
import pytest

from appliance.games.prohis.rules.actions import Declare, Draw, LayConvoy
from appliance.games.prohis.rules.cards import CARDS, arranged
from appliance.games.prohis.rules.rules import RULES
from appliance.games.prohis.rules.state import State
from appliance.games.protocol import OneOf, Prompt
from tests.appliance.games.prohis.deal import stacked
from tests.appliance.games.prohis.play import a_setup, any_setup, played, started, stepped
from tests.narrowed import of_kind
from tests.seeds import seeds

pytestmark = pytest.mark.slow

SEEDS = seeds(10, 40)


def mingled(state: State, viewer: int | None, rng: Random) -> State:
    """Return the state with all cards that `viewer` may not know dealt anew among the places where they lie."""
    unknown = [seat for seat in range(len(state.players)) if seat != viewer]
    convoy = state.convoy
    own_convoy = viewer is not None and viewer == state.turn
    faces = [] if convoy is None or own_convoy else [p for p in range(len(convoy.cards)) if p not in convoy.turned]
    offer = convoy.offer if convoy and not own_convoy and not state.options.open_bribes else None
    pool = [*state.pile, *(card for seat in unknown for card in state.players[seat].hand)]
    pool += [card for seat in unknown for card in state.players[seat].warehouse]
    pool += [convoy.cards[p] for p in faces] if convoy else []
    pool += list(offer or ())
    rng.shuffle(pool)

    def deal(count: int) -> tuple[Any, ...]:
        dealt = tuple(pool[:count])
        del pool[:count]
        return dealt

    changed: dict[str, Any] = {"pile": deal(len(state.pile))}
    players = list(state.players)
    for seat in unknown:
        player = players[seat]
        hand, store = arranged(deal(len(player.hand))), arranged(deal(len(player.warehouse)))
        players[seat] = msgspec.structs.replace(player, hand=hand, warehouse=store)
    changed["players"] = tuple(players)
    if convoy is not None:
        load = list(convoy.cards)
        for position in faces:
            (load[position],) = deal(1)
        declared = convoy.declared
        if state.options.declarations == "hidden" and state.phase == "declare":
            declared = tuple(
                one if one.seat == viewer else msgspec.structs.replace(one, prohi=rng.choice([None, *CARDS[2:]]))
                for one in declared
            )
        refused = convoy.just_rejected
        if refused is not None and not own_convoy:
            refused = (rng.choice(CARDS),) * len(refused)
        new_offer = convoy.offer if offer is None else arranged(deal(len(offer)))
        changed["convoy"] = msgspec.structs.replace(
            convoy, cards=tuple(load), declared=declared, just_rejected=refused, offer=new_offer
        )
    return msgspec.structs.replace(state, **changed)


@pytest.mark.parametrize("seed", SEEDS)
def test_equal_views_and_prompts_when_only_others_secrets_differ(seed: int) -> None:
    rng = Random(seed)
    for _, _, after, _ in played(any_setup(rng), rng, 0.005):
        if after.phase in ("shuffle", "over"):
            continue
        for viewer in (None, *range(len(after.players))):
            other = mingled(after, viewer, rng)
            assert RULES.view(other, viewer) == RULES.view(after, viewer)
            assert RULES.expects(other, viewer) == RULES.expects(after, viewer)


def test_pr25_nobody_can_tell_from_the_prompts_who_lacks_a_prohi() -> None:
    state = started(a_setup())
    order = stacked(["LLII", "LLII", "LLLL", "LIIT"])
    for action in ({"do": "shuffle", "order": order}, {"do": "start", "first": 2}):
        state = stepped(state, msgspec.convert(action, RULES.action_type)).state
    state = stepped(state, LayConvoy(seat=2, cards=("captain", "major"))).state
    for seat in (3, 0, 1):
        state = stepped(state, Declare(seat=seat, prohi=None)).state
    for action in ({"do": "draw", "seat": 3}, {"do": "convoy", "seat": 0, "cards": ["legal", "legal"]}):
        state = stepped(state, msgspec.convert(action, RULES.action_type)).state
    asked = {prompt.seat: prompt for prompt in RULES.expects(state, None)}
    assert set(asked) == {1, 2, 3}
    assert all(
        prompt == Prompt(prompt=prompt.prompt, seat=seat, do="declare", veiled=True) for seat, prompt in asked.items()
    )
    own = next(prompt for prompt in RULES.expects(state, 2) if prompt.seat == 2)
    assert own.choices["prohi"] == OneOf((None,))


@pytest.mark.parametrize("seed", SEEDS)
def test_what_happens_names_no_card_that_is_face_down(seed: int) -> None:
    """For everybody: cards only when taken from the row, played, or turned up; the drawn card to its drawer alone."""
    rng = Random(seed)
    setup = any_setup(rng)
    open_codes = {
        *("row_card_taken", "prohi_played", "inspector_came", "card_turned", "prohi_found", "prohi_won"),
        *("inspection_waived", "inspection_waived_to_hand", "bribe_shown"),
    }
    for before, action, _, happened in played(setup, rng):
        for happening in happened:
            naming = any(value in CARDS for value in happening.values.values() if isinstance(value, str))
            if happening.to is not None:
                assert happening.code == "pile_card_seen"
                assert happening.to == of_kind(Draw, action).seat
            elif naming:
                assert happening.code in open_codes
            if happening.code == "prohi_played" and setup.options["declarations"] == "hidden":
                assert len(before.undeclared()) <= 1


def test_the_journal_seals_everything_that_reveals_a_card() -> None:
    telling = {"order", "cards", "prohi"}
    for kind in RULES.action_type.__args__:
        tag, fields = kind.__struct_config__.tag, set(kind.__struct_fields__)
        assert RULES.secret_fields.get(tag, frozenset()) == fields & telling


def test_no_totals_before_the_end() -> None:
    rng = Random(2)
    for before, _, _, _ in played(a_setup(), rng):
        assert all(player.score is None for player in RULES.view(before, 0).players)
