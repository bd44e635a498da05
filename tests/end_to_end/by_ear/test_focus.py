"""Where the keyboard's focus is after the page changed under it."""

from __future__ import annotations

from typing import Any

from appliance.games.catalogue import the_game
from appliance.games.protocol import Setup
from appliance.snapshot import Accepted
from tests.end_to_end.served import KIOSK, Served, headline, needs_browser, press, ready

pytestmark = needs_browser

FOCUSED = "document.activeElement.localName + ' ' + document.activeElement.textContent.trim()"


def test_after_an_answer_the_focus_is_on_what_is_asked_next(served: Served) -> None:
    served.stand.open(2)
    served.stand.play({"do": "roll", "seat": 0, "value": 3}, {"do": "time_up"})
    kiosk = served.page("/kiosk", KIOSK)
    headline(kiosk, "Ann rolls down lane 7")
    for player in ("Ann", "Ben"):
        ready(kiosk)
        kiosk.locator("#region-ask button.v-passed").focus()
        press(kiosk, "Enter")
        headline(kiosk, "Ben rolls down lane 7" if player == "Ann" else "On the")
        assert kiosk.evaluate(FOCUSED).startswith("h1 ")
        assert kiosk.evaluate("document.activeElement.closest('#region-ask') !== null")
    kiosk.keyboard.press("Tab")
    assert kiosk.evaluate("document.activeElement.matches('#region-ask button, #region-ask a')")


def test_news_takes_the_focus_from_nothing_that_is_still_there(served: Served) -> None:
    served.stand.open(2)
    served.stand.play({"do": "roll", "seat": 0, "value": 3}, {"do": "time_up"})
    kiosk = served.page("/kiosk", KIOSK)
    headline(kiosk, "Ann rolls down lane 7")
    for place in ("#region-head a[href='/kiosk/table']", "body"):
        if place != "body":
            kiosk.locator(place).focus()
        else:
            kiosk.evaluate("document.activeElement.blur()")
        version = served.stand.table.snapshot().version
        served.stand.do(do="attempt", seat=0, outcome="disturbed")
        kiosk.wait_for_function("before => Number(document.body.dataset.version) > before", arg=version)
        assert kiosk.evaluate("place => document.activeElement === document.querySelector(place)", place)


def behind_the_curtain(served: Served) -> Any:
    """Return a touchscreen on which somebody opened a hand by keyboard."""
    setup = Setup(format=1, game="prohis", players=the_game("prohis").demo_players(("Ann", "Ben", "Cleo")))
    assert isinstance(served.stand.table.open_game(setup, "prohis"), Accepted)
    served.stand.let_chance_draw()
    kiosk = served.page("/kiosk", KIOSK)
    ready(kiosk)
    kiosk.locator("[data-hold]").first.focus()
    kiosk.keyboard.press("Enter")
    kiosk.locator(".curtain[open]").wait_for()
    return kiosk


def test_after_a_hand_was_put_away_the_focus_is_where_it_was_taken_up(served: Served) -> None:
    kiosk = behind_the_curtain(served)
    for _ in range(2):
        kiosk.locator(".curtain [data-close]").focus()
        kiosk.keyboard.press("Enter")
        kiosk.locator(".curtain").wait_for(state="detached")
        assert kiosk.evaluate("document.activeElement.matches('[data-hold]')")
        kiosk.keyboard.press("Enter")
        kiosk.locator(".curtain[open]").wait_for()


def test_a_hand_that_is_open_is_put_away_with_the_page_that_is_left(served: Served) -> None:
    kiosk = behind_the_curtain(served)
    kiosk.evaluate("dispatchEvent(new Event('pagehide'))")
    kiosk.evaluate("dispatchEvent(new Event('pageshow'))")
    assert kiosk.locator(".curtain").count() == 0
