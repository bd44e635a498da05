"""Every scenario of the specification, and more rules, as recorded transcripts with what must come out of them."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from appliance.games.catalogue import GAMES, added, the_game
from appliance.journal.transcript import Transcript, TranscriptError, write_transcript
from tests.appliance.games.contract.play import a_setup
from tests.appliance.games.playing import started
from tests.appliance.games.plays import own_module
from tests.appliance.games.recordings import NAMES, path_of, read
from tests.places import RECORDINGS
from tests.porters_game.game import GAME as PORTERS

EVERY = [(game, name) for game in GAMES for name in NAMES[game]]


SPECIFIED = [game for game in GAMES if own_module(game, "specified")]
"""The games whose specification names the scenarios that must be recorded."""


def board(game: str, state: Any) -> str:
    """Return the public view as it is written down: as its tests do it, else a line for each field but the prompts."""
    if own := own_module(game, "board"):
        return str(own.board(state))
    view: dict[str, Any] = msgspec.to_builtins(the_game(game).rules.view(state, None))
    del view["expects"]
    return "\n".join(f"{field}: {msgspec.json.encode(value).decode()}" for field, value in view.items())


@pytest.mark.parametrize(("game", "name"), EVERY)
def test_a_recording_comes_out_as_its_text_says(game: str, name: str) -> None:
    told = path_of(game, name).with_suffix(".txt").read_text(encoding="utf-8")
    expected = told.split("\n", 1)[1].strip()
    transcript = read(game, name)
    if isinstance(transcript, TranscriptError):
        assert f"line {transcript.line}: {transcript.code}" == expected
    else:
        assert board(game, transcript.state) == expected


@pytest.mark.parametrize(("game", "name"), EVERY)
def test_a_recording_is_written_as_it_was_read(game: str, name: str) -> None:
    transcript = read(game, name)
    if isinstance(transcript, Transcript):
        again = write_transcript(transcript.setup, transcript.actions)
        assert again.splitlines()[1:] == path_of(game, name).read_text(encoding="utf-8").splitlines()[1:]


def test_a_game_that_brings_no_board_is_written_down_field_by_field() -> None:
    with added(PORTERS):
        state = started(PORTERS.rules, a_setup(PORTERS, 2))
        round_, players, own = board("porters", state).splitlines()
    assert (round_, own) == ("round: 1", "own_load_g: null")
    assert players.count('"rounds":0') == 2


@pytest.mark.parametrize("game", SPECIFIED)
def test_every_scenario_is_recorded(game: str) -> None:
    scenarios = own_module(game, "specified").SCENARIOS  # type: ignore[union-attr]  # by SPECIFIED
    assert len(scenarios) > 15
    for scenario in scenarios:
        assert any(name == scenario or name.startswith(f"{scenario}-") for name in NAMES[game]), scenario


def test_the_scenarios_of_the_four_are_specified() -> None:
    assert {"smugglers", "prohis", "customs", "haulers"} <= set(SPECIFIED)


@pytest.mark.parametrize("game", GAMES)
def test_every_text_has_its_recording(game: str) -> None:
    assert sorted(path.stem for path in (RECORDINGS / game).glob("*.txt")) == NAMES[game]
