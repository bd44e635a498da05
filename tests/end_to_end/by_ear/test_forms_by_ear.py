"""Forms as a screen reader tells them: whose buttons they are, and what is wrong with what was entered."""

from __future__ import annotations

from typing import Any

import pytest

from appliance.games.catalogue import GAMES
from tests.end_to_end.served import KIOSK, PHONE, Served, needs_browser

pytestmark = needs_browser

FOCUSED = """() => {
    const button = document.activeElement;
    return [button.dataset.move || null, button.closest("fieldset")?.querySelector("[data-name]").textContent || null];
}"""


def described(page: Any, name: str) -> tuple[Any, str]:
    """Return whether the field called `name` is told to be wrong, and by which words."""
    field = page.context.new_cdp_session(page)
    whole = field.send("Accessibility.getFullAXTree")["nodes"]
    one = next(n for n in whole if n["role"]["value"] == "textbox" and n["name"]["value"] == name)
    invalid = next((p["value"]["value"] for p in one["properties"] if p["name"] == "invalid"), "false")
    return invalid, one.get("description", {}).get("value", "")


def test_a_wrong_pin_is_told_with_its_field(served: Served) -> None:
    page = served.page("/host", PHONE)
    assert described(page, "Host’s PIN") == ("false", "")
    page.locator("[name=pin]").fill("0000")
    page.keyboard.press("Enter")
    page.locator("[role=alert]", has_text="That is not the PIN.").wait_for()
    assert described(page, "Host’s PIN") == ("true", "That is not the PIN.")


@pytest.mark.parametrize("game", sorted(GAMES))
def test_each_seat_of_the_set_up_is_told_by_its_name(served: Served, game: str) -> None:
    kiosk = served.page(f"/kiosk/setup/{game}", KIOSK)
    for seat in kiosk.locator("[data-player]").all():
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
