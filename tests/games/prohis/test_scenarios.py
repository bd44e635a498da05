"""Every PR scenario of the specification, and more rules, as a recorded transcript with what must come out of it.

Beside each recording lies a text: what it shows and which rules say so, then the board as it must be, with the cards
that only their owners see, or the line and code of the refusal. Change one only together with the rules.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from appliance.games.prohis import GAME
from appliance.transcript import Transcript, TranscriptError, read_transcript, write_transcript
from tests.games.prohis.board import board
from tests.games.prohis.play import started, stepped

RECORDINGS = Path(__file__).parents[2] / "recordings" / "prohis"
NAMES = sorted(path.stem for path in RECORDINGS.glob("*.jsonl"))
SCENARIOS = "P-01 P-02 P-04 P-05 P-07 P-08 P-10 P-11 P-13 P-14 P-16 P-17 P-19 P-20 P-22 P-23 P-25".split()  # noqa: SIM905


def read(name: str) -> Transcript | TranscriptError:
    with (RECORDINGS / f"{name}.jsonl").open("rb") as file:
        return read_transcript(file)


def recorded(name: str) -> Transcript:
    transcript = read(name)
    assert isinstance(transcript, Transcript), transcript
    return transcript


def told(name: str) -> list[str]:
    transcript = recorded(name)
    state, codes = started(transcript.setup), []
    for action in transcript.actions:
        step = stepped(state, action)
        codes += [happening.code for happening in step.happened]
        state = step.state
    return codes


@pytest.mark.parametrize("name", NAMES)
def test_recording(name: str) -> None:
    expected = (RECORDINGS / f"{name}.txt").read_text(encoding="utf-8").split("\n", 1)[1].strip()
    transcript = read(name)
    if isinstance(transcript, TranscriptError):
        assert f"line {transcript.line}: {transcript.code}" == expected
    else:
        assert board(transcript.state) == expected


def test_every_scenario_is_recorded_and_every_text_has_its_recording() -> None:
    assert [scenario for scenario in SCENARIOS if not any(name.startswith(scenario) for name in NAMES)] == []
    assert sorted(path.stem for path in RECORDINGS.glob("*.txt")) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_recordings_are_written_as_they_were_read(name: str) -> None:
    transcript = read(name)
    if isinstance(transcript, Transcript):
        again = write_transcript(transcript.setup, transcript.actions)
        assert again.splitlines()[1:] == (RECORDINGS / f"{name}.jsonl").read_text().splitlines()[1:]


@pytest.mark.parametrize(("players", "pile", "cards"), [(3, 50, 66), (4, 46, 66), (5, 72, 96), (6, 68, 96)])
def test_p01_so_many_goods_and_lieutenants_are_in_use(players: int, pile: int, cards: int) -> None:
    state = recorded(f"P-01-{players}").state
    assert len(state.pile) == pile
    dealt = [card for player in state.players for card in player.hand]
    assert all(dealt.count(prohi) == players for prohi in ("captain", "major"))
    assert len(dealt) + pile + len(state.row) == cards + 2 * players


def test_p08_no_face_of_the_convoy_is_shown_to_anybody() -> None:
    transcript = recorded("P-08")
    state = started(transcript.setup)
    for action in transcript.actions:
        step = stepped(state, action)
        state = step.state
        if state.convoy is not None:
            assert GAME.view(state, 1).convoy.cards == (None,) * 4
        assert not any("card" in happening.values for happening in step.happened)
    assert GAME.view(state, 1).players[0].warehouse == 4


def test_p14_the_unturned_cards_are_told_to_nobody() -> None:
    transcript = recorded("P-14")
    assert told("P-14").count("card_turned") == 2
    state = started(transcript.setup)
    for action in transcript.actions:
        state = stepped(state, action).state
        if state.convoy is not None:
            for seat in (None, 1, 2, 3):
                assert "illegal" not in GAME.view(state, seat).convoy.cards


def test_what_happens_is_told_in_order() -> None:
    assert told("P-16")[3:] == [
        *("let_pass", "prohi_played", "let_pass", "inspector_came", "no_bribe_offered", "inspection_begun"),
        *("card_turned", "prohi_found", "prohi_won", "convoy_arrived"),
    ]
    assert told("P-20-end")[-3:] == ["row_card_taken", "game_ended", "game_won"]
    assert told("P-25")[-2:] == ["game_ended", "win_shared"]
