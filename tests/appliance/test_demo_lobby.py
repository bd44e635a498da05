"""The simulated table's lobby: robots begin by themselves, but not while people do."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from appliance.bootstrap import the_game
from appliance.demo import LOBBY_S, PEOPLE_S, SET_UP_S, Demo
from appliance.journal import Journal
from appliance.sealing import load_or_create_key
from appliance.table import Table
from hardware.clock import ManualClock


@pytest.fixture
def lobby(tmp_path: Path) -> Iterator[tuple[Table, Demo, ManualClock]]:
    clock = ManualClock()
    journal = Journal(tmp_path / "journal.sqlite3", load_or_create_key(tmp_path / "seal.key"))
    table = Table(journal=journal, games=the_game, clock=clock)
    # Prohis needs no simulated putty, so robots need no simulated table.
    yield table, Demo(table, None, the_game, clock=clock, seed=1, opens="prohis", players=4), clock
    table.stop()
    journal.close()


def test_robots_begin_at_once_and_begin_again_when_people_put_their_game_away(lobby) -> None:
    table, demo, clock = lobby
    demo.play()
    assert table.snapshot().game == "prohis"
    demo.play()
    table.close_game("people-1")
    clock.advance_to(clock.now_s() + PEOPLE_S - 1)
    demo.play()
    assert table.snapshot().game is None
    clock.advance_to(clock.now_s() + 2)
    demo.play()
    assert table.snapshot().game == "prohis"


def test_robots_wait_while_people_set_up_a_game(lobby) -> None:
    table, demo, clock = lobby
    demo.keep_lobby()
    demo.play()
    clock.advance_to(clock.now_s() + LOBBY_S + PEOPLE_S)
    demo.play()
    assert table.snapshot().game is None
    clock.advance_to(clock.now_s() + SET_UP_S)
    demo.play()
    assert table.snapshot().game == "prohis"
