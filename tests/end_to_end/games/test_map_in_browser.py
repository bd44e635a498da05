"""An owner draws a map with a finger on a picture of their board, mends what is wrong, and Haulers is played on it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from appliance.games.table_data_files import check_file
from appliance.table.draws.dealer import Dealer
from appliance.words.catalogues import LANGUAGES
from hardware.clock import MonotonicClock
from tests.end_to_end.at_rest import AT_REST
from tests.end_to_end.contrast import faint
from tests.end_to_end.served import CUT_OFF, SMALL, TOUCHING, Served, needs_browser, tap, wait_without_limit
from tests.end_to_end.usable import AXE, LOOK, STRUCTURE, TARGET_PX, TARGETS
from tests.refused_writes import refused_writes
from tests.web.host.test_own_files import picture
from tests.web.stand import Stand

pytestmark = [*needs_browser, pytest.mark.thorough]

CITIES = ((0.2, 0.3), (0.5, 0.25), (0.45, 0.7), (0.9, 0.6))


@pytest.fixture
def host(tmp_path: Path, browser: Any) -> Iterator[Served]:
    """A table without a PIN: whoever stands at it is the host."""
    files = tmp_path / "files"
    stand = Stand(tmp_path, clock=MonotonicClock(), dealer=Dealer(1), port=0, pin="", files_folder=files)
    served = Served(tmp_path, browser, stand)
    yield served
    served.close()


def put(page: Any, x: float, y: float) -> None:
    """Tap the board at a share of its width and height."""
    box = page.locator("#board").bounding_box()
    page.touchscreen.tap(box["x"] + x * box["width"], box["y"] + y * box["height"])


def tool(page: Any, name: str) -> None:
    page.locator(f"label:has(> input[value={name}])").tap()


def test_a_map_is_drawn_by_fingers_alone_mended_and_played(host: Served, tmp_path: Path) -> None:
    page = host.page("/host/files", (1024, 768))
    page.locator("input[name=file]").fill("our pub")
    tap(page, "form button.confirm")
    page.wait_for_url("**/host/files/haulers/our-pub")
    made = {"name": "board.png", "mimeType": "image/png", "buffer": picture(size=(1600, 1200))}
    page.locator("#picture").set_input_files(made)
    page.locator("#board image").wait_for(state="attached")
    assert page.locator("#board").get_attribute("viewBox") == "0 0 1600 1200"
    tool(page, "city")
    for number, (x, y) in enumerate(CITIES):
        put(page, x, y)
        page.locator(f"#cities-{number}").wait_for()
    tool(page, "buoy")
    put(page, 0.7, 0.7)
    page.locator("#buoys-0").wait_for()
    for kind, pairs in (
        ("road", (("cities-0", "cities-1"), ("cities-1", "cities-2"))),
        ("sea", (("cities-2", "buoys-0"),)),
    ):
        tool(page, kind)
        for pair in pairs:
            for end in pair:
                page.locator(f"#{end} circle").tap()
    tap(page, "#save")
    page.locator("#told", has_text="Still to mend").wait_for()
    page.locator("#cities-3.bad").wait_for()
    assert "City 4" in page.locator("#places li", has=page.locator(".fault")).inner_text()
    assert page.locator("#whole .fault").count() >= 2, "numbers and cards are missing on the whole map"
    tool(page, "sea")
    page.locator("#buoys-0 circle").tap()
    page.locator("#cities-3 circle").tap()
    tap(page, "#numbers")
    tap(page, "#make-up")
    assert page.evaluate(SMALL) == []
    assert page.evaluate(CUT_OFF) == []
    tap(page, "#save")
    page.locator("#told", has_text="nothing is wrong").wait_for()
    good = check_file(tmp_path / "files" / "our-pub.toml")
    assert good.game == "haulers"
    assert good.problems == ()
    tap(page, "#play")
    page.locator("[data-setup]:not([inert])").wait_for()
    tap(page, "[data-setup] [type=submit]")
    page.locator(".shape-haulers.kind-kiosk .town", has_text="City 1").first.wait_for(state="attached")
    assert host.complaints == []


def test_a_map_that_finds_no_room_says_so_and_is_saved_by_the_next_tap(host: Served, tmp_path: Path) -> None:
    page = host.page("/host/files/haulers/full", (1024, 768))
    tool(page, "city")
    put(page, *CITIES[0])
    made = {"name": "board.png", "mimeType": "image/png", "buffer": picture()}
    with refused_writes(0):
        tap(page, "#save")
        page.locator("#toast", has_text="free some space on the card").wait_for()
        page.locator("#toast").wait_for(state="hidden")
        page.locator("#picture").set_input_files(made)
        page.locator("#toast", has_text="free some space on the card").wait_for()
    assert page.locator("#told").inner_text() == "Not saved yet."
    tap(page, "#save")
    page.locator("#told", has_text="Saved.").wait_for()
    assert "City 1" in (tmp_path / "files" / "full.toml").read_text()
    page.locator("#picture").set_input_files(made)
    page.locator("#board image").wait_for(state="attached")


def test_what_is_drawn_while_a_map_is_saved_is_not_said_to_be_saved(host: Served, tmp_path: Path) -> None:
    page = host.page("/host/files/haulers/slow", (1024, 768))
    tool(page, "city")
    put(page, *CITIES[0])
    late: list[Any] = []
    wait_without_limit(page)
    page.route("**/host/files/haulers/slow?version=*", lambda route: late.append(route))
    with page.expect_request("**/host/files/haulers/slow?version=*"):
        tap(page, "#save")
    put(page, *CITIES[1])
    page.locator("#told", has_text="Not saved yet.").wait_for()
    late[0].continue_()
    page.locator("#toast", has_text="Saved.").wait_for()
    assert page.locator("#told").inner_text() == "Not saved yet."
    page.unroute_all()
    tap(page, "#save")
    page.locator("#told", has_text="Saved.").wait_for()
    assert "City 2" in (tmp_path / "files" / "slow.toml").read_text()
    assert host.complaints == []


def test_who_leaves_with_a_drawing_that_is_not_saved_is_asked_first(host: Served) -> None:
    page = host.page("/host/files/haulers/our-pub", (800, 480))
    asked: list[str] = []

    def stays(dialog: Any) -> None:
        asked.append(dialog.type)
        dialog.dismiss()

    page.on("dialog", stays)
    tool(page, "city")
    put(page, *CITIES[0])
    with page.expect_event("dialog"):
        page.locator("header a").tap()
    assert asked == ["beforeunload"]
    assert page.locator("#places li").count() == 1
    tap(page, "#save")
    page.locator("#told", has_text="Saved.").wait_for()
    page.locator("header a").tap()
    page.wait_for_url("**/host/files")
    assert len(asked) == 1


def test_without_roads_numbers_and_cards_say_what_is_missing(host: Served) -> None:
    page = host.page("/host/files/haulers/our-pub", (800, 480), "de")
    said = page.locator("#told").inner_text()
    for button, missing in (
        ("one-card", "Setzt zuerst zwei Städte."),
        ("numbers", "Verbindet zuerst Städte durch Straßen."),
        ("one-card", "Setzt zuerst zwei Städte."),
        ("make-up", "Verbindet zuerst Städte durch Straßen."),
    ):
        page.locator(f"#{button}").tap()
        page.locator("#toast", has_text=missing).wait_for()
    assert page.locator("#told").inner_text() == said, "nothing was drawn that would have to be saved"


@pytest.mark.parametrize("size", [(800, 480), (390, 844)])
def test_a_field_for_a_name_shows_a_long_name_whole(host: Served, size: tuple[int, int]) -> None:
    page = host.page("/host/files/haulers/our-pub", size)
    tool(page, "city")
    put(page, *CITIES[0])
    for name in (page.locator("#map-name"), page.locator("#places input").first):
        name.fill("Wolfeschlegelsteinhausen")
        assert name.evaluate("one => one.scrollWidth <= one.clientWidth")
        inside = "one => one.closest('.field').getBoundingClientRect().right - one.getBoundingClientRect().right"
        assert name.evaluate(inside) >= 0


def test_a_place_that_is_given_the_name_of_another_keeps_its_own_roads(host: Served, tmp_path: Path) -> None:
    page = host.page("/host/files/haulers/twice", (1024, 768))
    tool(page, "city")
    for number, (x, y) in enumerate(CITIES[:3]):
        put(page, x, y)
        page.locator(f"#cities-{number}").wait_for()
    tool(page, "road")
    for number in (0, 1, 1, 2):
        page.locator(f"#cities-{number} circle").tap()
    name = page.locator("#places li").nth(2).locator("input").first
    name.fill("City 1")
    name.press("Tab")
    page.locator("#cities-2", has_text="City 1 2").wait_for()
    lines = page.locator("#lines b").all_inner_texts()
    assert lines == ["City 1 – City 2", "City 2 – City 1 2"]
    assert host.complaints == []


def test_of_two_tabs_the_late_one_is_told_keeps_its_drawing_and_may_save_it(host: Served, tmp_path: Path) -> None:
    tabs = [host.page("/host/files/haulers/our-pub", (1024, 768)) for _ in range(2)]
    for number, page in enumerate(tabs):
        page.locator("#map-name").fill(f"Tab {number}")
        tap(page, "#save")
        page.locator("#toast", has_text=("Still to mend", "has changed")[number]).wait_for()
    file, (early, late) = tmp_path / "files" / "our-pub.toml", tabs
    assert 'name = "Tab 0"' in file.read_text()
    assert late.locator("#told").inner_text() != early.locator("#told").inner_text(), "it does not say that it is saved"
    early.locator("#map-name").fill("Tab 0 again")
    tap(early, "#save")
    early.locator("#told", has_text="Still to mend").wait_for()
    assert 'name = "Tab 0 again"' in file.read_text(), "its own save is no other's"
    tap(late, "#save")
    late.locator("#told", has_text="Still to mend").wait_for()
    assert 'name = "Tab 1"' in file.read_text()


def test_places_are_moved_by_the_arrow_keys_and_put_down_by_enter(host: Served) -> None:
    page = host.page("/host/files/haulers/keys", (1024, 768))
    page.locator("input[value=city]").focus()
    page.keyboard.press("Space")
    page.locator("input[value=city]").press("Enter")
    spot = page.locator("#cities-0")
    spot.wait_for()
    before = spot.get_attribute("transform")
    spot.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowDown")
    assert before == "translate(800 450)"
    assert spot.get_attribute("transform") == "translate(810 460)"
    page.keyboard.press("Delete")
    assert page.locator("#cities-0").count() == 0
    assert host.complaints == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_everybody_can_read_and_hit_what_a_map_is_drawn_with(host: Served, language: str) -> None:
    page = host.page("/host/files/haulers/look", (1024, 768), language)
    tool(page, "city")
    for number, (x, y) in enumerate(CITIES[:2]):
        put(page, x, y)
        page.locator(f"#cities-{number}").wait_for()
    tap(page, "#one-card")
    tap(page, "#save")
    page.locator("#whole .fault").first.wait_for()
    assert page.evaluate(TOUCHING) == []
    page.evaluate(AXE)
    found = page.evaluate(LOOK, [[], STRUCTURE]) + page.evaluate(TARGETS, TARGET_PX["kiosk"])
    for theme in ("dark", "light"):
        page.emulate_media(color_scheme=theme)
        page.evaluate(AT_REST)
        found += [f"{theme}: {fault}" for fault in faint(page)]
    assert found == []
