"""Whole games of Smugglers from sensor readings alone, every verdict compared with what truly happened."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from tests.end_to_end.lockstep import LockstepTable
from tests.end_to_end.whole_game import play_a_game, play_games

pytestmark = pytest.mark.slow

SOAK_GAMES = 100


def test_a_short_game_is_played_by_the_sensors_alone(tmp_path: Path) -> None:
    account = play_a_game(tmp_path, seed=2, goal="short", hourglass_s=4)
    assert account.flawless, account
    assert account.judged > 20


def test_one_seed_one_game_to_the_last_byte(tmp_path: Path) -> None:
    """Readings, verdicts and robots come out the same, so that a game that went wrong can be played again."""
    games = []
    for name in ("one", "other"):
        (tmp_path / name).mkdir()
        table = LockstepTable(tmp_path / name, seed=11, players=2, hourglass_s=4)
        try:
            table.play_until(lambda: False, 60.0)
            history = table.table.history()
            assert history is not None
            games.append(msgspec.json.encode(history))
        finally:
            table.close()
    assert games[0] == games[1]
    assert games[0].count(b'"do"') > 4


@pytest.mark.soak
def test_a_hundred_full_games_of_four_end_with_a_winner_and_true_verdicts(capfd: pytest.CaptureFixture[str]) -> None:
    flawed = []
    for account in play_games(range(SOAK_GAMES)):
        with capfd.disabled():
            print(account, flush=True)
        if not account.flawless:
            flawed.append(account)
    assert flawed == []
