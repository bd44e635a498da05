"""Who did what how often over an evening and a season, of what everybody saw; folded from the journal."""

from __future__ import annotations

import re
from html import unescape

import msgspec

from tests.web.stand import Stand
from tests.web.test_last_evening import play, recorded
from tests.web.test_league import WON_BY_SECOND
from web.evening import counted


def tallies(page: str) -> dict[str, dict[str, tuple[int, float]]]:
    """Return of each thing how often every guest did it, in all and in a game."""
    found = {}
    for title, table in re.findall(r"<section><h3>(.*?)</h3><table>(.*?)</table></section>", page, re.DOTALL):
        rows = re.findall(
            r'<th scope="row">(.*?)</th>.*?<td>([\d.]+) <small>\((\d+)\)</small></td></tr>', table, re.DOTALL
        )
        found[unescape(title)] = {unescape(name): (int(count), float(a_game)) for name, a_game, count in rows}
    return found


def shown(stand: Stand, query: str = "") -> dict[str, dict[str, tuple[int, float]]]:
    return tallies(stand.stranger().get(f"/league/figures{query}").text)


def passed() -> list[int]:
    """Count the spheres of each seat that passed, off the recorded actions themselves."""
    told = recorded(WON_BY_SECOND)
    counts = [0] * len(told.setup.players)
    for action in map(msgspec.to_builtins, told.actions):
        if action["do"] == "attempt" and action["outcome"] == "passed":
            counts[action["seat"]] += 1
    return counts


def test_what_guests_did_is_added_up_over_games_by_who_they_are_and_not_by_seat(stand: Stand) -> None:
    play(stand, WON_BY_SECOND, ("Ann", "Ben", "Cleo"))
    play(stand, WON_BY_SECOND, ("Cleo", "ben", "Dan"))
    first, second, third = passed()
    expected = {"Ann": (first, first), "ben": (2 * second, second), "Cleo": (third + first, (third + first) / 2)}
    expected["Dan"] = (third, third)
    assert shown(stand)["Spheres through the fence"] == {name: count for name, count in expected.items() if count[0]}


def test_a_correction_of_the_game_that_still_shows_counts_at_once(stand: Stand) -> None:
    play(stand, WON_BY_SECOND, ("Ann", "Ben", "Cleo"))
    told = recorded(WON_BY_SECOND)
    players = tuple(
        msgspec.structs.replace(player, name=name)
        for player, name in zip(told.setup.players, ("Ann", "Ben", "Cleo"), strict=True)
    )
    stand.table.open_game(msgspec.structs.replace(told.setup, players=players), "again")
    for action in told.actions:
        stand.do(**msgspec.to_builtins(action))
    assert shown(stand)["Spheres through the fence"]["Ben"] == (2 * passed()[1], passed()[1])
    stand.table.undo("oops")
    assert shown(stand)["Spheres through the fence"]["Ben"] == (passed()[1], passed()[1]), "nobody has won that one now"


def test_many_games_are_counted_little_by_little_and_the_page_says_so(stand: Stand, monkeypatch) -> None:
    monkeypatch.setattr(counted, "AT_ONCE", 1)
    for number in range(3):
        play(stand, WON_BY_SECOND, ("Ann", "Ben", f"Guest {number}"))
    page = stand.stranger().get("/league/figures").text
    assert "Games still to be counted: 2" in page
    assert "data-again" in page
    stand.stranger().get("/league/figures")
    page = stand.stranger().get("/league/figures").text
    assert "still to be counted" not in page
    assert tallies(page)["Spheres through the fence"]["Ben"] == (3 * passed()[1], passed()[1])


def test_the_page_is_reached_from_the_league_speaks_german_and_refuses_nonsense(stand: Stand) -> None:
    play(stand, WON_BY_SECOND, ("Ann", "Ben", "Cleo"))
    assert "/league/figures" in stand.stranger().get("/league").text
    german = stand.stranger().get("/league/figures", headers={"Accept-Language": "de"}).text
    assert "Kugeln durch den Zaun" in german
    assert "Dieser Abend" in german
    assert stand.stranger().get("/league/figures?game=chess").status_code == 404
    assert shown(stand, "?season=1999-Q1") == {}


def test_erased_guests_are_in_no_figure(stand: Stand) -> None:
    play(stand, WON_BY_SECOND, ("Ann", "Ben", "Cleo"))
    client = stand.kiosk()
    client.environ_base["HTTP_ORIGIN"] = "http://localhost"
    client.post("/host/unlock", data={"pin": "482913"})
    client.post("/host/guests", data={"name": "Ben"})
    assert all("Ben" not in of for of in shown(stand).values())
    assert shown(stand)
