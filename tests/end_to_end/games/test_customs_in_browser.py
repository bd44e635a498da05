"""Customs in a real browser: set up and tapped through on touchscreen and phone, one hand held up at the hot seat."""

from __future__ import annotations

from typing import Any

from appliance.games.customs.rules.state import Declaring, Doubting, Exchanging
from tests.end_to_end.party import held
from tests.end_to_end.served import KIOSK, WALL, Served, needs_browser, tap

pytestmark = needs_browser

CUT_NAMES = """() => Array.from(document.querySelectorAll('.counter .what span:not(.sr)'))
  .filter(name => name.scrollWidth > name.clientWidth && name.clientWidth > 1).map(name => name.textContent)"""


def test_a_suitcase_from_set_up_to_the_second_traveller(served: Served) -> None:
    table = served.stand.table

    def state() -> Any:
        return table.snapshot().state

    kiosk = served.page("/kiosk/setup/customs", KIOSK)
    kiosk.get_by_role("button", name="Open the border").click()
    kiosk.wait_for_selector(".counts")
    first = state()
    assert isinstance(first.stage, Declaring)
    traveller = first.stage.seat

    # The hot seat: a curtain, behind it four cards that show while the finger stays; then nothing of them is left.
    tap(kiosk, "[data-hold]")
    kiosk.wait_for_selector(".curtain[open]")
    assert "look away" in kiosk.locator(".curtain .away").inner_text()
    cards = kiosk.locator(".curtain .face .card svg")
    assert cards.count() == 4
    assert not cards.first.is_visible()
    with held(kiosk, "[data-look]"):
        cards.first.wait_for()
    cards.first.wait_for(state="hidden")
    # By keyboard too.
    kiosk.locator("[data-look]").focus()
    kiosk.keyboard.down(" ")
    cards.first.wait_for()
    kiosk.keyboard.up(" ")
    cards.first.wait_for(state="hidden")
    tap(kiosk, "[data-close]")
    kiosk.wait_for_selector(".curtain", state="detached")
    assert not [card for card in set(first.hand) if f"k-{card}" in kiosk.content()]

    # The phone: two wines are declared by tapping twice. Every kind of goods is named in full, in German too.
    phone = served.join(traveller)
    for language in ("de", "en"):
        phone.goto(f"{served.base}/language/{language}?back=/seat/{traveller}")
        phone.locator(".counter").first.wait_for()
        assert phone.evaluate(CUT_NAMES) == []
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
    other.wait_for_selector(".own .chip")
    assert isinstance(state().stage, Exchanging)
    may_go = state().hand if "bag" not in state().hand else ("bag",)
    go = other.locator(".own .confirm")
    assert go.is_disabled()
    # A card that was held to look at it is not chosen by that; of two that are tapped the second is.
    with held(other, ".own .chip"):
        other.locator(".own .chip .card svg").first.wait_for()
    assert go.is_disabled()
    shown = other.locator(".own .chip").evaluate_all("all => all.map(chip => chip.dataset.value)")
    wanted = shown.index(may_go[0])
    tap(other, f".own .chip >> nth={(wanted + 1) % len(shown)}")
    tap(other, f".own .chip >> nth={wanted}")
    other.locator(f".own .chip >> nth={wanted}").and_(other.locator("[aria-pressed=true]")).wait_for()
    assert other.locator(".own .chip[aria-pressed=true]").count() == 1
    assert go.inner_text() == "Discard this card"
    tap(other, ".own .confirm")
    other.wait_for_selector(".counts")
    assert isinstance(state().stage, Declaring)
    assert len(state().discards) == 1

    wall = served.page("/", WALL)
    assert wall.evaluate("document.documentElement.scrollHeight <= innerHeight")
    assert kiosk.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert other.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert served.complaints == []


def test_an_owner_enters_the_tariff_of_the_board(served: Served) -> None:
    kiosk = served.page("/kiosk/setup/customs", KIOSK)
    kiosk.get_by_text("from my board").click()
    # As with the demo's tariff, who was seated can be taken out again.
    for on in (4, 3):
        kiosk.locator("[data-toggle]").nth(3).click()
        assert kiosk.locator("[data-player][data-on='1']").count() == on
        assert kiosk.locator("[data-move]:visible").count() == 2 * on
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
    kiosk.locator("body[data-page-of^='lobby']").wait_for()
    kiosk.goto(served.base + "/kiosk/setup/customs")
    kiosk.get_by_text("from my board").click()
    known = kiosk.locator("[data-amount]").all_inner_texts()
    assert known[:2] == ["20", "50"]
    assert "" not in known
