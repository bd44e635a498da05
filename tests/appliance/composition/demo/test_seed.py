"""The same seed plays the same demonstration, also on a data folder where it was played before."""

from __future__ import annotations

from pathlib import Path

import pytest

from appliance.composition.demo.demo import Demo
from appliance.composition.table import build_demo
from appliance.games.catalogue import the_game
from appliance.games.protocol import Action
from appliance.journal.journal import Journal
from appliance.journal.safekeeping.keys import seal_key
from appliance.settings import Settings
from appliance.table.table import Table
from hardware.clock import ManualClock
from tests.appliance.composition.demo.test_demo_lobby import NO_SIMULATION
from tests.patience import GIVEN_UP_S
from tests.ports import free_port


def dealt(folder: Path, seed: int) -> Action:
    """Let robots open a game of Prohis, whose cards the table shuffles, and return what was drawn first."""
    settings = Settings(data_dir=str(folder), port=free_port(), host="127.0.0.1")
    demo = build_demo(settings, seed=seed, game="prohis", players=3)
    demo.start()
    try:
        version = 0
        while not ((history := demo.table.history()) and isinstance(history, tuple) and history[1]):
            newer = demo.table.wait_newer(version, GIVEN_UP_S)
            assert newer is not None, "nothing was drawn"
            version = newer.version
        return history[1][0]
    finally:
        demo.stop()


@pytest.mark.slow
def test_a_seed_shuffles_the_same_cards(tmp_path: Path) -> None:
    first = dealt(tmp_path / "a", 5)
    assert dealt(tmp_path / "b", 5) == first
    assert dealt(tmp_path / "c", 6) != first


def opened(folder: Path) -> bool:
    """Start a table with robots; say whether they opened a game of their own, and put it away."""
    journal = Journal(folder / "journal.sqlite3", seal_key(folder)[0])
    table = Table(journal=journal, games=the_game, clock=ManualClock())
    Demo(table, NO_SIMULATION, the_game, clock=ManualClock(), seed=1, opens="prohis", players=4).play()
    opened = table.snapshot().game == "prohis"
    table.close_game("people")
    table.close_game(f"people-{journal.last_seq()}")
    table.stop()
    journal.close()
    return opened


def test_the_same_seed_on_the_same_folder_opens_another_game(tmp_path: Path) -> None:
    assert [opened(tmp_path) for _ in range(3)] == [True] * 3
