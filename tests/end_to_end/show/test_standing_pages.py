"""Pages on which nothing changes: nothing is laid out, and a timer costs one layout a second."""

from __future__ import annotations

from typing import Any

import pytest

from tests.appliance.games.plays import demo_options
from tests.end_to_end.names.test_six_long_names import sit_down
from tests.end_to_end.served import KIOSK, PHONE, WALL, Served, needs_browser, ready

pytestmark = [*needs_browser, pytest.mark.thorough]

OPTIONS: dict[str, dict[str, Any]] = {game: demo_options(game) for game in ("prohis", "customs", "haulers")}
LOOKED_AT_MS = 3_000
LOOKS_MOST = 20
# What moves once when it arrives has arrived; what goes on for ever or for long, such as sand, may move.
ARRIVED = """() => document.getAnimations().every(one =>
    one.playState !== "running" || one.effect.getComputedTiming().endTime > 10000)"""
# What is watched on several pages at once begins on each and is asked for afterwards.
HEARING = "() => { window.heard = new Promise(done => document.addEventListener('heard', done, { once: true })); }"
STANDING = """ms => { window.stood = new Promise(done => {
    let frames = 0;
    let lost = false;
    let changed = false;
    const news = () => { changed = true; };
    document.addEventListener("settled", news);
    const connection = new MutationObserver(() => { lost = true; });
    connection.observe(document.getElementById("connection"), { attributeFilter: ["hidden"] });
    const requested = window.requestAnimationFrame;
    window.requestAnimationFrame = work => { frames += 1; return requested(work); };
    setTimeout(() => {
        window.requestAnimationFrame = requested;
        connection.disconnect();
        document.removeEventListener("settled", news);
        done({ frames, lost, changed });
    }, ms);
}); }"""


class Watched:
    """A page in a browser that moves what moves, at a processor slowed six times, and its counts."""

    def __init__(self, served: Served, path: str, size: tuple[int, int]) -> None:
        self.page = served.page(path, size)
        self.page.emulate_media(reduced_motion="no-preference")
        self._devtools = self.page.context.new_cdp_session(self.page)
        self._devtools.send("Performance.enable")
        self._devtools.send("Emulation.setCPUThrottlingRate", {"rate": 6})
        self.page.locator("body[data-version]").wait_for(state="attached")
        self.page.evaluate(HEARING)

    def arrive(self) -> None:
        """Wait until the table was heard of and all that moves once has moved."""
        self.page.evaluate("() => window.heard")
        self.page.wait_for_function(ARRIVED)
        ready(self.page)

    def layouts(self) -> int:
        metrics = self._devtools.send("Performance.getMetrics")["metrics"]
        return int(next(one["value"] for one in metrics if one["name"] == "LayoutCount"))


def screens(served: Served) -> dict[str, Watched]:
    """Open the wall, the touchscreen and a phone."""
    paths = {"wall": ("/wall", WALL), "kiosk": ("/kiosk", KIOSK), "phone": (served.join_path(0), PHONE)}
    watched = {kind: Watched(served, path, size) for kind, (path, size) in paths.items()}
    for one in watched.values():
        one.arrive()
    return watched


def standing(watched: dict[str, Watched]) -> dict[str, tuple[int, int]]:
    """Return of each page how often it was laid out while all stood, and how many frames its scripts asked for.

    A time in which a busy machine let a connection lapse, which the page says, or told the page what had changed
    before, is looked at anew.
    """
    for _ in range(LOOKS_MOST):
        before = {kind: one.layouts() for kind, one in watched.items()}
        for one in watched.values():
            one.page.evaluate(STANDING, LOOKED_AT_MS)
        stood = {kind: one.page.evaluate("() => window.stood") for kind, one in watched.items()}
        if not any(one["lost"] or one["changed"] for one in stood.values()):
            return {kind: (one.layouts() - before[kind], stood[kind]["frames"]) for kind, one in watched.items()}
    raise AssertionError(f"the pages never stood still: {stood}")


@pytest.mark.parametrize("game", ["smugglers", "prohis", "customs", "haulers"])
def test_nothing_is_laid_out_while_nothing_changes(served: Served, game: str) -> None:
    if game == "smugglers":
        served.stand.open(4)
    else:
        sit_down(served, game, **OPTIONS[game])
    assert standing(screens(served)) == dict.fromkeys(("wall", "kiosk", "phone"), (0, 0))


def test_a_running_hourglass_is_laid_out_once_a_second(served: Served) -> None:
    served.stand.open(2)
    served.stand.do(do="roll", seat=0, value=3)
    served.stand.table.command("turn_hourglass", "h")
    watched = screens(served)

    def seconds() -> dict[str, int]:
        return {
            kind: int(one.page.locator("#timer-hourglass [data-seconds]").inner_text()) for kind, one in watched.items()
        }

    first = seconds()
    stood = standing(watched)
    for kind, last in seconds().items():
        changes = first[kind] - last
        layouts, frames = stood[kind]
        assert changes >= 1, kind
        assert layouts <= changes + 1, kind
        assert frames == 0, kind
