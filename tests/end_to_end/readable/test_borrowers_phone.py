"""Customs with five: whoever cannot pay sees every lender, and how to give up, without scrolling."""

from __future__ import annotations

import pytest

from appliance.games.catalogue import the_game
from appliance.games.customs.rules.actions import ClaimBag, Search
from appliance.snapshot import Accepted, Submission
from appliance.words.catalogues import LANGUAGES
from tests.appliance.games.plays import demo_options
from tests.end_to_end.names.test_six_long_names import sit_down
from tests.end_to_end.served import PHONE, Served, needs_browser

pytestmark = needs_browser

NAMES = ("Katharina", "Alexander", "Sebastian", "Christine", "Magdalena")
EACH_POUNDS = 100
"""Less than the £200 for a false claim, or for one that was challenged in vain (CU-41, CU-42)."""


@pytest.mark.parametrize("language", LANGUAGES)
def test_giving_up_is_in_sight_below_four_lenders(served: Served, language: str) -> None:
    options = demo_options("customs") | {"money": EACH_POUNDS * len(NAMES)}
    sit_down(served, "customs", NAMES, **options)
    table, rules = served.stand.table, the_game("customs").rules
    traveller = next(prompt.seat for prompt in rules.expects(table.snapshot().state, None) if prompt.seat is not None)
    officer = table.snapshot().state.officer
    for name, deed in (("claim", ClaimBag(seat=traveller)), ("search", Search(seat=officer))):
        assert isinstance(table.submit(Submission(id=name, action=deed)), Accepted)
    phone = served.join(table.snapshot().state.dues[0].payer, language)
    phone.locator(".do-give_up").wait_for()
    assert phone.locator("main .loan").count() == 4
    assert phone.locator(".seen").is_visible()
    box = phone.locator(".do-give_up").bounding_box()
    assert box["y"] + box["height"] <= PHONE[1]
    heights = [tap.bounding_box()["height"] for tap in phone.locator("main .loan .tap:visible").all()]
    assert min(heights) >= 48
