"""What a screen reader says by itself while a phone's page changes under its reader."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from appliance.games.catalogue import GAMES, the_game
from appliance.snapshot import Accepted, Submission
from tests.appliance.games.contract.play import answer
from tests.appliance.games.playing import own_prompts
from tests.appliance.games.plays import play_of
from tests.end_to_end.aloud import LISTEN
from tests.end_to_end.party import NEWEST
from tests.end_to_end.served import Served, needs_browser
from web.words.viewer import Viewer

pytestmark = needs_browser

STEPS = 12
ASKED = "() => document.querySelector('main h1').textContent.trim()"


def shown_to_the_phone(served: Served) -> Any:
    live = served.stand.app.extensions["smugglers"].live
    return live.pages.of(served.stand.table.snapshot(), Viewer("seat", 0, "en")).regions


@pytest.mark.parametrize("game", sorted(GAMES))
def test_a_phone_says_what_is_asked_and_not_every_part_of_its_page_that_changed(served: Served, game: str) -> None:
    rules, rng, stand = the_game(game).rules, Random(5), served.stand
    assert isinstance(stand.table.open_game(play_of(game).a_setup(4), "open"), Accepted)
    phone = served.join(0)
    phone.locator("main h1").wait_for()
    phone.evaluate(LISTEN)
    asked, shown = [phone.evaluate(ASKED)], shown_to_the_phone(served)
    for step in range(STEPS):
        stand.let_chance_draw()
        prompts = [one for one in own_prompts(rules, stand.table.snapshot().state) if not one.optional]
        action = answer(the_game(game), rng.choice(prompts), rng)
        assert isinstance(stand.table.submit(Submission(id=f"step-{step}", action=action)), Accepted)
        # A phone is sent nothing where nothing on it changed.
        if shown != (shown := shown_to_the_phone(served)):
            phone.wait_for_function(NEWEST, arg=stand.table.snapshot().version)
        asked.append(phone.evaluate(ASKED))
    heard = phone.evaluate("heard")
    assert len(set(asked)) > 1
    assert set(asked[1:]) - {asked[0]} <= {text for text, _ in heard}
    assert [said for said in heard if said[1] is not None] == []
