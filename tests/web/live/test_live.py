"""Live updates: what changed arrives, nothing twice, nothing after the end."""

from __future__ import annotations

import http.client
import json
import queue
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from hardware.clock import MonotonicClock
from tests.patience import GIVEN_UP_S
from tests.web.stand import ADDRESS, Stand
from web.live.serve import Server
from web.words.asks import asks_of
from web.words.viewer import Viewer


def updates(client: Any, path: str, last_id: str | None = None) -> Iterator[dict[str, Any]]:
    headers = {"Last-Event-ID": last_id} if last_id else {}
    response = client.get(path, buffered=False, headers=headers)
    assert response.status_code == 200, response.status_code
    try:
        for chunk in response.response:
            for event in bytes(chunk).decode().split("\n\n"):
                fields = dict(line.split(": ", 1) for line in event.splitlines() if ": " in line)
                if fields.get("event") == "page":
                    yield json.loads(fields["data"]) | {"id": fields["id"]}
    finally:
        response.close()


def test_a_new_viewer_gets_everything_then_only_what_changed(stand: Stand) -> None:
    stand.open(2)
    live = updates(stand.kiosk(), "/live?kind=wall")
    first = next(live)
    assert set(first["regions"]) == {
        "head",
        "faults",
        "now",
        "paused",
        "rest",
        "scene",
        "ask",
        "players",
        "log",
        "moments",
        "again",
    }
    stand.do(do="roll", seat=0, value=3)
    second = next(live)
    assert "Round" in first["regions"]["head"]
    assert 'data-lane="7"' in second["regions"]["scene"]
    stand.do(do="time_up")
    stand.do(do="attempt", seat=0, outcome="short")
    live.close()


def test_a_viewer_who_comes_back_up_to_date_gets_no_page_again(stand: Stand) -> None:
    stand.open(2)
    first = next(updates(stand.kiosk(), "/live?kind=wall"))
    again = next(updates(stand.kiosk(), "/live?kind=wall", first["id"]))
    assert again["regions"] == {}
    stand.do(do="roll", seat=0, value=3)
    later = next(updates(stand.kiosk(), "/live?kind=wall", first["id"]))
    assert later["regions"]


def test_a_viewer_who_comes_back_gets_what_changed_beside_the_game_meanwhile(stand: Stand) -> None:
    stand.open(2)
    stand.phone(1)
    first = next(updates(stand.kiosk(), "/live?kind=kiosk"))
    assert stand.stranger().post("/seats/1/ask", headers={"Origin": f"http://{ADDRESS}"}).status_code == 302
    again = next(updates(stand.kiosk(), "/live?kind=kiosk", first["id"]))
    assert again["version"] == first["version"]
    assert "A second phone asks" in again["regions"]["door"]
    assert next(updates(stand.kiosk(), "/live?kind=kiosk", again["id"]))["regions"] == {}


def test_what_changes_while_a_page_is_drawn_is_on_the_next(stand: Stand, monkeypatch: pytest.MonkeyPatch) -> None:
    stand.open(2)
    live, wall = stand.app.extensions["smugglers"].live, Viewer("wall", None, "en")
    said = ["before"]

    def drawn(snapshot: Any, viewer: Any) -> dict[str, str]:
        seen = said[-1]
        if len(said) == 1:
            said.append("after")
            live.refresh()
        return {"a": seen}

    monkeypatch.setattr(live.pages, "_render", drawn)
    snapshot = stand.table.snapshot()
    assert live.pages.of(snapshot, wall).regions == {"a": b'"before"'}
    assert live.pages.of(snapshot, wall).regions == {"a": b'"after"'}


def test_an_older_drawing_never_follows_a_newer_one(stand: Stand, monkeypatch: pytest.MonkeyPatch) -> None:
    """A change beside the game is drawn by whoever made it, while the table's own change is on its way."""
    stand.open(2)
    live, wall = stand.app.extensions["smugglers"].live, Viewer("wall", None, "en")
    before = stand.table.snapshot()
    stand.do(do="roll", seat=0, value=3)
    newest = live.pages.of(stand.table.snapshot(), wall)
    monkeypatch.setattr(live, "_spread", lambda snapshot: None)
    live.refresh()
    assert live.pages.of(before, wall).version == newest.version


def test_a_seats_stream_ends_with_its_game(stand: Stand) -> None:
    stand.open(2)
    live = updates(stand.phone(1), "/live?kind=seat&seat=1")
    first = next(live)
    stand.play({"do": "leave", "seat": 0})
    stand.open(3)
    *_, last = live
    assert last["page_of"] != first["page_of"]
    assert last["regions"] == {}


def test_an_id_of_another_start_is_not_taken_for_ours(stand: Stand) -> None:
    stand.open(2)
    first = next(updates(stand.kiosk(), "/live?kind=wall"))
    foreign = "00000000." + first["id"].split(".")[1]
    assert next(updates(stand.kiosk(), "/live?kind=wall", foreign))["regions"]


def test_equal_viewers_share_one_rendering(stand: Stand, monkeypatch: pytest.MonkeyPatch) -> None:
    stand.open(2)
    web = stand.app.extensions["smugglers"]
    rendered: list[Any] = []
    monkeypatch.setattr(web.live.pages, "_render", lambda snapshot, viewer: rendered.append(viewer) or {"a": "b"})
    for _ in range(5):
        next(updates(stand.kiosk(), "/live?kind=wall"))
    assert len(rendered) == 1


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


def test_stopping_ends_every_stream(tmp_path: Path) -> None:
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


@pytest.mark.slow
def test_the_live_picture_is_shown_only_while_it_is_given(stand: Stand) -> None:
    assert stand.kiosk().get("/live/picture.jpg").status_code == 204
    stand.picture = lambda: b"\xff\xd8jpeg"
    assert stand.kiosk().get("/live/picture.jpg").data == b"\xff\xd8jpeg"


def test_timers_are_sent_as_the_tables_own_times(stand: Stand) -> None:
    stand.open(2)
    stand.do(do="roll", seat=0, value=3)
    stand.table.command("turn_hourglass", "h")
    update = next(updates(stand.kiosk(), "/live?kind=wall"))
    assert 'data-ends-s="140.0"' in update["regions"]["ask"]
    assert update["now_s"] == 100.0


def test_buttons_are_the_choices_of_the_prompts(stand: Stand) -> None:
    from appliance.games.catalogue import the_game

    stand.open(4)
    from tests.web.rounds import opening, ranking

    stand.play(*opening({}), *ranking({0: 20.0, 2: 30.0, 3: 10.0}))
    game = the_game("smugglers").rules
    (ask,) = asks_of(game.expects(stand.table.snapshot().state, None))
    (control,) = ask.controls
    assert [row.given for row in control.rows] == [{"target": 3}, {"target": 1}] or [
        row.given for row in control.rows
    ] == [{"target": 1}, {"target": 3}]
    assert {button.value for row in control.rows for button in row.buttons} == {"sweet", "sour", "bomb"}
    for row in control.rows:
        for button in row.buttons:
            assert button.action == {"do": "inspect", "seat": 2, **row.given, "guess": button.value}


def test_a_bug_in_a_page_neither_ends_its_stream_nor_tells_a_secret(
    stand: Stand, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    stand.open(2)
    live = updates(stand.kiosk(), "/live?kind=wall")
    next(live)
    secret = "22.7 g"
    right, broken = stand.app.extensions["smugglers"].live.pages._render, []

    def render_badly_once(snapshot: Any, viewer: Any) -> Any:
        if not broken:
            broken.append(snapshot.version)
            raise KeyError(secret)
        return right(snapshot, viewer)

    monkeypatch.setattr(stand.app.extensions["smugglers"].live.pages, "_render", render_badly_once)
    seen: list[int] = []
    reader = threading.Thread(target=lambda: seen.append(next(live)["version"]))
    reader.start()
    while not broken:
        stand.do(do="roll", seat=0, value=3)
        stand.kiosk().post("/api/v1/undo", json={"id": f"undo-{stand.table.snapshot().version}"})
    stand.do(do="roll", seat=0, value=3)
    reader.join(timeout=GIVEN_UP_S)
    assert seen
    assert seen[0] > broken[0]
    assert "KeyError" in caplog.text
    assert secret not in caplog.text
