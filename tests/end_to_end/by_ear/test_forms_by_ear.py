"""Forms as a screen reader tells them: whose buttons they are, and what is wrong with what was entered."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from appliance.games.catalogue import GAMES, the_game
from tests.end_to_end.served import KIOSK, PHONE, Served, needs_browser
from tests.patience import GIVEN_UP_MS
from tests.web.stand import Stand

pytestmark = needs_browser

FOCUSED = """() => {
    const button = document.activeElement;
    return [button.dataset.move || null, button.closest("fieldset")?.querySelector("[data-name]").textContent || null];
}"""


def described(page: Any, name: str) -> tuple[Any, str]:
    """Return whether the field called `name` is told to be wrong, and by which words, once the page is whole."""
    page.wait_for_load_state()
    tree = page.context.new_cdp_session(page)
    document = tree.send("DOM.getDocument", {"depth": 0})["root"]["nodeId"]
    asked = {"nodeId": document, "accessibleName": name, "role": "textbox"}
    (field,) = tree.send("Accessibility.queryAXTree", asked)["nodes"]
    invalid = next((p["value"]["value"] for p in field["properties"] if p["name"] == "invalid"), "false")
    return invalid, field.get("description", {}).get("value", "")


def test_a_wrong_pin_is_told_with_its_field(served: Served) -> None:
    page = served.page("/host", PHONE)
    assert described(page, "Host’s PIN") == ("false", "")
    page.locator("[name=pin]").fill("0000")
    page.keyboard.press("Enter")
    page.locator("[name=pin][aria-invalid=true]").wait_for()
    assert described(page, "Host’s PIN") == ("true", "That is not the PIN.")


def test_a_pin_that_is_too_long_is_not_cut_to_one_that_fits(served: Served, browser: Any, tmp_path: Path) -> None:
    page = served.page("/host", PHONE)
    page.locator("[name=pin]").focus()
    page.keyboard.insert_text("13579135791357")
    assert page.locator("[name=pin]").input_value() == "13579135791357"
    page.keyboard.press("Enter")
    page.locator("[name=pin][aria-invalid=true]").wait_for()
    (tmp_path / "fresh").mkdir()
    fresh = Stand(tmp_path / "fresh", pin="", owner_file=tmp_path / "owner.json")
    chosen = browser.new_page()
    chosen.set_default_timeout(GIVEN_UP_MS)
    chosen.set_content(fresh.kiosk().get("/first/pin").text)
    chosen.locator("form[inert]").evaluate("form => { form.inert = false; }")
    field = chosen.locator("[name=pin]")
    field.focus()
    chosen.keyboard.insert_text("13579135791357")
    assert field.input_value() == "13579135791357"
    assert field.evaluate("field => field.validity.patternMismatch"), "the browser says what a PIN is"
    chosen.close()
    fresh.close()


@pytest.mark.parametrize("game", sorted(GAMES))
def test_each_seat_of_the_set_up_is_told_by_its_name(served: Served, game: str) -> None:
    kiosk = served.page(f"/kiosk/setup/{game}", KIOSK)
    seats = kiosk.locator("[data-player]").all()
    assert len(seats) == the_game(game).rules.seats[-1]
    for seat in seats:
        called = seat.locator("[data-name]").text_content()
        assert kiosk.get_by_role("group", name=called, exact=True).get_by_role("button", name=called).count()


def test_a_seat_is_moved_by_keyboard_as_far_as_wanted(served: Served) -> None:
    kiosk = served.page("/kiosk/setup/prohis", KIOSK)
    kiosk.locator("[data-player] [data-move='1']").first.focus()
    for _ in range(2):
        kiosk.keyboard.press("Enter")
        assert kiosk.evaluate(FOCUSED) == ["1", "Player 1"]
    names = kiosk.locator("[data-player] [data-name]").all_text_contents()
    assert names[:3] == ["Player 2", "Player 3", "Player 1"]
