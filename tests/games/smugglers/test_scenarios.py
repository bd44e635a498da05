"""Every SM scenario of the specification, and more rules, as a recorded transcript with what must come out of it.

Beside each recording lies a text: what it shows and which rules say so, then the whole public board as it must be, or
the line and code of the refusal. The boards were checked by hand against the rules; change one only together with them.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from appliance.games.smugglers import GAME
from appliance.games.smugglers.actions import Inspect, Leave
from appliance.transcript import Transcript, TranscriptError, read_transcript, write_transcript
from tests.games.smugglers.board import board
from tests.games.smugglers.play import a_setup, started

RECORDINGS = Path(__file__).parents[2] / "recordings" / "smugglers"
NAMES = sorted(path.stem for path in RECORDINGS.glob("*.jsonl"))
SCENARIOS = """
    S-01 S-02 S-04 S-05 S-07 S-08 S-10 S-11 S-13 S-14 S-16 S-17 S-19 S-20 S-22 S-23 S-25 S-26 S-28 S-29 S-31 S-32
    S-34 S-35 S-37 S-38 S-40 S-41 S-43 S-44 S-47 S-49 S-50
""".split()  # noqa: SIM905 - a list of 33 strings reads worse
"""S-46 is a property: see test_secrets.py."""


def recorded(name: str) -> Transcript:
    with (RECORDINGS / f"{name}.jsonl").open("rb") as file:
        transcript = read_transcript(file)
    assert isinstance(transcript, Transcript), transcript
    return transcript


@pytest.mark.parametrize("name", NAMES)
def test_recording(name: str) -> None:
    told = (RECORDINGS / f"{name}.txt").read_text(encoding="utf-8")
    expected = told.split("\n", 1)[1].strip()
    with (RECORDINGS / f"{name}.jsonl").open("rb") as file:
        transcript = read_transcript(file)
    if isinstance(transcript, TranscriptError):
        assert f"line {transcript.line}: {transcript.code}" == expected
    else:
        assert board(GAME.view(transcript.state, None)) == expected


def test_every_scenario_is_recorded_and_every_text_has_its_recording() -> None:
    assert [scenario for scenario in SCENARIOS if not any(name.startswith(scenario) for name in NAMES)] == []
    assert sorted(path.stem for path in RECORDINGS.glob("*.txt")) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_recordings_are_written_as_they_were_read(name: str) -> None:
    path = RECORDINGS / f"{name}.jsonl"
    with path.open("rb") as file:
        transcript = read_transcript(file)
    if isinstance(transcript, Transcript):
        again = write_transcript(transcript.setup, transcript.actions)
        assert again.splitlines()[1:] == path.read_text().splitlines()[1:]


def test_s02_box_holds_one_piece_of_each_colour_with_three() -> None:
    pieces = recorded("S-02").state.pieces
    assert (pieces.sweet, pieces.sour, pieces.bomb) == (1, 1, 1)


def test_s11_the_phone_does_not_offer_a_bomb_that_is_spent() -> None:
    state = recorded("S-11").state
    assert GAME.view(state, 0).you.pieces == ("sweet", "sour")
    assert GAME.view(state, 1).you.pieces == ("sweet", "sour", "bomb")


def test_s26_the_higher_roll_counts_as_the_larger_sphere_only_for_the_order() -> None:
    asked = [prompt for prompt in GAME.expects(recorded("S-26").state, None) if prompt.do == "order"]
    assert [prompt.seat for prompt in asked] == [3]


def test_s46_a_tie_is_announced_in_the_order_of_the_table_whoever_is_heavier() -> None:
    rolls = recorded("S-22-tie")
    assert [prompt.seat for prompt in GAME.expects(rolls.state, None) if prompt.do == "tie_roll"] == [0, 1]


def test_s50_the_mismatch_is_told_and_nothing_else_changes() -> None:
    with_seal = recorded("S-50")
    opened = GAME.view(_folded(with_seal, len(with_seal.actions) - 1), None)
    step = GAME.apply(_folded(with_seal, len(with_seal.actions) - 1), with_seal.actions[-1])
    assert [happening.code for happening in step.happened] == ["seal_differed"]
    assert board(GAME.view(step.state, None)) == board(opened)


def told(name: str) -> list[str]:
    transcript = recorded(name)
    state, codes = started(transcript.setup), []
    for action in transcript.actions:
        step = GAME.apply(state, action)
        codes += [happening.code for happening in step.happened]
        state = step.state
    return codes


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
    first = _folded(transcript, len(transcript.actions) - 1)
    second = GAME.apply(transcript.state, Inspect(seat=0, target=2, guess="bomb")).state
    names = [
        {prompt.prompt for prompt in GAME.expects(state, None) if prompt.do == "open"} for state in (first, second)
    ]
    assert [len(each) for each in names] == [1, 1]
    assert not names[0] & names[1]


def _folded(transcript: Transcript, count: int) -> object:
    state = started(transcript.setup)
    for action in transcript.actions[:count]:
        state = GAME.apply(state, action).state
    return state


def test_leave_is_refused_twice_and_after_the_end() -> None:
    state = GAME.apply(started(a_setup(3)), Leave(seat=0)).state
    assert GAME.apply(state, Leave(seat=0)).code == "seat_left"
    over = GAME.apply(state, Leave(seat=1)).state
    assert GAME.outcome(over).reason == "abandoned"
    assert GAME.outcome(over).winners == ()
    assert GAME.apply(over, Leave(seat=2)).code == "game_over"
