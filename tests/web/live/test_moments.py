"""Every moment is shown once: its id stays, and no other moment gets it, however far the log moves on."""

from __future__ import annotations

import pytest

from appliance.games.catalogue import GAMES, the_game
from appliance.games.protocol import Happening, Rejection
from appliance.journal.transcript import Transcript, read_transcript
from appliance.snapshot import Announcement
from tests.places import RECORDINGS
from web.pages.moments import recent


def log_of(transcript: Transcript) -> list[Announcement]:
    """The log of a recorded game, as its rules tell what happened."""
    rules = the_game(transcript.setup.game).rules
    step = rules.set_up(transcript.setup)
    assert not isinstance(step, Rejection)
    log = [Announcement(1, "happening", one) for one in step.happened]
    for seq, action in enumerate(transcript.actions, start=2):
        step = rules.apply(step.state, action)
        assert not isinstance(step, Rejection)
        log += [Announcement(seq, "happening", one) for one in step.happened]
    return log


@pytest.mark.parametrize("game", GAMES)
def test_a_moment_keeps_its_id_and_is_never_drawn_again(game: str) -> None:
    told = 0
    for path in sorted((RECORDINGS / game).glob("*.jsonl")):
        with path.open("rb") as file:
            transcript = read_transcript(file)
        if not isinstance(transcript, Transcript):
            continue  # a recording of what is refused
        log = log_of(transcript)
        codes = {line.happening.code for line in log}
        first_told: dict[str, Announcement] = {}
        drawn_before: set[str] = set()
        gone: set[str] = set()
        for end in range(1, len(log) + 1):
            newest = recent(log[:end], 3, codes)
            assert newest[-1].line is log[end - 1]
            assert newest[-1].drawn
            for one in newest:
                assert first_told.setdefault(one.id, one.line) is one.line, "two moments share an id"
            drawn = {one.id for one in newest if one.drawn}
            gone |= drawn_before - drawn
            assert not gone & drawn, "a moment that was gone is drawn again"
            drawn_before = drawn
        assert len(first_told) == len(log), "every line of the log was told once"
        told += len(log)
    assert told > 100


def test_corrections_and_what_has_no_moment_are_left_out() -> None:
    happened = Happening(code="sphere_passed", values={"seat": 0})
    log = [
        Announcement(4, "happening", happened),
        Announcement(4, "happening", Happening(code="turn_began")),
        Announcement(5, "amended", happened),
    ]
    assert [one.id for one in recent(log, 3, {"sphere_passed"})] == ["3.4.0"]
