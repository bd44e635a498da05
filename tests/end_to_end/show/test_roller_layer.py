"""What rolls is moved by the compositor: nothing of the page is painted anew for it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.end_to_end.served import KIOSK, WALL, Served, needs_browser
from tests.end_to_end.show.test_show_in_browser import to_the_track
from tests.end_to_end.show.test_standing_pages import ARRIVED

pytestmark = needs_browser

PLACES = 12
ROLLS = 3
# Places of a sphere in its lane as a camera tells them, a tenth of a second apart.
ROLL = """([places, from_s]) => new Promise(done => {
    let told = 0;
    const tell = () => {
        const detail = { lane: 7, place: 20 * ++told, t_s: from_s + told / 10 };
        document.dispatchEvent(new CustomEvent("roll", { detail }));
        setTimeout(told < places ? tell : done, 100);
    };
    tell();
})"""


@pytest.mark.parametrize(("path", "size"), [("/", WALL), ("/kiosk", KIOSK)])
def test_a_place_of_the_sphere_paints_nothing_anew(
    served: Served, browser: Any, path: str, size: tuple[int, int]
) -> None:
    to_the_track(served)
    page = served.page(path, size)
    page.locator("body.streaming").wait_for()
    page.emulate_media(reduced_motion="no-preference")
    page.evaluate(ROLL, [1, 100])
    page.wait_for_function(ARRIVED)
    # A slow machine still paints the page itself while the first of them rolls.
    painted = min(tiles_painted(browser, page, 100 + 10 * roll) for roll in range(1, ROLLS + 1))
    assert painted < PLACES, "tiles of the page are painted less often than the sphere moves"


def tiles_painted(browser: Any, page: Any, from_s: float) -> int:
    """Return how many tiles of the page are painted while a sphere rolls."""
    browser.start_tracing(page=page, categories=["devtools.timeline", "cc"])
    page.evaluate(ROLL, [PLACES, from_s])
    traced = json.loads(browser.stop_tracing())["traceEvents"]
    assert any(event["name"] == "Commit" for event in traced), "the sphere moved"
    return sum(event["name"] == "RasterTask" for event in traced)
