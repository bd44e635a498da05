"""Pages on which nothing changes: nothing is laid out, and a timer costs one layout a second."""

from __future__ import annotations

from typing import Any

import pytest

from appliance.games.catalogue import the_game
from tests.end_to_end.test_browser import (
    KIOSK,
    PHONE,
    WALL,
    Served,
    browser,  # noqa: F401  # a fixture
    pytestmark,  # noqa: F401  # these need a browser
    served,  # noqa: F401  # a fixture
)
from tests.end_to_end.test_six_long_names import sit_down

OPTIONS: dict[str, dict[str, Any]] = {
    game: the_game(game).robots().demo_options() for game in ("prohis", "customs", "haulers")
}
LOOKED_AT_MS = 3_000
# What moves once when it arrives has arrived; what goes on for ever or for long, such as sand, may move.
ARRIVED = """() => document.getAnimations().every(one =>
    one.playState !== "running" || one.effect.getComputedTiming().endTime > 10000)"""
HEARD = "() => new Promise(done => document.addEventListener('heard', done, { once: true }))"
STANDING = """ms => new Promise(done => {
    let frames = 0;
    let lost = false;
    const connection = new MutationObserver(() => { lost = true; });
    connection.observe(document.getElementById("connection"), { attributeFilter: ["hidden"] });
    const requested = window.requestAnimationFrame;
    window.requestAnimationFrame = work => { frames += 1; return requested(work); };
    setTimeout(() => {
        window.requestAnimationFrame = requested;
        connection.disconnect();
        done({ frames, lost });
    }, ms);
})"""


class Watched:
    """A page in a browser that moves what moves, at a processor slowed six times, and its counts."""

    def __init__(self, served: Served, path: str, size: tuple[int, int]) -> None:  # noqa: F811
        self.page = served.page(path, size)
        self.page.emulate_media(reduced_motion="no-preference")
        self._devtools = self.page.context.new_cdp_session(self.page)
        self._devtools.send("Performance.enable")
        self._devtools.send("Emulation.setCPUThrottlingRate", {"rate": 6})
        self.page.locator("body[data-version]").wait_for(state="attached")
        self.page.evaluate(HEARD)
        self.page.wait_for_function(ARRIVED)
        self.page.locator("body:not(.fresh)").wait_for()

    def standing(self) -> tuple[int, int]:
        """Return how often the page was laid out while it stood, and how many frames its scripts asked for.

        A time in which a busy machine let the connection lapse, which the page says, is looked at anew.
        """
        while True:
            before = self._layouts()
            stood = self.page.evaluate(STANDING, LOOKED_AT_MS)
            if not stood["lost"]:
                return self._layouts() - before, stood["frames"]

    def _layouts(self) -> int:
        metrics = self._devtools.send("Performance.getMetrics")["metrics"]
        return int(next(one["value"] for one in metrics if one["name"] == "LayoutCount"))


@pytest.mark.parametrize("game", ["smugglers", "prohis", "customs", "haulers"])
@pytest.mark.parametrize(("path", "size"), [("/wall", WALL), ("/kiosk", KIOSK), ("/join", PHONE)])
def test_nothing_is_laid_out_while_nothing_changes(served: Served, game: str, path: str, size: tuple[int, int]) -> None:  # noqa: F811
    if game == "smugglers":
        served.stand.open(4)
    else:
        sit_down(served, game, **OPTIONS[game])
    if path == "/join":
        path = served.join_path(0)
    assert Watched(served, path, size).standing() == (0, 0)


@pytest.mark.parametrize(("path", "size"), [("/wall", WALL), ("/kiosk", KIOSK), ("/join", PHONE)])
def test_a_running_hourglass_is_laid_out_once_a_second(served: Served, path: str, size: tuple[int, int]) -> None:  # noqa: F811
    served.stand.open(2)
    served.stand.do(do="roll", seat=0, value=3)
    served.stand.table.command("turn_hourglass", "h")
    if path == "/join":
        path = served.join_path(0)
    watched = Watched(served, path, size)
    shown: Any = watched.page.locator("#timer-hourglass [data-seconds]")
    first = int(shown.inner_text())
    layouts, frames = watched.standing()
    changes = first - int(shown.inner_text())
    assert changes >= 1
    assert layouts <= changes + 1
    assert frames == 0
