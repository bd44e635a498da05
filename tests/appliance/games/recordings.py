"""The recorded transcripts of every game, each beside a text that says what must come out of it.

The text's first line tells what is shown and which rules say so; below it stands the whole board as it must be, or the
line and code of the refusal. The boards were worked out by hand from the rules; change one only together with them.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from appliance.games.catalogue import GAMES, the_game
from appliance.games.protocol import Happening, Rejection
from appliance.journal.transcript import Transcript, TranscriptError, read_transcript
from tests.appliance.games import playing
from tests.places import RECORDINGS

NAMES = {game: sorted(path.stem for path in (RECORDINGS / game).glob("*.jsonl")) for game in GAMES}


def path_of(game: str, name: str) -> Path:
    return RECORDINGS / game / f"{name}.jsonl"


def read(game: str, name: str) -> Transcript | TranscriptError:
    with path_of(game, name).open("rb") as file:
        return read_transcript(file)


def recorded(game: str, name: str) -> Transcript:
    transcript = read(game, name)
    assert isinstance(transcript, Transcript), transcript
    return transcript


def heard(game: str, name: str) -> Iterator[tuple[Any, tuple[Happening, ...]]]:
    """Yield what everybody hears of the set-up and of each action in a recording, each with the state after it.

    A recording that ends with a refusal is none to be heard.
    """
    transcript = read(game, name)
    if isinstance(transcript, TranscriptError):
        return
    rules = the_game(game).rules
    step = rules.set_up(transcript.setup)
    for action in (*transcript.actions, None):
        assert not isinstance(step, Rejection)
        yield step.state, tuple(happening for happening in step.happened if happening.to is None)
        if action is not None:
            step = rules.apply(step.state, action)


def told(game: str, name: str) -> list[str]:
    """Return the codes of what happens in a recording, in order."""
    transcript = recorded(game, name)
    return playing.told(the_game(game).rules, transcript.setup, transcript.actions)
