"""A table served to real browsers, what people do there, and what is measured on their screens."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from appliance.table.draws.dealer import Dealer
from hardware.clock import MonotonicClock
from tests.chromium import CHROMIUM
from tests.patience import GIVEN_UP_MS
from tests.web.stand import Stand
from web.doors.phones import Seat
from web.live.serve import Server

needs_browser = [
    pytest.mark.browser,
    pytest.mark.skipif(not CHROMIUM.exists(), reason=f"apt install {CHROMIUM.name}"),
]
WALL, KIOSK, PHONE = (1920, 1080), (800, 480), (390, 844)

FRESH_MS = 500
"""Longer than a page ignores taps after a change (`FRESH_MS` in web/static/live.js)."""
DEAL = int(os.environ.get("DEAL", "1"))
"""What decks and electronic dice are drawn by. Any number must do: `DEAL=7 pytest …` plays with others."""


class Served:
    """A table served on a free port, with pages that complain of nothing."""

    def __init__(self, folder: Path, browser: Any, stand: Stand | None = None, host: str = "127.0.0.1") -> None:
        self.stand = stand or Stand(folder, clock=MonotonicClock(), dealer=Dealer(DEAL), port=0)
        self.stand.table.start()
        self.server = Server(self.stand.app, msgspec.structs.replace(self.stand.site, port=0), host=host)
        self.server.start()
        self.base = f"http://127.0.0.1:{self.server.port}"
        self.browser = browser
        self.complaints: list[str] = []
        self.contexts: list[Any] = []

    def page(self, path: str, size: tuple[int, int], language: str = "en") -> Any:
        context = self.browser.new_context(
            viewport={"width": size[0], "height": size[1]}, locale=language, has_touch=True, reduced_motion="reduce"
        )
        self.contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(GIVEN_UP_MS)
        # Right after a change a page ignores taps, for a finger that was meant for what was there before.
        page.add_locator_handler(page.locator("body.fresh"), lambda: None)
        page.on("console", lambda m: self.complaints.append(m.text) if m.type in ("error", "warning") else None)
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.goto(self.base + path)
        return page

    def join_path(self, seat: int) -> str:
        """Return what the code of `seat` leads to."""
        url = self.stand.keys.join_url(Seat(str(self.stand.table.snapshot().seating), seat))
        return "/join/" + str(url.rsplit("/", 1)[1])

    def join(self, seat: int, language: str = "en") -> Any:
        return self.page(self.join_path(seat), PHONE, language)

    def lose_the_network(self, page: Any) -> None:
        """Take the network from `page`. Chromium would still read a stream that is open: all streams end, too.

        A stream that is just being opened could not be ended: it is waited for.
        """
        live = self.stand.app.extensions["smugglers"].live
        kind = page.locator("body").get_attribute("data-kind")
        caught_up(page)
        until(page, lambda: bool(live.streams()[kind]))
        page.context.set_offline(True)
        for following in list(live._followings):
            following.leave()

    def close(self) -> None:
        for context in self.contexts:
            context.close()
        self.server.stop()
        self.stand.close()


def until(page: Any, so: Callable[[], bool]) -> None:
    """Let what `page` asks and tells go on until something is so, as that the handler of a route has its answer."""
    while not so():
        page.evaluate("0")


def wait_without_limit(page: Any) -> None:
    """Let `page` wait for each answer until it comes.

    A test may hold an answer back for longer than the page would wait for it: other processes may be busy.
    """
    page.evaluate("AbortController.prototype.abort = () => {}")


def stop_its_clock(page: Any) -> None:
    """Let only the test move the clock of what `page` loads from now on (`page.clock`).

    However long a busy machine takes, no time limit of the page is over before the test lets it be. What the page
    ignores while it is fresh it ignores until `take_taps`: nothing waits for that by itself any more.
    """
    page.remove_locator_handler(page.locator("body.fresh"))
    page.clock.install()
    page.clock.pause_at("2031-03-05T12:00:00")


def take_taps(page: Any) -> None:
    """Let a page whose clock is stopped take taps: right after a change it ignores them."""
    page.clock.run_for(FRESH_MS)
    ready(page)


def tap(page: Any, selector: str) -> None:
    """Tap, and again if the page says that it sent nothing because it has no connection."""
    not_sent = page.locator("#toast", has_text=page.locator("body").get_attribute("data-not-sent"))
    while True:
        not_sent.wait_for(state="hidden")
        page.locator("body:not(.offline)").wait_for()
        page.locator(selector).first.tap()
        if not not_sent.is_visible():
            return


def press(page: Any, key: str) -> None:
    """Press a key, and again if the page says that it sent nothing because it has no connection."""
    not_sent = page.locator("#toast", has_text=page.locator("body").get_attribute("data-not-sent"))
    while True:
        not_sent.wait_for(state="hidden")
        ready(page)
        page.keyboard.press(key)
        if not not_sent.is_visible():
            return


def ready(page: Any) -> None:
    """Wait until the page takes taps and keys: it has a connection, and has not just changed."""
    page.locator("body:not(.fresh):not(.offline)").wait_for()


def caught_up(page: Any) -> None:
    """Wait until the page has heard of the table by its stream: what happens from then on is news to it."""
    page.wait_for_function("() => Number(document.body.dataset.version) > 0")


def headline(page: Any, text: str) -> None:
    page.locator(".region h1", has_text=text).first.wait_for()


OVERFLOW = (
    "() => [document.documentElement.scrollWidth - innerWidth, document.documentElement.scrollHeight - innerHeight]"
)
CUT_OFF = """() => Array.from(document.querySelectorAll('button, a.tap, a.tool, h1, .region-ask p')).filter(e => {
    const box = e.getBoundingClientRect(), style = getComputedStyle(e);
    if (!box.width || style.visibility === 'hidden' || e.closest('dialog')) return false;
    return box.right > innerWidth + 1 || box.left < -1 || e.scrollWidth > e.clientWidth + 2;
}).map(e => e.outerHTML.slice(0, 160))"""
SMALL = """() => Array.from(document.querySelectorAll('button, .tap, .tool')).filter(e => {
    const box = e.getBoundingClientRect();
    return box.width && !e.closest('dialog:not([open])') && (box.height < 43.5 || box.width < 43.5);
}).map(e => e.outerHTML.slice(0, 120))"""
TOUCHING = """() => {
    const taps = Array.from(document.querySelectorAll(".row .tap")).filter(one => one.getClientRects().length);
    const boxes = taps.map(one => one.getBoundingClientRect());
    return taps.filter((_, at) => boxes.some((one, other) => other !== at
        && one.left < boxes[at].right + 4 && one.right > boxes[at].left - 4
        && one.top < boxes[at].bottom + 4 && one.bottom > boxes[at].top - 4)).map(one => one.textContent.trim());
}"""
"""Taps of a row that a finger for one of them may hit another by: less than 4 px keep them apart."""
