"""A hub whose own clock is wrong, or is put right: what its pages say of tables."""

from __future__ import annotations

import re
from html import unescape

import pytest

from tests.web.hub.conftest import ORIGIN, StandingHub
from tests.web.hub.night import GUESTS, PATH, Night

YEARS_S = 3 * 365 * 86400


def told(hub: StandingHub, language: str = "en") -> list[str]:
    """Return what the overview says of tables that need attention."""
    page = hub.client("chain").get("/", headers={"Accept-Language": language}).text
    return [
        unescape(one)
        for one in re.findall(r"<p>(.*?)</p>", page.partition('<ul class="ill">')[2].partition("</ul>")[0])
    ]


@pytest.mark.parametrize(
    ("silent_s", "english", "german"),
    [
        (600, "for 10 minutes.", "Seit 10 Minuten nichts"),
        (5 * 3600, "for 5 hours.", "Seit 5 Stunden nichts"),
        (21 * 86400, "for 21 days.", "Seit 21 Tagen nichts"),
    ],
)
def test_how_long_a_table_is_silent_is_told_in_the_unit_that_fits(
    hub: StandingHub, silent_s: int, english: str, german: str
) -> None:
    hub.table("bay", "Anker")
    hub.now_s += silent_s
    for language, says in (("en", english), ("de", german)):
        (said,) = told(hub, language)
        assert says in said


@pytest.mark.parametrize("off_s", [YEARS_S, -YEARS_S])
def test_a_wrong_clock_of_the_hub_is_not_laid_at_the_tables_door(hub: StandingHub, off_s: int) -> None:
    hub.table("bay", "Anker")
    hub.now_s += off_s
    hub.reports("bay", off_s=-off_s)
    assert told(hub) == [
        "Its clock and the hub’s differ by 1095 days. Give network time to whichever is wrong; league nights are "
        "counted correctly nevertheless."
    ]


def test_a_table_that_is_off_is_silent_although_it_was_heard_while_the_clock_was_ahead(hub: StandingHub) -> None:
    hub.now_s += YEARS_S
    night = Night(hub)
    for name in GUESTS[:4]:
        night.tap(f"{PATH}/come", name=name)
    hub.now_s -= YEARS_S
    assert "Not connected: nobody is called here." in night.page
    assert "Next: " not in night.page
    (said,) = set(told(hub))
    assert said.startswith("Nothing was received since the hub’s clock was set back.")
    assert "Nichts gehört, seit die Uhr des Hubs zurückgestellt wurde." in told(hub, "de")[0]
    hub.client("chain").post("/tables/retire", data={"table": "quay"}, headers=ORIGIN)
    hub.reports("bay")
    assert "Next: " in night.page, "one that reports is called to again"
    assert len(told(hub)) == 2


@pytest.mark.parametrize("off_s", [YEARS_S, -YEARS_S])
def test_a_name_erased_while_the_clock_was_wrong_is_out_of_what_was_played_before_and_theirs_again_afterwards(
    hub: StandingHub, off_s: int
) -> None:
    for name in ("bay", "mole", "quay"):
        hub.table(name, "Anker")
    right_s = hub.now_s
    hub.now_s += off_s
    for name in ("bay", "mole", "quay"):
        hub.reports(name, off_s=-off_s)
    hub.client("chain").post("/guest/erase", data={"name": "Dee"}, headers=ORIGIN)
    hub.now_s = right_s + 86400
    for name in ("bay", "mole", "quay"):
        hub.reports(name)
    hub.tables["bay"].wall_s = right_s - 3600
    hub.tables["bay"].played(("Dee", "Eve", "Fay"), 0)
    hub.hears("bay")
    league = hub.client().get("/league").text
    assert ("Dee" in league, "Eve" in league) == (False, True), "played before, and sent late"
    hub.tables["mole"].wall_s = right_s + 3600
    hub.tables["mole"].played(("Dee", "Fay"), 0)
    hub.hears("mole")
    assert "Dee" in hub.client().get("/league").text


def test_one_table_with_a_wrong_clock_makes_no_end_of_an_erasure_wrong(hub: StandingHub) -> None:
    for name, off_s in (("bay", YEARS_S), ("mole", 0), ("quay", 0)):
        hub.table(name, "Anker")
        hub.reports(name, off_s=off_s)
    hub.client("chain").post("/guest/erase", data={"name": "Dee"}, headers=ORIGIN)
    hub.tables["mole"].wall_s = hub.now_s + 3600
    hub.now_s += 86400
    hub.tables["mole"].played(("Dee", "Fay"), 0)
    hub.hears("mole")
    assert "Dee" in hub.client().get("/league").text


def test_a_chart_that_lacks_games_because_clocks_differ_says_why(hub: StandingHub) -> None:
    chain = hub.client("chain")
    for name in ("bay", "mole"):
        hub.table(name, "Anker").played(("Ann", "Bob"), 0)
        hub.hears()
    assert "may be missing" not in chain.get("/").text
    hub.now_s -= YEARS_S
    for name, says in (("bay", "The clocks of one table and of the hub"), ("mole", "The clocks of 2 tables and")):
        hub.reports(name, off_s=YEARS_S)
        page = chain.get("/").text
        assert "at most 0" in page
        assert f"{says} {'of the hub ' if name == 'mole' else ''}differ. " in page
    german = chain.get("/", headers={"Accept-Language": "de"}).text
    assert "Ihre Spiele können hier fehlen" in german
