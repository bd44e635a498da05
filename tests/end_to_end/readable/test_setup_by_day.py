"""The pages of set-up, by day and by night: every word can be read."""

from __future__ import annotations

from typing import Any

import pytest

from appliance.games.catalogue import GAMES
from appliance.words.catalogues import LANGUAGES
from tests.end_to_end.contrast import faint
from tests.end_to_end.served import KIOSK, OVERFLOW, WALL, Served, needs_browser

pytestmark = [*needs_browser, pytest.mark.thorough]


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("game", GAMES)
def test_every_word_can_be_read(served: Served, game: str, theme: Any) -> None:
    page = served.page(f"/kiosk/setup/{game}", KIOSK)
    page.emulate_media(color_scheme=theme, reduced_motion="reduce")
    assert faint(page) == []


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("game", GAMES)
def test_we_are_new_shows_that_it_was_chosen(served: Served, game: str, theme: Any) -> None:
    page = served.page(f"/kiosk/setup/{game}", KIOSK)
    page.emulate_media(color_scheme=theme, reduced_motion="reduce")
    chosen = page.locator("[data-new]")
    ground = "e => getComputedStyle(e).backgroundImage"
    before = chosen.evaluate(ground)
    chosen.tap()
    assert chosen.evaluate(ground) != before
    assert chosen.evaluate(ground) == page.locator(".options :checked + span").first.evaluate(ground)
    chosen.tap()
    assert chosen.evaluate(ground) == before


def test_a_name_of_two_words_is_typed_on_a_keyboard(served: Served) -> None:
    page = served.page("/kiosk/setup/smugglers", KIOSK)
    page.locator(".name").first.tap()
    page.keyboard.type("mary ann")
    assert page.locator("[data-typed]").first.input_value() == "mary ann"
    page.keyboard.press("Enter")
    assert page.locator(".name").first.inner_text() == "mary ann"


@pytest.mark.parametrize("name", ["محمد علي", "さくら花子", "🦄 Zoë", "Jörg Äöüß"])
def test_a_name_is_pasted_or_comes_from_an_input_method(served: Served, name: str) -> None:
    page = served.page("/kiosk/setup/smugglers", KIOSK)
    page.locator(".name").first.tap()
    page.keyboard.insert_text(name)
    page.keyboard.press("Enter")
    assert page.locator(".name").first.inner_text() == name


def test_of_a_long_text_that_is_pasted_as_much_is_a_name_as_can_be_typed(served: Served) -> None:
    page = served.page("/kiosk/setup/smugglers", KIOSK)
    page.locator(".name").first.tap()
    page.keyboard.insert_text("🦄" * 20)
    page.keyboard.press("Enter")
    assert page.locator(".name").first.inner_text() == "🦄" * 16


def test_a_real_keyboard_goes_on_after_keys_that_were_tapped(served: Served) -> None:
    page = served.page("/kiosk/setup/smugglers", KIOSK)
    page.locator(".name").first.tap()
    page.locator("[data-type=m]").tap()
    page.keyboard.type("o li")
    page.locator("[data-type=⌫]").tap()
    page.keyboard.type("e")
    page.keyboard.press("Enter")
    assert page.locator(".name").first.inner_text() == "Mo le"


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("game", ["smugglers", "prohis"])
def test_six_saved_house_rules_have_room(served: Served, game: str, language: str) -> None:
    for number in range(6):
        body = {"game": game, "name": f"Our long game {number}", "options": {}}
        assert served.stand.kiosk().put("/api/v1/house_rules", json=body).status_code == 200
    page = served.page(f"/kiosk/setup/{game}", KIOSK, language)
    assert page.evaluate(OVERFLOW)[0] <= 0
    assert page.locator(".guests .saved").count() == 6
    for saved in page.locator(".guests .saved").all():
        name, forget = (button.bounding_box() for button in saved.locator("button").all())
        assert name["x"] >= 0
        assert name["y"] == forget["y"], "a cross stands beside what it forgets"
        assert name["height"] < 60, "a name is on one line"


LOWEST = """() => Math.max(...Array.from(document.querySelectorAll(".setup-form :is(button, label, summary)"),
    one => one.getBoundingClientRect().bottom)) / innerHeight"""


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("game", GAMES)
def test_a_large_screen_is_filled_and_nothing_of_it_is_scrolled(served: Served, game: str, language: str) -> None:
    small, large = (served.page(f"/kiosk/setup/{game}", size, language) for size in (KIOSK, WALL))
    for page in (small, large):
        page.locator("[data-setup]:not([inert])").wait_for()
    assert [beyond <= 0 for beyond in large.evaluate(OVERFLOW)] == [True, True]
    assert large.evaluate(LOWEST) > 0.7
    name, larger = (page.locator(".name").first.bounding_box()["height"] for page in (small, large))
    assert larger >= 1.4 * name
    # House rules are unfolded where they have room, and folded on a touchscreen.
    if game in ("smugglers", "prohis"):
        assert large.locator(".more .options").is_visible()
    assert small.locator(".more .options:visible").count() == 0
