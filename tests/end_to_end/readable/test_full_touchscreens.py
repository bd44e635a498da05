"""The touchscreen with six players: what a card says of a player is read whole."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from appliance.words import LANGUAGES
from tests.appliance.games.plays import play_of
from tests.end_to_end.at_rest import AT_REST, SHOW, Screens
from tests.end_to_end.served import needs_browser
from tests.moments import Course, Moment, moments_of, named
from tests.pages import Pages

pytestmark = needs_browser

PLAYERS = 6

# Words of cards and head whose end is left out, or that lie outside their card by more than a pixel.
CUT = """() => Array.from(document.querySelectorAll(".region-players article *, .region-head .ours")).filter(word => {
    const within = (word.closest("article") ?? word.parentElement).getBoundingClientRect();
    const box = word.getBoundingClientRect(), style = getComputedStyle(word);
    const ends = style.overflowX !== "visible" && word.clientWidth > 1 && word.scrollWidth > word.clientWidth;
    return ends || (box.width > 1 && (box.right > within.right + 1 || box.bottom > within.bottom + 1));
}).map(word => `${word.className} ${word.textContent.trim()}`)"""


def of_six(game: str) -> Iterator[Moment]:
    """Yield a moment of each phase of Prohis with six, and the first of the other games."""
    if game != "prohis":
        yield Course(game, named(play_of(game).a_setup(PLAYERS))).moment("six", 0)
        return
    seen = set()
    for moment in moments_of(game):
        state: Any = moment.snapshot.state
        if len(state.players) == PLAYERS and state.phase not in seen:
            seen.add(state.phase)
            yield moment


@pytest.mark.parametrize("game", ["prohis", "haulers", "customs"])
def test_no_word_of_six_players_is_cut(browser: Any, game: str) -> None:
    pages, looked = Pages(), 0
    screens = Screens(browser, pages)
    for moment in of_six(game):
        for language in LANGUAGES:
            html = pages.kiosk(moment, language)
            screen = screens.screen("kiosk", html)
            screen.evaluate(SHOW, html)
            screen.evaluate(AT_REST)
            assert screen.evaluate(CUT) == [], (language, getattr(moment.snapshot.state, "phase", ""))
            looked += 1
    screens.close()
    assert looked >= len(LANGUAGES)
