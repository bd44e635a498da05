"""Browsers that run no scripts: the sentence that says so can be read on every screen."""

from __future__ import annotations

import pytest

from tests.end_to_end.served import KIOSK, PHONE, WALL, Served, needs_browser
from tests.patience import GIVEN_UP_MS
from tests.web.evening.test_league_night import Screen, begun

pytestmark = needs_browser

LEAST_PX = 16


@pytest.mark.parametrize("size", [KIOSK, PHONE, WALL], ids=["touchscreen", "phone", "wall"])
def test_what_a_page_needs_can_be_read_without_scripts(served: Served, size: tuple[int, int]) -> None:
    begun(Screen(served.stand), "Ann", "Ben")
    served.stand.open(3)
    context = served.browser.new_context(viewport={"width": size[0], "height": size[1]}, java_script_enabled=False)
    served.contexts.append(context)
    page = context.new_page()
    page.set_default_timeout(GIVEN_UP_MS)
    for path in ("/", "/seat/0", "/kiosk/table", "/night"):
        page.goto(served.base + (served.join_path(0) if path == "/seat/0" else path))
        sentence = page.locator("noscript .remark", has_text="This page needs JavaScript")
        assert sentence.is_visible(), path
        assert sentence.evaluate("one => parseFloat(getComputedStyle(one).fontSize)") >= LEAST_PX, path
        assert sentence.evaluate("one => one.getBoundingClientRect().right") <= size[0], path
