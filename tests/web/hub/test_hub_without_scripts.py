"""A browser that runs no scripts, at a hub: a page with a form that needs one says so, and no other page does."""

from __future__ import annotations

import pytest

from tests.web.hub.conftest import ORIGIN, StandingHub
from tests.web.hub.test_offers import agrees
from tests.web.hub.test_pages import PAGES
from tests.web.pages.test_without_scripts import told_where_needed


@pytest.mark.parametrize("who", [None, "Anker", "chain"])
def test_a_page_says_that_it_needs_a_script_where_it_does(evening: StandingHub, who: str | None) -> None:
    client = evening.client(who)
    assert [page for page in PAGES if told_where_needed(client.get(page).text)] == ["/guest"]


def test_where_an_account_can_be_removed_or_a_release_stopped_the_page_says_so(evening: StandingHub) -> None:
    chain = evening.client("chain")
    evening.client("Anker")
    agrees(evening, "bay")
    chain.post("/offers/release", data={"release": "0.2.0", "minutes": "15"}, headers=ORIGIN)
    assert {page for page in PAGES if told_where_needed(chain.get(page).text)} == {"/guest", "/accounts", "/offers"}
