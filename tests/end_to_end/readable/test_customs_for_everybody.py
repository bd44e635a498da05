from __future__ import annotations

from typing import Any

import pytest

from appliance.words.catalogues import LANGUAGES
from tests.end_to_end.at_rest import AT_REST, SHOW, Screens
from tests.end_to_end.served import needs_browser
from tests.end_to_end.usable import check_pages_of
from tests.moments import recorded
from tests.pages import Pages

pytestmark = [*needs_browser, pytest.mark.thorough]


def test_every_prompt_can_be_read_and_hit_on_every_screen(browser: Any) -> None:
    check_pages_of("customs", browser)


BEYOND_ITS_FRAME = """() => {
    const frame = document.querySelector(".stamp rect + rect").getBBox();
    const word = document.querySelector(".stamp > g > text").getBBox();
    return Math.max(frame.x - word.x, word.x + word.width - frame.x - frame.width);
}"""


@pytest.mark.parametrize("name", ["C-10", "C-11"])
def test_the_word_of_a_stamp_is_inside_its_frame(browser: Any, name: str) -> None:
    pages = Pages()
    screens = Screens(browser, pages)
    stamped = [moment for moment in recorded("customs", name) if 'class="stamp' in pages.wall(moment, "en")]
    for language in LANGUAGES:
        html = pages.wall(stamped[0], language)
        screen = screens.screen("wall", html)
        screen.evaluate(SHOW, html)
        screen.evaluate(AT_REST)
        assert screen.evaluate(BEYOND_ITS_FRAME) <= 0, language
    screens.close()
