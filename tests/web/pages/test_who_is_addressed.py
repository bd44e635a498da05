"""Wall and touchscreen are read by everybody: they say "you" to nobody whom the sentence does not name."""

from __future__ import annotations

import re
from html import unescape

import pytest

from appliance.games.catalogue import GAMES, the_game
from appliance.games.game_words import words_of
from appliance.words.catalogues import LANGUAGES
from tests.markup import text_of
from tests.moments import Moment, moments_of
from tests.pages import Pages
from web.doors.phones import Seat
from web.doors.seats import seating_of
from web.words.viewer import Kind, Viewer

pytestmark = pytest.mark.slow

SHARED: tuple[Kind, ...] = ("wall", "kiosk")
ADDRESSES = {
    "en": re.compile(r"\b(you|your|yours|yourself)\b", re.IGNORECASE),
    "de": re.compile(r"\b(du|dich|dir|dein\w*)\b", re.IGNORECASE),
}
TO_EVERYBODY = re.compile(
    r"(howto\..+|seats\.title|table\.join|tariff\.own|ask\.count|ask\.play|happening\.play_ended)(\..+)?"
)
"""The codes of what is said to all who read it alike: how to play, where to scan, whose tariff it is."""
PIECE = re.compile(
    r"</?(?:p|div|h\d|li|ul|ol|dl|dt|dd|section|article|aside|header|footer|main|a|button|summary|table|tr|td|th|small)"
    r"\b[^>]*>"
)
ALOUD = re.compile(r"""\s(?:aria-label|title|alt|data-sure|data-none|data-some)="([^"]*)\"""")


def addressing(html: str, language: str, named: set[str], everybody: set[str]) -> set[str]:
    """Return what the page says to a single person without one of `named` in the same breath."""
    said = {text_of(piece) for piece in PIECE.split(html)} | {unescape(one) for one in ALOUD.findall(html)}
    return {
        one
        for one in said - everybody
        if ADDRESSES[language].search(one) and not any(re.search(rf"\b{re.escape(name)}\b", one) for name in named)
    }


def asked(moment: Moment) -> set[str]:
    """Return the names of those whom the rules ask something now."""
    setup = moment.snapshot.setup
    assert setup is not None
    prompts = the_game(moment.game).rules.expects(moment.snapshot.state, None)
    return {setup.players[one.seat].name for one in prompts if one.seat is not None}


def with_phones(moment: Moment) -> Pages:
    """Return pages of a table whose players all hold a phone."""
    pages = Pages()
    for number in range(6):
        seat = Seat(seating_of(moment.snapshot), number)
        assert pages.web.phones.take(seat, pages.web.phones.code(seat))
    return pages


@pytest.mark.parametrize("game", GAMES)
def test_no_shared_screen_says_you_to_somebody_whom_it_does_not_name(game: str) -> None:
    moments = list({moment.looks: moment for moment in moments_of(game)}.values())
    tables = [Pages(), with_phones(moments[0])]
    found: dict[str, str] = {}
    for language in LANGUAGES:
        words = words_of(language, game)
        everybody = {words.say(code) for code in words.codes() if TO_EVERYBODY.fullmatch(code)}
        for number, moment in enumerate(moments):
            pages = tables[number % 2]
            for kind in SHARED:
                with pages.app.test_request_context():
                    regions = pages.web.renderer.regions(moment.snapshot, Viewer(kind, None, language))
                for one in addressing(" <p>".join(regions.values()), language, asked(moment), everybody):
                    found.setdefault(one, f"{kind} {language}, {moment.source} step {moment.step}")
    assert len(moments) > 50
    assert found == {}
