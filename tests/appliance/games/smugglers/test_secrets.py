"""S-46: nothing that leaves the rules depends on a mass, but for an order, a tie or yes/no (SM-54, AP-4)."""

from __future__ import annotations

import re
from random import Random

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from appliance.games.protocol import Action, Setup, Step
from appliance.games.smugglers.anonymise import anonymise
from appliance.games.smugglers.rules.actions import Leave, TieRoll, Weigh
from appliance.games.smugglers.rules.rules import RULES
from appliance.journal.transcript import share_transcript
from tests.appliance.games.playing import folded
from tests.appliance.games.smugglers.play import a_setup, played, started
from tests.appliance.games.smugglers.test_properties import setups
from tests.narrowed import of_kind

pytestmark = pytest.mark.slow


def told(setup: Setup, actions: list[Action]) -> list[object]:
    """Return all that anybody is told in a game, step by step: views of everybody, and happenings."""
    state = started(setup)
    found: list[object] = []
    for action in actions:
        step = RULES.apply(state, action)
        assert isinstance(step, Step), (action, step)
        state = step.state
        views = [RULES.view(state, seat) for seat in (None, *range(len(setup.players)))]
        found.append((step.happened, views))
    return found


@settings(max_examples=40)
@given(setups(), st.integers(0, 10**9), st.sampled_from([0.0, 0.03]))
def test_stand_ins_tell_exactly_the_same_story(setup: Setup, seed: int, leaving: float) -> None:
    actions = [action for _, action, _, _ in played(setup, Random(seed), leaving)]
    replaced = anonymise(RULES, setup, actions)
    assert told(setup, list(replaced)) == told(setup, actions)
    assert [a for a in replaced if not isinstance(a, Weigh)] == [a for a in actions if not isinstance(a, Weigh)]


@settings(max_examples=25)
@given(st.integers(0, 10**9), st.integers(2, 4), st.sampled_from([0.5, 1.25, 3.0]))
def test_stand_ins_depend_on_nothing_but_what_was_public(seed: int, players: int, factor: float) -> None:
    """Two games that differ in sizes, but tell the same, have the same stand-ins."""
    setup = a_setup(players, tie_band_g=0)
    actions = [action for _, action, _, _ in played(setup, Random(seed))]
    scaled = [
        msgspec.structs.replace(action, mass_g=action.mass_g * factor) if isinstance(action, Weigh) else action
        for action in actions
    ]
    assert told(setup, scaled) == told(setup, actions)
    assert anonymise(RULES, setup, scaled) == anonymise(RULES, setup, actions)


def test_stand_ins_keep_the_order_of_the_junk_room_secret() -> None:
    """Four through: who is third and who is fourth was never told, and must not be in an export."""
    start = [*_to_scale(4)]
    heavy_third: list[Action] = [Weigh(seat=s, mass_g=m) for s, m in enumerate((30.0, 28.0, 26.0, 10.0))]
    heavy_fourth: list[Action] = [Weigh(seat=s, mass_g=m) for s, m in enumerate((30.0, 28.0, 10.0, 26.0))]
    setup = a_setup(4)
    assert anonymise(RULES, setup, start + heavy_third) == anonymise(RULES, setup, start + heavy_fourth)


def test_stand_ins_of_a_chain_of_ties_that_shows_when_somebody_leaves() -> None:
    """A ties B and B ties C, but A does not tie C: when A leaves, B and C have to roll."""
    setup = a_setup(4)
    masses = (20.3, 20.15, 20.0, 15.0)
    actions = [*_to_scale(4), *(Weigh(seat=seat, mass_g=mass) for seat, mass in enumerate(masses))]
    actions += [Leave(seat=0), TieRoll(seat=2, value=6), TieRoll(seat=1, value=2)]
    replaced = anonymise(RULES, setup, actions)
    assert told(setup, list(replaced)) == told(setup, actions)
    assert RULES.view(folded(RULES, setup, replaced), None).players[2].place == 1


def _to_scale(players: int) -> list[Action]:
    lines: list[dict[str, object]] = [{"do": "roll", "seat": 0, "value": 1}, {"do": "time_up"}]
    lines += [{"do": "attempt", "seat": seat, "outcome": "passed"} for seat in range(players)]
    return [msgspec.convert(line, RULES.action_type) for line in lines]


@pytest.mark.parametrize("masses", [(18.0, 18.15), (18.15, 18.0), (18.0, 18.0), (5.0, 5.2)])
def test_a_tie_looks_the_same_whoever_is_heavier(masses: tuple[float, float]) -> None:
    setup = a_setup(2)
    weighed: list[Action] = [Weigh(seat=1, mass_g=masses[1]), Weigh(seat=0, mass_g=masses[0])]
    reference: list[Action] = [Weigh(seat=1, mass_g=20.0), Weigh(seat=0, mass_g=20.0)]
    assert told(setup, _to_scale(2) + weighed) == told(setup, _to_scale(2) + reference)


def test_no_mass_is_kept_once_it_has_done_its_work() -> None:
    setup = a_setup(3, same_mass_check=True)
    rounds = 0
    for before, _, after, _ in played(setup, Random(5)):
        if before.round != after.round:
            rounds += 1
            assert "_g" not in re.sub(r'"options":\{[^}]*\}', "", msgspec.json.encode(after).decode())
    assert rounds > 1


def test_no_telling_mass_stands_in_any_view_happening_or_refusal() -> None:
    setup = a_setup(4, same_mass_check=True)
    state = started(setup)
    said = b""
    for state, action, after, happened in played(setup, Random(11)):
        if isinstance(action, Weigh):
            action = msgspec.structs.replace(action, mass_g=action.mass_g + 0.0123456)
            step = RULES.apply(state, action)
            assert isinstance(step, Step)
            after, happened = step.state, step.happened
        refused = [RULES.apply(after, Weigh(seat=seat, mass_g=1e6 + 0.0123456)) for seat in range(4)]
        said += msgspec.json.encode([happened, refused, [RULES.view(after, seat) for seat in (None, 0, 1, 2, 3)]])
    assert b"123456" not in said
    assert b"mass_g" not in said.replace(b'"mass_g":{"choice":"number"', b"")


def test_an_export_without_consent_says_so_and_holds_no_true_mass() -> None:
    setup = a_setup(3)
    actions = tuple(action for _, action, _, _ in played(setup, Random(3)))
    text = of_kind(str, share_transcript(setup, actions, consent=False))
    assert '"stand_in_masses":true' in text.splitlines()[0]
    true = {action.mass_g for action in actions if isinstance(action, Weigh)}
    assert true
    assert not any(f'"mass_g":{mass}' in text for mass in true if mass != 20.0)
    assert '"stand_in_masses"' not in of_kind(str, share_transcript(setup, actions, consent=True))


def test_only_games_that_fold_are_anonymised() -> None:
    with pytest.raises(ValueError, match="weighing_due"):
        anonymise(RULES, a_setup(2), [*_to_scale(2), TieRoll(seat=0, value=1)])
    with pytest.raises(ValueError, match="player_count"):
        anonymise(RULES, a_setup(1), [])
