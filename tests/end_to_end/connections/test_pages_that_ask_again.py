"""Pages that ask the table again by themselves go on doing so, whatever becomes of one request."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from appliance.guided_calibration.kiosk_dialogue import CalibrationState
from appliance.guided_calibration.session import CalibrationPaths
from calibration.scale.coins import parse_mass
from hardware.clock import MonotonicClock
from tests.end_to_end.aloud import LISTEN
from tests.end_to_end.connections.conftest import AtTheDoor
from tests.end_to_end.known_hands import prohis_hand
from tests.end_to_end.served import KIOSK, PHONE, WALL, Served, needs_browser, tap
from tests.end_to_end.show.test_replay_in_browser import rolled
from tests.end_to_end.show.test_show_in_browser import to_the_track
from tests.web.stand import PIN, Stand
from web.app import create_app

pytestmark = [*needs_browser, pytest.mark.thorough]

SILENT_MS = 7_000
"""Longer than a page waits for an answer that does not begin (`BEGINS_MS` in ask.js)."""
EVERY_MS = 4_000
"""How often the page of kept rolls is fetched again (`data-again` in web/templates/kept.html)."""
PANEL = "**/host/calibration/panel"


class Led:
    """A calibration that stands where a test says."""

    def __init__(self, folder: Path) -> None:
        self.paths = CalibrationPaths(*(folder / name for name in ("camera", "rig", "scale", "reports")))
        self.state = CalibrationState(kind="scale", stage="running", ask="calibrate.starting", share=0.1)


@pytest.fixture
def led(tmp_path: Path) -> Led:
    return Led(tmp_path)


@pytest.fixture
def desk(tmp_path: Path, browser: Any, led: Led) -> Iterator[tuple[Served, Any]]:
    """Return what is served, and a host's page of the calibration."""
    stand = Stand(tmp_path, clock=MonotonicClock(), port=0)
    given: Any = led
    stand.app = create_app(stand.table, settings=stand.site, clock=stand.clock, calibration_session=given)
    served = Served(tmp_path, browser, stand)
    page = served.page("/host/unlock?back=/host/calibration", PHONE)
    page.locator("[name=pin]").fill(PIN)
    page.keyboard.press("Enter")
    page.locator("#desk", has_text="10 %").wait_for()
    yield served, page
    served.close()


@contextmanager
def half_an_answer() -> Iterator[str]:
    """Yield the address of a server that breaks off in the middle of each answer."""
    ear = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        while True:
            try:
                near, _ = ear.accept()
            except OSError:
                return
            with near:
                near.recv(65_536)
                near.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 999\r\n\r\n<div>")

    threading.Thread(target=serve, daemon=True).start()
    yield f"http://127.0.0.1:{ear.getsockname()[1]}/"
    ear.shutdown(socket.SHUT_RDWR)
    ear.close()


def test_a_calibration_goes_on_after_an_answer_that_broke_off(desk: tuple[Served, Any], led: Led) -> None:
    served, page = desk
    with half_an_answer() as elsewhere:
        with page.expect_event("requestfailed", lambda request: "/panel" in request.url):
            page.route(PANEL, lambda route: route.continue_(url=elsewhere + "panel"), times=1)
        led.state = CalibrationState(kind="scale", stage="running", ask="calibrate.starting", share=0.5)
        page.locator("#desk", has_text="50 %").wait_for()
    served.complaints.clear()


def test_a_calibration_goes_on_after_an_empty_answer(desk: tuple[Served, Any], led: Led) -> None:
    """As a proxy or a network that wants a sign-in first may give."""
    _, page = desk
    with page.expect_request_finished(lambda request: "/panel" in request.url):
        page.route(PANEL, lambda route: route.fulfill(body=""), times=1)
    led.state = CalibrationState(kind="scale", stage="running", ask="calibrate.starting", share=0.5)
    page.locator("#desk", has_text="50 %").wait_for()


def test_a_calibration_goes_on_after_an_answer_that_never_came(desk: tuple[Served, Any], led: Led) -> None:
    _, page = desk
    page.clock.install()
    page.reload()
    with page.expect_request(PANEL):
        page.route(PANEL, lambda route: None, times=1)
    led.state = CalibrationState(kind="scale", stage="running", ask="calibrate.starting", share=0.5)
    page.clock.fast_forward(SILENT_MS)
    page.locator("#desk", has_text="50 %").wait_for()


def test_a_calibration_outlives_a_lost_network(desk: tuple[Served, Any], led: Led) -> None:
    served, page = desk
    page.context.set_offline(True)
    for _ in range(15):
        with page.expect_event("requestfailed"):
            pass
    led.state = CalibrationState(kind="scale", stage="running", ask="calibrate.starting", share=0.5)
    page.context.set_offline(False)
    page.locator("#desk", has_text="50 %").wait_for()
    served.complaints.clear()


def test_a_calibration_says_what_it_asks_and_not_each_percent(desk: tuple[Served, Any], led: Led) -> None:
    _, page = desk
    page.evaluate(LISTEN)
    led.state = CalibrationState(kind="scale", stage="running", ask="calibrate.starting", share=0.5)
    page.locator("#desk", has_text="50 %").wait_for()
    assert page.evaluate("heard") == []
    led.state = CalibrationState(kind="scale", stage="running", ask="calibrate.why.camera_absent", share=0.5)
    page.locator("#desk .ask", has_text="camera").wait_for()
    led.state = CalibrationState(kind="scale", stage="failed", code="scale_silent")
    page.locator("#desk", has_text="The scale stopped answering").wait_for()
    assert [text.partition(":")[0] for text, _ in page.evaluate("heard")] == [
        "There is no camera",
        "That did not work. Everything is as it was.",
        "The scale stopped answering",
    ]


def test_a_page_that_was_behind_shows_the_question_that_is_asked_now(desk: tuple[Served, Any], led: Led) -> None:
    """The coin chosen on it stays chosen until then."""
    _, page = desk

    def ask(question: int, *masses: str) -> None:
        points = tuple(parse_mass(mass) for mass in masses)
        led.state = CalibrationState(
            kind="scale", stage="asking", question=question, ask="calibrate.scale.next", points=points
        )

    ask(1, "0")
    page.locator("[name=mass][value='50']").wait_for()
    page.locator("[name=count][value='2']").tap()
    for _ in range(2):
        with page.expect_request_finished(lambda request: "/panel" in request.url):
            pass
    assert page.locator("[name=count][value='2']").is_checked()
    ask(2, "0", "50")
    page.locator("#desk", has_text="· 50 g").wait_for()
    assert page.locator("[name=question]").first.input_value() == "2"


def test_a_host_whose_pin_is_asked_for_anew_sees_the_whole_page_that_asks(desk: tuple[Served, Any]) -> None:
    _, page = desk
    page.context.clear_cookies()
    page.wait_for_url("**/host/unlock**")
    assert not page.locator("#desk").count()


def test_a_list_of_seats_that_did_not_come_is_asked_for_again(served: Served) -> None:
    served.stand.open(3)
    phone = served.page("/seats", PHONE)
    phone.locator("body.streaming").wait_for()
    phone.wait_for_load_state("networkidle")
    phone.route("**/seats", lambda route: route.fulfill(status=503, body="busy"), times=1)
    served.join(1)
    phone.locator("#place-1", has_text="Played on a phone").wait_for()
    served.complaints.clear()


def test_a_second_phone_gets_its_yes_after_an_answer_that_never_came(at_the_door: AtTheDoor) -> None:
    _, kiosk, phone = at_the_door
    phone.clock.install()
    phone.reload()
    with phone.expect_request("**/asked"):
        phone.route("**/asked", lambda route: None, times=1)
        phone.clock.fast_forward(2_000)
    tap(kiosk, ".door button:has-text('Yes, it is ours')")
    phone.clock.fast_forward(SILENT_MS)
    phone.clock.fast_forward(2_000)
    phone.wait_for_url("**/seat/1")


def test_the_live_picture_goes_on_after_one_that_never_came(served: Served) -> None:
    to_the_track(served)
    wall = served.page("/wall", WALL)
    wall.locator("[data-live]").first.wait_for(state="attached")
    wall.clock.install()
    wall.reload()
    with wall.expect_request("**/picture.jpg"):
        wall.route("**/picture.jpg", lambda route: None, times=1)
    with wall.expect_response("**/picture.jpg"):
        wall.clock.fast_forward(SILENT_MS)


def test_a_hand_that_did_not_come_behind_the_curtain_says_so(tables: Any) -> None:
    served = tables(prohis_hand("LLLL")).served
    kiosk = served.page("/kiosk", KIOSK)
    kiosk.route("**/kiosk/hand/*", lambda route: route.abort(), times=1)
    tap(kiosk, "[data-hold]")
    kiosk.locator("#toast", has_text="does not answer").wait_for()
    tap(kiosk, "[data-hold]")
    kiosk.locator("dialog.curtain").wait_for()
    served.complaints.clear()


def test_a_page_that_is_fetched_again_goes_on_asking_whether_its_reader_is_sure(served: Served) -> None:
    number = rolled(served)
    kept = served.stand.app.extensions["smugglers"].kept_rolls
    assert [kept.agree(number, seat) for seat in (0, 1)] == [None, None]
    phone = served.join(1)
    phone.clock.install()
    phone.goto(served.base + "/kept")
    tap(phone, ".kept [data-api]")
    phone.locator(".kept .sure", has_text="Erase it for everybody?").wait_for()
    for _ in range(2):  # the second is asked for once the page shows the first
        with phone.expect_request("**/kept"):
            phone.clock.run_for(EVERY_MS)
    assert phone.locator(".kept .sure").count() == 1
    tap(phone, ".kept .sure")
    phone.locator("main", has_text="No roll is kept.").wait_for()
    assert served.complaints == []
