"""After a game of hidden cards what was secret can be seen and read; a pause covers every screen until it is over."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from appliance.games.catalogue import the_game
from tests.appliance.games.contract.play import play_robots
from tests.end_to_end.contrast import faint
from tests.end_to_end.readable.test_frame_for_everybody import faults_of
from tests.end_to_end.served import CUT_OFF, KIOSK, OVERFLOW, PHONE, WALL, Served, headline, needs_browser, tap
from tests.web.evening.test_afterwards import agree, own
from tests.web.evening.test_post_mortems import CARDS, SEED, played

pytestmark = [*needs_browser, pytest.mark.thorough]

COVERED = "document.elementFromPoint(innerWidth / 2, innerHeight / 2).closest('.paused') !== null"


@pytest.mark.parametrize("name", CARDS)
def test_what_was_secret_is_drawn_where_everybody_agreed(browser: Any, tmp_path: Path, name: str) -> None:
    real = play_robots(the_game(name), "average", SEED)
    stand = played(tmp_path / "table", real, real.actions)
    kiosk = own(stand.kiosk())
    for seat in real.seats:
        assert agree(kiosk, seat) == 302
    wrong = faults_of(browser, kiosk, "seat", ("/after",))
    served = Served(tmp_path, browser, stand)
    try:
        for size in (KIOSK, PHONE):
            page = served.page("/after", size, "de")
            page.locator(".revealed tbody tr").first.wait_for()
            assert page.evaluate(OVERFLOW)[0] <= 0, size
    finally:
        served.close()
    assert not wrong, "\n".join(f"{what} ({where})" for what, where in sorted(wrong.items()))
    assert served.complaints == []


def test_a_pause_covers_every_screen_and_the_game_goes_on_where_it_was(served: Served) -> None:
    served.stand.open(2)
    kiosk, wall, phone = served.page("/kiosk", KIOSK), served.page("/wall", WALL), served.join(1)
    headline(kiosk, "Ann throws the die")
    tap(kiosk, "a.tool[href='/kiosk/table']")
    tap(kiosk, "[data-api='POST /api/v1/games/pause']")
    kiosk.wait_for_url("**/kiosk")
    for screen in (kiosk, wall, phone):
        screen.locator(".paused", has_text="all clocks are stopped").wait_for()
        for light in ("light", "dark"):
            screen.emulate_media(color_scheme=light, reduced_motion="reduce")
            assert faint(screen, ".paused") == [], light
        assert screen.evaluate(COVERED), "the pause lies over all else"
        assert screen.evaluate(CUT_OFF) == []
        assert screen.evaluate(OVERFLOW)[0] <= 0
    tap(kiosk, ".paused button")
    for screen in (kiosk, wall, phone):
        screen.locator(".paused").wait_for(state="detached")
        headline(screen, "Ann throws the die")
    assert served.complaints == []


def test_a_tap_before_the_scripts_have_come_pauses_the_game_once(served: Served) -> None:
    served.stand.open(2)
    kiosk = served.page("/kiosk", KIOSK)
    held: list[Any] = []
    kiosk.route("**/taps.js", lambda route: held.append(route), times=1)
    with kiosk.expect_request("**/taps.js"):
        kiosk.goto(f"{served.base}/kiosk/table", wait_until="commit")
    pause = kiosk.locator("[data-api='POST /api/v1/games/pause']")
    pause.tap()
    pause.tap()
    assert not served.stand.table.snapshot().paused
    held[0].continue_()
    kiosk.locator(".paused", has_text="all clocks are stopped").wait_for()
    assert kiosk.url.endswith("/kiosk")
    assert served.complaints == []
