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
