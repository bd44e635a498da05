"""A browser that keeps nothing for the table, by its settings or in another site's frame: its pages still work."""

from __future__ import annotations

from typing import Any

import pytest

from tests.end_to_end.party import held
from tests.end_to_end.served import KIOSK, PHONE, WALL, Served, caught_up, headline, needs_browser, tap
from tests.end_to_end.show.test_show_in_browser import HAS_STAGED, NOTED

pytestmark = [*needs_browser, pytest.mark.thorough]

REFUSED = """() => {
  const refuse = () => { throw new DOMException("The operation is insecure.", "SecurityError"); };
  Object.defineProperty(window, "localStorage", { get: refuse });
  Object.defineProperty(window, "BroadcastChannel", { value: class { constructor() { refuse(); } } });
}"""
"""As browsers refuse it to an address whose cookies are blocked; Firefox refuses both."""


def opened(served: Served, path: str, size: tuple[int, int]) -> Any:
    page = served.page("/rules", size)
    page.context.add_init_script(f"({REFUSED})()")
    page.goto(served.base + path)
    return page


@pytest.mark.parametrize("path", ["/wall", "/widget", "/overlay"])
def test_a_screen_follows_the_game_and_stages_what_happens(served: Served, path: str) -> None:
    served.stand.open(2)
    screen = opened(served, path, WALL)
    screen.locator("body.streaming").wait_for()
    caught_up(screen)
    screen.evaluate(NOTED)
    served.stand.do(do="roll", seat=0, value=3)
    screen.wait_for_function(HAS_STAGED)
    assert served.complaints == []


def test_a_game_is_set_up_and_sounds_are_muted_until_the_page_is_left(served: Served) -> None:
    kiosk = opened(served, "/kiosk/setup/smugglers", KIOSK)
    tap(kiosk, "form [type=submit]")
    kiosk.wait_for_url("**/kiosk")
    kiosk.locator("body.streaming").wait_for()
    tap(kiosk, "[data-mute][aria-pressed=false]")
    kiosk.locator("[data-mute][aria-pressed=true]").wait_for()
    assert served.complaints == []


def test_a_phone_shows_what_it_hid_until_its_page_is_left(served: Served) -> None:
    served.stand.open(2)
    served.stand.do(do="roll", seat=0, value=3)
    phone = opened(served, served.join_path(0), PHONE)
    headline(phone, "knead one sphere")
    tap(phone, "[data-hide=sweet]")
    phone.locator(".note", has_text="Sealed.").wait_for()
    with held(phone, "[data-look]"):
        phone.locator(".reminder .told").get_by_text("sweet").wait_for()
    assert served.complaints == []
