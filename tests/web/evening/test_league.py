"""The league that everybody at the table can read, and how a guest leaves it."""

from __future__ import annotations

import gc
import re
import tracemalloc
from html import unescape
from pathlib import Path

import msgspec
import pytest

from appliance.games.catalogue import GAMES, the_game
from appliance.games.protocol import Setup
from appliance.snapshot import Accepted
from tests.web.evening.test_afterwards import own
from tests.web.evening.test_last_evening import play
from tests.web.stand import Stand
from web.context import SeatControl

WON_BY_SECOND = "smugglers/SM-96-reveal-wins.jsonl"


def rows(page: str) -> list[tuple[str, str, str, str]]:
    """Return place, name, games and wins of each row of the standings."""
    cells = re.findall(
        r"<tr><td>(.*?)</td><th[^>]*>(.*?)</th><td>.*?</td><td>(.*?)</td><td>(.*?)</td></tr>", page, re.DOTALL
    )
    return [(place, unescape(name), played, won) for place, name, played, won in cells]


def league(stand: Stand, query: str = "") -> str:
    answer = stand.stranger().get(f"/league{query}")
    assert answer.status_code == 200
    return answer.text


def test_a_table_on_which_nobody_has_won_says_so_in_both_languages(stand: Stand) -> None:
    assert "Nobody has won a game here yet." in league(stand)
    german = stand.stranger().get("/league", headers={"Accept-Language": "de"}).text
    assert "Hier hat noch niemand ein Spiel gewonnen." in german


def test_games_that_were_won_here_are_folded_and_others_are_not(stand: Stand) -> None:
    play(stand, WON_BY_SECOND, ("Ann", "Ben", "Cleo"))
    play(stand, WON_BY_SECOND, ("Cleo", "Ben", "Dan"))
    stand.open(2)
    stand.table.close_game("put away")
    told = stand.table.past_history(1)
    assert isinstance(told, tuple)
    elsewhere = tuple(msgspec.structs.replace(player, name=f"Zoe{n}") for n, player in enumerate(told[0].players))
    setup = msgspec.structs.replace(told[0], players=elsewhere)
    assert isinstance(stand.table.import_game(setup, told[1], "elsewhere"), Accepted)
    assert [(name, played, won) for _, name, played, won in rows(league(stand))] == [
        ("Ben", "2", "2"),
        ("Ann", "1", "0"),
        ("Dan", "1", "0"),
        ("Cleo", "2", "0"),
    ]


def test_players_who_typed_no_name_are_nobody(stand: Stand) -> None:
    play(stand, WON_BY_SECOND, ("Yellow", "Ben", "Orange"))
    assert rows(league(stand)) == [], "one known guest has played nobody"
    play(stand, WON_BY_SECOND, ("Gelb", "Ben", "Cleo"))
    assert {name for _, name, _, _ in rows(league(stand))} == {"Ben", "Cleo"}


def test_a_guest_called_like_the_colour_of_another_seat_is_somebody(stand: Stand) -> None:
    play(stand, WON_BY_SECOND, ("Rosa", "Pink", "Green"))
    assert {name for _, name, _, _ in rows(league(stand))} == {"Rosa", "Pink", "Green"}


def test_the_league_refolds_when_the_finished_game_is_corrected(stand: Stand) -> None:
    play(stand, WON_BY_SECOND, ("Ann", "Ben", "Cleo"))
    told = stand.table.past_history(1)
    assert isinstance(told, tuple)
    stand.table.open_game(told[0], "again")
    for number, action in enumerate(told[1]):
        stand.do(**msgspec.to_builtins(action))
        assert number or rows(league(stand))[0][1:] == ("Ben", "1", "1")
    assert rows(league(stand))[0][1:] == ("Ben", "2", "2"), "it counts while it still shows"
    assert isinstance(stand.table.undo("took back"), Accepted)
    assert rows(league(stand))[0][1:] == ("Ben", "1", "1"), "the game is not over any more"


@pytest.mark.slow
def test_seasons_are_shown_apart(stand: Stand, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stand.journal, "_wall", lambda: 1_767_000_000.0)
    play(stand, WON_BY_SECOND, ("Ann", "Ben", "Cleo"))
    monkeypatch.setattr(stand.journal, "_wall", lambda: 1_768_000_000.0)
    play(stand, WON_BY_SECOND, ("Dan", "Emma", "Finn"))
    assert {name for _, name, _, _ in rows(league(stand))} == {"Dan", "Emma", "Finn"}
    assert {name for _, name, _, _ in rows(league(stand, "?game=smugglers&season=2025-Q4"))} == {"Ann", "Ben", "Cleo"}
    assert len(rows(league(stand, "?game=smugglers&season="))) == 6


def test_robots_are_marked(stand: Stand) -> None:
    play(stand, WON_BY_SECOND, ("Ada", "Ben", "Cleo"))
    assert "robot" not in league(stand)
    stand.app.extensions["smugglers"].seat_control = SeatControl(
        lambda seat: "person", lambda seat, by: None, robots=("Ada",)
    )
    assert re.findall(r'scope="row">(\w+) <small>robot</small>', league(stand)) == ["Ada"]


def test_a_damaged_file_of_the_evening_stops_nothing(stand: Stand, tmp_path: Path) -> None:
    play(stand, WON_BY_SECOND, ("Ann", "Ben", "Cleo"))
    stand.close()
    (tmp_path / "evening.json").write_bytes(b'{"erased": [')
    again = Stand(tmp_path)
    assert "Ben" in league(again)
    again.close()


def test_games_of_a_kind_that_the_table_has_no_more_are_left_out(stand: Stand, monkeypatch: pytest.MonkeyPatch) -> None:
    play(stand, WON_BY_SECOND, ("Ann", "Ben", "Cleo"))
    left = tuple(name for name in GAMES if name != "smugglers")
    for module in ("web.evening.played_here", "web.routes.evening.league"):
        monkeypatch.setattr(f"{module}.GAMES", left)
    assert "Nobody has won a game here yet." in league(stand)


def test_a_league_of_many_games_on_a_table_s_own_map_takes_little_memory(stand: Stand) -> None:
    haulers, games = the_game("haulers"), 8
    assert haulers.robots is not None
    for number in range(games):
        options = haulers.robots().demo_options()
        setup = Setup(format=1, game="haulers", players=haulers.demo_players(("Ann", "Ben")), options=options)
        assert isinstance(stand.table.open_game(setup, f"opened-{number}"), Accepted)
        assert isinstance(stand.table.close_game(f"closed-{number}"), Accepted)
    gc.collect()
    tracemalloc.start()
    try:
        stand.app.extensions["smugglers"].results()
        gc.collect()
        kept_bytes = tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()
    assert kept_bytes / games < 8000


def test_every_screen_leads_there_and_back(stand: Stand) -> None:
    for page in ("/", "/kiosk", "/seats"):
        assert 'href="/league' in stand.kiosk().get(page).text
    back = stand.kiosk().get("/league", headers={"Referer": "http://localhost/kiosk"}, follow_redirects=True)
    assert 'href="/kiosk">← Back' in back.text
    assert stand.stranger().get("/league?game=chess").status_code == 404


class TestErasing:
    @pytest.fixture(autouse=True)
    def _played(self, stand: Stand) -> None:
        play(stand, WON_BY_SECOND, ("Ann", "Ben", "Cleo"))
        play(stand, WON_BY_SECOND, ("Cleo", "Ben", "Dan"))

    def test_an_erased_guest_is_a_guest_everywhere(self, stand: Stand) -> None:
        client = stand.host()
        assert "Ben" in client.get("/host/guests").text
        assert client.post("/host/guests", data={"name": "ben"}).status_code == 302
        kiosk = stand.kiosk()
        pages = (
            "/league",
            "/wall",
            "/kiosk/games",
            "/kiosk/games/1",
            "/kiosk/setup/smugglers",
            "/kiosk/games/1/transcript",
        )
        for page in pages:
            text = re.sub(r"data-chip>Ben<", "", kiosk.get(page).text, count=1)  # a name that every table offers
            assert "Ben" not in text, page
        assert "a guest won" in kiosk.get("/kiosk/games").text
        assert "ein Gast" in kiosk.get("/kiosk/games", headers={"Accept-Language": "de"}).text
        assert {name for _, name, _, _ in rows(league(stand))} == {"Ann", "Cleo", "Dan"}

    def test_it_stays_erased_after_a_restart_and_plays_anew(self, stand: Stand, tmp_path: Path) -> None:
        stand.host().post("/host/guests", data={"name": "Ben"})
        stand.close()
        again = Stand(tmp_path)
        assert "Ben" not in league(again)
        play(again, WON_BY_SECOND, ("Ann", "Ben", "Dora"))
        assert ("Ben", "1", "1") in [row[1:] for row in rows(league(again))]
        again.close()

    def test_only_the_host_erases(self, stand: Stand) -> None:
        assert stand.stranger().post("/host/guests", data={"name": "Ben"}).status_code == 403
        assert own(stand.kiosk()).post("/host/guests", data={"name": "Ben"}).status_code == 403
        assert stand.stranger().get("/host/guests").status_code == 302
        assert "Ben" in league(stand)

    def test_who_plays_now_and_who_never_played_is_refused_with_a_sentence(self, stand: Stand) -> None:
        client = stand.host()
        assert "No guest of that name" in client.post("/host/guests", data={"name": "Zoe"}).text
        stand.open(2)
        assert "playing right now" in client.post("/host/guests", data={"name": "Ann"}).text
        assert "Ann" in league(stand)

    def test_the_page_of_privacy_says_so(self, stand: Stand) -> None:
        assert "The host erases a name under “Guests”" in stand.stranger().get("/privacy").text
