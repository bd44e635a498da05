"""A league night is run from the hub's pages alone: who is called where, what counts, and what is refused."""

from __future__ import annotations

import random
import re
from collections import Counter

import pytest

from appliance.hub.chain.table_marks import place_table
from tests.web.hub.conftest import ORIGIN, StandingHub
from tests.web.hub.night import GUESTS, PATH, TABLES, Night


def test_a_night_is_run_from_the_pages_alone(hub: StandingHub) -> None:
    night, chance = Night(hub), random.Random(7)
    for name in GUESTS[:23]:
        night.tap(f"{PATH}/come", name=name)
    called = night.call()
    assert set(called) == set(TABLES)
    assert sorted(name for guests in called.values() for name in guests) == GUESTS[:23]
    assert sorted(map(len, called.values())) == [5, 6, 6, 6]

    # Somebody does not come to the bay: the others are called there anew, without them.
    missing = called["bay"][0]
    night.tap(f"{PATH}/go", name=missing, missing=1)
    assert night.boards()["bay"][0] == "resting"
    night.tap(f"{PATH}/come", name="Late")
    called |= night.call()
    assert missing not in called["bay"]
    assert set(called["bay"]) >= {"Late"}

    won: Counter[str] = Counter()
    played: Counter[str] = Counter()

    def count(guests: list[str], winner: int, by: int = 1) -> None:
        won[guests[winner]] += by
        for name in guests:
            played[name] += by

    # Three tables play. The quay loses its network: its game is played, and sent much later.
    games = {name: hub.tables[name].open(called[name], "haulers") for name in TABLES}
    winners = {name: chance.randrange(len(called[name])) for name in TABLES}
    hub.hears("bay", "mole", "pier")
    assert {name: state for name, (state, _) in night.boards().items()} == {
        "bay": "playing",
        "mole": "playing",
        "pier": "playing",
        "quay": "up",
    }
    for name in TABLES:
        hub.tables[name].won(games[name], winners[name])
        if name != "quay":
            count(called[name], winners[name])
    hub.hears("bay", "mole", "pier")

    # At the mole the wrong one was said to have won: it is amended, and the standings follow.
    count(called["mole"], winners["mole"], -1)
    winners["mole"] = (winners["mole"] + 1) % len(called["mole"])
    hub.tables["mole"].amended(games["mole"], winners["mole"])
    count(called["mole"], winners["mole"])
    hub.hears("bay", "mole", "pier")
    shown = night.standings()
    assert {name: (w, p) for name, (_, w, p) in shown.items()} == {
        name: (won[name], played[name]) for name in {*GUESTS[:23], "Late"}
    }

    # The next are called to the three tables that the hub hears. Who is at the quay is not called away.
    hub.now_s += 600
    for name in ("bay", "mole", "pier"):
        hub.tables[name].put_away(games[name], winners[name])
        hub.reports(name)
    hub.hears("bay", "mole", "pier")
    second = night.call()
    assert set(second) == {"bay", "mole", "pier"} | {"quay"}, "the quay's call still stands"
    assert second["quay"] == called["quay"]
    again = {name for table in ("bay", "mole", "pier") for name in second[table]}
    assert not again & set(called["quay"])

    # The network is back: what the quay played counts now.
    hub.reports("quay")
    hub.hears("quay")
    count(called["quay"], winners["quay"])
    shown = night.standings()
    assert {name: w for name, (_, w, _) in shown.items()} == {name: won[name] for name in shown}
    best = max(won.values())
    assert {name for name, (place, _, _) in shown.items() if place == 1} <= {n for n, w in won.items() if w == best}
    night.tap(f"{PATH}/end")
    assert "This night is over" in night.page
    assert "<form" not in night.page.partition("<main")[2]


@pytest.mark.parametrize("off_s", [0, 365 * 86400, -365 * 86400])
def test_a_table_whose_clock_is_a_year_off_changes_no_order(hub: StandingHub, off_s: int) -> None:
    night = Night(hub)
    for name in GUESTS[:8]:
        night.tap(f"{PATH}/come", name=name)
    called = night.call()
    hub.tables["bay"].wall_s += off_s
    for name, guests in called.items():
        hub.tables[name].won(hub.tables[name].open(guests, "haulers"), 0)
    hub.hears()
    assert {name: p for name, (_, _, p) in night.standings().items()} == dict.fromkeys(GUESTS[:8], 1)
    assert sorted(name for name, (place, _, _) in night.standings().items() if place == 1) == sorted(
        guests[0] for guests in called.values()
    )


def test_two_browsers_that_tap_at_once_call_once(hub: StandingHub) -> None:
    night = Night(hub)
    for name in GUESTS[:12]:
        night.tap(f"{PATH}/come", name=name)
    (after,) = set(re.findall(r'name="after" value="(\d+)"', night.page))
    night.tap(f"{PATH}/call", after=after)
    before = night.boards()
    night.tap(f"{PATH}/call", after=after)
    assert night.boards() == before


@pytest.mark.parametrize("number", ["0", "99999999999999999999", "9" * 5000])
def test_a_night_that_never_was_is_not_found(hub: StandingHub, number: str) -> None:
    assert hub.client().get(f"/night/{number}").status_code == 404


@pytest.mark.parametrize("size", ["²", "", "-1", "9" * 5000])
def test_a_night_of_a_size_that_is_none_does_not_begin(hub: StandingHub, size: str) -> None:
    form = {"cafe": "", "game": "haulers", "size": size}
    assert hub.client("chain").post("/night/begin", data=form, headers=ORIGIN).status_code == 422


def test_nobody_is_called_to_a_table_at_which_others_play(hub: StandingHub) -> None:
    night = Night(hub)
    for name in GUESTS[:12]:
        night.tap(f"{PATH}/come", name=name)
    night.call()
    for name in TABLES:
        if night.boards()[name][0] == "resting":
            hub.tables[name].open(("Walker", "Other"), "haulers")
    hub.hears()
    for name in GUESTS[12:20]:
        night.tap(f"{PATH}/come", name=name)
    assert "Call to all free tables" not in night.page
    assert night.page.count("Something else is played here") == 2


def test_two_nights_never_call_guests_to_the_same_table(hub: StandingHub) -> None:
    night = Night(hub)
    for name in TABLES:
        place_table(hub.database, name, "", "Anker")
    cafe = hub.client("Anker")

    def tap(path: str, **fields: str) -> str:
        cafe.post(f"/night/{path}", data=fields, headers=ORIGIN)
        return cafe.get("/night/2").text

    tap("begin", cafe="Anker", game="haulers", size="4")
    for name in TABLES:
        tap("2/table", table=name)
    for name in GUESTS[:12]:
        night.tap(f"{PATH}/come", name=name)
    for name in GUESTS[12:20]:
        page = tap("2/come", name=name)
    assert "Kept for" not in page
    called = night.call()
    page = tap("2/call", after=re.findall(r'name="after" value="(\d+)"', page)[0])
    own = re.findall(r'<li class="up"><h2>(\w+)</h2>', page)
    assert (len(called), len(own), set(own) & set(called)) == (2, 2, set())
    assert page.count("Kept for guests of another league night") == 2
    for name in GUESTS[20:24]:
        page = tap("2/come", name=name)
    assert "Call to all free tables" not in page
    (call, *_) = re.findall(r'name="call" value="(\d+)"', night.page)
    night.tap(f"{PATH}/off", call=call)
    assert "Call to all free tables" in cafe.get("/night/2").text


def test_a_table_that_leaves_gives_its_guests_back(hub: StandingHub) -> None:
    night = Night(hub)
    for name in GUESTS[:6]:
        night.tap(f"{PATH}/come", name=name)
    ((table, guests),) = night.call().items()
    night.tap(f"{PATH}/table", table=table, leave=1)
    assert table not in night.boards()
    ((other, again),) = night.call().items()
    assert (other != table, sorted(again)) == (True, sorted(guests))


def test_whoever_plays_twice_by_two_spellings_wins_once(hub: StandingHub) -> None:
    night = Night(hub)
    for name in GUESTS[:2]:
        night.tap(f"{PATH}/come", name=name)
    ((table, guests),) = night.call().items()
    twice = (guests[0], guests[0].upper(), guests[1])
    hub.tables[table].won(hub.tables[table].open(twice, "haulers"), 0)
    hub.hears()
    assert night.standings()[guests[0]][1:] == (1, 1)


def test_while_a_cafe_has_its_night_another_cafe_finds_how_to_begin_one(hub: StandingHub) -> None:
    for name, cafe in (("bay", "Anker"), ("mole", "Central")):
        hub.table(name, cafe)
    hub.client("Anker").post("/night/begin", data={"cafe": "Anker", "game": "haulers", "size": "6"}, headers=ORIGIN)
    central = hub.client("Central")
    (begin,) = re.findall(r'<a [^>]*href="(/night\?[^"]+)"', central.get("/night", follow_redirects=True).text)
    assert "<option>Central</option>" in central.get(begin).text
    assert "/night?" not in hub.client().get("/night", follow_redirects=True).text
