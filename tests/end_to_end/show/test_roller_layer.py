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
# Places of a sphere in its lane as a camera tells them, a tenth of a second apart.
ROLL = """places => new Promise(done => {
    let told = 0;
    const tell = () => {
        const detail = { lane: 7, place: 20 * ++told, t_s: 100 + told / 10 };
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
    page.evaluate(ROLL, 1)
    page.wait_for_function(ARRIVED)
    browser.start_tracing(page=page, categories=["devtools.timeline", "cc"])
    page.evaluate(ROLL, PLACES)
    traced = json.loads(browser.stop_tracing())["traceEvents"]
    assert any(event["name"] == "Commit" for event in traced), "the sphere moved"
    painted = sum(event["name"] == "RasterTask" for event in traced)
    assert painted < PLACES, "tiles of the page are painted less often than the sphere moves"
