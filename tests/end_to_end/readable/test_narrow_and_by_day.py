"""What is read on a phone held upright, and by day: pages that were made for a wide screen or for the dark."""

from __future__ import annotations

import pytest

from appliance.games.catalogue import GAMES
from appliance.words.catalogues import LANGUAGES
from tests.end_to_end.contrast import faint
from tests.end_to_end.served import CUT_OFF, KIOSK, OVERFLOW, PHONE, Served, headline, needs_browser, ready
from tests.web.stand import PIN

pytestmark = [*needs_browser, pytest.mark.thorough]


@pytest.mark.parametrize("game", sorted(GAMES))
def test_the_rules_of_every_game_read_by_day(served: Served, game: str) -> None:
    page = served.page(f"/rules?game={game}", PHONE)
    page.emulate_media(color_scheme="light", reduced_motion="reduce")
    assert faint(page, "header.top") == []


def test_the_touchscreens_page_on_an_upright_phone_says_to_turn_it_and_leads_on(served: Served) -> None:
    served.stand.open(4)
    phone = served.page("/kiosk", PHONE)
    turn = phone.locator(".sideways")
    turn.locator("h1", has_text="Turn the phone").wait_for()
    assert phone.evaluate(OVERFLOW)[0] <= 0
    assert phone.evaluate(CUT_OFF) == []
    for scheme in ("light", "dark"):
        phone.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        assert faint(phone, ".sideways") == []
    phone.set_viewport_size({"width": 844, "height": 390})
    turn.wait_for(state="hidden")
    headline(phone, "Ann throws the die")
    phone.set_viewport_size({"width": 390, "height": 844})
    turn.locator("a[href='/kiosk/table']").tap()
    phone.wait_for_url("**/kiosk/table")
    assert served.page("/kiosk", KIOSK).locator(".sideways").is_hidden()


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("size", [(320, 568), (195, 422)], ids=["narrow", "enlarged to 200 %"])
def test_no_page_of_a_narrow_phone_scrolls_sideways(served: Served, size: tuple[int, int], language: str) -> None:
    served.stand.open(4)
    phone = served.page("/host/unlock", size, language)
    home = phone.url.removesuffix("/host/unlock")
    phone.context.request.post(phone.url, form={"pin": PIN}, headers={"Origin": home})
    rules = [f"/rules?game={game}" for game in sorted(GAMES)]
    for path in ("/seats", *rules, "/league", "/privacy", "/kiosk/table", "/host/files", "/first/language"):
        phone.goto(home + path)
        phone.locator("h1").first.wait_for()
        assert (phone.url, phone.evaluate(OVERFLOW)[0]) == (home + path, 0)


ENLARGED = ((400, 240), (533, 320), (640, 384))
"""What is left of the touchscreen for a page that its reader enlarged to 200, 150 or 125 %."""
HIDDEN = """() => [...document.querySelectorAll("main button, main a, header button, header a")].filter(one => {
    if (!one.checkVisibility() || one.disabled) return false;
    one.scrollIntoView({ block: "center" });
    const box = one.getBoundingClientRect(), [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
    return box.right > innerWidth + 1 || !one.contains(document.elementFromPoint(x, y));
}).map(one => one.outerHTML.slice(0, 120))"""
SCROLLED = "e => ['auto', 'scroll', 'visible'].includes(getComputedStyle(e).overflowY)"


@pytest.mark.parametrize("size", ENLARGED)
@pytest.mark.parametrize("path", ["/kiosk", "/kiosk/table", "/kiosk/corrections"])
def test_every_button_of_an_enlarged_touchscreen_is_reached(served: Served, path: str, size: tuple[int, int]) -> None:
    served.stand.open(4)
    served.stand.do(do="roll", seat=0, value=3)
    kiosk = served.page(path, size, "de")
    kiosk.locator("h1").first.wait_for()
    ready(kiosk)
    assert kiosk.evaluate(OVERFLOW)[0] <= 0
    assert kiosk.evaluate(HIDDEN) == []
    # A finger scrolls to it, not only a script.
    assert kiosk.locator("main").evaluate(SCROLLED)
