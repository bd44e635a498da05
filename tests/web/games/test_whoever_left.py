"""What the wall offers of the seat of a player who has left."""

from __future__ import annotations

import re

import pytest

from appliance.games.catalogue import the_game
from tests import moments
from tests.appliance.games.contract.play import leave_of
from tests.appliance.games.recordings import recorded
from tests.pages import Pages

FIRST = {"smugglers": "S-01", "prohis": "P-10", "haulers": "TR-61-another-leaves", "customs": "C-20"}
CODES = re.compile(r'<div class="joining[^"]*">.*?</ul>', re.DOTALL)


@pytest.mark.parametrize("game", FIRST)
def test_the_wall_has_no_code_for_the_seat_of_somebody_who_left(game: str) -> None:
    """Whoever scanned it would hold a phone that says that they are out of the game."""
    told = recorded(game, FIRST[game])
    pages, names = Pages(), [player.name for player in told.setup.players]
    for done in range(len(told.actions) + 1):
        for leaver in range(len(names)):
            course = moments.Course(game, told.setup)
            for action in told.actions[:done]:
                course.do(action)
            if not CODES.search(pages.wall(course.moment("all", 0), "en")):
                break
            may_leave = course.do(leave_of(the_game(game), leaver))
            if may_leave and (codes := CODES.search(pages.wall(course.moment("left", 0), "en"))):
                offered = [
                    re.sub(r"<[^>]*>", "", item).strip() for item in re.findall(r"<li.*?</li>", codes[0], re.DOTALL)
                ]
                assert offered == [name for seat, name in enumerate(names) if seat != leaver]
                return
    raise AssertionError("nobody could leave while codes were shown")
