"""Four real browsers before one table, for the benchmark of live updates: when did each page show what changed?

Chromium, one context for each page, as four machines would have. A change counts when the page's own observer is
told that its content is another, not when bytes arrive.
"""

from __future__ import annotations

import os
import time
from multiprocessing.connection import Connection
from typing import Any, NamedTuple

from tests.chromium import CHROMIUM, launched

PATIENCE_MS = 60_000
ASKED_THE_TIME = 30

OBSERVE = """() => {
    window.changes = [];
    new MutationObserver(records => {
        const now = performance.now(), body = document.body;
        const shown = records.some(one => one.target === body && one.attributeName === "data-version");
        const region = records.some(({ target }) =>
            (target.nodeType === Node.ELEMENT_NODE ? target : target.parentElement)?.closest("[id^=region-]"));
        if (shown && region) window.changes.push([now, Number(body.dataset.version)]);
    }).observe(document.body, { attributes: true, childList: true, characterData: true, subtree: true });
}"""


class Shown(NamedTuple):
    """What one page showed: (seconds of the monotonic clock, version of the table), in order."""

    path: str
    changes: list[tuple[float, int]]
    clock_sd_s: float
    """How far the page's clock may be off ours: half the shortest time that it took to ask for it."""

    def late_s(self, started_s: float, version: int) -> float | None:
        """Return how long after `started_s` this page showed `version` or a newer one; None if it never did."""
        return next((shown_s - started_s for shown_s, shown in self.changes if shown >= version), None)


def can_browse() -> bool:
    """Say whether there is a browser, and what drives it."""
    try:
        import playwright.sync_api  # noqa: F401  # only whether it is there
    except ImportError:
        return False
    return CHROMIUM.exists()


def browse(pipe: Connection, port: int, paths: list[str]) -> None:
    """Open a page for each path, every other one in German, and say so; told the last version, answer what each showed.

    They are a session of their own, as the browser of a table's unit is: Linux shares the processor among sessions.

    :raises playwright.sync_api.TimeoutError: a page does not show the last version.
    """
    from playwright.sync_api import sync_playwright

    os.setsid()
    with sync_playwright() as playwright:
        browser = launched(playwright)
        pages = []
        for number, path in enumerate(paths):
            page = browser.new_context(locale=("en", "de")[number % 2]).new_page()
            page.set_default_timeout(PATIENCE_MS)
            page.goto(f"http://127.0.0.1:{port}{path}")
            page.locator("body.streaming").wait_for()
            page.evaluate(OBSERVE)
            pages.append((path, page, _clock(page)))
        pipe.send("ready")
        version = pipe.recv()
        shown = []
        for path, page, (offset_s, sd_s) in pages:
            page.wait_for_function("version => window.changes.at(-1)?.[1] >= version", arg=version)
            changes = [(offset_s + ms / 1e3, version) for ms, version in page.evaluate("window.changes")]
            shown.append(Shown(path, changes, sd_s))
        pipe.send(shown)
        browser.close()


def _clock(page: Any) -> tuple[float, float]:
    """Return what to add to the page's clock for ours, and how far that may be off, in seconds."""
    asked = []
    for _ in range(ASKED_THE_TIME):
        before_s = time.monotonic()
        page_s = page.evaluate("performance.now()") / 1e3
        after_s = time.monotonic()
        asked.append((after_s - before_s, (before_s + after_s) / 2 - page_s))
    shortest_s, offset_s = min(asked)
    return offset_s, shortest_s / 2
