"""Live updates: what changed arrives, nothing twice, nothing after the end."""

from __future__ import annotations

import json
import threading
from collections.abc import Generator
from typing import Any

import pytest

from appliance.snapshot import Snapshot
from tests.patience import GIVEN_UP_S
from tests.refused_threads import refused
from tests.web.stand import ADDRESS, Stand
from web.words.asks import asks_of
from web.words.viewer import Viewer


def updates(client: Any, path: str, last_id: str | None = None) -> Generator[dict[str, Any]]:
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

    def render(snapshot: Snapshot, viewer: Any) -> dict[str, str]:
        rendered.append(viewer)
        return {"a": "b"}

    monkeypatch.setattr(web.live.pages, "_render", render)
    for _ in range(5):
        next(updates(stand.kiosk(), "/live?kind=wall"))
    assert len(rendered) == 1


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
    right = stand.app.extensions["smugglers"].live.pages._render
    broken: list[int] = []

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


@pytest.mark.parametrize("name", ["live", "heartbeat"])
def test_a_moment_without_a_free_thread_ends_no_later_stream(
    stand: Stand, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    start, started = threading.Thread.start, list[str]()

    def limited(thread: threading.Thread) -> None:
        if thread.name == name and name not in started:
            started.append(name)
            refused()
        started.append(thread.name)
        start(thread)

    stand.open(2)
    monkeypatch.setattr(threading.Thread, "start", limited)
    assert stand.kiosk().get("/live?kind=wall", buffered=False).status_code == 503
    live = updates(stand.kiosk(), "/live?kind=wall")
    next(live)
    stand.do(do="roll", seat=0, value=3)
    assert 'data-lane="7"' in next(live)["regions"]["scene"]
    assert started.count("live") == started.count("heartbeat") + (name == "live") - (name == "heartbeat")
    live.close()
