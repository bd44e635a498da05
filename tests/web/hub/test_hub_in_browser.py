"""A hub's pages in a browser: usable for everybody in each size, language and light; and they keep themselves new."""

from __future__ import annotations

import re
import sqlite3
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from waitress.server import create_server

from appliance.games.league.result import name_key
from appliance.hub.chain.table_marks import place_table
from appliance.hub.store.envelopes_kept import Arrived, store
from appliance.words.catalogues import LANGUAGES
from tests.end_to_end.at_rest import AT_REST
from tests.end_to_end.contrast import faint
from tests.end_to_end.served import needs_browser, ready
from tests.end_to_end.usable import AXE, LOOK, STRUCTURE, WALL_TYPE_PX
from tests.patience import GIVEN_UP_MS, GIVEN_UP_S
from tests.web.hub.conftest import PASSWORD, StandingHub

pytestmark = needs_browser

SIZES = {"phone": (390, 844), "kiosk": (800, 480), "wall": (1920, 1080)}
PAGES = ("/", "/league", "/wall?cafe=Anker", "/night/1", "/night?begin=1", "/tables", "/accounts", "/offers", "/guest")
SMALL = """() => Array.from(document.querySelectorAll("a.tap, button, input:not([type=hidden]), select, summary"))
    .filter(one => one.getClientRects().length).filter(one => one.getBoundingClientRect().height < 44)
    .map(one => one.outerHTML.slice(0, 100))"""
SMALLEST_PX = """() => Math.min(...Array.from(document.querySelectorAll("h1, main *"))
    .filter(one => !one.closest(".cafes"))
    .filter(one => Array.from(one.childNodes).some(node => node.nodeType === 3 && node.data.trim()))
    .map(one => parseFloat(getComputedStyle(one).fontSize)))"""
WAYS = """() => Array.from(document.querySelectorAll("nav, .cafes"), one => getComputedStyle(one).opacity)"""
WIDE = "() => document.documentElement.scrollWidth - innerWidth"


BROKEN = r"""() => Array.from(document.querySelectorAll(".standings tbody :is(th, button)")).flatMap(cell => {
    const walker = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT), broken = [];
    for (let text; (text = walker.nextNode()); )
      for (const word of text.data.matchAll(/[^\s-]+-?/g)) {
        const range = document.createRange();
        range.setStart(text, word.index);
        range.setEnd(text, word.index + word[0].length);
        if (new Set(Array.from(range.getClientRects(), one => one.top)).size > 1) broken.push(word[0]);
      }
    return broken;
})"""
"""The words of names and buttons that go over more than one line."""


class InBrowser:
    def __init__(self, hub: StandingHub) -> None:
        self.hub = hub
        self._server = create_server(hub.app, host="127.0.0.1", port=0, threads=4)
        self.url = f"http://127.0.0.1:{self._server.effective_port}"
        self._thread = threading.Thread(target=self._server.run, daemon=True)
        self._thread.start()

    def stop(self) -> None:
        self._server.task_dispatcher.shutdown(timeout=1)
        self._server.trigger.pull_trigger(self._server.close)
        self._thread.join(GIVEN_UP_S)


def new_page(browser: Any, **how: Any) -> Any:
    page = browser.new_page(**how)
    page.set_default_timeout(GIVEN_UP_MS)
    return page


def sign_in(served: InBrowser, page: Any) -> None:
    page.goto(f"{served.url}/login")
    page.fill("[name=name]", "chain")
    page.fill("[name=password]", PASSWORD)
    page.click("main button")


@pytest.fixture
def served(hub: StandingHub) -> Iterator[InBrowser]:
    for name, cafe in (("bay", "Anker"), ("pier", "Anker"), ("mole", "Central")):
        hub.table(name, cafe)
    hub.tables["mole"].played(("Maximiliane-Friederike-K", "Dee"), 0)
    hub.tables["bay"].goes_on(hub.tables["bay"].open(("Ann", "Bob", "Maximiliane-Friederike-K", None)))
    hub.hears()
    hub.now_s += 600
    for name in ("bay", "mole"):
        hub.reports(name)
    hub.reports("mole", scale="faulty")
    chain, headers = hub.client("chain"), {"Origin": "http://localhost"}
    chain.post("/night/begin", data={"cafe": "", "game": "smugglers", "size": "4"}, headers=headers)
    chain.post("/night/1/table", data={"table": "mole"}, headers=headers)
    for name in ("Ann", "Bob", "Maximiliane-Friederike-K"):
        chain.post("/night/1/come", data={"name": name}, headers=headers)
    chain.post("/night/1/call", data={"after": 4}, headers=headers)
    served = InBrowser(hub)
    yield served
    served.stop()


@pytest.mark.thorough
@pytest.mark.parametrize(("size", "light"), [("phone", "light"), ("kiosk", "dark"), ("wall", "light")])
def test_every_page_is_for_everybody(served: InBrowser, browser: Any, size: str, light: str) -> None:
    width, height = SIZES[size]
    for language in LANGUAGES:
        context = browser.new_context(
            viewport={"width": width, "height": height},
            color_scheme=light,
            locale=language,
            reduced_motion="reduce",
            bypass_csp=True,
        )
        page = context.new_page()
        page.set_default_timeout(GIVEN_UP_MS)
        sign_in(served, page)
        for path in PAGES:
            page.goto(served.url + path)
            everybody_can_use(page, light, path)
        page.goto(f"{served.url}/night?begin=1")
        page.locator("[action='/night/begin'] button").first.click()
        page.locator("[name=ends]").wait_for(state="attached")
        everybody_can_use(page, light, f"the night that would end, {language}")
        context.close()


def everybody_can_use(page: Any, light: str, what: str) -> None:
    page.evaluate(AXE)
    assert page.evaluate(LOOK, [[], STRUCTURE]) == [], what
    for theme in ("dark", "light"):
        page.emulate_media(color_scheme=theme)
        page.evaluate(AT_REST)
        assert faint(page) == [], (what, theme)
    page.emulate_media(color_scheme=light)
    assert page.evaluate(WIDE) <= 0, what
    assert page.evaluate(SMALL) == [], what


def test_no_word_is_broken_on_the_phone_of_whoever_runs_the_night(served: InBrowser, browser: Any) -> None:
    chain = served.hub.client("chain")
    chain.post("/night/1/go", data={"name": "Bob", "missing": 1}, headers={"Origin": "http://localhost"})
    width, height = SIZES["phone"]
    for language in LANGUAGES:
        with new_page(browser, viewport={"width": width, "height": height}, locale=language) as page:
            sign_in(served, page)
            page.goto(f"{served.url}/night/1")
            assert page.locator(".standings tbody button").count() == 3
            assert page.evaluate(BROKEN) == [], language
            assert page.evaluate(WIDE) <= 0


def test_on_a_phone_the_button_that_adds_a_guest_stays_beside_the_name(served: InBrowser, browser: Any) -> None:
    width, height = SIZES["phone"]
    for language in LANGUAGES:
        with new_page(browser, viewport={"width": width, "height": height}, locale=language) as page:
            sign_in(served, page)
            page.goto(f"{served.url}/night/1")
            name = page.locator(".running input[name=name]").bounding_box()
            button = page.locator("[action$='/come'] .confirm").first.bounding_box()
            assert button["x"] >= name["x"] + name["width"], language
            assert abs(button["y"] - name["y"]) < button["height"] / 2, language
            assert name["width"] >= 200


def test_the_buttons_of_a_night_keep_apart(served: InBrowser, browser: Any) -> None:
    chain, headers = served.hub.client("chain"), {"Origin": "http://localhost"}
    (call,) = re.findall(r'name="call" value="(\d+)"', chain.get("/night/1").text)
    chain.post("/night/1/off", data={"call": call}, headers=headers)
    for size in ("phone", "wall"):
        width, height = SIZES[size]
        with new_page(browser, viewport={"width": width, "height": height}, locale="en") as page:
            sign_in(served, page)
            page.goto(f"{served.url}/night/1")
            above, below = page.locator("[action$='/call'] button"), page.locator(".boards .row, .boards > li")
            boxes = [one.bounding_box() for one in (*above.all(), *below.all())]
            calls, others = boxes[: above.count()], boxes[above.count() :]
            assert len(calls) == 2, "to all tables, and to one"
            for call in calls:
                under = min(box["y"] for box in others if box["y"] > call["y"])
                assert under - (call["y"] + call["height"]) >= 8, size


def test_beside_a_long_name_the_button_that_removes_an_account_keeps_its_word_whole(
    served: InBrowser, browser: Any
) -> None:
    served.hub.client("M" * 24)
    width, height = SIZES["phone"]
    with new_page(browser, viewport={"width": width, "height": height}, locale="de") as page:
        sign_in(served, page)
        page.goto(f"{served.url}/accounts")
        button = page.locator("button.danger")
        lines = "one => one.getBoundingClientRect().height / parseFloat(getComputedStyle(one).lineHeight)"
        assert button.evaluate(lines) < 3
        assert page.evaluate(WIDE) <= 0


SECOND_IS_LEFT = r"""names => Array.from(document.querySelectorAll("main p")).some(one => {
    const text = Array.from(one.childNodes).find(node => names.every(name => (node.data || "").includes(name)));
    const left = name => {
        const range = document.createRange();
        range.setStart(text, text.data.indexOf(name));
        range.setEnd(text, text.data.indexOf(name) + name.length);
        return range.getBoundingClientRect().left;
    };
    return text && left(names[1]) < left(names[0]);
})"""


def test_who_waits_stands_in_the_order_of_turns_also_from_right_to_left(served: InBrowser, browser: Any) -> None:
    chain, names = served.hub.client("chain"), ["\u05d3\u05d5\u05d3", "\u05e9\u05e8\u05d4"]
    for name in names:
        chain.post("/night/1/come", data={"name": name}, headers={"Origin": "http://localhost"})
    with new_page(browser, locale="en") as page:
        page.goto(f"{served.url}/night/1")
        waiting = page.locator("section > p", has_text=names[1]).last
        assert waiting.inner_text().index(names[0]) < waiting.inner_text().index(names[1])
        assert not page.evaluate(SECOND_IS_LEFT, names)


def test_a_wall_keeps_itself_new(served: InBrowser, browser: Any) -> None:
    page = new_page(browser)
    faults: list[str] = []
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.goto(f"{served.url}/wall?cafe=Anker")
    assert page.locator(".winner").count() == 0
    served.hub.tables["bay"].won(1, 1)
    served.hub.hears("bay")
    page.locator(".winner", has_text="Bob").wait_for()
    assert faults == []
    page.close()


def test_a_wall_whose_cafe_is_renamed_says_so_and_shows_no_old_game(served: InBrowser, browser: Any) -> None:
    page = new_page(browser, locale="en")
    page.goto(f"{served.url}/wall?cafe=Central")
    assert page.locator(".boards > li").count() == 1
    place_table(served.hub.database, "mole", "", "Port")
    page.get_by_text("There is no café of this name here.").wait_for()
    assert page.locator(".boards > li").count() == 0
    page.locator("main a", has_text="Port").click()
    page.locator("h1", has_text="Port").wait_for()
    page.close()


@pytest.mark.parametrize("size", [SIZES["phone"], SIZES["kiosk"], (320, 568)], ids=["phone", "kiosk", "small phone"])
def test_on_a_small_screen_the_ways_are_a_menu_in_one_row(
    served: InBrowser, browser: Any, size: tuple[int, int]
) -> None:
    width, height = size
    for language in LANGUAGES:
        with new_page(browser, viewport={"width": width, "height": height}, locale=language) as page:
            sign_in(served, page)
            page.goto(f"{served.url}/offers")
            assert page.evaluate("document.querySelector('.hub-top').getBoundingClientRect().height") <= 72
            assert page.locator("nav a").first.is_hidden()
            page.click(".menu")
            ways = page.locator("nav :is(a, button)")
            assert ways.count() == 10
            for way in ways.all():
                assert way.is_visible()
                box = way.bounding_box()
                assert box is not None
                assert box["x"] >= 0
                assert box["x"] + box["width"] <= width
                assert box["y"] + box["height"] <= height
                assert box["height"] >= 44
            page.click("nav a[href='/accounts']")
            page.wait_for_url("**/accounts")


def test_hours_that_never_begin_show_no_end(served: InBrowser, browser: Any) -> None:
    with new_page(browser, locale="en") as page:
        sign_in(served, page)
        page.goto(f"{served.url}/offers")
        form = page.locator("form.house").first
        until = form.locator("[name=quiet_until_h]")
        assert until.is_hidden()
        form.locator("[name=quiet_from_h]").select_option("22")
        assert until.is_visible()
        assert form.locator("[name=dark_until_h]").is_hidden()
        gap = "one => one.getBoundingClientRect().x - one.closest('.field').getBoundingClientRect().x"
        assert form.locator("label").first.evaluate(gap) >= 8


@pytest.mark.parametrize("scripts", [True, False])
def test_the_reader_stays_where_they_were_when_a_table_is_seen_or_retired(
    served: InBrowser, browser: Any, scripts: bool
) -> None:
    # The end of the page leaves no room under the last tables to come up.
    for number in range(20, 50):
        served.hub.table(f"shed-{number}", "Anker").played(("Ann", "Bob"), 0)
    served.hub.hears()
    served.hub.now_s += 3600
    unread = Arrived("shed-30", len(served.hub.tables["shed-30"].sent) + 1, b"not JSON")
    store(served.hub.database, [unread], served.hub.now_s)
    served.hub.tables["shed-30"].sent.append(unread)
    served.hub.hears("shed-30")
    with new_page(browser, viewport={"width": 800, "height": 480}, locale="en", java_script_enabled=scripts) as page:
        sign_in(served, page)
        page.goto(f"{served.url}/tables")
        for button, at, shown in (("Seen", "shed-30", "shed-30"), ("Retire", "shed-40", "shed-41")):
            page.locator(f"#table-{at} button", has_text=button).click()
            page.wait_for_url(f"**/tables#table-{shown}")
            box = page.locator(f"#table-{shown}").bounding_box()
            assert box is not None
            assert 48 <= box["y"] < 200, "under the heading"
        page.locator("#table-mole button", has_text="Retire").click()
        page.wait_for_url("**/tables#table-shed-49")


NAME = "Maximiliane-Friederike-K"
TOPS = "all => all.map(one => one.getBoundingClientRect().top)"


@pytest.mark.parametrize("size", SIZES)
def test_a_field_for_a_name_shows_the_whole_name(served: InBrowser, browser: Any, size: str) -> None:
    place_table(served.hub.database, "mole", NAME, NAME)
    width, height = SIZES[size]
    with new_page(browser, viewport={"width": width, "height": height}, locale="en") as page:
        sign_in(served, page)
        page.goto(f"{served.url}/tables")
        fields = page.locator(f".placing input:not([type=hidden])[value='{NAME}']")
        assert fields.count() == 2
        assert fields.evaluate_all("all => all.filter(one => one.scrollWidth > one.clientWidth).length") == 0
        assert size == "phone" or len(set(fields.evaluate_all(TOPS))) == 1, "beside each other where there is room"


@pytest.mark.parametrize("tables", [8, 12])
def test_a_wall_fills_its_screen_is_read_from_afar_and_has_nothing_to_touch(
    served: InBrowser, browser: Any, tables: int
) -> None:
    six = ("Ann", "Bob", "Maximiliane-Friederike-K", "Cay", "Dee", "Eve")
    for number in range(2, tables):
        table = served.hub.table(f"deck-{number}", "Anker")
        table.goes_on(table.open(six[:4]))
    served.hub.hears()
    width, height = SIZES["wall"]
    with new_page(browser, viewport={"width": width, "height": height}, reduced_motion="reduce") as page:
        page.goto(f"{served.url}/wall?cafe=Anker")
        assert page.locator(".boards > li").count() == tables
        assert page.evaluate(WAYS) == ["0", "0"], page.evaluate("[document.body.className, innerWidth, innerHeight]")
        assert page.evaluate("document.documentElement.scrollHeight") <= height
        assert page.evaluate("document.querySelector('.boards').getBoundingClientRect().bottom") > height - 40
        assert page.evaluate(SMALLEST_PX) >= WALL_TYPE_PX
        page.mouse.move(40, 40)
        page.wait_for_function(f"() => ({WAYS})().every(one => one === '1')")


def test_what_cannot_be_taken_back_asks_first_and_a_hurried_double_tap_is_no_answer(
    served: InBrowser, browser: Any
) -> None:
    served.hub.client("Anker")
    page = new_page(browser, locale="en")
    sign_in(served, page)
    page.goto(f"{served.url}/accounts")
    asks = page.locator("button.danger")
    assert asks.count() == 1
    asks.evaluate("button => { button.click(); button.click(); }")
    page.locator("button.sure", has_text="Really remove?").wait_for()
    assert served.hub.web.accounts.named(name_key("Anker")) is not None
    ready(page)
    page.click("button.sure")
    asks.wait_for(state="detached")
    assert served.hub.web.accounts.named(name_key("Anker")) is None

    page.goto(f"{served.url}/guest")
    page.fill("form[action='/guest/erase'] [name=name]", "Ann")
    page.keyboard.press("Enter")
    page.locator("button.sure", has_text="Really erase?").wait_for()
    assert page.url == f"{served.url}/guest"
    ready(page)
    page.click("button.sure")
    page.wait_for_url("**/guest?erased=1")
    page.close()


TELL_AND_TAP = """() => {
    const sign = document.getElementById("toast");
    new MutationObserver(() => sign.hidden || console.log(sign.innerText)).observe(sign, { attributes: true });
    setTimeout(() => document.querySelector("[action='/night/1/go'] button").click());
}"""
"""Playwright's own tap would wait for the page that it leads to, and so would its look at the sign."""


def test_while_a_tap_waits_for_the_busy_database_its_page_says_so(
    served: InBrowser, browser: Any, tmp_path: Path
) -> None:
    with new_page(browser, locale="de") as page:
        sign_in(served, page)
        page.goto(f"{served.url}/night/1")
        worker = sqlite3.connect(tmp_path / "hub.db", isolation_level=None)
        worker.execute("BEGIN IMMEDIATE")
        with page.expect_console_message() as told:
            page.evaluate(TELL_AND_TAP)
        worker.execute("ROLLBACK")
        worker.close()
        assert "noch nicht geantwortet" in told.value.text
        page.locator("[aria-busy]").wait_for(state="detached")
        assert page.locator("#toast").is_hidden()
