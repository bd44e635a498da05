"""The simulated table's lobby: robots begin by themselves, but not while people do."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import msgspec
import pytest

from appliance.composition.demo import demo as demo_module
from appliance.composition.demo.demo import APPLAUSE_S, LOBBY_S, PEOPLE_S, READING_S, SET_UP_S, Demo
from appliance.games.catalogue import the_game
from appliance.games.protocol import Setup
from appliance.journal.journal import Journal
from appliance.journal.safekeeping.keys import seal_key
from appliance.snapshot import Accepted, Submission
from appliance.table.table import Table
from hardware.clock import ManualClock
from hardware.readings import DeviceHealth
from hardware.twin.simulation import Simulation
from tests.narrowed import there
from tests.patience import GIVEN_UP_S
from tests.refused_writes import refused_writes

NO_SIMULATION = cast(Simulation, None)
"""Prohis needs no simulated putty, so robots need no simulated table."""


@pytest.fixture
def lobby(tmp_path: Path) -> Iterator[tuple[Table, Demo, ManualClock]]:
    clock = ManualClock()
    journal = Journal(tmp_path / "journal.sqlite3", seal_key(tmp_path)[0])
    table = Table(journal=journal, games=the_game, clock=clock)
    yield table, Demo(table, NO_SIMULATION, the_game, clock=clock, seed=1, opens="prohis", players=4), clock
    table.stop()
    journal.close()


def test_robots_begin_at_once_and_begin_again_when_people_put_their_game_away(
    lobby: tuple[Table, Demo, ManualClock],
) -> None:
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


def test_robots_wait_while_people_set_up_a_game(lobby: tuple[Table, Demo, ManualClock]) -> None:
    table, demo, clock = lobby
    demo.keep_lobby()
    demo.play()
    clock.advance_to(clock.now_s() + LOBBY_S + PEOPLE_S)
    demo.play()
    assert table.snapshot().game is None
    clock.advance_to(clock.now_s() + SET_UP_S)
    demo.play()
    assert table.snapshot().game == "prohis"


@pytest.mark.parametrize(("by", "stays_s"), [("robot", APPLAUSE_S), ("person", READING_S)])
def test_people_who_played_have_time_to_read_how_it_ended(
    lobby: tuple[Table, Demo, ManualClock], by: str, stays_s: float
) -> None:
    table, demo, clock = lobby
    demo.play()
    rules = the_game("prohis").rules
    demo.play()
    demo.hand_over(2, by)
    for _ in range(4):
        leave = msgspec.convert({"do": "pass", "seat": table.snapshot().state.turn}, rules.action_type)
        assert isinstance(table.submit(Submission(id=f"pass-{leave.seat}", action=leave)), Accepted)
    assert rules.outcome(table.snapshot().state) is not None
    clock.advance_to(clock.now_s() + stays_s - 1)
    demo.play()
    assert table.snapshot().game == "prohis"
    clock.advance_to(clock.now_s() + 2)
    demo.play()
    assert table.snapshot().game is None


def test_seats_that_people_took_stay_theirs_when_the_table_starts_again(
    lobby: tuple[Table, Demo, ManualClock], tmp_path: Path
) -> None:
    table, _, clock = lobby

    def start() -> Demo:
        people = tmp_path / "people.json"
        return Demo(table, NO_SIMULATION, the_game, clock=clock, seed=1, opens="prohis", players=4, people_file=people)

    before = start()
    before.play()
    before.play()
    before.hand_over(2, "person")
    before.hand_over(3, "person")
    before.hand_over(3, "robot")
    after = start()
    assert [after.who_plays(seat) for seat in range(4)] == ["robot", "robot", "person", "robot"]
    after.play()
    assert [after.who_plays(seat) for seat in range(4)] == ["robot", "robot", "person", "robot"]
    table.close_game("people-1")
    clock.advance_to(clock.now_s() + PEOPLE_S + LOBBY_S)
    after.play()
    after.play()
    assert [after.who_plays(seat) for seat in range(4)] == ["robot"] * 4


@pytest.mark.parametrize("by", ["robot", "person"])
def test_another_game_that_is_asked_for_replaces_one_of_robots_and_waits_for_one_of_people(
    lobby: tuple[Table, Demo, ManualClock], tmp_path: Path, by: str, caplog: pytest.LogCaptureFixture
) -> None:
    table, _, clock = lobby

    def start(game: str) -> Demo:
        people = tmp_path / "people.json"
        return Demo(table, NO_SIMULATION, the_game, clock=clock, seed=1, opens=game, players=4, people_file=people)

    before = start("prohis")
    before.play()
    before.play()
    before.hand_over(2, by)
    after = start("customs")
    after.play()
    after.play()
    assert table.snapshot().game == ("customs" if by == "robot" else "prohis")
    assert ("put it away to play customs" in caplog.text) == (by == "person")


def test_a_game_that_people_chose_while_robots_play_another_goes_on(lobby: tuple[Table, Demo, ManualClock]) -> None:
    table, demo, _ = lobby
    customs = the_game("customs")
    setup = Setup(
        format=1,
        game="customs",
        players=customs.demo_players(("Ann", "Ben", "Cleo")),
        options=there(customs.robots)().demo_options(),
    )
    assert isinstance(table.open_game(setup, "people-1"), Accepted)
    for _ in range(3):
        demo.play()
    assert table.snapshot().game == "customs"


def test_seats_that_people_took_on_a_full_disk_stay_theirs_in_the_rematch(
    lobby: tuple[Table, Demo, ManualClock], tmp_path: Path
) -> None:
    table, _, clock = lobby
    people = tmp_path / "people.json"
    demo = Demo(table, NO_SIMULATION, the_game, clock=clock, seed=1, opens="prohis", players=4, people_file=people)
    demo.play()
    demo.play()
    demo.hand_over(1, "person")
    with refused_writes(0):
        demo.hand_over(2, "person")
    setup, seating = table.snapshot().setup, table.snapshot().seating
    for _ in range(4):
        leave = msgspec.convert(
            {"do": "pass", "seat": table.snapshot().state.turn}, the_game("prohis").rules.action_type
        )
        assert isinstance(table.submit(Submission(id=f"pass-{leave.seat}", action=leave)), Accepted)
    assert isinstance(table.open_game(there(setup), "rematch"), Accepted)
    assert table.snapshot().seating == seating
    assert [demo.who_plays(seat) for seat in range(4)] == ["robot", "person", "person", "robot"]
    again = Demo(table, NO_SIMULATION, the_game, clock=clock, seed=1, opens="prohis", players=4, people_file=people)
    assert [again.who_plays(seat) for seat in range(4)] == ["robot", "person", "robot", "robot"]


@pytest.mark.parametrize("content", [b"", b"{", b'{"game_id": 1, "seats": "all"}', bytes(1000)])
def test_a_damaged_note_of_who_plays_leaves_every_seat_to_robots(
    lobby: tuple[Table, Demo, ManualClock], tmp_path: Path, content: bytes
) -> None:
    table, _, clock = lobby
    (tmp_path / "people.json").write_bytes(content)
    demo = Demo(
        table, NO_SIMULATION, the_game, clock=clock, seed=1, opens="prohis", people_file=tmp_path / "people.json"
    )
    demo.play()
    demo.play()
    assert [demo.who_plays(seat) for seat in range(4)] == ["robot"] * 4


def test_after_a_bug_of_a_robot_others_play_on_and_people_keep_their_seats(
    lobby: tuple[Table, Demo, ManualClock], monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    table, demo, clock = lobby
    monkeypatch.setattr(demo_module, "AFTER_BUG_S", 0.0)
    robot: Any = there(the_game("prohis").robots)().Robot
    choose, asked, plays_on = robot.choose, list[object](), threading.Event()

    def fails_once(self: object, *seen: object) -> object:
        asked.append(self)
        if len(asked) == 1:
            raise LookupError("a secret card")
        plays_on.set()
        return choose(self, *seen)

    monkeypatch.setattr(robot, "choose", fails_once)
    demo.play()
    demo.play()
    person = 1 if table.snapshot().state.turn != 1 else 2
    demo.hand_over(person, "person")
    demo.start()
    until_s = time.monotonic() + GIVEN_UP_S
    while not plays_on.wait(0.02) and time.monotonic() < until_s:
        clock.advance_to(clock.now_s() + 1.0)
    demo.stop()
    assert plays_on.is_set()
    assert [demo.who_plays(seat) for seat in range(4)] == ["person" if seat == person else "robot" for seat in range(4)]
    assert "LookupError" in caplog.text
    assert "secret" not in caplog.text


def test_hands_wait_for_the_camera_to_have_started(lobby: tuple[Table, Demo, ManualClock]) -> None:
    table, demo, clock = lobby
    demo.play()
    table.sense(DeviceHealth(t_s=clock.now_s(), device="camera", status="starting", code="camera_starting"))
    table.step()
    opened = table.snapshot().journal_seq
    pass_time(table, demo, clock, 30.0)
    assert table.snapshot().journal_seq == opened
    table.sense(DeviceHealth(t_s=clock.now_s(), device="camera", status="ok", code="camera_ok"))
    pass_time(table, demo, clock, 30.0)
    assert table.snapshot().journal_seq > opened


def pass_time(table: Table, demo: Demo, clock: ManualClock, seconds: float) -> None:
    end_s = clock.now_s() + seconds
    while clock.now_s() < end_s:
        clock.advance_to(clock.now_s() + 0.25)
        table.step()
        demo.play()
