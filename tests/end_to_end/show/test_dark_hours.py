"""In the host's dark hours wall and touchscreen are black while no game is played, and a touch wakes them."""

from __future__ import annotations

from typing import Any

from tests.end_to_end.served import KIOSK, WALL, Served, needs_browser
from tests.end_to_end.show.test_show_in_browser import held
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
