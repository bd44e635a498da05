"""A league night of 24 guests on four tables, run from the hub's pages alone."""

from __future__ import annotations

import random
import re
from collections import Counter
from html import unescape
from typing import Any

import pytest

from appliance.games.league.chain_night import chain_night
from appliance.hub.chain.tables_now import place_table
from appliance.hub.people import nights
from appliance.hub.people.guests import erase
from tests.web.hub.conftest import ORIGIN, StandingHub

GUESTS = [f"Robo{n:02}" for n in range(24)]
TABLES = ("bay", "mole", "pier", "quay")
PATH = "/night/1"


class Night:
    """The page of a night, and its taps."""

    def __init__(self, hub: StandingHub, game: str = "haulers") -> None:
        self.hub, self.client = hub, hub.client("chain")
        for name in TABLES:
            hub.table(name)
        self.tap("/night/begin", cafe="", game=game, size="6")
        for name in TABLES:
            self.tap(f"{PATH}/table", table=name)

    def tap(self, path: str, **fields: str | int) -> None:
        assert self.client.post(path, data=fields, headers=ORIGIN).status_code == 302

    @property
    def page(self) -> str:
        return self.client.get(PATH).text

    def boards(self) -> dict[str, tuple[str, list[str]]]:
        """Who is called to, or plays at, which table, and how it stands."""
        shown = re.findall(
            r'<li class="(\w+)"><h2>(\w+)</h2>(.*?)(?=<li class="\w+"><h2>|</ul>\n)', self.page, re.DOTALL
        )
        return {
            name: (state, [unescape(one) for one in re.findall(r"<li><b>(.*?)</b>", part)])
            for state, name, part in shown
        }

    def call(self) -> dict[str, list[str]]:
        (after,) = set(re.findall(r'name="after" value="(\d+)"', self.page))
        self.tap(f"{PATH}/call", after=after)
        return {name: guests for name, (state, guests) in self.boards().items() if state == "up"}

    def standings(self) -> dict[str, tuple[int, int, int]]:
        rows = re.findall(
            r'<tr><td>(\d+)</td><th scope="row">(\w+)(?: <small>.*?</small>)?</th><td>(\d+)</td><td>(\d+)</td>',
            self.page,
        )
        return {name: (int(place), int(won), int(played)) for place, name, won, played in rows}


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


@pytest.mark.parametrize(("language", "told"), [("en", "Ada is already here."), ("de", "Ada ist schon da.")])
def test_a_name_that_is_there_already_is_told(hub: StandingHub, language: str, told: str) -> None:
    night, asked = Night(hub), {"Accept-Language": language}
    night.tap(f"{PATH}/come", name="Ada")
    again = night.client.post(f"{PATH}/come", data={"name": " ada"}, headers=ORIGIN)
    assert (again.status_code, set(night.standings())) == (302, {"Ada"})
    assert told in night.client.get(again.location, headers=asked).text
    assert told not in night.client.get(PATH, headers=asked).text
    night.tap(f"{PATH}/go", name="Ada")
    assert told not in night.client.get(again.location, headers=asked).text
    back = night.client.post(f"{PATH}/come", data={"name": "ada"}, headers=ORIGIN)
    assert back.location == PATH


def test_guests_who_are_entered_on_two_devices_at_once_are_all_there(
    hub: StandingHub, monkeypatch: pytest.MonkeyPatch
) -> None:
    night, happened = Night(hub), nights.happened
    night.tap(f"{PATH}/come", name="Cay")

    def another_was_faster(*given: Any) -> bool:
        monkeypatch.setattr(nights, "happened", happened)
        night.tap(f"{PATH}/come", name="Bob")
        return happened(*given)

    for path, name in (("come", "Ann"), ("go", "Cay")):
        monkeypatch.setattr(nights, "happened", another_was_faster)
        night.tap(f"{PATH}/{path}", name=name)
    assert set(night.standings()) == {"Ann", "Bob", "Cay"}
    on = nights.night_of(hub.database, 1)
    assert on is not None
    assert {one.name for one in chain_night(on.events, (), size=6, least=2).standings if one.here} == {"Ann", "Bob"}


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


def test_a_table_that_leaves_gives_its_guests_back(hub: StandingHub) -> None:
    night = Night(hub)
    for name in GUESTS[:6]:
        night.tap(f"{PATH}/come", name=name)
    ((table, guests),) = night.call().items()
    night.tap(f"{PATH}/table", table=table, leave=1)
    assert table not in night.boards()
    ((other, again),) = night.call().items()
    assert (other != table, sorted(again)) == (True, sorted(guests))


def test_a_night_goes_on_without_a_guest_whose_name_is_erased(hub: StandingHub) -> None:
    night = Night(hub)
    for name in ("Ann", *GUESTS[:5]):
        night.tap(f"{PATH}/come", name=name)
    ((table, guests),) = night.call().items()
    hub.tables[table].won(hub.tables[table].open(guests, "haulers"), guests.index(GUESTS[0]))
    hub.hears()
    hub.client("chain").post("/guest/erase", data={"name": "ANN"}, headers=ORIGIN)
    assert "Ann" not in night.page
    assert "This night is over" not in night.page
    assert {name: (won, played) for name, (_, won, played) in night.standings().items()} == {
        name: (name == GUESTS[0], 1) for name in GUESTS[:5]
    }
    with hub.database.read() as connection:
        assert "ann" not in repr(connection.exec_driver_sql("SELECT event FROM night_events").all()).lower()


def test_a_name_that_is_erased_while_guests_are_called_does_not_come_back(
    hub: StandingHub, monkeypatch: pytest.MonkeyPatch
) -> None:
    night, happened = Night(hub), nights.happened
    for name in ("Ann", *GUESTS[:5]):
        night.tap(f"{PATH}/come", name=name)

    def erased_meanwhile(*given: Any) -> bool:
        monkeypatch.setattr(nights, "happened", happened)
        erase(hub.database, "Ann", hub.now_s)
        return happened(*given)

    monkeypatch.setattr(nights, "happened", erased_meanwhile)
    night.call()
    assert ">Ann<" not in night.page
    assert sorted(night.call().popitem()[1]) == GUESTS[:5]


@pytest.mark.parametrize("ends", ["end", "begin"])
def test_a_game_of_next_week_does_not_count_for_a_night_that_has_ended(hub: StandingHub, ends: str) -> None:
    night = Night(hub)
    for name in GUESTS[:4]:
        night.tap(f"{PATH}/come", name=name)
    ((table, guests),) = night.call().items()
    if ends == "end":
        night.tap(f"{PATH}/end")
    night.tap("/night/begin", cafe="", game="haulers", size="6")
    hub.tables[table].played(guests, 0, kind="haulers")
    hub.hears()
    assert {played for _, _, played in night.standings().values()} == {0}


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


BOARD = re.compile(
    r'<li class="(\w+)"><h2>(\w+)</h2><p class="kind">(.*?)</p>(.*?)(?=<li class="\w+"><h2>|</ul>\n)', re.DOTALL
)


def on_the_wall(hub: StandingHub, language: str = "en") -> dict[str, tuple[str, list[str]]]:
    """What a café's wall says of each table, and the names there."""
    page = hub.client().get("/wall", headers={"Accept-Language": language}).text
    return {name: (unescape(said), re.findall(r"<li>(\w+)", part)) for _, name, said, part in BOARD.findall(page)}


def test_the_wall_says_for_whom_a_table_is_kept(hub: StandingHub) -> None:
    night = Night(hub)
    for name in GUESTS[:4]:
        night.tap(f"{PATH}/come", name=name)
    free = ("Free: sit down", [])
    assert on_the_wall(hub) == dict.fromkeys(TABLES, free)
    ((table, guests),) = night.call().items()
    others = dict.fromkeys(set(TABLES) - {table}, free)
    assert on_the_wall(hub) == {**others, table: ("Kept for:", guests)}
    assert on_the_wall(hub, "de")[table] == ("Freigehalten für:", guests)
    hub.tables[table].open(guests, "haulers")
    hub.hears()
    assert on_the_wall(hub)[table] == ("Haulers", guests), "they play"


@pytest.mark.parametrize("way", ["off", "end"])
def test_a_table_is_kept_no_more_once_its_call_is_off(hub: StandingHub, way: str) -> None:
    night = Night(hub)
    for name in GUESTS[:4]:
        night.tap(f"{PATH}/come", name=name)
    ((table, _),) = night.call().items()
    (call,) = re.findall(r'name="call" value="(\d+)"', night.page)
    night.tap(f"{PATH}/{way}", **({"call": call} if way == "off" else {}))
    assert on_the_wall(hub)[table] == ("Free: sit down", [])


def test_whoever_plays_twice_by_two_spellings_wins_once(hub: StandingHub) -> None:
    night = Night(hub)
    for name in GUESTS[:2]:
        night.tap(f"{PATH}/come", name=name)
    ((table, guests),) = night.call().items()
    twice = (guests[0], guests[0].upper(), guests[1])
    hub.tables[table].won(hub.tables[table].open(twice, "haulers"), 0)
    hub.hears()
    assert night.standings()[guests[0]][1:] == (1, 1)
