"""What the pages take of a processor slowed six times, at each moment of a round: `python -m tests.bench.slow_pages`.

Processor time of the page's own thread, by cause, six times over: it does not depend on what else the machine does.
"""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hardware.clock import MonotonicClock
from tests.bench.browsers import PATIENCE_MS, can_browse
from tests.bench.page import Aim, Section, Table, show
from tests.chromium import launched
from tests.web.rounds import INSPECTIONS, opening, ranking
from tests.web.stand import Stand
from web.live.serve import Server

SLOWER = 6
LONGEST_MS = 50.0
SEATS = 4
SIZES = {"wall": (1920, 1080), "kiosk": (800, 480), "phone": (390, 844)}
CAUSES = {
    "TaskDuration": "all tasks",
    "ScriptDuration": "script",
    "RecalcStyleDuration": "style",
    "LayoutDuration": "layout",
}
DRAWN = "version => new Promise(done => { const look = () => Number(document.body.dataset.version) >= version" + (
    " ? requestAnimationFrame(() => requestAnimationFrame(done)) : setTimeout(look, 20); look(); })"
)
"""Resolves when the page has shown a version of the table, and what follows it was drawn."""

Spent = dict[str, float]


def measure(effort: float = 1.0) -> Section:
    spent = _play(max(round(len(_actions()) * effort), 3)) if can_browse() else {}
    causes = list(CAUSES.values())
    rows = []
    for kind, moments in spent.items():
        largest = (f"{max(each[cause] for each in moments):.0f} ms" for cause in causes)
        middle = sorted(each["all tasks"] for each in moments)[len(moments) // 2]
        rows.append([kind, f"{len(moments)}", f"{middle:.0f} ms", *largest])
    single = [max(each[cause] for cause in causes[1:]) for moments in spent.values() for each in moments]
    return Section(
        title="Pages at a processor slowed six times",
        method="A round of Smugglers, action by action. The figures are the processor time of the page's main thread "
        f"from an action until it is drawn, times {SLOWER}. One action causes several tasks: a message, and frames "
        "to draw.",
        tables=[
            Table(
                heads=("page", "actions", "all tasks, median", *(f"largest: {cause}" for cause in causes)),
                rows=rows or [["there is no browser here", *[""] * (2 + len(causes))]],
            )
        ],
        aims=[
            Aim(
                what=f"pages at a processor slowed {SLOWER} times",
                wanted=f"no task over {LONGEST_MS:.0f} ms",
                measured=f"script, style or layout take more in {sum(each > LONGEST_MS for each in single)} of "
                f"{len(single)} actions, all tasks of an action together",
                met=None,
                why="single tasks are not measured; `pytest tests/end_to_end/show/test_standing_pages.py` tests that "
                "there is no layout while nothing changes",
            )
        ],
    )


def _actions() -> list[dict[str, Any]]:
    return [*opening({}), *ranking({0: 20.0, 2: 30.0, 3: 10.0}), *INSPECTIONS]


def _play(count: int) -> dict[str, list[Spent]]:
    """Return of each page what each action took: milliseconds by cause."""
    from playwright.sync_api import sync_playwright

    with TemporaryDirectory() as folder, sync_playwright() as playwright:
        stand = Stand(Path(folder), clock=MonotonicClock(), port=0)
        stand.table.start()
        server = Server(stand.app, stand.site, host="127.0.0.1")
        server.start()
        stand.open(SEATS)
        browser = launched(playwright)
        paths = {"wall": "/wall", "kiosk": "/kiosk", "phone": stand.join_path(0)}
        pages = {kind: _Page(browser, f"http://127.0.0.1:{server.port}{path}", kind) for kind, path in paths.items()}
        found: dict[str, list[Spent]] = {kind: [] for kind in pages}
        for action in _actions()[:count]:
            before = {kind: page.spent() for kind, page in pages.items()}
            stand.do(**action)
            for kind, page in pages.items():
                page.drawn(stand.table.snapshot().version)
                after = page.spent()
                found[kind].append({cause: SLOWER * (after[cause] - before[kind][cause]) for cause in after})
        browser.close()
        server.stop()
        stand.close()
    return found


class _Page:
    """A page whose thread's processor time is asked for."""

    def __init__(self, browser: Any, address: str, kind: str) -> None:
        width, height = SIZES[kind]
        self._page = browser.new_context(viewport={"width": width, "height": height}, has_touch=True).new_page()
        self._page.set_default_timeout(PATIENCE_MS)
        self._devtools = self._page.context.new_cdp_session(self._page)
        self._devtools.send("Performance.enable", {"timeDomain": "threadTicks"})
        self._page.goto(address)
        self._page.locator("body.streaming").wait_for()

    def drawn(self, version: int) -> None:
        """Wait until `version` of the table is shown and drawn."""
        self._page.evaluate(DRAWN, version)

    def spent(self) -> Spent:
        """Return the milliseconds so far, by cause."""
        metrics = {one["name"]: 1e3 * one["value"] for one in self._devtools.send("Performance.getMetrics")["metrics"]}
        return {cause: metrics[name] for name, cause in CAUSES.items()}


if __name__ == "__main__":
    show(measure)
