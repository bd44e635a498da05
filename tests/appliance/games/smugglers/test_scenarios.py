"""More of what the recordings of Smugglers show: who is asked and told what, and what is seen."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest

from appliance.games.protocol import Action, Outcome, Rejection
from appliance.games.smugglers.rules.actions import Attempt, Inspect, Leave, Open, Roll, Take, TimeUp, Weigh
from appliance.games.smugglers.rules.rules import RULES
from tests.appliance.games import recordings
from tests.appliance.games.smugglers.board import board
from tests.appliance.games.smugglers.play import a_setup, folded, started, stepped
from tests.narrowed import of_kind

recorded = partial(recordings.recorded, "smugglers")
told = partial(recordings.told, "smugglers")


def test_s02_box_holds_one_piece_of_each_colour_with_three() -> None:
    pieces = recorded("S-02").state.pieces
    assert (pieces.sweet, pieces.sour, pieces.bomb) == (1, 1, 1)


def test_s11_the_phone_does_not_offer_a_bomb_that_is_spent() -> None:
    state = recorded("S-11").state
    assert RULES.view(state, 0).you.pieces == ("sweet", "sour")
    assert RULES.view(state, 1).you.pieces == ("sweet", "sour", "bomb")


def test_s26_the_higher_roll_counts_as_the_larger_sphere_only_for_the_order() -> None:
    asked = [prompt for prompt in RULES.expects(recorded("S-26").state, None) if prompt.do == "order"]
    assert [prompt.seat for prompt in asked] == [3]


def test_s46_a_tie_is_announced_in_the_order_of_the_table_whoever_is_heavier() -> None:
    rolls = recorded("S-22-tie")
    assert [prompt.seat for prompt in RULES.expects(rolls.state, None) if prompt.do == "tie_roll"] == [0, 1]


def test_s50_the_mismatch_is_told_and_nothing_else_changes() -> None:
    with_seal = recorded("S-50")
    opened = folded(with_seal.setup, with_seal.actions[:-1])
    step = stepped(opened, with_seal.actions[-1])
    assert [happening.code for happening in step.happened] == ["seal_differed"]
    assert board(step.state) == board(opened)


def test_what_happens_is_told_in_order() -> None:
    assert told("S-29") == [
        *("die_rolled", "boss_moved", "hourglass_ran_out"),
        *("sphere_stuck", "sphere_stuck", "sphere_junked", "sphere_passed", "chair_taken"),
        *("inspection_made", "sphere_opened", "guess_wrong", "token_taken"),
    ]
    assert told("S-40")[-5:] == ["inspection_made", "sphere_opened", "guess_right", "token_taken", "game_won"]
    assert told("SM-96-theft-wins")[-4:] == ["sphere_opened", "bomb_spent", "token_stolen", "game_won"]


def test_ties_are_told_once_and_again_only_when_the_dice_are_equal() -> None:
    after_weighing = told("SM-53-three-equal")
    after_weighing = after_weighing[after_weighing.index("spheres_tied") :]
    assert after_weighing == [
        *("spheres_tied", "tie_rolled", "tie_rolled", "tie_rolled", "dice_tied", "tie_rolled", "tie_rolled"),
        *("chair_taken", "chair_taken", "sphere_too_small"),
    ]


def test_sm101_a_sphere_to_be_opened_a_second_time_is_another_prompt() -> None:
    """A double tap on the first inspection's answer must not open the sphere for the second one."""
    transcript = recorded("SM-101-inspector")
    first = folded(transcript.setup, transcript.actions[:-1])
    second = stepped(transcript.state, Inspect(seat=0, target=2, guess="bomb")).state
    names = [
        {prompt.prompt for prompt in RULES.expects(state, None) if prompt.do == "open"} for state in (first, second)
    ]
    assert [len(each) for each in names] == [1, 1]
    assert not names[0] & names[1]


def test_sm101_an_inspection_chosen_anew_is_another_prompt() -> None:
    """A double tap on the first choice must not choose for the second."""
    transcript = recorded("SM-101-chosen-target")
    before = folded(transcript.setup, transcript.actions[:-2])
    names = [
        {prompt.prompt for prompt in RULES.expects(state, None) if prompt.do == "inspect"}
        for state in (before, transcript.state)
    ]
    assert [len(each) for each in names] == [1, 1]
    assert not names[0] & names[1]


def test_leave_is_refused_twice_and_after_the_end() -> None:
    state = stepped(started(a_setup(3)), Leave(seat=0)).state
    assert of_kind(Rejection, RULES.apply(state, Leave(seat=0))).code == "seat_left"
    over = stepped(state, Leave(seat=1)).state
    assert RULES.outcome(over) == Outcome((), "abandoned")
    assert of_kind(Rejection, RULES.apply(over, Leave(seat=2))).code == "game_over"


def both_through(start: int) -> tuple[Action, ...]:
    """Two play. Both are through, and seat 0 sits in armchair 1."""
    return (
        Roll(seat=start, value=1),
        TimeUp(),
        *(Attempt(seat=seat, outcome="passed") for seat in (start, 1 - start)),
        Weigh(seat=0, mass_g=20.0),
        Weigh(seat=1, mass_g=19.0),
    )


WINS_A_BOMB = (*both_through(1), Inspect(seat=0, target=1, guess="bomb"), Open(seat=1, found=("bomb",)))
TAKES_A_BOMB = (
    *both_through(1),
    Inspect(seat=0, target=1, guess="sweet"),
    Open(seat=1, found=()),
    Take(seat=0, token="bomb", source="box"),
)


@pytest.mark.parametrize(
    ("options", "wins"), [({}, WINS_A_BOMB), ({"illegal_sack": "piece"}, TAKES_A_BOMB)], ids=["SM-83", "SM-87"]
)
def test_sm83_a_bomb_that_was_won_is_usable_in_a_later_round_only(options: Any, wins: tuple[Action, ...]) -> None:
    """Seat 0 has spent their bomb. What they hid before they won another is no bomb of theirs (SM-88, SM-89)."""
    spends = (
        *both_through(0),
        Inspect(seat=0, target=1, guess="sweet"),
        Open(seat=1, found=("sour",)),
        Open(seat=0, found=("bomb",)),
        Take(seat=0, token="sour", source=1),
    )
    won = folded(a_setup(2, **options), (*spends, *wins))
    assert (won.players[0].usable_bombs, won.players[0].spent_bombs) == (1, 1)
    after = stepped(won, Open(seat=0, found=("bomb",)))
    assert "sack_illegal" in {happening.code for happening in after.happened}
    player = after.state.players[0]
    assert (player.tokens, player.usable_bombs, player.spent_bombs) == (won.players[0].tokens, 1, 1)
    assert after.state.round == 3
    later = folded(
        a_setup(2, **options),
        (
            *spends,
            *wins,
            Open(seat=0, found=("sweet",)),
            *both_through(0),
            Inspect(seat=0, target=1, guess="sweet"),
            Open(seat=1, found=("sweet",)),
            Open(seat=0, found=("bomb",)),
        ),
    )
    assert {prompt.do for prompt in RULES.expects(later, None)} == {"take", "forgo"}
