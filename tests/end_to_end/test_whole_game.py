"""Whole games of Smugglers from sensor readings alone, every verdict compared with what truly happened."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.end_to_end.lockstep import LockstepTable
from tests.end_to_end.verdicts import SENSED, Witness

SOAK_GAMES = 100


def play(folder: Path, seed: int, **options: object) -> Witness:
    table = LockstepTable(folder, seed=seed, **options)
    witness = Witness(table)
    try:
        assert table.play_until(lambda: witness.look() or table.is_over(), 30_000), "the game does not end"
        witness.look()
        tapped = {do: count for do, count in table.demo.tapped.items() if do in SENSED}
        assert not tapped, f"tapped instead of sensed: {tapped}"
        assert table.view.winner is not None
    finally:
        table.close()
    return witness


def test_a_short_game_is_played_by_the_sensors_alone(tmp_path: Path) -> None:
    witness = play(tmp_path, seed=2, goal="short", hourglass_s=4)
    assert witness.wrong == []
    assert witness.judged > 20


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(SOAK_GAMES))
def test_a_full_game_of_four_ends_with_a_winner_and_true_verdicts(tmp_path: Path, seed: int) -> None:
    assert play(tmp_path, seed).wrong == []
