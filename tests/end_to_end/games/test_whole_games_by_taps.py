"""A whole game of each of the four, from set-up to its end, by taps on phones and touchscreen."""

from __future__ import annotations

from typing import Any

import pytest

from tests.end_to_end.served import Served, needs_browser
from tests.end_to_end.tapped_game import TappedGame

pytestmark = needs_browser

MOST_STEPS = 3000
OPTIONS: dict[str, dict[str, Any]] = {"smugglers": {"goal": "short"}, "haulers": {}, "prohis": {}, "customs": {}}


@pytest.mark.soak
@pytest.mark.parametrize("game", OPTIONS)
def test_a_game_is_played_to_its_end(served: Served, game: str) -> None:
    played = TappedGame(served, game, ("Ann", "Finn", "Clara"), {0: "en", 1: "de"}, **OPTIONS[game])
    played.play(MOST_STEPS)
    for page in played.pages():
        assert page.locator(".victory, .scores, .final, .over").first.is_visible(), page.url
    played.check_layout()
