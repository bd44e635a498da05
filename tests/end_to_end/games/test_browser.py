"""The pages in a real browser: a game tapped through on touchscreen and phone, a lost connection, layouts that fit."""

from __future__ import annotations

import re

import pytest

from tests.end_to_end.served import CUT_OFF, KIOSK, OVERFLOW, SMALL, WALL, Served, headline, needs_browser, tap
from tests.narrowed import there
from tests.web.rounds import CROWDED, INSPECTIONS, opening, ranking
from web.live.serve import Server

pytestmark = needs_browser


def test_a_round_is_tapped_through_on_touchscreen_and_phone(served: Served) -> None:
    kiosk = served.page("/kiosk", KIOSK)
    kiosk.locator("a", has_text="New game: Smugglers").tap()
    kiosk.locator("[data-name]").nth(0).tap()
    kiosk.locator("[data-chip]", has_text="Ann").tap()
    kiosk.locator("[data-name]").nth(1).tap()
    for key in "ben":
        kiosk.locator(f"[data-type={key}]").tap()
    kiosk.locator("[data-type='⏎']").tap()
    kiosk.locator("button[type=submit]").first.tap()
    kiosk.wait_for_url("**/kiosk")
    headline(kiosk, "Ann throws the die")
    assert [player.name for player in there(served.stand.table.snapshot().setup).players] == ["Ann", "Ben"]

    wall, phone = served.page("/", WALL), served.join(1)
    tap(kiosk, ".v-3")
    headline(phone, "knead one sphere")
    tap(phone, "[data-hide=bomb]")
    phone.locator(".note", has_text="Sealed.").wait_for()
    wall.locator("#the-boss[data-lane='7']").wait_for()
    tap(kiosk, ".do-time_up")
    headline(kiosk, "Ann rolls down lane 7")
    tap(kiosk, ".v-passed")
    headline(phone, "You roll down lane 7")
    headline(kiosk, "Ben rolls down lane 7")
    tap(kiosk, ".v-stuck")
    headline(phone, "second attempt")
    headline(kiosk, "second attempt")
    tap(kiosk, ".v-stuck")
    headline(kiosk, "Ann picks a sphere")
    assert served.stand.table.snapshot().state.players[1].room == "junk"
    tap(kiosk, ".v-sour")
    headline(phone, "You open the sphere")
    tap(phone, ".chip.v-bomb")
    tap(phone, ".many .confirm")
    headline(phone, "You choose a token")
    tap(phone, "[data-show-seal]")
    wall.locator(".log li", has_text=re.compile("seal", re.IGNORECASE)).first.wait_for()
    tap(phone, ".do-take .tap")
    headline(kiosk, "Ann opens the sphere")
    assert served.stand.table.snapshot().state.players[1].tokens.sweet == 1
    assert served.complaints == []


def test_a_wrong_verdict_is_corrected_with_a_preview(served: Served) -> None:
    served.stand.open(2)
    served.stand.play({"do": "roll", "seat": 0, "value": 3}, {"do": "time_up"})
    served.stand.do(do="attempt", seat=0, outcome="stuck")
    kiosk = served.page("/kiosk", KIOSK)
    kiosk.locator("a", has_text="That was wrong").tap()
    kiosk.locator("a", has_text="Change").first.tap()
    kiosk.locator("a", has_text="Through").tap()
    kiosk.locator(".preview ins", has_text="Bar").wait_for()
    kiosk.wait_for_load_state()
    kiosk.locator(".preview .confirm").tap()
    kiosk.wait_for_url("**/kiosk")
    headline(kiosk, "Ben rolls down lane 7")
    assert served.stand.table.snapshot().state.players[0].room == "bar"


def test_a_lost_connection_is_shown_and_taken_up_again(served: Served) -> None:
    served.stand.open(2)
    wall = served.page("/", WALL)
    headline(wall, "Ann throws the die")
    served.server.stop()
    wall.locator("#connection:not([hidden])").wait_for()
    served.stand.do(do="roll", seat=0, value=3)
    site = type(served.stand.site)(**{
        name: getattr(served.stand.site, name) for name in served.stand.site.__struct_fields__ if name != "port"
    }, port=served.server.port)  # fmt: skip
    from web.app import create_app

    app = create_app(served.stand.table, settings=site, clock=served.stand.clock, live_picture=None)
    served.server = Server(app, site, host="127.0.0.1")
    served.server.start()
    wall.locator("#the-boss[data-lane='7']").wait_for()
    wall.locator("#connection").wait_for(state="hidden")


def test_a_hidden_page_lets_go_of_its_stream(served: Served) -> None:
    served.stand.open(2)
    wall = served.page("/", WALL)
    headline(wall, "Ann throws the die")
    hide = (
        "value => { Object.defineProperty(document, 'hidden', {value, configurable: true}); "
        "document.dispatchEvent(new Event('visibilitychange')); }"
    )
    wall.evaluate(hide, True)
    wall.locator("body:not(.streaming)").wait_for()
    served.stand.do(do="roll", seat=0, value=3)
    wall.evaluate(hide, False)
    wall.locator("#the-boss[data-lane='7']").wait_for()


@pytest.mark.thorough
@pytest.mark.parametrize("language", ["en", "de"])
def test_every_phase_fits_its_screens(served: Served, language: str) -> None:
    served.stand.open(4)
    wall, kiosk = served.page("/", WALL, language), served.page("/kiosk", KIOSK, language)
    phone = served.join(1, language)
    actions = [*opening({}), *ranking({0: 20.0, 2: 30.0, 3: 10.0}), *INSPECTIONS]
    for action in (None, *actions, *({"do": "leave", "seat": seat} for seat in range(3))):
        if action is not None:
            served.stand.do(**action)
        version = served.stand.table.snapshot().version
        for page, no_scrolling in ((wall, True), (kiosk, True), (phone, False)):
            page.locator(f"body[data-version='{version}']").wait_for()
            wide, high = page.evaluate(OVERFLOW)
            assert wide <= 0, (action, page.url)
            assert high <= 0 or not no_scrolling, (action, page.url)
            assert page.evaluate(CUT_OFF) == [], action
            assert page.evaluate(SMALL) == [], action
        panel = kiosk.evaluate("(e => e.scrollHeight - e.clientHeight)(document.getElementById('region-ask'))")
        assert panel <= 0, action
    assert served.complaints == []


@pytest.mark.parametrize("language", ["en", "de"])
@pytest.mark.parametrize("course", CROWDED)
def test_the_most_crowded_moments_fit_the_touchscreen(served: Served, course: str, language: str) -> None:
    served.stand.open(4)
    served.stand.play(*CROWDED[course])
    kiosk = served.page("/kiosk", KIOSK, language)
    kiosk.locator(".controls").wait_for()
    assert kiosk.evaluate(OVERFLOW) == [0, 0]
    assert kiosk.evaluate(CUT_OFF) == []
    assert kiosk.evaluate(SMALL) == []
    assert kiosk.evaluate("(e => e.scrollHeight - e.clientHeight)(document.getElementById('region-ask'))") <= 0


@pytest.mark.parametrize("language", ["en", "de"])
def test_the_warning_that_rounding_is_over_comes_by_itself_and_fits_the_touchscreen(
    served: Served, language: str
) -> None:
    served.stand.open(4, rounding_cap_s=1)
    kiosk = served.page("/kiosk", KIOSK, language)
    served.stand.play(*opening({}))
    kiosk.locator(".now", has_text=re.compile("time for rounding|Rund")).wait_for()
    kiosk.locator("#timer-rounding .what").wait_for()
    assert kiosk.evaluate(OVERFLOW) == [0, 0]
    assert kiosk.evaluate(CUT_OFF) == []
    assert kiosk.evaluate("(e => e.scrollHeight - e.clientHeight)(document.getElementById('region-ask'))") <= 0
    assert served.complaints == []


@pytest.mark.parametrize("language", ["en", "de"])
@pytest.mark.parametrize("path", ["/kiosk", "/kiosk/setup/smugglers"])
def test_the_lobby_and_set_up_fit_the_touchscreen(served: Served, language: str, path: str) -> None:
    kiosk = served.page(path, KIOSK, language)
    assert kiosk.evaluate(OVERFLOW) == [0, 0]
    assert kiosk.evaluate(CUT_OFF) == []
    assert kiosk.evaluate(SMALL) == []


SECOND_TAP = """said => document.addEventListener('settled', () => {
    if (!document.querySelector('.region h1').textContent.includes(said)) return;
    document.querySelector('.v-passed').click();
    document.body.dataset.tapped = '1';
})"""
"""Taps in the moment in which the page shows `said`, however busy the processor is."""


def test_a_second_tap_meant_for_what_was_there_before_is_ignored(served: Served) -> None:
    served.stand.open(2)
    served.stand.play({"do": "roll", "seat": 0, "value": 3}, {"do": "time_up"})
    kiosk = served.page("/kiosk", KIOSK)
    headline(kiosk, "Ann rolls down lane 7")
    kiosk.evaluate(SECOND_TAP, "Ben rolls down lane 7")
    sent: list[str] = []
    kiosk.on("request", lambda request: sent.append(request.url) if "/api/" in request.url else None)
    tap(kiosk, ".v-passed")
    kiosk.locator("body[data-tapped]").wait_for()
    kiosk.reload()
    headline(kiosk, "Ben rolls down lane 7")
    assert len(sent) == 1
    assert served.stand.table.snapshot().state.players[1].room == "track"


def test_the_lobby_offers_its_games_side_by_side_in_the_middle(served: Served) -> None:
    kiosk = served.page("/kiosk", KIOSK)
    boxes = [button.bounding_box() for button in kiosk.locator(".attract .big").all()]
    assert len({round(box["width"]) for box in boxes}) == 1
    left, right = min(box["x"] for box in boxes), max(box["x"] + box["width"] for box in boxes)
    assert abs((left + right) / 2 - KIOSK[0] / 2) <= 1
