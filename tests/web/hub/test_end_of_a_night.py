"""The end of a league night: which games still count for it, and that it calls nobody any more."""

from __future__ import annotations

import re
from html import unescape

import pytest

from appliance.hub.chain.table_marks import place_table
from tests.web.hub.conftest import ORIGIN, StandingHub
from tests.web.hub.night import GUESTS, PATH, TABLES, Night


@pytest.mark.parametrize("ends", ["end", "begin"])
def test_a_game_of_next_week_does_not_count_for_a_night_that_has_ended(hub: StandingHub, ends: str) -> None:
    night = Night(hub)
    for name in GUESTS[:4]:
        night.tap(f"{PATH}/come", name=name)
    ((table, guests),) = night.call().items()
    if ends == "end":
        night.tap(f"{PATH}/end")
    night.tap("/night/begin", cafe="", game="haulers", size="6", ends=1)
    hub.tables[table].played(guests, 0, kind="haulers")
    hub.hears()
    assert {played for _, _, played in night.standings().values()} == {0}


def asked(night: Night, **fields: str | int) -> tuple[str, dict[str, str]]:
    """Begin a night where one is on. Return what is asked, and the form of the answer."""
    answer = night.client.post("/night/begin", data=fields, headers=ORIGIN)
    assert answer.status_code == 409
    page = answer.text.partition("<main")[2]
    return unescape(page), dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)"', page))


@pytest.mark.parametrize(
    ("language", "says"),
    [
        ("en", ("Anker: a league night of Haulers is on.", "Really end it?")),
        ("de", ("Anker: Ein Liga-Abend läuft, Fuhrleute.", "Wirklich beenden?")),
    ],
)
def test_whoever_begins_a_night_where_one_is_on_is_asked_before_that_one_ends(
    hub: StandingHub, language: str, says: tuple[str, ...]
) -> None:
    night = Night(hub)
    night.client.set_cookie("language", language)
    place_table(hub.database, TABLES[0], "", "Anker")
    night.tap("/night/begin", cafe="Anker", game="haulers", size="6")
    page, form = asked(night, cafe="Anker", game="prohis", size="3")
    assert [word for word in says if word not in page] == []
    night.tap("/night/2/come", name=GUESTS[0])
    night.tap("/night/begin", **form)
    for number, over in ((1, False), (2, True), (3, False)):
        assert ("/come" not in night.client.get(f"/night/{number}").text) == over, "the one at the same place alone"
    assert "Prohis" in night.client.get("/night/3").text


def test_an_answer_ends_no_night_that_another_browser_began_meanwhile(hub: StandingHub) -> None:
    night = Night(hub)
    _, form = asked(night, cafe="", game="prohis", size="3")
    night.tap("/night/begin", cafe="", game="haulers", size="6", ends=1)
    assert asked(night, **form)[1]["ends"] == "2"
    night.tap("/night/2/come", name=GUESTS[0])


def test_a_night_that_has_ended_calls_nobody(hub: StandingHub) -> None:
    night = Night(hub)
    for name in GUESTS[:4]:
        night.tap(f"{PATH}/come", name=name)
    assert "Next: " in night.page
    night.tap(f"{PATH}/end")
    assert [word in night.page for word in ("Next: ", "Free", "Waiting, by turn", GUESTS[0])] == [False] * 3 + [True]


@pytest.mark.parametrize("away", ["silent", "behind"])
def test_a_game_of_a_table_that_was_offline_counts_for_the_night_although_it_has_ended(
    hub: StandingHub, away: str
) -> None:
    night = Night(hub)
    for name in GUESTS[:4]:
        night.tap(f"{PATH}/come", name=name)
    ((table, guests),) = night.call().items()
    hub.tables[table].played(guests, 0, kind="haulers")
    hub.now_s += 3600
    if away == "behind":
        hub.reports(table, newest=3)
    night.tap(f"{PATH}/end")
    hub.hears()
    assert {played for _, _, played in night.standings().values()} == {1}


@pytest.mark.parametrize("lost_s", [90, 240])
def test_a_table_that_was_lost_shortly_before_the_end_keeps_its_game(hub: StandingHub, lost_s: int) -> None:
    """The hub has not noticed yet that it hears nothing of the table."""
    night = Night(hub)
    for name in GUESTS[:4]:
        night.tap(f"{PATH}/come", name=name)
    ((table, guests),) = night.call().items()
    hub.tables[table].played(guests, 0, kind="haulers")
    hub.now_s += lost_s
    night.tap(f"{PATH}/end")
    hub.now_s += 30
    hub.hears()
    assert {played for _, _, played in night.standings().values()} == {1}


@pytest.mark.parametrize("lost_s", [90, 3600])
def test_a_table_that_comes_back_calls_nobody_for_a_night_that_has_ended(hub: StandingHub, lost_s: int) -> None:
    night = Night(hub)
    for name in GUESTS[:4]:
        night.tap(f"{PATH}/come", name=name)
    ((table, guests),) = night.call().items()
    hub.now_s += lost_s
    night.tap(f"{PATH}/end")
    assert night.boards() == {}, "an ended night calls nobody"
    hub.now_s += 3600
    hub.reports(table)
    hub.tables[table].played(guests, 0, kind="haulers")
    hub.hears()
    assert {played for _, _, played in night.standings().values()} == {0}, "it had told all that it had"


def test_the_end_of_a_night_takes_off_no_call_of_another_one(hub: StandingHub) -> None:
    night = Night(hub)
    for name in TABLES[:2]:
        place_table(hub.database, name, "", "Anker")
    night.tap("/night/begin", cafe="Anker", game="haulers", size="6")
    for name in GUESTS[:4]:
        night.tap("/night/2/come", name=name)
    night.tap("/night/2/table", table="bay")
    called = night.client.get("/night/2").text
    (after,) = set(re.findall(r'name="after" value="(\d+)"', called))
    night.tap("/night/2/call", after=after)
    for number in (4, 5):
        night.tap(f"{PATH}/come", name=GUESTS[number])
    hub.now_s += 90
    night.tap(f"{PATH}/end")
    hub.reports("bay")
    assert 'class="up"' in night.client.get("/night/2").text
