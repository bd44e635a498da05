"""An evening by the touchscreen alone: three games, a guest who comes late, one who leaves and one who comes back."""

from __future__ import annotations

import re
from html import unescape

import pytest

from appliance.games.prohis.rules.actions import Pass
from tests.end_to_end.served import Served, needs_browser, tap
from tests.end_to_end.tapped_game import TappedGame

pytestmark = [*needs_browser, pytest.mark.thorough]


def everybody_passes(game: TappedGame) -> None:
    """Play the shortest game of Prohis there is: hands are counted as they were dealt."""
    while not game.is_over:
        game.do(game.state.turn, Pass(seat=game.state.turn))


def at_the_table(game: TappedGame, selector: str, taps: int = 1) -> None:
    """Tap something on the touchscreen's page of the table; what is dear asks once more."""
    tap(game.kiosk, "a.tool[href='/kiosk/table']")
    game.kiosk.wait_for_url("**/kiosk/table")
    for _ in range(taps):
        tap(game.kiosk, selector)
    game.kiosk.wait_for_url("**/kiosk")


def put_away(game: TappedGame) -> None:
    at_the_table(game, "[data-api='POST /api/v1/games/close']", taps=2)
    for page in game.pages():
        # Chromium may never answer where a page is closed that is just loading another; a context it always closes.
        page.context.close()


@pytest.mark.thorough
def test_three_games_with_changing_guests_and_a_pause(served: Served) -> None:
    first = TappedGame(served, "prohis", ("Ann", "Ben", "Clara"), {})
    everybody_passes(first)
    put_away(first)

    late = TappedGame(served, "customs", ("Ann", "Clara", "David"), {})
    at_the_table(late, "[data-api='POST /api/v1/games/pause']")
    late.kiosk.locator(".paused").wait_for()
    tap(late.kiosk, ".paused button")
    late.kiosk.locator(".paused").wait_for(state="detached")
    david = "li:has(b:text-is('David')) [data-send*='\"leave\"']"
    at_the_table(late, david, taps=2)
    assert late.is_over, "two are too few for Customs"
    put_away(late)

    back = TappedGame(served, "prohis", ("Ben", "David", "Clara", "Ann"), {})
    everybody_passes(back)
    put_away(back)

    league = served.stand.kiosk().get("/league?game=prohis").text
    rows = re.findall(r"<th scope=\"row\">(.*?)</th><td>.*?</td><td>(\d+)</td>", league)
    assert {unescape(name): int(games) for name, games in rows} == {"Ann": 2, "Ben": 2, "Clara": 2, "David": 1}
    assert served.complaints == []
