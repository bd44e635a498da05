"""Whole games of Smugglers from sensor readings alone, every verdict compared with what truly happened."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.end_to_end.whole_game import play_a_game, play_games

SOAK_GAMES = 100


def test_a_short_game_is_played_by_the_sensors_alone(tmp_path: Path) -> None:
    account = play_a_game(tmp_path, seed=2, goal="short", hourglass_s=4)
    assert account.flawless, account
    assert account.judged > 20


@pytest.mark.soak
def test_a_hundred_full_games_of_four_end_with_a_winner_and_true_verdicts(capfd: pytest.CaptureFixture[str]) -> None:
    flawed = []
    for account in play_games(range(SOAK_GAMES)):
        with capfd.disabled():
            print(account, flush=True)
        if not account.flawless:
            flawed.append(account)
    assert flawed == []
