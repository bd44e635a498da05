"""What the pages of Prohis say of players who are out of the game."""

from __future__ import annotations

import re

import msgspec
import pytest

from appliance.games.catalogue import the_game
from appliance.games.prohis.rules.actions import Leave, Pass
from tests.appliance.games.playing import stepped
from tests.moments import Moment, recorded
from tests.pages import Pages
from web.viewer import Kind, Viewer

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
        return pages.web.renderer.regions(moment.snapshot, viewer)[1][region]


@pytest.mark.parametrize("language", SAID)
@pytest.mark.parametrize("how", [Leave, Pass])
def test_who_left_is_not_said_to_have_passed(how: type, language: str) -> None:
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
