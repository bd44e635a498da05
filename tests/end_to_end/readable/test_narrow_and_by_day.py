"""What is read on a phone held upright, and by day: pages that were made for a wide screen or for the dark."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from appliance.games.catalogue import GAMES
from appliance.words.catalogues import LANGUAGES
from tests.end_to_end.at_rest import AT_REST
from tests.end_to_end.contrast import faint
from tests.end_to_end.served import CUT_OFF, KIOSK, OVERFLOW, PHONE, WALL, Served, headline, needs_browser, ready
from tests.web.evening.test_last_evening import play
from tests.web.evening.test_league import WON_BY_SECOND
from tests.web.rounds import opening
from tests.web.stand import PIN, Stand

pytestmark = needs_browser

HOST = ("/host", "/host/guests", "/first/sensors", "/first/pin")
EVERYBODY = ("/league", "/league/figures", "/night", "/kiosk/games", "/privacy", "/nowhere")
IN_A_GAME = ("/kiosk/table", "/kiosk/corrections", "/seats", "/rules")
SETUPS = tuple(f"/kiosk/setup/{game}" for game in sorted(GAMES))
BRIGHTNESS = {"light": (170.0, 255.0), "dark": (0.0, 90.0)}
"""Mean brightness of a page by day and by night, at least and at most, of 255."""


@pytest.mark.thorough
@pytest.mark.parametrize("game", sorted(GAMES))
def test_the_rules_of_every_game_read_by_day(served: Served, game: str) -> None:
    page = served.page(f"/rules?game={game}", PHONE)
    page.emulate_media(color_scheme="light", reduced_motion="reduce")
    assert faint(page, "header.top") == []


@pytest.mark.thorough
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


@pytest.mark.thorough
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


@pytest.mark.thorough
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


def brightness(page: Any) -> float:
    picture = cv2.imdecode(np.frombuffer(page.screenshot(), np.uint8), cv2.IMREAD_GRAYSCALE)
    assert picture is not None
    return float(picture.mean())


def seen_by_day_and_night(page: Any, home: str, paths: tuple[str, ...]) -> dict[str, Any]:
    """Return what is wrong with each page: too dark by day, too bright by night, or words too faint."""
    wrong: dict[str, Any] = {}
    for path in paths:
        for theme, (least, most) in BRIGHTNESS.items():
            page.emulate_media(color_scheme=theme, reduced_motion="reduce")
            page.goto(home + path)
            page.locator("h1").first.wait_for()
            page.evaluate(AT_REST)
            if not least <= (mean := brightness(page)) <= most:
                wrong[f"{path}, {theme}"] = round(mean)
            if too_faint := faint(page):
                wrong[f"{path}, words, {theme}"] = too_faint
    return wrong


@pytest.mark.parametrize("size", [KIOSK, PHONE], ids=["touchscreen", "phone"])
def test_pages_round_the_games_are_light_by_day_and_dark_by_night(served: Served, size: tuple[int, int]) -> None:
    stand = served.stand
    play(stand, WON_BY_SECOND, ("Ann", "Maximiliane-Fr", "Cleo"))
    page = served.page("/host/unlock", size)
    page.context.request.post(page.url, form={"pin": PIN}, headers={"Origin": served.base})
    wrong = seen_by_day_and_night(page, served.base, (*HOST, *EVERYBODY))
    stand.open(4)
    stand.play(*opening({}), {"do": "attempt", "seat": 0, "outcome": "passed"})
    wrong |= seen_by_day_and_night(page, served.base, IN_A_GAME)
    assert wrong == {}


def test_the_lobby_and_the_set_ups_are_light_by_day_and_dark_by_night(served: Served) -> None:
    play(served.stand, WON_BY_SECOND, ("Ann", "Ben", "Cleo"))
    wrong = seen_by_day_and_night(served.page("/", WALL), served.base, ("/",))
    wrong |= seen_by_day_and_night(served.page("/kiosk", KIOSK), served.base, ("/kiosk", *SETUPS))
    assert wrong == {}


def test_a_league_night_is_light_by_day(browser: Any, tmp_path: Path) -> None:
    served = Served(tmp_path, browser, Stand(tmp_path, pin="", port=0))
    page = served.page("/night", KIOSK)
    for path, form in (("begin", {"game": "smugglers", "size": "4"}), *(("come", {"name": one}) for one in "ABCD")):
        page.context.request.post(f"{served.base}/night/{path}", form=form, headers={"Origin": served.base})
    assert seen_by_day_and_night(page, served.base, ("/night",)) == {}
    served.close()


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_head_of_a_league_night_has_the_game_on_a_line_of_its_own_on_a_phone(
    browser: Any, tmp_path: Path, language: str
) -> None:
    served = Served(tmp_path, browser, Stand(tmp_path, pin="", port=0))
    page = served.page("/night", PHONE, language)
    form = {"game": "smugglers", "size": "4"}
    page.context.request.post(f"{served.base}/night/begin", form=form, headers={"Origin": served.base})
    page.goto(f"{served.base}/night")
    title, game = page.locator("h1").inner_text().split("\n")
    assert title in ("League night", "Liga-Abend"), "no colon is left at the end of a line"
    assert game in ("Smugglers", "Schmuggler")
    page.set_viewport_size({"width": 800, "height": 480})
    assert page.locator("h1").inner_text() in ("League night: Smugglers", "Liga-Abend: Schmuggler")
    served.close()
