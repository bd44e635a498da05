"""Every page of a game on a phone that is small, or enlarged to 200 %: it is read without scrolling sideways."""

from __future__ import annotations

from typing import Any

import pytest

from appliance.games.catalogue import GAMES
from tests.end_to_end.at_rest import SHOW, Screens
from tests.end_to_end.served import OVERFLOW, needs_browser
from tests.end_to_end.usable import moments_to_see, pages_to_see
from tests.pages import Pages

pytestmark = [*needs_browser, pytest.mark.thorough]

SIZES = ((360, 740), (320, 640), (195, 422))
"""195 px is a phone of 390 px whose owner enlarges everything to 200 %."""
WORDS_RUN_OUT = """() => [...document.querySelectorAll("main button")].filter(one => {
    if (!one.checkVisibility()) return false;
    const box = one.getBoundingClientRect(), words = document.createTreeWalker(one, NodeFilter.SHOW_TEXT);
    while (words.nextNode()) {
        const within = words.currentNode.parentElement, range = document.createRange();
        if (within.closest(".sr") || !words.currentNode.data.trim()) continue;
        range.selectNodeContents(words.currentNode);
        const part = range.getBoundingClientRect();
        if (part.width && (part.left < box.left - 1 || part.right > box.right + 1)) return true;
        const hides = getComputedStyle(within).overflowX === "hidden";
        if (hides && within.clientWidth && within.scrollWidth > within.clientWidth) return true;
    }
    return false;
}).map(one => one.innerText)"""


@pytest.mark.parametrize("game", sorted(GAMES))
def test_no_page_of_a_game_scrolls_sideways_and_no_word_of_a_button_is_cut(browser: Any, game: str) -> None:
    pages, wrong = Pages(), dict[str, str]()
    screens = Screens(browser, pages)
    try:
        for moment in moments_to_see(game):
            for page in pages_to_see(pages, moment):
                if not page.viewer.startswith("seat"):
                    continue
                phone = screens.screen("seat", page.html)
                phone.evaluate(SHOW, page.html)
                for wide, high in SIZES:
                    phone.set_viewport_size({"width": wide, "height": high})
                    where = f"{moment.source} step {moment.step} {page.viewer} {page.language}, {wide} px"
                    sideways_px, _ = phone.evaluate(OVERFLOW)
                    if sideways_px > 0:
                        wrong[where] = f"{sideways_px} px too wide"
                    for words in phone.evaluate(WORDS_RUN_OUT):
                        wrong.setdefault(words, f"is cut off or runs out of its button ({where})")
    finally:
        screens.close()
    assert not wrong, "\n".join(f"{where}: {what}" for where, what in wrong.items())
