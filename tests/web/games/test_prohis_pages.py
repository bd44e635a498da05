"""What the pages of Prohis say of players who are out of the game."""

from __future__ import annotations

import re

import msgspec
import pytest

from appliance.games.catalogue import the_game
from appliance.games.prohis.rules.actions import Leave, Pass
from appliance.games.protocol import Action
from tests.appliance.games.playing import stepped
from tests.moments import Moment, recorded
from tests.pages import Pages
from tests.web.stand import Stand
from web.words.viewer import Kind, Viewer

STATES = re.compile(r'<article class="trader[^"]*" id="player-(\d)">.*?<p class="state">([^<]*)', re.DOTALL)
OTHERS = re.compile(r'<span class="said">([^<]*)</span>')
SHARED: tuple[Kind, ...] = ("wall", "kiosk")
RULES = the_game("prohis").rules
SAID = {
    "en": {Leave: "has left", Pass: "has passed"},
    "de": {Leave: "ist ausgestiegen", Pass: "hat gepasst"},
}


def out_by(how: type) -> tuple[Moment, int]:
    """Return the moment of a game's first turn after whose turn it is went out by `how`, and their seat."""
    moment = next(one for one in recorded("prohis", "P-20") if one.snapshot.state.phase == "turn")
    seat = moment.snapshot.state.turn
    state = stepped(RULES, moment.snapshot.state, how(seat=seat)).state
    return moment._replace(snapshot=msgspec.structs.replace(moment.snapshot, state=state)), seat


def page_of(pages: Pages, moment: Moment, viewer: Viewer, region: str) -> str:
    with pages.app.test_request_context():
        drawn: str = pages.web.renderer.regions(moment.snapshot, viewer)[region]
        return drawn


@pytest.mark.parametrize("language", SAID)
@pytest.mark.parametrize("how", [Leave, Pass])
def test_who_left_is_not_said_to_have_passed(how: type[Action], language: str) -> None:
    pages, (moment, out) = Pages(), out_by(how)
    expected = SAID[language][how]
    for kind in SHARED:
        shown = page_of(pages, moment, Viewer(kind, None, language), "players")
        assert dict(STATES.findall(shown))[str(out)] == expected
    other = (out + 1) % len(moment.snapshot.state.players)
    assert OTHERS.findall(page_of(pages, moment, Viewer("seat", other, language), "page")) == [expected]


@pytest.mark.parametrize(("how", "said"), [(Leave, "You have left the game"), (Pass, "has passed")])
def test_who_is_out_is_told_so_on_their_phone(how: type, said: str) -> None:
    moment, out = out_by(how)
    page = page_of(Pages(), moment, Viewer("seat", out, "en"), "page")
    assert said in page
    assert "Nothing to do for you" not in page


CARDS = ("legal", "legal", "illegal", "lieutenant", "captain", "major", "legal", "illegal", "legal")
TURNS = {
    "": (7, True, "Draw, send a convoy, or pass.", "Ziehen, Konvoi schicken oder passen."),
    ".full": (8, True, "Your hand is full: send a", "Deine Hand ist voll: Konvoi schicken oder passen."),
    ".empty": (7, False, "Nothing is left to draw: send a", "Nichts mehr zu ziehen: Konvoi schicken oder passen."),
    ".small": (1, True, "Draw, or pass.", "Ziehen oder passen."),
    ".none": (1, False, "You can only pass.", "Du kannst nur noch passen."),
}
"""How many cards the hand holds, whether cards are left to draw, and what is then said on the phone of the turn."""
AT_THE_TOUCHSCREEN = {
    "": {"en": "D: draw, send a convoy, or pass.", "de": "D: ziehen, Konvoi schicken oder passen."},
    ".full": {"en": "D’s hand is full: send a", "de": "Ds Hand ist voll: Konvoi schicken oder passen."},
    ".empty": {"en": "D: nothing is left to draw. Send a", "de": "D: Nichts mehr zu ziehen."},
    ".small": {"en": "D: draw, or pass.", "de": "D: ziehen oder passen."},
    ".none": {"en": "D can only pass.", "de": "D kann nur noch passen."},
}
"""The touchscreen names whose turn it is."""


def turn_with(held: int, drawable: bool) -> Moment:
    """Return the moment of a game's first turn, with another hand, and with or without something to draw."""
    moment = next(one for one in recorded("prohis", "P-20") if one.snapshot.state.phase == "turn")
    state = moment.snapshot.state
    players = list(state.players)
    players[state.turn] = msgspec.structs.replace(players[state.turn], hand=CARDS[:held])
    state = msgspec.structs.replace(state, players=tuple(players))
    if not drawable:
        state = msgspec.structs.replace(state, pile=(), row=(None,) * 4)
    return moment._replace(snapshot=msgspec.structs.replace(moment.snapshot, state=state))


@pytest.mark.parametrize("case", TURNS)
def test_a_turn_is_asked_for_what_may_be_done_in_it(case: str) -> None:
    """With eight cards nobody may draw (PR-13): then nothing speaks of drawing as if it were offered."""
    held, drawable, *said = TURNS[case]
    moment, pages = turn_with(held, drawable), Pages()
    turn = moment.snapshot.state.turn
    for language, words in zip(("en", "de"), said, strict=True):
        phone = page_of(pages, moment, Viewer("seat", turn, language), "page")
        kiosk = page_of(pages, moment, Viewer("kiosk", None, language), "ask")
        assert words in phone
        assert AT_THE_TOUCHSCREEN[case][language] in kiosk
        assert ("do-take" in phone) == ("do-take" in kiosk) == (case in ("", ".small"))
        alternative = {"en": "Or choose 2 to 4", "de": "Oder 2 bis 4"}[language]
        assert (alternative in phone) == (case == "")
        assert ("#PR-13" in phone) == ("#PR-13" in kiosk) == (case == ".full")
        assert ("picks do-convoy" in phone) == (held > 1)
    everybody = page_of(pages, moment, Viewer("wall", None, "en"), "ask")
    assert ("hand is full" in everybody) == (case == ".full")


def test_seats_can_change_places_at_set_up(stand: Stand) -> None:
    page = stand.kiosk().get("/kiosk/setup/prohis").text
    for button in ('data-move="-1"', 'data-move="1"'):
        assert page.count(button) == page.count("data-player ") == 6


@pytest.mark.parametrize(("language", "hand", "warehouse"), [("en", "hand", "warehouse"), ("de", "Hand", "Lager")])
def test_a_screen_reader_says_which_of_others_cards_are_counted(language: str, hand: str, warehouse: str) -> None:
    moment = next(one for one in recorded("prohis", "P-20") if one.snapshot.state.phase == "turn")
    page = page_of(Pages(), moment, Viewer("seat", 0, language), "page")
    others = page.partition('<ul class="others">')[2].partition("</ul>")[0]
    counted = re.findall(r'role="img" aria-label="([^"]*)">.*?</svg>(\d+)', others)
    players = moment.snapshot.state.players[1:]
    owned = [((hand, len(one.hand)), (warehouse, len(one.warehouse))) for one in players]
    assert counted == [(name, str(count)) for each in owned for name, count in each]
