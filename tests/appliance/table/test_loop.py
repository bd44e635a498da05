"""The running loop: it outlives bugs, wakes those who wait, and ends when told."""

import math
import threading
from collections.abc import Collection
from typing import NoReturn

import pytest

from appliance.games.protocol import Proposal, Remark
from appliance.snapshot import Accepted, Submission
from appliance.table.broadcast import Broadcast
from appliance.table.game.open_game import OpenGame
from hardware.clock import MonotonicClock
from hardware.readings import ButtonPressed, DeviceHealth, Reading
from tests.appliance.conftest import PortersTable
from tests.appliance.games.porters import Hide, Porters, ScriptedReferee
from tests.patience import GIVEN_UP_S
from tests.porters_game.rules.state import State

READING = ButtonPressed(t_s=0.0, button="hourglass")


class Clumsy(ScriptedReferee):
    """Trips over its first reading, with a secret on its lips."""

    def sense(self, state: State, reading: Reading) -> NoReturn:
        raise ValueError(f"cannot judge {state.loads}")


@pytest.fixture
def running(porters: PortersTable) -> PortersTable:
    porters.running = MonotonicClock()
    porters.reopen().start()
    return porters


def test_a_bug_in_the_referee_stops_neither_the_game_nor_tells_a_secret(
    running: PortersTable, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(Porters, "referee", lambda self, setup, timing: Clumsy(timing))
    running.open()
    running.did(Hide(seat=0, mass_g=22.7))
    version = running.table.snapshot().version
    running.table.sense(READING)
    assert running.table.wait_newer(version, GIVEN_UP_S) is not None
    assert running.did(Hide(seat=1, mass_g=19.3)) == 3
    assert running.state.loads == (22.7, 19.3)
    assert "ValueError" in caplog.text
    assert "22.7" not in caplog.text


def test_a_bug_in_the_referee_stops_no_timer(running: PortersTable, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Porters, "referee", lambda self, setup, timing: Clumsy(timing))
    running.open()
    running.accepted(running.table.command("turn_hourglass", "turn"))
    before = running.table.snapshot()
    running.table.sense(READING)
    after = running.table.wait_newer(before.version, GIVEN_UP_S)
    assert after is not None
    assert after.timers["hourglass"].ends_s == pytest.approx(before.timers["hourglass"].ends_s)


def test_when_even_a_fresh_referee_fails_the_table_still_answers(
    running: PortersTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    running.open()

    def trip(*_: object) -> None:
        raise ZeroDivisionError

    version = running.table.snapshot().version
    monkeypatch.setattr(ScriptedReferee, "sense", trip)
    monkeypatch.setattr(Porters, "referee", trip)
    running.table.sense(READING)
    assert running.table.wait_newer(version, GIVEN_UP_S) is not None
    assert running.did(Hide(seat=0, mass_g=22.7)) == 2


def test_a_bug_in_what_is_published_does_not_end_the_loop(
    running: PortersTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    running.open()
    attention, bugs, tripped = ScriptedReferee.attention, iter(range(2)), threading.Semaphore(0)

    def trips_twice(self: ScriptedReferee, state: State) -> Collection[str]:
        if next(bugs, None) is None:
            return attention(self, state)
        tripped.release()
        raise ZeroDivisionError

    def heard(code: str) -> None:
        running.referee.script["sense"] = [[Remark(topic="lane", code=code)]]
        running.table.sense(READING)

    monkeypatch.setattr(ScriptedReferee, "attention", trips_twice)
    heard("no_lane")
    for _ in range(2):
        assert tripped.acquire(timeout=GIVEN_UP_S)
    version = running.table.snapshot().version
    heard("wrong_lane")
    assert running.table.wait_newer(version, GIVEN_UP_S) is not None


def test_a_bug_at_every_tick_does_not_keep_the_loop_busy(
    porters: PortersTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    porters.open()
    tripped, news = threading.Semaphore(0), iter(range(1, 100))

    def trip(*_: object) -> None:
        tripped.release()
        raise ZeroDivisionError

    def works() -> None:
        version = porters.table.snapshot().version
        porters.referee.script["sense"] = [[Remark(topic="lane", code=f"news_{next(news)}")]]
        porters.table.sense(READING)
        assert porters.table.wait_newer(version, GIVEN_UP_S) is not None

    monkeypatch.setattr(ScriptedReferee, "tick", trip)
    porters.table.start()
    porters.clock.advance_to(porters.clock.now_s() + 1.0)
    assert tripped.acquire(timeout=GIVEN_UP_S)
    for _ in range(3):
        works()
    assert not tripped.acquire(blocking=False), "no time has passed since"
    monkeypatch.undo()


def test_a_grace_that_is_no_number_does_not_end_the_loop(running: PortersTable) -> None:
    running.open()
    hidden = Hide(seat=0, mass_g=22.7)
    endless = Proposal(action=hidden, prompt="hide.1.0", because=("scale",), grace_s=math.nan)
    for advised in ([endless], [Remark(topic="lane", code="no_lane")]):
        version = running.table.snapshot().version
        running.referee.script["sense"] = [advised]
        running.table.sense(READING)
        assert running.table.wait_newer(version, GIVEN_UP_S) is not None, advised
    assert running.did(hidden) == 2


def test_a_bug_in_what_is_due_next_does_not_end_the_loop(
    running: PortersTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    running.open()
    tripped = threading.Semaphore(0)

    def trip(*_: object) -> None:
        tripped.release()
        raise ZeroDivisionError

    monkeypatch.setattr(OpenGame, "next_due_s", trip)
    for _ in range(2):
        assert tripped.acquire(timeout=GIVEN_UP_S)
    version = running.table.snapshot().version
    running.table.sense(DeviceHealth(t_s=0.0, device="scale", status="faulty", code="scale_silent"))
    assert running.table.wait_newer(version, GIVEN_UP_S) is not None
    monkeypatch.undo()
    assert running.did(Hide(seat=0, mass_g=22.7)) == 2


def test_a_bug_while_judging_reaches_who_asked_and_the_table_goes_on(
    running: PortersTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    running.open()

    def trip(*_: object) -> None:
        raise ZeroDivisionError

    with monkeypatch.context() as broken:
        broken.setattr(Porters, "apply", trip)
        with pytest.raises(ZeroDivisionError):
            running.do(Hide(seat=0, mass_g=22.7))
    assert running.did(Hide(seat=0, mass_g=22.7)) == 2


def test_what_is_posted_is_answered_in_order(running: PortersTable) -> None:
    running.open(4)
    futures = [
        running.table.post(Submission(id=f"post-{seat}", action=Hide(seat=seat, mass_g=9.0))) for seat in (2, 0, 3, 1)
    ]
    assert [future.result(GIVEN_UP_S) for future in futures] == [Accepted(2), Accepted(3), Accepted(4), Accepted(5)]


def test_who_waits_for_news_is_let_go_when_the_table_stops(running: PortersTable) -> None:
    told: list[object] = []
    version = running.table.snapshot().version
    waiting = threading.Thread(target=lambda: told.append(running.table.wait_newer(version, GIVEN_UP_S)))
    waiting.start()
    running.table.stop()
    waiting.join(GIVEN_UP_S)
    assert told == [None]


def test_a_slow_listener_gets_the_newest_and_misses_the_rest() -> None:
    news: Broadcast[str] = Broadcast()
    assert news.wait_newer(0, 0.0) is None
    for version, value in enumerate(("first", "second", "third"), start=1):
        news.publish(version, value)
    assert news.wait_newer(1, 0.0) == "third"
    assert news.wait_newer(3, 0.0) is None
