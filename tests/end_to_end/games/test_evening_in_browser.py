"""An evening by the touchscreen alone: a league night, house rules, what is told after a game."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.end_to_end.readable.test_frame_for_everybody import faults_of
from tests.end_to_end.served import KIOSK, Served, needs_browser, ready
from tests.narrowed import there
from tests.web.evening.test_afterwards import agree, own, show_finished
from tests.web.evening.test_last_evening import play
from tests.web.evening.test_league import WON_BY_SECOND
from tests.web.evening.test_league_night import Screen, begun
from tests.web.stand import Stand

pytestmark = needs_browser

GUESTS = ("Ann", "Ben", "Cleo")


def names(page: Any) -> list[str]:
    return [str(name) for name in page.locator(".called b").all_inner_texts()]


def test_a_night_is_run_by_taps(served: Served) -> None:
    kiosk = served.page("/kiosk", KIOSK)
    kiosk.locator("a", has_text="League night").tap()
    kiosk.locator("button[name=size][value='2']").first.tap()
    for guest in GUESTS:
        kiosk.locator("[data-come]").tap()
        for key in guest.lower():
            kiosk.locator(f"[data-type={key}]").tap()
        kiosk.locator("[data-type='⏎']").tap()
        kiosk.locator(".standings", has_text=guest).wait_for()
    assert names(kiosk) == ["Ann", "Ben"]
    kiosk.locator("[name=missing]").nth(1).tap()
    kiosk.locator(".standings", has_text="did not come").wait_for()
    assert names(kiosk) == ["Ann", "Cleo"]
    kiosk.locator("button[form=play]").tap()
    kiosk.wait_for_url("**/kiosk")
    assert [player.name for player in there(served.stand.table.snapshot().setup).players] == ["Ann", "Cleo"]
    assert served.complaints == []


def test_a_guest_who_is_refused_is_told_beside_their_name_and_can_mend_it(served: Served) -> None:
    begun(Screen(served.stand), "Ann")
    kiosk = served.page("/night", KIOSK)
    kiosk.locator("[data-come]").tap()
    kiosk.locator("#keyboard [data-typed]:focus").wait_for()
    # A real keyboard of a script that is written from right to left has this mark.
    kiosk.keyboard.insert_text("\u200f")
    for key in "jo":
        kiosk.locator(f"[data-type={key}]").tap()
    kiosk.locator("[data-type='⏎']").tap()
    kiosk.locator("#keyboard [data-refused]", has_text="visible characters").wait_for()
    assert "jo" in kiosk.locator("#keyboard [data-typed]").input_value().lower()
    assert kiosk.evaluate("location.pathname") == "/night", "loaded again, the page is that of the night"
    for _ in range(3):
        kiosk.locator("[data-type='⌫']").tap()
    for key in "jo":
        kiosk.locator(f"[data-type={key}]").tap()
    kiosk.locator("[data-type='⏎']").tap()
    kiosk.locator(".standings", has_text="Jo").wait_for()


def test_house_rules_are_saved_chosen_and_forgotten_by_taps(served: Served) -> None:
    kiosk = served.page("/kiosk/setup/smugglers", KIOSK)
    kiosk.locator("[data-name]").first.tap()
    for key in ("z", "o", "e", "⏎"):
        kiosk.locator(f"[data-type='{key}']").tap()
    kiosk.locator("label", has_text="Short").tap()
    kiosk.locator("[data-save-rules]").tap()
    for key in "friday":
        kiosk.locator(f"[data-type={key}]").tap()
    kiosk.locator("[data-type='⏎']").tap()
    kiosk.locator(".saved", has_text="Friday").wait_for()
    assert kiosk.locator("[data-name]").first.inner_text() == "Zoe", "who sits down stays"
    assert kiosk.locator("[name=goal]:checked").get_attribute("value") == "short", "and what was chosen"
    kiosk.locator("label:has(> [name=goal][value=full])").tap()
    kiosk.locator("[data-rules]", has_text="Friday").tap()
    assert kiosk.locator("[name=goal]:checked").get_attribute("value") == "short"
    kiosk.locator("button[type=submit]").first.tap()
    kiosk.wait_for_url("**/kiosk")
    assert there(served.stand.table.snapshot().setup).options["goal"] == "short"
    served.stand.table.close_game("put away")
    again = served.page("/kiosk/setup/smugglers", KIOSK)
    again.locator("[data-name]").first.tap()
    for key in ("u", "m", "a", "⏎"):
        again.locator(f"[data-type='{key}']").tap()
    forget = again.locator(".saved button").nth(1)
    forget.tap()
    again.locator(".saved .sure").wait_for()
    ready(again)
    forget.tap()
    again.locator(".saved").wait_for(state="detached")
    assert again.locator("[data-name]").first.inner_text() == "Zoeuma"
    assert served.complaints == []


@pytest.mark.thorough
@pytest.mark.parametrize("kind", ["kiosk", "seat"])
def test_the_pages_of_an_evening_can_be_read_and_hit(browser: Any, tmp_path: Path, kind: str) -> None:
    stand = Stand(tmp_path)
    play(stand, WON_BY_SECOND, GUESTS)
    client = own(stand.kiosk()) if kind == "kiosk" else stand.stranger()
    wrong = faults_of(browser, client, kind, ("/league", "/league/figures", "/night"))
    if kind == "kiosk":
        client.post("/host/unlock", data={"pin": "482913"})
        wrong |= faults_of(browser, client, kind, ("/host/guests", "/host/guests?sure=Ann"))
    begun(Screen(stand), *GUESTS)
    wrong |= faults_of(browser, client, kind, ("/night",))
    setup = show_finished(stand)
    wrong |= faults_of(browser, client, kind, ("/after",))
    if kind == "kiosk":
        assert [agree(client, seat) for seat in range(len(setup.players))] == [302] * len(setup.players)
        wrong |= faults_of(browser, client, kind, ("/after",))
    stand.close()
    assert not wrong, "\n".join(f"{what} ({where})" for what, where in sorted(wrong.items()))


@pytest.mark.parametrize(
    ("path", "script", "control"),
    [("/night", "night.js", "[data-come]"), ("/first/pin", "pinpad.js", "[data-digit='7']")],
)
def test_what_only_a_script_hears_is_no_button_before_it_has_come(
    served: Served, path: str, script: str, control: str
) -> None:
    kiosk = served.page("/kiosk", KIOSK)
    if path == "/night":
        kiosk.locator("a", has_text="League night").tap()
        kiosk.locator("button[name=size][value='2']").first.tap()
        kiosk.locator("[data-come]").wait_for()
    on_its_way: list[Any] = []
    kiosk.route(f"**/{script}", lambda route: on_its_way.append(route))
    with kiosk.expect_request(f"**/{script}"):
        kiosk.goto(served.base + path, wait_until="commit")
    button = kiosk.locator(control)
    button.wait_for()
    assert not button.evaluate(HIT), "a tap goes to nobody while nobody hears it"
    on_its_way[0].continue_()
    kiosk.wait_for_load_state()
    assert button.evaluate(HIT)


HIT = """button => {
    const box = button.getBoundingClientRect();
    return button.contains(document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2));
}"""
"""Whether a finger in the middle of a button meets that button."""
