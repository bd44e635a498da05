"""In the host's dark hours wall and touchscreen are black while no game is played, and a touch wakes them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hardware.clock import MonotonicClock
from tests.end_to_end.served import KIOSK, WALL, Served, needs_browser
from tests.end_to_end.show.test_show_in_browser import held
from tests.patience import GIVEN_UP_MS
from tests.web.stand import Stand
from web.site import HostChoices

pytestmark = needs_browser

AT = "hour => { Date.prototype.getHours = () => hour; }"
LOOK_MS = 6000


def test_a_screen_at_rest_is_black_and_wakes_at_a_touch_and_for_a_game(served: Served) -> None:
    web = served.stand.app.extensions["smugglers"]
    web.host.change(HostChoices(dark_from_h=1, dark_until_h=8))
    kiosk, wall = held(served, "/kiosk", KIOSK), held(served, "/wall", WALL)

    def black(page: Any) -> bool:
        page.clock.run_for(LOOK_MS)
        return bool(page.locator("#dark").is_visible())

    for page in (kiosk, wall):
        page.evaluate(AT, 0)
        assert not black(page)
        page.evaluate(AT, 1)
        assert black(page)
        assert page.evaluate("() => document.elementFromPoint(50, 50).id") == "dark"
    here = kiosk.url
    kiosk.locator("#dark").tap(position={"x": 60, "y": 60})
    kiosk.locator("#dark").wait_for(state="hidden")
    assert kiosk.url == here, "what lay under the black was not tapped"
    assert not black(kiosk)
    kiosk.clock.run_for(300_000)
    assert black(kiosk), "five minutes later it is black again"
    served.stand.open(2)
    for page in (kiosk, wall):
        page.locator("body:not(.shape-lobby)").wait_for()
        page.evaluate(AT, 3)
        assert not black(page), "a game that is played is never black"


def test_hours_chosen_on_the_hosts_page_hold_at_once(served: Served) -> None:
    wall = held(served, "/wall", WALL)
    wall.evaluate(AT, 23)
    web = served.stand.app.extensions["smugglers"]
    wall.clock.run_for(LOOK_MS)
    assert not wall.locator("#dark").is_visible()
    web.host.change(HostChoices(dark_from_h=22, dark_until_h=7))
    web.live.refresh()
    wall.locator("#dark").wait_for()


SILENT = """async () => {
    const told = new Promise(say => document.addEventListener("sounds", e => say(e.detail.silent), { once: true }));
    (await import("/static/sound.js")).play("good");
    return told;
}"""


def _page_in_new_york(served: Served, browser: Any) -> Any:
    """Return a page of a table that is dark and quiet from 23 to 6 o'clock."""
    hours = HostChoices(dark_from_h=23, dark_until_h=6, quiet_from_h=23, quiet_until_h=6)
    served.stand.app.extensions["smugglers"].host.change(hours)
    context = browser.new_context(locale="en", timezone_id="America/New_York")
    served.contexts.append(context)
    page = context.new_page()
    page.set_default_timeout(GIVEN_UP_MS)
    page.clock.install()
    return page


def test_a_table_that_moves_to_another_time_zone_takes_its_hours_along(tmp_path: Path, browser: Any) -> None:
    """At 23:30 in Berlin it is 6:30 in Singapore."""
    zone = ["Europe/Berlin"]
    served = Served(tmp_path, browser, Stand(tmp_path, clock=MonotonicClock(), port=0, time_zone=lambda: zone[0]))
    try:
        page = _page_in_new_york(served, browser)
        page.clock.pause_at("2031-03-05T23:30:00+01:00")
        page.goto(served.base + "/wall")
        page.locator("#dark").wait_for()
        zone[0] = "Asia/Singapore"
        page.locator("body.streaming[data-time-zone='Asia/Singapore']").wait_for()
        page.clock.run_for(LOOK_MS)
        assert page.locator("#dark").is_hidden()
        assert page.evaluate(SILENT) is False
    finally:
        served.close()


def test_a_screen_of_another_time_zone_keeps_the_hours_of_the_table(tmp_path: Path, browser: Any) -> None:
    """23:30 in Berlin, where the table is, is 17:30 in New York, where the television was set up."""
    stand = Stand(tmp_path, clock=MonotonicClock(), port=0, time_zone=lambda: "Europe/Berlin")
    served = Served(tmp_path, browser, stand)
    try:
        page = _page_in_new_york(served, browser)
        for at, off in (("2031-03-05T22:30:00+01:00", False), ("2031-03-05T23:30:00+01:00", True)):
            page.clock.pause_at(at)
            page.goto(served.base + "/wall")
            page.locator("body.streaming").wait_for()
            page.clock.run_for(LOOK_MS)
            assert page.locator("#dark").is_visible() is off, at
            assert page.evaluate(SILENT) is off, at
    finally:
        served.close()
