"""What pages show and nobody tells of when it changes: questions that lapse, phones that sleep and wake."""

from __future__ import annotations

import json
import queue
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from appliance.snapshot import Accepted, Snapshot
from appliance.table.game.adviser import QUIET_S
from hardware.clock import ManualClock
from tests.patience import GIVEN_UP_S
from tests.web.doors.test_phones import opened
from tests.web.stand import ADDRESS, NAMES, Stand
from web.doors.phones import ASKED_FOR_S
from web.evening.played_here import PlayedHere
from web.words.viewer import Viewer


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> ManualClock:
    monkeypatch.setattr("web.live.updates.HEARTBEAT_S", 0.01)
    return ManualClock(100.0)


@pytest.fixture
def stand(tmp_path: Path, clock: ManualClock) -> Iterator[Stand]:
    stand = Stand(tmp_path, clock)
    yield stand
    stand.app.extensions["smugglers"].live.close()
    stand.close()


@contextmanager
def followed(stand: Stand, viewer: Viewer) -> Iterator[queue.SimpleQueue[dict[str, str]]]:
    """Let a screen follow the table; yield the regions that it is sent."""
    live = stand.app.extensions["smugglers"].live
    assert live.reserve()
    sent: queue.SimpleQueue[dict[str, str]] = queue.SimpleQueue()
    here = threading.Event()
    gone: list[Any] = []

    def take(data: bytes) -> bool:
        for line in data.split(b"\n"):
            if line.startswith(b"data: {"):
                sent.put(json.loads(line.removeprefix(b"data: "))["regions"])
        return True

    def begin(leave: Any) -> None:
        gone.append(leave)
        here.set()

    stream = live.stream(viewer, None, take, begin)
    thread = threading.Thread(target=lambda: [take(data) for data in stream])
    thread.start()
    assert here.wait(GIVEN_UP_S)
    try:
        yield sent
    finally:
        gone[0]()
        thread.join(GIVEN_UP_S)
        live.release()


def until(sent: queue.SimpleQueue[dict[str, str]], region: str, said: str, is_: bool) -> None:
    """Wait until a screen is sent a region that says it, or does not."""
    while (html := sent.get(timeout=GIVEN_UP_S).get(region)) is None or (said in html) is not is_:
        pass


def test_a_question_that_lapsed_goes_from_the_touchscreen(stand: Stand, clock: ManualClock) -> None:
    stand.open(2)
    stand.phone(1)
    assert stand.stranger().post("/seats/1/ask", headers={"Origin": f"http://{ADDRESS}"}).status_code == 302
    with followed(stand, Viewer("kiosk", None, "en")) as sent:
        until(sent, "door", "A second phone asks", True)
        clock.advance_to(101.0 + ASKED_FOR_S)
        until(sent, "door", "A second phone asks", False)


def test_a_bug_in_what_stands_beside_the_table_ends_neither_beats_nor_changes(
    stand: Stand, clock: ManualClock, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    live = stand.app.extensions["smugglers"].live
    beside, failed, mended = live._beside, threading.Event(), threading.Event()

    def broken(snapshot: Snapshot) -> object:
        if not mended.is_set():
            failed.set()
            raise LookupError("Ann hides the bomb")
        return beside(snapshot)

    monkeypatch.setattr(live, "_beside", broken)
    stand.open(2)
    stand.phone(1)
    assert stand.stranger().post("/seats/1/ask", headers={"Origin": f"http://{ADDRESS}"}).status_code == 302
    with followed(stand, Viewer("kiosk", None, "en")) as sent:
        until(sent, "door", "A second phone asks", True)
        assert failed.wait(GIVEN_UP_S)
        mended.set()
        clock.advance_to(101.0 + ASKED_FOR_S)
        until(sent, "door", "A second phone asks", False)
    assert "LookupError" in caplog.text
    assert "bomb" not in caplog.text


def test_every_screen_says_so_when_a_phone_that_is_waited_for_falls_asleep_and_wakes(
    stand: Stand, clock: ManualClock
) -> None:
    opened(stand, "open-1")
    turn = stand.table.snapshot().state.turn
    stand.phone(turn)
    clock.advance_to(101.0 + QUIET_S)
    stand.table.step()
    assert stand.table.snapshot().quiet
    with followed(stand, Viewer("wall", None, "en")) as sent:
        until(sent, "now", "phone is asleep", True)
        with followed(stand, Viewer("seat", turn, "en")):
            until(sent, "now", "phone is asleep", False)
        until(sent, "now", "phone is asleep", True)


def test_screens_are_told_of_the_end_of_a_game_before_the_disk_has_said_who_plays_next(
    stand: Stand, monkeypatch: pytest.MonkeyPatch
) -> None:
    kiosk = stand.kiosk()
    kiosk.environ_base["HTTP_ORIGIN"] = "http://localhost"
    for what, fields in (("begin", {"game": "smugglers", "size": "2"}), *(("come", {"name": n}) for n in NAMES[:2])):
        assert kiosk.post(f"/night/{what}", data=fields).status_code == 302
    assert kiosk.post("/night/play", data={"after": "2"}).status_code == 302
    answers = threading.Event()
    results = PlayedHere.results

    def slow(played: PlayedHere) -> Any:
        assert answers.wait(GIVEN_UP_S)
        return results(played)

    monkeypatch.setattr(PlayedHere, "results", slow)
    wall = Viewer("wall", None, "en")
    with followed(stand, wall) as sent:
        assert "scene" in sent.get(timeout=GIVEN_UP_S)
        assert isinstance(stand.table.close_game("put away"), Accepted)
        assert sent.get(timeout=GIVEN_UP_S) == {}, "another page"
    with followed(stand, wall) as sent:
        assert "called-up" not in sent.get(timeout=GIVEN_UP_S)["lobby"]
        answers.set()
        until(sent, "lobby", "called-up", True)


def test_a_page_that_stays_open_over_an_upgrade_is_loaded_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its scripts and styles are those of the release before; what a page belongs to tells it."""
    belongs = []
    for release in ("0.1.0", "0.1.0", "0.2.0"):
        monkeypatch.setattr("web.context.version", lambda release=release: release)
        stand = Stand(tmp_path)
        stand.table.start()
        belongs.append(re.findall(r'data-page-of="([^"]*)"', stand.kiosk().get("/wall").text))
        stand.close()
    before, restarted, upgraded = belongs
    assert before == restarted
    assert before != upgraded
