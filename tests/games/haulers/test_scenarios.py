"""Every TR scenario of the specification, and more rules, as a recorded transcript with what must come out of it.

Beside each recording lies a text: what it shows and which rules say so, then the whole public board as it must be, or
the line and code of the refusal. The boards were worked out by hand from the rules; change one only with them.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from appliance.games.game import Prompt, Step
from appliance.games.haulers import GAME
from appliance.transcript import Transcript, TranscriptError, read_transcript, write_transcript
from tests.games.haulers.board import board

RECORDINGS = Path(__file__).parents[2] / "recordings" / "haulers"
NAMES = sorted(path.stem for path in RECORDINGS.glob("*.jsonl"))
SCENARIOS = """
    T-01 T-02 T-04 T-05 T-07 T-08 T-10 T-11 T-13 T-14 T-16 T-17 T-22 T-23 T-25 T-26 T-28 T-29
""".split()  # noqa: SIM905 - a list of 18 strings reads worse
"""T-19 and T-20 are in test_ending.py: twenty deliveries to get there would hide what is shown."""


def recorded(name: str) -> Transcript:
    with (RECORDINGS / f"{name}.jsonl").open("rb") as file:
        transcript = read_transcript(file)
    assert isinstance(transcript, Transcript), transcript
    return transcript


def asked(name: str, seat: int) -> dict[str, Prompt]:
    return {prompt.do: prompt for prompt in GAME.expects(recorded(name).state, seat) if prompt.seat == seat}


def told(name: str) -> list[str]:
    """Return the codes of what the last action of a recording made happen."""
    transcript = recorded(name)
    step = GAME.set_up(transcript.setup)
    for action in transcript.actions:
        assert isinstance(step, Step)
        step = GAME.apply(step.state, action)
    assert isinstance(step, Step)
    return [happening.code for happening in step.happened]


@pytest.mark.parametrize("name", NAMES)
def test_recording(name: str) -> None:
    expected = (RECORDINGS / f"{name}.txt").read_text(encoding="utf-8").split("\n", 1)[1].strip()
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
        assert again.splitlines()[1:] == path.read_text(encoding="utf-8").splitlines()[1:]


def test_t04_a_boat_that_rolled_6_may_go_0_1_or_2() -> None:
    reach = asked("T-04-six", 0)["go"].choices["to"].values  # type: ignore[union-attr]
    assert set(reach) == {"Dor", "Dor–Fin 2", "Fin"}
    assert "stop" in asked("T-04-six", 0)


def test_t08_equal_rolls_let_the_carrier_go_and_one_more_does_not() -> None:
    assert told("T-08-equal")[-1] == "carrier_got_away"
    assert "legal_found" in told("T-08-higher")


def test_t26_a_natural_seven_must_be_answered_by_a_transit_card() -> None:
    assert "transit_drawn" in told("T-26-move")
    assert "transit_drawn" in told("T-26-natural-seven-with-radar")
    assert "transit_drawn" not in told("T-26-six-with-radar")


def test_t28_smuggling_is_not_even_offered_when_both_cards_are_in_use() -> None:
    start = asked("T-28-legal-offered", 0)["start"]
    assert start.choices["kind"].values == ("legal",)  # type: ignore[union-attr]


def test_t29_the_redraw_is_offered_to_its_owner_alone() -> None:
    state = recorded("T-29-offered").state
    assert "redraw" in {prompt.do for prompt in GAME.expects(state, 0)}
    assert all("redraw" not in {p.do for p in GAME.expects(state, seat)} for seat in (None, 1))
