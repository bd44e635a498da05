"""Customs in a real browser: set up and tapped through on touchscreen and phone, one hand held up at the hot seat."""

from __future__ import annotations

import pytest

from appliance.games.customs.state import Declaring, Doubting, Exchanging
from tests.end_to_end.test_browser import CHROMIUM, KIOSK, WALL, Served, browser, served, tap  # noqa: F401  # fixtures

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(not CHROMIUM.exists(), reason="no chromium at /usr/bin/chromium"),
]


def test_a_suitcase_from_set_up_to_the_second_traveller(served: Served) -> None:  # noqa: F811  # the fixture
    table = served.stand.table

    def state() -> object:
        return table.snapshot().state

    kiosk = served.page("/kiosk/setup/customs", KIOSK)
    kiosk.get_by_role("button", name="Open the border").click()
    kiosk.wait_for_selector(".counts")
    first = state()
    assert isinstance(first.stage, Declaring)
    traveller = first.stage.seat

    # The hot seat: cards lie on the screen while the finger does.
    hold = kiosk.locator("[data-hold]")
    box = hold.bounding_box()
    kiosk.mouse.move(box["x"] + 40, box["y"] + 20)
    kiosk.mouse.down()
    kiosk.wait_for_selector(".held .card")
    assert kiosk.locator(".held .card").count() == 4
    kiosk.mouse.up()
    kiosk.wait_for_selector(".held", state="detached")
    assert not [card for card in set(first.hand) if f"k-{card}" in kiosk.content()]

    # The phone: two wines are declared by tapping twice.
    phone = served.join(traveller)
    phone.locator(".counter[data-value=wine] .what").click()
    phone.locator(".counter[data-value=wine] .what").click()
    assert "£40" in phone.locator(".counts .confirm").inner_text()
    tap(phone, ".counts .confirm")
    kiosk.wait_for_selector(".do-accept")
    tap(kiosk, ".do-accept")
    kiosk.wait_for_selector(".do-believe")
    assert isinstance(state().stage, Doubting)
    receiver = state().stage.seat
    assert {player.money for player in state().players} == {3330, 3370, 3290}

    # The next phone: believing, then choosing a card by its number.
    other = served.join(receiver)
    tap(other, ".do-believe")
    other.wait_for_selector("[data-pick]")
    assert isinstance(state().stage, Exchanging)
    picks = other.locator("[data-pick]:not([disabled])")
    picks.first.click()
    go = other.locator("[data-label]")
    assert go.inner_text().startswith("Discard card")
    tap(other, "[data-label]")
    other.wait_for_selector(".counts")
    assert isinstance(state().stage, Declaring)
    assert len(state().discards) == 1

    wall = served.page("/", WALL)
    assert wall.evaluate("document.documentElement.scrollHeight <= innerHeight")
    assert kiosk.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert other.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert served.complaints == []


def test_an_owner_enters_the_tariff_of_the_board(served: Served) -> None:  # noqa: F811
    kiosk = served.page("/kiosk/setup/customs", KIOSK)
    kiosk.get_by_text("from my board").click()
    kiosk.get_by_role("button", name="Open the border").click()
    kiosk.wait_for_selector("#toast:not([hidden])")
    assert "lacks values" in kiosk.locator("#toast").inner_text()
    kiosk.locator("[data-amount]").first.click()
    while kiosk.locator("#digits").is_visible():
        asked = kiosk.locator("#digits").get_attribute("data-for")
        for digit in "9000" if asked.startswith("Money") else "20" if asked.endswith("duty") else "600":
            kiosk.locator(f'#digits [data-digit="{digit}"]').click()
        kiosk.locator('#digits [data-digit="⏎"]').click()
    kiosk.get_by_role("button", name="Open the border").click()
    kiosk.wait_for_selector(".counts")
    options = served.stand.table.snapshot().state.options
    assert options.scored
    assert (options.money, options.tariff["wine"].duty, options.tariff["wine"].fine) == (9000, 20, 50)
    assert (options.tariff["camera"].duty, options.tariff["camera"].fine) == (20, 600)

    # The next time they stand there already.
    served.stand.table.close_game("put-away")
    kiosk.locator("body[data-shape^='lobby']").wait_for()
    kiosk.goto(served.base + "/kiosk/setup/customs")
    kiosk.get_by_text("from my board").click()
    known = kiosk.locator("[data-amount]").all_inner_texts()
    assert known[:2] == ["20", "50"]
    assert "" not in known
