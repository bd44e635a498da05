"""Every scenario of the specification, and more rules, as recorded transcripts with what must come out of them."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import pytest

from appliance.games.catalogue import GAMES
from appliance.journal.transcript import Transcript, TranscriptError, write_transcript
from tests.appliance.games.recordings import NAMES, path_of, read
from tests.places import RECORDINGS

EVERY = [(game, name) for game in GAMES for name in NAMES[game]]


def of(game: str, module: str) -> Any:
    """Return what the tests of one game know of it: how its board is written down, which scenarios there are."""
    return import_module(f"tests.appliance.games.{game}.{module}")


@pytest.mark.parametrize(("game", "name"), EVERY)
def test_a_recording_comes_out_as_its_text_says(game: str, name: str) -> None:
    told = path_of(game, name).with_suffix(".txt").read_text(encoding="utf-8")
    expected = told.split("\n", 1)[1].strip()
    transcript = read(game, name)
    if isinstance(transcript, TranscriptError):
        assert f"line {transcript.line}: {transcript.code}" == expected
    else:
        assert of(game, "board").board(transcript.state) == expected


@pytest.mark.parametrize(("game", "name"), EVERY)
def test_a_recording_is_written_as_it_was_read(game: str, name: str) -> None:
    transcript = read(game, name)
    if isinstance(transcript, Transcript):
        again = write_transcript(transcript.setup, transcript.actions)
        assert again.splitlines()[1:] == path_of(game, name).read_text(encoding="utf-8").splitlines()[1:]


@pytest.mark.parametrize("game", GAMES)
def test_every_scenario_is_recorded_and_every_text_has_its_recording(game: str) -> None:
    scenarios = of(game, "specified").SCENARIOS
    assert len(scenarios) > 15
    for scenario in scenarios:
        assert any(name == scenario or name.startswith(f"{scenario}-") for name in NAMES[game]), scenario
    assert sorted(path.stem for path in (RECORDINGS / game).glob("*.txt")) == NAMES[game]
