"""Who did what how often over an evening and a season, of what everybody saw; folded from the journal."""

from __future__ import annotations

import re
import threading
from concurrent.futures import ThreadPoolExecutor, wait
from html import unescape

import msgspec
import pytest

from appliance.games.protocol import Outcome, Rejection
from appliance.journal.entries import Closed, Opened
from appliance.table.table import BUSY
from tests.patience import GIVEN_UP_S
from tests.web.evening.test_last_evening import play, recorded
from tests.web.evening.test_league import WON_BY_SECOND
from tests.web.stand import Stand
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


def test_games_from_before_the_clock_was_set_back_are_of_another_evening(
    stand: Stand, monkeypatch: pytest.MonkeyPatch
) -> None:
    for day, guests in ((0, "Ann Ben Cleo"), (40, "Dan Emma Finn"), (0, "Greta Hugo Ida")):
        monkeypatch.setattr(stand.journal, "_wall", lambda day=day: 1_767_000_000.0 + 86_400 * day)
        play(stand, WON_BY_SECOND, tuple(guests.split()))
    names = {name for told in shown(stand).values() for name in told}
    assert names == {"Greta", "Hugo", "Ida"}
    assert "Ben" in shown(stand, "?season=")["Spheres through the fence"]


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


def test_many_games_are_counted_little_by_little_and_the_page_says_so(
    stand: Stand, monkeypatch: pytest.MonkeyPatch
) -> None:
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
    stand.host().post("/host/guests", data={"name": "Ben"})
    assert all("Ben" not in of for of in shown(stand).values())
    assert shown(stand)


def test_a_game_of_a_newer_release_neither_counts_nor_lowers_what_guests_do_in_a_game(stand: Stand) -> None:
    play(stand, WON_BY_SECOND, ("Ann", "Ben", "Cleo"))
    setup = msgspec.structs.replace(recorded(WON_BY_SECOND).setup, rules=9999)
    setup = msgspec.structs.replace(
        setup,
        players=tuple(
            msgspec.structs.replace(player, name=name)
            for player, name in zip(setup.players, ("Ann", "Ben", "Cleo"), strict=True)
        ),
    )
    newer = (("newer", Opened(setup=setup)), ("newer-end", Closed(outcome=Outcome(winners=(1,), reason="points"))))
    stand.journal.append(None, newer)
    page = stand.stranger().get("/league/figures").text
    assert "Games counted: 1" in page
    assert "still to be counted" not in page, "no page waits for it"
    assert tallies(page)["Spheres through the fence"]["Ben"] == (passed()[1], passed()[1])


def test_a_game_in_which_nobody_did_a_thing_lowers_how_often_it_is_done(stand: Stand) -> None:
    play(stand, WON_BY_SECOND, ("Ann", "Ben", "Cleo"))
    (played,) = stand.app.extensions["smugglers"].results()
    quiet = msgspec.structs.replace(played, seq=played.seq + 100)
    (ben, *_) = counted.tallies([played, quiet], {played.seq: {"stat.x": (0, 4, 0)}, quiet.seq: {}})["stat.x"]
    assert (ben.name, ben.a_game) == ("Ben", 2.0)


def test_what_a_disk_could_not_read_once_is_read_again(stand: Stand, monkeypatch: pytest.MonkeyPatch) -> None:
    play(stand, WON_BY_SECOND, ("Ann", "Ben", "Cleo"))
    with monkeypatch.context() as failing:
        failing.setattr(stand.table, "past_history", lambda game: Rejection("disk_failing", ""))
        assert "Games still to be counted: 1" in stand.stranger().get("/league/figures").text
    assert shown(stand)["Spheres through the fence"]["Ben"] == (passed()[1], passed()[1])


def test_a_busy_table_is_asked_once_in_a_request(stand: Stand, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = list[int]()
    for number in range(3):
        play(stand, WON_BY_SECOND, ("Ann", "Ben", f"Guest {number}"))

    def busy(game: int) -> object:
        asked.append(game)
        return BUSY

    monkeypatch.setattr(stand.table, "past_history", busy)
    assert "Games still to be counted: 3" in stand.stranger().get("/league/figures").text
    assert len(asked) == 1


def test_who_asks_while_another_request_counts_is_answered_at_once(
    stand: Stand, monkeypatch: pytest.MonkeyPatch
) -> None:
    play(stand, WON_BY_SECOND, ("Ann", "Ben", "Cleo"))
    read, reads, goes_on = stand.table.past_history, threading.Event(), threading.Event()

    def slow(game: int) -> object:
        reads.set()
        assert goes_on.wait(2 * GIVEN_UP_S)
        return read(game)

    monkeypatch.setattr(stand.table, "past_history", slow)
    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(shown, stand)
        assert reads.wait(GIVEN_UP_S)
        second = pool.submit(lambda: stand.stranger().get("/league/figures").text)
        done, _ = wait([second], GIVEN_UP_S)
        goes_on.set()
        assert done, "it waited for the other"
        assert "Games still to be counted: 1" in second.result()
        assert first.result()["Spheres through the fence"]["Ben"] == (passed()[1], passed()[1])


def test_a_rematch_of_fewer_while_the_page_is_made_is_not_taken_for_the_game_before(
    stand: Stand, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = recorded(WON_BY_SECOND)
    stand.table.open_game(told.setup, "three")
    for action in told.actions:
        stand.do(**msgspec.to_builtins(action))
    history = stand.table.history

    def after_the_rematch(*game: int) -> object:
        if stand.table.snapshot().setup == told.setup:
            stand.open(2)
        return history(*game)

    monkeypatch.setattr(stand.table, "history", after_the_rematch)
    assert "Games still to be counted: 1" in stand.stranger().get("/league/figures").text
    assert "still to be counted" not in stand.stranger().get("/league/figures").text
