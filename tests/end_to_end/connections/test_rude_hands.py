"""What people do to a table without meaning harm: a second phone, the back button, a reload in mid-tap, rubbish."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest

from appliance.service.machine.asks import Ask, Done, OpenAccessPoint
from hardware.clock import MonotonicClock
from tests.end_to_end.served import KIOSK, PHONE, Served, headline, needs_browser, ready, tap
from tests.patience import GIVEN_UP_S
from tests.web.host.first_start import Told
from tests.web.stand import Stand

pytestmark = [*needs_browser, pytest.mark.thorough]

RUBBISH = (
    "/seat/99",
    "/seat/-1",
    "/seat/1e9",
    "/join/",
    "/join/%00%ff",
    "/join/" + "x" * 4000,
    "/kiosk/setup/chess",
    "/kiosk/hand/77",
    "/kiosk/correct/abc",
    "/rules?game=../../etc",
    "/language/tlh",
    "/live?kind=seat&seat=x",
    "/games/prohis/../../../etc/passwd",
    "/%E2%98%83",
)


def test_a_second_phone_is_told_that_its_seat_is_taken(served: Served) -> None:
    served.stand.open(2)
    mine = served.join(1)
    other = served.page("/", PHONE)
    answer = other.goto(served.base + served.join_path(1))
    assert answer.status == 409
    assert "Another phone plays this seat" in other.locator("main").inner_text()
    other.locator("main a").first.tap()
    other.wait_for_url("**/seats")
    headline(mine, "Ann throws the die")


def test_the_way_back_from_a_running_game_leads_into_it_again(served: Served) -> None:
    kiosk = served.page("/kiosk", KIOSK)
    kiosk.locator("a", has_text="New game: Customs").tap()
    kiosk.locator("button[type=submit]").first.tap()
    kiosk.wait_for_url("**/kiosk")
    before = served.stand.table.snapshot().game_id
    kiosk.go_back()
    kiosk.goto(served.base + "/kiosk/setup/customs")
    kiosk.wait_for_url("**/kiosk")
    kiosk.locator(".asking h1").wait_for()
    assert served.stand.table.snapshot().game_id == before


def test_a_set_up_that_the_browser_kept_whole_opens_the_next_game(served: Served) -> None:
    """The way back can show the page as it was left, with the id of the game that it opened."""
    stand = served.stand
    kiosk = served.page("/rules", KIOSK)  # a live page would load again for the new game
    players = [{"name": "Ann", "putty": "pink"}, {"name": "Ben", "putty": "green"}]
    game = {"id": "first", "game": "smugglers", "players": players, "oldest": 0, "options": {}}
    assert kiosk.request.post(f"{served.base}/api/v1/games", data=game).ok
    assert kiosk.request.post(f"{served.base}/api/v1/games/close", data={"id": "closed"}).ok
    kiosk.goto(served.base + "/kiosk/setup/smugglers")
    kiosk.evaluate(
        """id => {
            document.querySelector("[data-setup]").dataset.id = id;
            dispatchEvent(new PageTransitionEvent("pageshow", { persisted: true }));
        }""",
        "first",
    )
    kiosk.locator("button[type=submit]").first.tap()
    kiosk.wait_for_url("**/kiosk")
    kiosk.locator(".asking h1").wait_for()
    assert stand.table.snapshot().game == "smugglers"


@pytest.mark.parametrize("path", ["/kiosk/table", "/rules", "/host/unlock", "/kiosk"])
def test_a_long_press_on_the_touchscreen_opens_no_menu(served: Served, path: str) -> None:
    """On no page of the appliance's own browser: its "open in a new window" would cover the table for good."""
    served.stand.open(2)
    kiosk = served.page("/rules", KIOSK)
    kiosk.goto(served.base.replace("127.0.0.1", "localhost") + path)
    kiosk.evaluate("addEventListener('contextmenu', event => { window.menu = !event.defaultPrevented; })")
    ready(kiosk)
    kiosk.locator("a.tap, a.tool").first.click(button="right")
    assert kiosk.evaluate("window.menu") is False


def test_a_tap_before_the_scripts_are_there_loses_nothing(served: Served) -> None:
    held: list[Any] = []
    kiosk = served.page("/kiosk", KIOSK)
    kiosk.goto(served.base + "/kiosk/setup/customs")
    start = kiosk.locator("button[type=submit]").first.bounding_box()
    kiosk.route("**/static/setup.js", lambda route: held.append(route))
    with kiosk.expect_request("**/static/setup.js"):
        kiosk.goto(served.base + "/kiosk/setup/customs", wait_until="commit")
    kiosk.locator("form[inert]").wait_for()
    kiosk.touchscreen.tap(start["x"] + 5, start["y"] + 5)
    (script,) = held
    script.continue_()
    kiosk.locator("form:not([inert]) button[type=submit]").first.tap()
    kiosk.wait_for_url("**/kiosk")


def test_a_reload_in_mid_tap_counts_once_and_asks_the_next_question(served: Served) -> None:
    served.stand.open(2)
    kiosk = served.page("/kiosk", KIOSK)
    before = served.stand.table.snapshot().journal_seq
    tap(kiosk, ".v-3")
    kiosk.reload()
    kiosk.locator(".do-time_up").first.wait_for()
    assert served.stand.table.snapshot().journal_seq == before + 1


def test_no_rubbish_in_an_address_is_a_fault_of_the_table(served: Served) -> None:
    served.stand.open(2)
    page = served.page("/kiosk", KIOSK)
    for path in RUBBISH:
        answer = page.request.get(served.base + path)
        assert answer.status < 500, path
    for body in ("", "null", "[]", "{", '{"id": 1}', '{"id": "a", "action": {"do": "\\u0000"}}', "x" * 100_000):
        for path in ("actions", "games", "chance", "commands", "pending/confirm", "seats/0/let_go"):
            answer = page.request.post(
                f"{served.base}/api/v1/{path}", data=body, headers={"Content-Type": "application/json"}
            )
            assert 400 <= answer.status < 500, (path, body[:40])
            assert answer.json()["message"], (path, body[:40])


def test_the_next_game_is_set_up_with_who_played_and_how(served: Served) -> None:
    served.stand.open(3, goal="short")
    served.stand.do(do="leave", seat=2)
    served.stand.do(do="leave", seat=1)
    kiosk = served.page("/kiosk/setup/smugglers", KIOSK)
    seated = kiosk.locator('[data-player][data-on="1"] [data-name]')
    seated.first.wait_for()
    assert seated.all_inner_texts() == ["Ann", "Ben", "Cleo"]
    kiosk.locator("[data-turn]").tap()
    assert seated.all_inner_texts() == ["Ben", "Cleo", "Ann"]
    kiosk.locator("form:not([inert]) button[type=submit]").tap()
    kiosk.wait_for_url("**/kiosk")
    setup = served.stand.table.snapshot().setup
    assert setup is not None
    assert [(player.name, player.putty) for player in setup.players] == [
        ("Ben", "pink"),
        ("Cleo", "green"),
        ("Ann", "yellow"),
    ]
    assert setup.options["goal"] == "short"


class Slow(Told):
    """A machine that takes a while to open its own Wi-Fi."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.begun, self.goes_on = threading.Event(), threading.Event()

    def ask(self, ask: Ask) -> Done:
        if isinstance(ask, OpenAccessPoint):
            self.begun.set()
            self.goes_on.wait(GIVEN_UP_S)
        return super().ask(ask)


def test_a_double_tap_sends_a_form_once(tmp_path: Path, browser: Any) -> None:
    machine = Slow(tmp_path)
    stand = Stand(tmp_path, MonotonicClock(), port=0, pin="", owner_file=tmp_path / "owner.json", machine=machine)
    served = Served(tmp_path, browser, stand)
    page = served.page("/first/network", KIOSK)
    button = page.locator("[action='/first/network/own'] button")
    place = button.bounding_box()
    middle = place["x"] + place["width"] / 2, place["y"] + place["height"] / 2
    page.touchscreen.tap(*middle)
    assert machine.begun.wait(GIVEN_UP_S)
    page.touchscreen.tap(*middle)
    machine.goes_on.set()
    page.wait_for_url("**/first/network?done=1")
    assert [type(ask) for ask in machine.asked].count(OpenAccessPoint) == 1
    served.close()


def test_a_form_that_brings_no_page_can_be_sent_again(tmp_path: Path, browser: Any) -> None:
    """Its request can be lost on a bad connection. Here a server of another kind keeps the browser where it is."""
    machine = Told(tmp_path)
    stand = Stand(tmp_path, MonotonicClock(), port=0, pin="", owner_file=tmp_path / "owner.json", machine=machine)
    served = Served(tmp_path, browser, stand)
    page = served.page("/first/network", KIOSK)
    page.clock.install()
    page.reload()
    lost: list[Any] = []

    def lose(route: Any) -> None:
        if lost:
            route.continue_()
        else:
            lost.append(route)
            route.fulfill(status=204)

    page.route("**/first/network/own", lose)
    button = page.locator("[action='/first/network/own'] button")
    button.tap()
    page.locator("[aria-busy]").wait_for()
    page.clock.fast_forward(15_000)
    page.locator("[aria-busy]").wait_for(state="detached")
    button.tap()
    page.wait_for_url("**/first/network?done=1")
    assert [type(ask) for ask in machine.asked].count(OpenAccessPoint) == 1
    served.close()
