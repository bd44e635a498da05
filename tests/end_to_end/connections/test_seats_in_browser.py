"""The table's plain address, opened on a phone."""

from __future__ import annotations

from typing import Any

from tests.end_to_end.connections.conftest import AtTheDoor
from tests.end_to_end.served import (
    CUT_OFF,
    OVERFLOW,
    PHONE,
    TOUCHING,
    WALL,
    Served,
    headline,
    needs_browser,
    ready,
    tap,
    until,
    wait_without_limit,
)

pytestmark = needs_browser


def test_a_phone_is_asked_for_its_seat_and_joins_by_a_tap(served: Served) -> None:
    phone = served.page("/", PHONE)
    phone.wait_for_url("**/seats")
    phone.locator("main", has_text="No game is open").wait_for()
    served.stand.open(3)
    other = served.join(1)
    ben = phone.locator("#place-1", has_text="Played on a phone")
    ben.wait_for()
    assert ben.locator("a").count() == 0
    assert phone.evaluate(OVERFLOW)[0] <= 0
    assert phone.evaluate(CUT_OFF) == []
    phone.locator("#place-2 a").tap()
    headline(phone, "Ann throws the die")
    assert phone.url.endswith("/seat/2")
    headline(other, "Ann throws the die")
    assert served.complaints == []


def test_a_list_of_seats_that_a_later_one_overtook_is_not_shown(served: Served) -> None:
    served.stand.open(3)
    phone = served.page("/seats", PHONE)
    phone.locator("#place-2 a").wait_for()
    late: list[Any] = []

    def overtake(route: Any) -> None:
        if late:
            route.continue_()
        else:
            late.append((route, route.fetch()))

    phone.wait_for_load_state("networkidle")
    wait_without_limit(phone)
    phone.route("**/seats", overtake)
    with phone.expect_request("**/seats"):
        phone.evaluate("document.dispatchEvent(new Event('settled'))")
    until(phone, lambda: bool(late))
    served.join(1)
    phone.locator("#place-1", has_text="Played on a phone").wait_for()
    route, answer = late[0]
    with phone.expect_request_finished(lambda request: request.url.endswith("/seats")):
        route.fulfill(response=answer)
    phone.evaluate("new Promise(done => requestAnimationFrame(() => setTimeout(done)))")
    assert phone.locator("#place-1", has_text="Played on a phone").count() == 1


def test_a_phone_whose_script_comes_late_misses_no_seat_that_was_taken_meanwhile(served: Served) -> None:
    served.stand.open(3)
    phone = served.page("/seats", PHONE)
    held: list[Any] = []
    phone.route("**/seats.js", lambda route: held.append(route))
    with phone.expect_request("**/seats.js"):
        phone.reload(wait_until="commit")
    phone.locator("#place-1 a").wait_for()
    headline(served.join(1), "Ann throws the die")
    held[0].continue_()
    phone.locator("#place-1", has_text="Played on a phone").wait_for()


def test_a_phone_still_gets_to_the_wall_and_a_wide_screen_stays_there(served: Served) -> None:
    served.stand.open(2)
    wall = served.page("/", WALL)
    headline(wall, "Ann throws the die")
    assert wall.url == served.base + "/"
    phone = served.page("/", PHONE, "de")
    phone.wait_for_url("**/seats")
    phone.locator("a[href='/wall']").tap()
    phone.wait_for_url("**/wall")
    headline(phone, "Ann würfelt")


def test_a_second_phone_is_let_in_by_a_tap_on_the_touchscreen(served: Served, at_the_door: AtTheDoor) -> None:
    first, kiosk, phone = at_the_door
    assert phone.evaluate(OVERFLOW)[0] <= 0
    for screen in (first, kiosk):
        screen.locator(".door", has_text="A second phone asks to play").wait_for()
        assert screen.evaluate(CUT_OFF) == []
        assert screen.evaluate(TOUCHING) == []
    tap(kiosk, ".door button:has-text('Yes, it is ours')")
    phone.wait_for_url("**/seat/1")
    headline(phone, "Ann throws the die")
    headline(first, "Ann throws the die")
    kiosk.locator(".door").wait_for(state="detached")
    assert served.complaints == []


def test_a_second_phone_that_loses_the_network_while_it_waits_still_gets_its_yes(at_the_door: AtTheDoor) -> None:
    _, kiosk, phone = at_the_door
    with phone.expect_event("requestfailed"):
        phone.context.set_offline(True)
    assert phone.locator("main", has_text="has to say yes").is_visible()
    phone.context.set_offline(False)
    kiosk.locator(".door").wait_for()
    ready(kiosk)
    tap(kiosk, ".door button:has-text('Yes, it is ours')")
    phone.wait_for_url("**/seat/1")
    headline(phone, "Ann throws the die")
