"""Every CU scenario of the specification, and more rules, as a recorded transcript with what must come out of it.

Beside each recording lies a text: what it shows and which rules say so, then the whole public board as it must be, or
the line and code of the refusal. The boards were worked out by hand from the rules; change one only together with them.
C-26 is a property: see test_properties.py.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from appliance.games.customs import GAME
from appliance.games.customs.actions import Discard, Leave
from appliance.games.customs.cards import PACK
from appliance.games.game import Rejection
from appliance.transcript import Transcript, TranscriptError, read_transcript, write_transcript
from tests.games.customs.board import board
from tests.games.customs.play import folded

RECORDINGS = Path(__file__).parents[2] / "recordings" / "customs"
NAMES = sorted(path.stem for path in RECORDINGS.glob("*.jsonl"))
SCENARIOS = "C-01 C-02 C-04 C-05 C-07 C-08 C-10 C-11 C-13 C-14 C-16 C-17 C-19 C-20 C-22 C-23 C-25 A-04".split()  # noqa: SIM905 - shorter to read


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
    assert [scenario for scenario in SCENARIOS if scenario not in NAMES] == []
    assert sorted(path.stem for path in RECORDINGS.glob("*.txt")) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_recordings_are_written_as_they_were_read(name: str) -> None:
    path = RECORDINGS / f"{name}.jsonl"
    with path.open("rb") as file:
        transcript = read_transcript(file)
    if isinstance(transcript, Transcript):
        again = write_transcript(transcript.setup, transcript.actions)
        assert again.splitlines()[1:] == path.read_text().splitlines()[1:]


def told(name: str) -> list[str]:
    transcript = recorded(name)
    step = GAME.set_up(transcript.setup)
    codes = [happening.code for happening in step.happened]
    for action in transcript.actions:
        step = GAME.apply(step.state, action)
        codes += [happening.code for happening in step.happened]
    return codes


def test_c01_the_pack_has_26_luggage_the_bag_the_crown_and_seven_kinds_of_four() -> None:
    assert len(PACK) == 56
    assert {card: PACK.count(card) for card in set(PACK)} == {
        **dict.fromkeys(("wine", "cigars", "brandy", "perfume", "watch", "camera", "necklace"), 4),
        "luggage": 26,
        "bag": 1,
        "crown": 1,
    }


def test_c04_c22_what_happens_is_told_in_order() -> None:
    assert told("C-04")[-6:] == [
        *("goods_declared", "search_ordered", "hand_opened", "truth_not_told", "paid", "hand_drawn")
    ]
    assert told("C-10")[-6:] == ["hand_disbelieved", "hand_opened", "truth_not_told", "paid", "paid", "hand_drawn"]
    assert told("C-22").count("round_started") == 4
    assert told("C-22")[-2:] == ["pack_ran_out", "game_shared"]


def test_c19_only_the_bag_is_offered_to_its_receiver_and_nobody_else_sees_that() -> None:
    transcript = recorded("C-14")
    before = folded(transcript.setup, transcript.actions[:-1])
    assert GAME.view(before, 2).you.may_go == ("luggage", "watch")
    refused = recorded("C-19-bluff")
    received = folded(refused.setup, refused.actions[:4])
    assert GAME.view(received, 2).you.may_go == ("bag",)
    assert GAME.expects(received, 2)[0].choices["card"].values == ("bag",)
    for viewer in (None, 0, 1, 3):
        assert GAME.expects(received, viewer)[0].choices == {}
    refusal = GAME.apply(received, Discard(seat=2, card="luggage"))
    assert isinstance(refusal, Rejection)
    assert refusal.values == {"seat": 2}


def test_cu30_nobody_sees_a_hand_that_is_not_yet_believed() -> None:
    state = recorded("CU-20").state
    for seat in range(4):
        assert GAME.view(state, seat).you.hand == ()


def test_leave_is_refused_twice_and_after_the_end() -> None:
    left = recorded("leave-traveller").state
    assert GAME.apply(left, Leave(seat=1)).code == "seat_is_out"
    assert GAME.apply(recorded("CU-63").state, Leave(seat=0)).code == "game_over"
