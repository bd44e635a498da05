"""Exports without consent: another game in which everybody saw the same, and which betrays nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

import msgspec
import pytest

from appliance.games.prohis.anonymise import consistent_deals
from appliance.games.prohis.anonymise.replaced_cards import anonymise
from appliance.games.prohis.rules.actions import LayConvoy, Offer
from appliance.games.prohis.rules.rules import RULES
from appliance.games.protocol import Action, Setup
from appliance.journal.transcript import share_transcript
from tests.appliance.games.prohis.deal import stacked
from tests.appliance.games.prohis.play import a_setup, any_setup, played, started, stepped
from tests.appliance.games.prohis.test_robot import recorded_robots

pytestmark = pytest.mark.slow


def told(setup: Setup, actions: Sequence[Action]) -> list[object]:
    """Return all that everybody is told in a game, step by step."""
    state = started(setup)
    found: list[object] = []
    for action in actions:
        step = stepped(state, action)
        state = step.state
        found.append(([one for one in step.happened if one.to is None], RULES.view(state, None)))
    return found


def check(seed: int) -> tuple[int, int, bool]:
    """Export one random game: how many cards lay unseen on the table, how many are other ones, and if it is its own."""
    rng = Random(seed)
    setup = any_setup(rng)
    actions = tuple(action for _, action, _, _ in played(setup, rng, 0.01 if seed % 3 == 0 else 0.0))
    anew = anonymise(RULES, setup, actions)
    assert told(setup, anew) == told(setup, actions)
    secret = [
        (was, now)
        for one, other in zip(actions, anew, strict=True)
        if isinstance(one, LayConvoy | Offer) and isinstance(other, LayConvoy | Offer)
        for was, now in zip(one.cards, other.cards, strict=True)
    ]
    # The stand-ins tell the same story: when they depend on nothing but the story, they stand for themselves.
    return len(secret), sum(was != now for was, now in secret), anonymise(RULES, setup, anew) == anew


@pytest.mark.parametrize("block", range(4))
def test_stand_ins_tell_everybody_exactly_the_same_and_depend_on_nothing_else(block: int) -> None:
    counts = [check(seed) for seed in range(block * 10, block * 10 + 10)]
    lay, differ, own = (sum(column) for column in zip(*counts, strict=True))
    assert differ > lay / 5
    assert own >= 9


@pytest.mark.soak
def test_stand_ins_are_found_for_a_thousand_games() -> None:
    counts = [check(seed) for seed in range(100, 1100)]
    lay, differ, own = (sum(column) for column in zip(*counts, strict=True))
    assert differ > lay / 5
    assert own > 950


@pytest.mark.soak
def test_stand_ins_are_found_in_the_middle_of_a_thousand_games() -> None:
    for seed in range(1000):
        rng = Random(seed)
        setup = any_setup(rng)
        actions = [action for _, action, _, _ in played(setup, rng, 0.01 if seed % 3 == 0 else 0.0)]
        part = actions[: rng.randrange(1, len(actions))]
        assert told(setup, anonymise(RULES, setup, part)) == told(setup, part)


def test_stand_ins_are_found_for_games_of_robots() -> None:
    for seed in range(8):
        _, actions = recorded_robots(["expert", "average", "beginner", "expert"][: 3 + seed % 2], seed)
        setup = a_setup(3 + seed % 2)
        anew = anonymise(RULES, setup, actions)
        assert told(setup, anew) == told(setup, actions)


@pytest.mark.parametrize("seed", range(4))
def test_where_no_other_world_is_found_the_true_cards_are_mixed(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(consistent_deals, "ATTEMPTS", 0)
    rng = Random(seed)
    setup = any_setup(rng)
    actions = [action for _, action, _, _ in played(setup, rng)]
    for part in (actions, actions[: len(actions) // 2]):
        anew = anonymise(RULES, setup, part)
        assert told(setup, anew) == told(setup, part)
        assert sum(one != other for one, other in zip(anew, part, strict=True)) > 4


def test_a_declaration_that_nobody_saw_is_in_no_export() -> None:
    """Two declared, one with his Major: while the third thinks, nobody may learn it from an export."""
    setup = a_setup(4, declarations="hidden")
    exports = set()
    for prohi in (None, "major", "lieutenant"):
        order = stacked(["LLII", "LLIT", "LLLT", "LLLL"])
        lines: list[dict[str, object]] = [{"do": "shuffle", "order": order}, {"do": "start", "first": 0}]
        lines += [{"do": "convoy", "seat": 0, "cards": ["legal", "legal"]}]
        lines += [{"do": "declare", "seat": 1, "prohi": prohi}, {"do": "declare", "seat": 2, "prohi": None}]
        exports.add(share_transcript(setup, tuple(_lines(*lines)), consent=False))
    assert len(exports) == 1


def test_bluff_or_not_the_export_is_the_same() -> None:
    """Two convoys that nobody inspected, one of contraband and one of legal goods, in a game that is still open."""
    setup = a_setup(3)
    exports = set()
    for bluff in (("illegal", "illegal"), ("legal", "legal")):
        order = stacked(["LLII", "LLII", "LLLT"])
        lines: list[dict[str, object]] = [{"do": "shuffle", "order": order}, {"do": "start", "first": 0}]
        lines += [{"do": "convoy", "seat": 0, "cards": list(bluff)}]
        lines += [{"do": "declare", "seat": seat, "prohi": None} for seat in (1, 2)]
        exports.add(share_transcript(setup, tuple(_lines(*lines)), consent=False))
    assert len(exports) == 1


def _lines(*lines: dict[str, object]) -> list[Action]:
    return [msgspec.convert(line, RULES.action_type) for line in lines]


def test_a_game_that_is_still_open_has_stand_ins_too() -> None:
    for seed in range(6):
        rng = Random(seed)
        setup = any_setup(rng)
        actions = [action for _, action, _, _ in played(setup, rng)]
        for length in (1, 2, 7):
            part = actions[:length]
            assert told(setup, anonymise(RULES, setup, part)) == told(setup, part)


def test_real_cards_leave_nothing_to_replace() -> None:
    rng = Random(1)
    setup = a_setup(3, physical=True)
    actions = tuple(action for _, action, _, _ in played(setup, rng))
    assert anonymise(RULES, setup, actions) == actions


def test_only_games_that_fold_are_anonymised() -> None:
    with pytest.raises(ValueError, match="shuffle_due"):
        anonymise(RULES, a_setup(3), _lines({"do": "start", "first": 0}))
    with pytest.raises(ValueError, match="player_count"):
        anonymise(RULES, a_setup(2), [])
