"""How streams are sent: who gets a change first, by whose thread, and who gets a stream at all."""

from __future__ import annotations

import http.client
import json
import os
import queue
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from hardware.clock import MonotonicClock
from hardware.readings import RollPlace
from tests.patience import GIVEN_UP_S
from tests.web.stand import Stand
from web.live.rendered_pages import Page
from web.live.serve import Server
from web.live.streams import Following, no_push, turn_of
from web.words.viewer import Viewer


def test_more_watchers_than_places_are_told_so(tmp_path: Path) -> None:
    stand = Stand(tmp_path, streams_most=2)
    open_ones = [stand.kiosk().get("/live?kind=wall", buffered=False) for _ in range(2)]
    assert stand.kiosk().get("/live?kind=wall").status_code == 503
    for response in open_ones:
        response.close()
    again = stand.kiosk().get("/live?kind=wall", buffered=False)
    assert again.status_code == 200
    again.close()
    stand.close()


def test_whoever_asks_only_whether_a_stream_would_begin_takes_no_place(tmp_path: Path) -> None:
    stand = Stand(tmp_path, streams_most=1)
    assert [stand.kiosk().head("/live?kind=wall", buffered=True).status_code for _ in range(3)] == [200] * 3
    assert stand.stranger().head("/live?kind=kiosk").status_code == 403
    stand.close()


def test_stopping_ends_every_stream(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each by itself, before its connection would be cut."""
    monkeypatch.setattr("web.live.serve.TASKS_END_S", GIVEN_UP_S)
    stand = Stand(tmp_path, clock=MonotonicClock(), port=0, streams_most=8)
    server = Server(stand.app, stand.site, host="127.0.0.1")
    server.start()
    ended = []
    connections = [http.client.HTTPConnection("127.0.0.1", server.port, timeout=GIVEN_UP_S) for _ in range(4)]
    answers = []
    for connection in connections:
        connection.request("GET", "/live?kind=wall")
        answer = connection.getresponse()
        answer.readline()
        answers.append(answer)

    def read_to_the_end(answer: http.client.HTTPResponse) -> None:
        answer.read()
        ended.append(True)

    readers = [threading.Thread(target=read_to_the_end, args=(answer,)) for answer in answers]
    for reader in readers:
        reader.start()
    server.stop()
    for reader in readers:
        reader.join(timeout=GIVEN_UP_S)
    for connection in connections:
        connection.close()
    assert len(ended) == 4
    stand.close()


class Screen:
    """A browser's part of a live page, over a real connection: it takes the regions that changed."""

    def __init__(self, port: int, arrived: queue.SimpleQueue[Any]) -> None:
        self.regions: dict[str, str] = {}
        self.versions: list[int] = []
        self._arrived = arrived
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=GIVEN_UP_S)
        self._connection.request("GET", "/live?kind=wall")
        self._answer = self._connection.getresponse()
        self.thread = threading.Thread(target=self._read)
        self.thread.start()

    def _read(self) -> None:
        while line := self._answer.readline():
            if line.startswith(b"data: {"):
                page = json.loads(line.removeprefix(b"data: "))
                self.regions |= page["regions"]
                self.versions.append(page["version"])
                self._arrived.put(page["version"])
        self._connection.close()


@pytest.mark.slow
def test_what_went_to_many_screens_adds_up_to_the_newest_page_on_each(tmp_path: Path) -> None:
    stand = Stand(tmp_path, clock=MonotonicClock(), port=0, streams_most=16)
    server = Server(stand.app, stand.site, host="127.0.0.1")
    server.start()
    stand.open(2)
    arrived: queue.SimpleQueue[Any] = queue.SimpleQueue()
    screens = [Screen(server.port, arrived) for _ in range(12)]
    for _ in screens:
        arrived.get(timeout=GIVEN_UP_S)
    stand.play({"do": "roll", "seat": 0, "value": 3}, {"do": "time_up"})
    stand.play(*[{"do": "attempt", "seat": 0, "outcome": "disturbed"}] * 25)
    newest = stand.table.snapshot()
    while any(screen.versions[-1] < newest.version for screen in screens):
        arrived.get(timeout=GIVEN_UP_S)
    page = stand.app.extensions["smugglers"].live.pages.of(newest, Viewer("wall", None, "en"))
    server.stop()
    for screen in screens:
        screen.thread.join(timeout=GIVEN_UP_S)
        assert screen.versions == sorted(set(screen.versions))
        assert screen.regions == {name: json.loads(html) for name, html in page.regions.items()}
    stand.close()


def test_players_are_shown_a_change_before_those_who_watch(stand: Stand) -> None:
    stand.open(2)
    live = stand.app.extensions["smugglers"].live
    assert live.reserve()
    shown: queue.SimpleQueue[str] = queue.SimpleQueue()

    def follow(kind: Any, seat: int | None) -> threading.Thread:
        def push(data: bytes) -> bool:
            if b"event: page" in data:
                shown.put(kind)
            return True

        stream = live.stream(Viewer(kind, seat, "en"), None, push)
        thread = threading.Thread(target=lambda: [None for _ in stream])
        there = len(live._followings)
        thread.start()
        while len(live._followings) == there or not all(one.idle for one in live._followings):
            assert thread.is_alive()
        return thread

    threads = [follow("wall", None), follow("kiosk", None), follow("wall", None), follow("seat", 0)]
    stand.do(do="roll", seat=0, value=3)
    assert [shown.get(timeout=GIVEN_UP_S) for _ in threads] == ["seat", "kiosk", "wall", "wall"]
    live.close()
    for thread in threads:
        thread.join(timeout=GIVEN_UP_S)
    live.release()


def test_a_bug_in_one_send_keeps_no_other_stream_from_going_on(stand: Stand, caplog: pytest.LogCaptureFixture) -> None:
    """The stream itself goes on, too: its own thread sends what the other one could not."""
    stand.open(2)
    live = stand.app.extensions["smugglers"].live
    sent: dict[str, queue.SimpleQueue[bytes]] = {"kiosk": queue.SimpleQueue(), "wall": queue.SimpleQueue()}

    def broken(data: bytes) -> bool:
        raise RuntimeError("a bug")

    def whole(data: bytes) -> bool:
        sent["wall"].put(data)
        return True

    def follow(kind: Any, push: Any) -> threading.Thread:
        assert live.reserve()
        stream = live.stream(Viewer(kind, None, "en"), None, push)

        def takes() -> None:
            for data in stream:
                sent[kind].put(data)

        thread = threading.Thread(target=takes)
        there = len(live._followings)
        thread.start()
        while len(live._followings) == there or not all(one.idle for one in live._followings):
            assert thread.is_alive()
        return thread

    threads = [follow("wall", whole), follow("kiosk", broken)]
    for action in ({"do": "roll", "seat": 0, "value": 3}, {"do": "time_up"}):
        for one in sent.values():
            while not one.empty():
                one.get()
        stand.do(**action)
        for one in sent.values():
            while b"event: page" not in one.get(timeout=GIVEN_UP_S):
                pass
    while not all(one.idle for one in live._followings):
        os.sched_yield()
    stand.rolls.tell(RollPlace(t_s=101.25, lane=4, place=510))
    while b"event: roll" not in sent["wall"].get(timeout=GIVEN_UP_S):
        pass
    live.close()
    for thread in threads:
        thread.join(timeout=GIVEN_UP_S)
        live.release()
    assert "RuntimeError" in caplog.text
    assert "a bug" not in caplog.text, "a message may quote a secret"


def test_seats_come_first_then_the_touchscreen_and_equal_pages_stand_together_so_that_each_is_made_once() -> None:
    seats = [Viewer("seat", 0, "en"), Viewer("seat", 1, "de")]
    order = [*seats, Viewer("kiosk", None, "en"), Viewer("wall", None, "de"), Viewer("wall", None, "en")]
    came = [*reversed(order), *order]
    streams = [Following(viewer, Page(1, 0, "game", {}), no_push) for viewer in came]
    assert [one.viewer for one in sorted(streams, key=turn_of)] == [viewer for viewer in order for _ in range(2)]


def test_nobody_else_sends_on_a_stream_while_its_own_thread_does(stand: Stand) -> None:
    stand.open(2)
    live, pushed = stand.app.extensions["smugglers"].live, list[bytes]()

    def push(data: bytes) -> bool:
        pushed.append(data)
        return False

    assert live.reserve()
    stream = live.stream(Viewer("wall", None, "en"), None, push)
    next(stream)
    with ThreadPoolExecutor(1) as own_thread:
        sends = own_thread.submit(next, stream)
        stand.do(do="roll", seat=0, value=3)
        live.refresh()
        sends.result(GIVEN_UP_S)
    pushed.clear()
    stand.do(do="time_up")
    live.refresh()
    assert pushed == []
    assert b"event: page" in next(stream)
    stream.close()
    live.release()


@pytest.mark.slow
def test_every_stream_is_told_that_the_table_lives_before_its_page_takes_it_for_dead(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("web.live.updates.OWN_BEAT_S", 2 * GIVEN_UP_S)
    stand = Stand(tmp_path, clock=MonotonicClock(), port=0, streams_most=8)
    server = Server(stand.app, stand.site, host="127.0.0.1")
    server.start()
    answers = []
    for _ in range(3):
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=GIVEN_UP_S)
        connection.request("GET", "/live?kind=wall")
        answers.append(connection.getresponse())
    for answer in answers:
        said = [line for line in iter(answer.readline, b"event: beat\n") if line.startswith(b"event")]
        assert said == [b"event: page\n"]
    server.stop()
    for answer in answers:
        answer.close()
    stand.close()


@pytest.mark.slow
def test_a_screen_that_has_gone_leaves_its_place_to_the_next(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("web.live.updates.HEARTBEAT_S", 0.05)
    stand = Stand(tmp_path, clock=MonotonicClock(), port=0, streams_most=1)
    server = Server(stand.app, stand.site, host="127.0.0.1")
    server.start()

    def watched() -> tuple[http.client.HTTPConnection, http.client.HTTPResponse] | None:
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=GIVEN_UP_S)
        connection.request("GET", "/live?kind=wall")
        answer = connection.getresponse()
        if answer.status == 200:
            return connection, answer
        assert answer.status == 503
        answer.read()
        connection.close()
        return None

    first = watched()
    assert first is not None
    heard = list(iter(first[1].readline, b"event: beat\n"))
    assert b"event: page\n" in heard, "it is sent all there is, and then rests"
    assert watched() is None
    for part in reversed(first):
        part.close()
    while (second := watched()) is None:
        pass
    server.stop()
    for part in reversed(second):
        part.close()
    stand.close()
