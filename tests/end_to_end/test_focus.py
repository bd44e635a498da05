"""Where the keyboard's focus is after the page changed under it."""

from __future__ import annotations

from tests.end_to_end.served import KIOSK, Served, headline, needs_browser

pytestmark = needs_browser

FOCUSED = "document.activeElement.localName + ' ' + document.activeElement.textContent.trim()"


def test_after_an_answer_the_focus_is_on_what_is_asked_next(served: Served) -> None:
    served.stand.open(2)
    served.stand.play({"do": "roll", "seat": 0, "value": 3}, {"do": "time_up"})
    kiosk = served.page("/kiosk", KIOSK)
    headline(kiosk, "Ann rolls down lane 7")
    for player in ("Ann", "Ben"):
        kiosk.locator("body:not(.fresh)").wait_for()
        kiosk.locator("#region-ask button.v-passed").focus()
        kiosk.keyboard.press("Enter")
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
