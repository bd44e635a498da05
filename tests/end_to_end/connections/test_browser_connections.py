"""Pages and their connection in a real browser: many at once, one that died in silence."""

from __future__ import annotations

from typing import Any

import pytest

from tests.end_to_end.served import (
    KIOSK,
    PHONE,
    WALL,
    Served,
    headline,
    needs_browser,
    stop_its_clock,
    tap,
    wait_without_limit,
)
from tests.patience import GIVEN_UP_MS
from tests.web.rounds import opening

pytestmark = needs_browser


def to_pick(served: Served) -> None:
    """Open a game and play until Ann picks a sphere to inspect, which their phone may say."""
    served.stand.open(2)
    stuck = [{"do": "attempt", "seat": seat, "outcome": "stuck"} for seat in (1, 1)]
    served.stand.play(*opening({}), {"do": "attempt", "seat": 0, "outcome": "passed"}, *stuck)


def deeds(served: Served) -> list[str]:
    return [deed.action["do"] for deed in served.stand.table.snapshot().correctable]


@pytest.mark.thorough
def test_seven_pages_in_one_browser_all_load_and_the_first_still_takes_taps(served: Served) -> None:
    to_pick(served)
    first = served.join(0)
    others = [first.context.new_page() for _ in range(6)]
    for other in others:
        other.set_default_timeout(GIVEN_UP_MS)
        other.goto(first.url)
        headline(other, "You pick a sphere")
    first.locator("#resting:not([hidden])").wait_for()
    first.bring_to_front()
    tap(first, ".v-sour")
    headline(first, "Ben opens the sphere")
    first.locator("#resting").wait_for(state="hidden")
    headline(others[-1], "Ben opens the sphere")


def test_a_page_that_is_left_gives_its_place_back(served: Served) -> None:
    served.stand.open(2)
    wall = served.page("/wall", KIOSK)
    kiosk = wall.context.new_page()
    kiosk.set_default_timeout(GIVEN_UP_MS)
    for path in ("/kiosk", "/kiosk/table") * 4:
        kiosk.goto(served.base + path)
    kiosk.goto(served.base + "/kiosk")
    headline(kiosk, "Ann throws the die")
    assert wall.locator("#resting").is_hidden()
    served.stand.do(do="roll", seat=0, value=3)
    headline(wall, "knead one sphere")


def test_a_connection_that_died_in_silence_is_told_and_taken_up_again(served: Served) -> None:
    served.stand.open(2)
    wall = served.page("/wall", PHONE)
    wall.clock.install()
    wall.route("**/live?*", lambda route: None)
    wall.reload()
    wall.clock.fast_forward(3_000)
    wall.locator("#connection:not([hidden])").wait_for()
    served.stand.do(do="roll", seat=0, value=3)
    wall.unroute("**/live?*")
    wall.clock.fast_forward(30_000)
    headline(wall, "knead one sphere")
    wall.locator("#connection").wait_for(state="hidden")


def test_a_page_whose_stream_was_refused_asks_again_although_the_reason_never_comes(served: Served) -> None:
    served.stand.open(2)
    wall = served.page("/wall", WALL)
    wall.clock.install()

    refused: list[Any] = []

    def answer(route: Any) -> None:
        if route.request.method == "HEAD":
            return
        if refused:
            route.continue_()
        else:
            refused.append(route)
            route.fulfill(status=503, body="busy")

    wall.route("**/live?*", answer)
    with wall.expect_request(lambda request: request.method == "HEAD"):
        wall.reload()
    served.stand.do(do="roll", seat=0, value=3)
    for _ in range(2):
        wall.clock.fast_forward(8_000)
    headline(wall, "knead one sphere")
    wall.locator("#connection").wait_for(state="hidden")
    served.complaints.clear()


def sleep(page: Any) -> None:
    """Let the screen go dark: the page keeps what it shows and follows the table no more."""
    page.evaluate("dispatchEvent(new Event('pagehide'))")


def wake(page: Any) -> None:
    page.evaluate("dispatchEvent(new Event('pageshow'))")


def test_a_phone_whose_seat_was_taken_back_while_it_slept_is_told_so(served: Served) -> None:
    served.stand.open(2)
    phone = served.join(1)
    headline(phone, "Ann throws the die")
    sleep(phone)
    gone = served.stand.kiosk().post("/api/v1/seats/1/let_go", json={"id": "gone"})
    assert gone.status_code == 200
    wake(phone)
    phone.locator("main", has_text="played on the touchscreen now").wait_for()
    assert phone.locator("[id^=region-]").count() == 0, "nothing of the seat is shown any more"
    served.complaints.clear()


def test_a_phone_that_slept_until_the_game_was_put_away_is_told_so(served: Served) -> None:
    served.stand.open(2)
    phone = served.join(1)
    headline(phone, "Ann throws the die")
    sleep(phone)
    served.stand.table.close_game("away")
    wake(phone)
    phone.locator("main", has_text="put away").wait_for()
    served.complaints.clear()


def test_a_phone_without_network_says_so_at_once_and_sends_nothing_that_is_tapped(served: Served) -> None:
    to_pick(served)
    phone = served.join(0)
    headline(phone, "You pick a sphere")
    served.lose_the_network(phone)
    phone.locator("#connection:not([hidden])").wait_for()
    sent: list[str] = []
    phone.on("request", lambda request: sent.append(request.url) if "/api/" in request.url else None)
    phone.locator("body.offline:not(.fresh)").wait_for()
    phone.locator(".v-sour").tap()
    phone.locator("#toast", has_text="nothing was sent").wait_for()
    phone.context.set_offline(False)
    phone.locator("#connection").wait_for(state="hidden")
    assert sent == []
    assert "inspect" not in deeds(served)
    tap(phone, ".v-sour")
    headline(phone, "Ben opens the sphere")
    served.complaints.clear()


def test_a_tap_whose_answer_was_lost_counts_once(served: Served) -> None:
    to_pick(served)
    phone = served.join(0)
    headline(phone, "You pick a sphere")
    lost: list[str] = []

    def lose_the_answer(route: Any) -> None:
        lost.append(route.request.post_data)
        if len(lost) == 1:
            route.fetch()
            route.abort()
        else:
            route.continue_()

    phone.route("**/api/v1/actions", lose_the_answer)
    with phone.expect_event("requestfinished", lambda request: "/api/v1/actions" in request.url):
        tap(phone, ".v-sour")
        headline(phone, "Ben opens the sphere")
    assert lost[0] == lost[1]
    assert phone.locator("#toast").is_hidden()
    assert deeds(served).count("inspect") == 1
    served.complaints.clear()


def test_a_tap_that_the_table_was_too_busy_to_answer_counts_once_when_tapped_again(served: Served) -> None:
    to_pick(served)
    phone = served.join(0)
    headline(phone, "You pick a sphere")
    sent: list[Any] = []

    def be_busy(route: Any) -> None:
        sent.append(route.request.post_data_json)
        if len(sent) == 1:
            route.fulfill(status=503, json={"code": "table_busy", "message": "The table is busy.", "rule": ""})
        else:
            route.continue_()

    phone.route("**/api/v1/actions", be_busy)
    tap(phone, ".v-sour")
    phone.locator("#toast", has_text="The table is busy.").wait_for()
    tap(phone, ".v-sour")
    headline(phone, "Ben opens the sphere")
    assert len(sent) == 2
    assert sent[0] == sent[1], "the same id"
    served.complaints.clear()


def test_a_tap_that_got_no_answer_keeps_its_id_when_it_is_tapped_again(served: Served) -> None:
    to_pick(served)
    phone = served.join(0)
    headline(phone, "You pick a sphere")
    sent: list[str] = []

    def break_off_twice(route: Any) -> None:
        sent.append(route.request.post_data)
        if len(sent) == 3:
            route.continue_()
        else:
            route.abort()

    phone.route("**/api/v1/actions", break_off_twice)
    tap(phone, ".v-sour")
    phone.locator("#toast", has_text="does not answer").wait_for()
    tap(phone, ".v-sour")
    headline(phone, "Ben opens the sphere")
    assert sent == [sent[0]] * 3
    served.complaints.clear()


def test_a_tap_that_still_waits_is_told_of_a_lost_network_after_another_one_was_answered(served: Served) -> None:
    served.stand.open(2)
    served.stand.do(do="roll", seat=0, value=3)
    phone = served.join(0)
    headline(phone, "knead one sphere")
    waits: list[Any] = []
    wait_without_limit(phone)
    phone.route("**/api/v1/actions", lambda route: waits.append(route))
    with phone.expect_request("**/api/v1/actions"):
        tap(phone, "[data-hide=sweet]")
    with phone.expect_response("**/lessons"):
        tap(phone, "[data-api$='/lessons']")
    phone.locator(".lesson").wait_for()
    served.lose_the_network(phone)
    phone.locator("#toast:not([hidden])", has_text="Your tap is being sent").wait_for()
    phone.context.set_offline(False)
    waits[0].continue_()
    phone.locator(".note", has_text="Sealed.").wait_for()
    served.complaints.clear()


def test_a_clock_that_is_set_back_does_not_hide_that_the_stream_is_silent(served: Served) -> None:
    served.stand.open(2)
    wall = served.page("/wall", WALL)
    wall.clock.install()
    wall.route("**/live?*", lambda route: None)
    with wall.expect_request("**/live?*"):
        wall.reload()
    with wall.expect_request("**/live?*"):
        wall.clock.set_system_time(0)


def test_the_touchscreen_dims_and_the_tap_that_wakes_it_does_nothing_else(served: Served) -> None:
    served.stand.open(2)
    kiosk = served.page("/kiosk", KIOSK)
    stop_its_clock(kiosk)
    late: list[Any] = []
    kiosk.route("**/static/kiosk.js", lambda route: late.append(route))
    with kiosk.expect_request("**/static/kiosk.js"):
        kiosk.reload(wait_until="commit")
    kiosk.locator(".v-3").first.wait_for()
    late[0].continue_()
    kiosk.locator("body[data-version]").wait_for(state="attached")
    kiosk.clock.fast_forward(170_000)
    assert kiosk.locator("#dimmer").is_hidden()
    kiosk.clock.fast_forward(20_000)
    kiosk.locator("#dimmer:not([hidden])").wait_for()
    box = kiosk.locator(".v-3").first.bounding_box()
    kiosk.touchscreen.tap(box["x"] + 9, box["y"] + 9)
    kiosk.locator("#dimmer").wait_for(state="hidden")
    assert served.stand.table.snapshot().state.phase == "roll"
    kiosk.clock.fast_forward(190_000)
    kiosk.locator("#dimmer:not([hidden])").wait_for()
    served.stand.do(do="roll", seat=0, value=3)
    kiosk.locator("#dimmer").wait_for(state="hidden")
