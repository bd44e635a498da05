"""Nobody learns what is another's: games that differ only in that have equal views, prompts and happenings."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any

import msgspec
import pytest

from appliance.games.customs.anonymise import anonymise
from appliance.games.customs.rules.actions import Discard, Shuffle
from appliance.games.customs.rules.cards import CARDS, PACK, Card
from appliance.games.customs.rules.rules import RULES
from appliance.games.customs.rules.state import Deciding, Declaring, Doubting, Exchanging, State
from appliance.games.customs.rules.view import holder_of
from appliance.games.protocol import Action, Rejection, Setup, Step
from appliance.journal.transcript import share_transcript
from tests.appliance.games.customs.play import a_setup, folded, pack_of, played, started, stepped
from tests.narrowed import of_kind
from tests.seeds import seeds

pytestmark = pytest.mark.slow

VIEWERS = (None, 0, 1, 2, 3)


def with_other_secrets(state: State, viewer: int | None, rng: Random) -> State:
    """The same state with other cards wherever `viewer` cannot see them; a hand that must lose the Bag keeps it."""
    hidden_hand = viewer is None or holder_of(state) != viewer or isinstance(state.stage, Doubting)
    if state.opened is not None and state.declaration is not None:
        hidden_hand = False
    pool = [*state.pack, *state.put_away, *(state.hand if hidden_hand else ())]
    rng.shuffle(pool)
    fields: dict[str, Any] = {"pack": tuple(pool[: len(state.pack)])}
    del pool[: len(state.pack)]
    fields["put_away"] = tuple(pool[: len(state.put_away)])
    del pool[: len(state.put_away)]
    if hidden_hand:
        fields["hand"] = tuple(pool)
    if not state.options.show_balances:
        # Who owes shows that he cannot pay; everybody else's money is his own.
        players = list(state.players)
        for seat, player in enumerate(players):
            if seat != viewer and not state.dues:
                players[seat] = msgspec.structs.replace(player, money=player.money + rng.randrange(1, 500))
        fields["players"] = tuple(players)
    return msgspec.structs.replace(state, **fields)


def seen(state: State, viewer: int | None) -> bytes:
    return msgspec.json.encode((RULES.view(state, viewer), RULES.expects(state, viewer)))


@pytest.mark.parametrize("seed", seeds(10, 30))
def test_views_and_prompts_are_equal_when_only_other_peoples_secrets_differ(seed: int) -> None:
    rng = Random(seed)
    for _, _, state, _ in played(a_setup(4, money=20_000, show_balances=seed % 3 == 0), rng, 0.002):
        if RULES.outcome(state) is None:
            for viewer in VIEWERS:
                assert seen(state, viewer) == seen(with_other_secrets(state, viewer, rng), viewer)


@pytest.mark.parametrize("seed", seeds(10, 30))
def test_what_is_told_is_equal_too_until_cards_are_shown(seed: int) -> None:
    """Of every deed that shows no card and that the rules allow with other secrets, too."""
    rng, compared = Random(seed), 0
    for before, action, _, happened in played(a_setup(4, money=20_000), rng):
        shows = any(one.code in ("hand_opened", "payment_failed") for one in happened) or isinstance(action, Discard)
        if shows or before.dues or RULES.outcome(before) is not None:
            continue
        other = with_other_secrets(before, None, rng)
        step = RULES.apply(other, action)
        if isinstance(action, Shuffle) or isinstance(step, Rejection):
            continue  # a shuffle is no secret of before; who has other money may be refused a repayment
        assert [one.code for one in step.happened if one.code != "payment_failed"][: len(happened)] == [
            one.code for one in happened
        ]
        compared += 1
    assert compared > 10


def test_hands_are_for_their_holders_alone() -> None:
    setup = a_setup(4)
    for _, _, state, happened in played(setup, Random(2)):
        for viewer in VIEWERS:
            mine = isinstance(state.stage, Declaring | Exchanging | Deciding) and holder_of(state) == viewer
            if viewer is not None:
                assert (len(RULES.view(state, viewer).you.hand) == 4) == mine or state.opened is not None
        assert all(one.to is None for one in happened)


def deeds(lines: list[dict[str, object]]) -> list[Action]:
    return [msgspec.convert(line, RULES.action_type) for line in lines]


def test_the_order_of_drawing_never_shows() -> None:
    """An opened hand looks the same whichever of its cards came last."""
    setup = a_setup(4)

    def opened(*cards: Card) -> Any:
        first = deeds(
            [
                {"do": "declare", "seat": 1, "goods": ["wine"]},
                {"do": "accept", "seat": 0},
                {"do": "believe", "seat": 2},
                {"do": "discard", "seat": 2, "card": "luggage"},
                {"do": "declare", "seat": 2, "goods": []},
            ]
        )
        state = folded(setup, [pack_of(*cards), *first])
        step = RULES.apply(state, msgspec.convert({"do": "search", "seat": 0}, RULES.action_type))
        assert isinstance(step, Step)
        return step.happened, RULES.view(step.state, None)

    assert opened("luggage", "wine", "luggage", "watch", "camera") == opened(
        "luggage", "camera", "luggage", "wine", "watch"
    )


# -- exports without consent


def public(setup: Setup, actions: Sequence[Action]) -> list[bytes]:
    step = of_kind(Step, RULES.set_up(setup))
    told = [msgspec.json.encode((step.happened, RULES.view(step.state, None)))]
    for action in actions:
        step = stepped(step.state, action)
        told.append(msgspec.json.encode((step.happened, RULES.view(step.state, None))))
    return told


@pytest.mark.parametrize("seed", seeds(15, 60))
def test_stand_ins_fold_to_the_same_public_game(seed: int) -> None:
    setup = a_setup(3 + seed % 4, money=200_000, show_balances=True)
    actions = [action for _, action, _, _ in played(setup, Random(seed), 0.003 * (seed % 3))]
    replaced = anonymise(RULES, setup, actions)
    assert public(setup, replaced) == public(setup, actions)
    assert [action for action in replaced if not isinstance(action, Shuffle)] == [
        action for action in actions if not isinstance(action, Shuffle)
    ]


@pytest.mark.parametrize("seed", seeds(10, 40))
def test_games_that_differ_only_in_what_nobody_saw_export_alike(seed: int) -> None:
    """Swap two cards of the pack as long as the public game stays the same: the export must not notice."""
    rng = Random(seed)
    setup = a_setup(4, money=200_000, show_balances=True)
    actions = [action for _, action, _, _ in played(setup, Random(seed))]
    exported, shown = anonymise(RULES, setup, actions), public(setup, actions)
    shuffles = [number for number, action in enumerate(actions) if isinstance(action, Shuffle)]
    found = 0
    for _ in range(60):
        number = rng.choice(shuffles)
        order = list(of_kind(Shuffle, actions[number]).order)
        one, other = rng.sample(range(len(PACK)), 2)
        order[one], order[other] = order[other], order[one]
        changed = [*actions[:number], Shuffle(order=tuple(order)), *actions[number + 1 :]]
        try:
            same = public(setup, changed) == shown
        except AssertionError:
            continue  # a card that was discarded is not in the hand any more
        if same:
            found += 1
            assert anonymise(RULES, setup, changed) == exported
    assert found


def test_a_card_drawn_early_and_one_drawn_late_export_alike() -> None:
    """C discards a wine: whether it lay in the hand from the start or came with it, nobody saw."""
    setup = a_setup(4)
    done = deeds(
        [
            {"do": "declare", "seat": 1, "goods": []},
            {"do": "accept", "seat": 0},
            {"do": "believe", "seat": 2},
            {"do": "discard", "seat": 2, "card": "luggage"},
            {"do": "declare", "seat": 2, "goods": []},
            {"do": "accept", "seat": 0},
            {"do": "believe", "seat": 3},
            {"do": "discard", "seat": 3, "card": "wine"},
        ]
    )
    early = [pack_of("wine", "luggage", "luggage", "luggage", "watch"), *done]
    late = [pack_of("watch", "luggage", "luggage", "luggage", "wine"), *done]
    assert anonymise(RULES, setup, early) == anonymise(RULES, setup, late)


def test_an_export_without_consent_says_so_and_holds_no_true_pack() -> None:
    setup = a_setup(4)
    actions = tuple(action for _, action, _, _ in played(setup, Random(9)))
    text = of_kind(str, share_transcript(setup, actions, consent=False))
    assert '"stand_in_masses":true' in text.splitlines()[0]
    true = [msgspec.json.encode(action).decode() for action in actions if isinstance(action, Shuffle)]
    assert true
    assert not any(line in text for line in true)


def test_only_games_that_fold_are_anonymised() -> None:
    with pytest.raises(ValueError, match="player_count"):
        anonymise(RULES, a_setup(2), [])
    with pytest.raises(ValueError, match="not_an_order"):
        anonymise(RULES, a_setup(3), [Shuffle(order=(1, 2, 3))])


def test_the_journal_seals_every_pack() -> None:
    assert RULES.secret_fields == {"shuffle": frozenset({"order"})}
    assert b"order" not in msgspec.json.encode(RULES.view(started(a_setup(3)), None)).replace(b'"order":{"choice"', b"")
    assert set(CARDS) == set(PACK)
