"""Things break in the middle of a game: it goes on, doubts become questions, lost senses taps, nothing false counts."""

from __future__ import annotations

from pathlib import Path

import pytest

from hardware.twin.faults import FAULTS
from tests.end_to_end.whole_game import play_a_game

pytestmark = [pytest.mark.slow, pytest.mark.thorough]

SOON = ("camera covered",)
"""Tried in every run; the others in `make soak`."""


@pytest.mark.parametrize(
    "fault", [pytest.param(fault, marks=() if fault in SOON else pytest.mark.soak) for fault in FAULTS]
)
def test_a_game_with_a_fault_ends_without_a_wrong_verdict(tmp_path: Path, fault: str) -> None:
    account = play_a_game(tmp_path, seed=3, fault=fault, goal="short", hourglass_s=4)
    assert account.wrong == ()
    assert account.winner is not None
