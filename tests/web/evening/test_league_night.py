"""A league night of twelve guests, run from its pages alone."""

from __future__ import annotations

import itertools
import re
import shutil
from collections import Counter
from html import unescape
from pathlib import Path
from typing import Any

import msgspec
import pytest
from flask.testing import FlaskClient

from appliance.games.catalogue import the_game
from appliance.journal.safekeeping.backup import back_up
from appliance.journal.safekeeping.restoring import put_back
from appliance.table.table import Table
from tests.appliance.games.contract.play import robots_decide
from tests.web.live.test_live import updates
from tests.web.stand import Stand

TWELVE = [f"Robo{n:02}" for n in range(12)]


class Screen:
    """The touchscreen: what stands on its page, and its taps."""

    def __init__(self, stand: Stand) -> None:
        self.stand = stand
        self.client: FlaskClient = stand.kiosk()
        self.client.environ_base["HTTP_ORIGIN"] = "http://localhost"
        self._ids = (f"night-tap-{n}" for n in itertools.count())

    def page(self) -> str:
        return self.client.get("/night").text

    def tap(self, what: str, **fields: Any) -> Any:
        return self.client.post(f"/night/{what}", data=fields, follow_redirects=True)

    def called(self) -> list[str]:
        listed = re.search(r'<ol class="called">(.*?)</ol>', self.page(), re.DOTALL)
        return [unescape(name) for name in re.findall(r"<b>(.*?)</b>", listed[1])] if listed else []

    def standings(self) -> dict[str, tuple[int, int, int]]:
        """Return place, wins and games by name."""
        rows = re.findall(r"<tr><td>(\d+)</td><th[^>]*>(.*?)</th><td>(\d+)</td><td>(\d+)</td>", self.page())
        names = [unescape(re.sub(r"<small>.*?</small>", "", row[1])).strip() for row in rows]
        return {name: (int(row[0]), int(row[2]), int(row[3])) for name, row in zip(names, rows, strict=True)}

    def end(self) -> Any:
        started = re.search(r'name="started" value="([^"]+)"', self.page())
        assert started is not None
        return self.tap("end", started=started[1])

    def start(self) -> Any:
        after = re.search(r'name="after" value="(\d+)"', self.page())
        assert after is not None
        return self.tap("play", after=after[1])

    def post(self, path: str, **body: Any) -> Any:
        return self.client.post(f"/api/v1/{path}", json={"id": next(self._ids), **body})

    def robots_play(self, seed: int) -> tuple[str, ...]:
        """Let robots play the open game to its end, each action sent to the API; return who won."""
        snapshot = self.stand.table.snapshot()
        setup, game = snapshot.setup, the_game(str(snapshot.game))
        assert setup is not None
        decide = robots_decide(game, setup, "expert", seed)
        while (outcome := game.rules.outcome(state := self.stand.table.snapshot().state)) is None:
            sent = self.post("actions", action=msgspec.to_builtins(decide(state)))
            assert sent.status_code == 200, sent.json
        return tuple(setup.players[seat].name for seat in outcome.winners)


@pytest.fixture
def screen(stand: Stand) -> Screen:
    return Screen(stand)


def test_screens_tell_of_a_night_as_soon_as_it_begins_and_no_more_once_it_is_over(screen: Screen) -> None:
    def shown(kind: str) -> str:
        return str(next(updates(screen.client, f"/live?kind={kind}"))["regions"]["lobby"])

    assert "/night" not in shown("wall")
    assert 'confirm big" href="/night"' not in shown("kiosk")
    screen.tap("begin", game="smugglers", size=2)
    assert "/night" in shown("wall")
    assert 'confirm big" href="/night"' in shown("kiosk")
    screen.tap("come", name="Ann")
    screen.tap("come", name="Ben")
    assert re.findall("<b>(Ann|Ben)</b>", shown("wall")) == ["Ann", "Ben"]
    screen.end()
    assert "/night" not in shown("wall")
    assert "Ann" not in shown("wall")
    assert 'confirm big" href="/night"' not in shown("kiosk")


def test_a_page_from_before_the_night_began_does_not_begin_it_anew(screen: Screen) -> None:
    screen.tap("begin", game="smugglers", size=2)
    screen.tap("come", name="Ann")
    screen.tap("begin", game="prohis", size=3)
    assert list(screen.standings()) == ["Ann"]


def test_a_page_of_the_night_before_does_not_end_this_one(screen: Screen) -> None:
    screen.tap("begin", game="smugglers", size=2)
    before = re.search(r'name="started" value="([^"]+)"', screen.page())
    assert before is not None
    screen.end()
    screen.tap("begin", game="smugglers", size=2)
    screen.tap("come", name="Ann")
    screen.tap("end", started=before[1])
    assert list(screen.standings()) == ["Ann"]


def test_a_second_guest_of_the_same_name_is_told_to_take_another(screen: Screen) -> None:
    screen.tap("begin", game="smugglers", size=2)
    assert "is here already" not in screen.tap("come", name="Ben").text
    assert "ben is here already" in screen.tap("come", name="ben").text
    assert list(screen.standings()) == ["Ben"]
    assert "is here already" not in screen.tap("come", name="Ben 2").text
    assert list(screen.standings()) == ["Ben", "Ben 2"]
    assert "is here already" not in screen.client.get("/night?here=Nobody").text


def test_a_guest_for_whom_there_is_no_room_is_told_so_on_the_page_which_keeps_the_name(screen: Screen) -> None:
    screen.tap("begin", game="smugglers", size=2)
    for number in range(40):
        screen.tap("come", name=f"Guest {number}")
    answer = screen.tap("come", name="Zoe <3")
    assert answer.status_code == 409
    assert "This night has 40 guests already" in answer.text
    assert 'data-typed value="Zoe &lt;3"' in answer.text
    assert len(screen.standings()) == 40


def test_a_page_of_a_night_reads_the_past_games_once_however_many_names_it_offers(
    screen: Screen, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each read waits for the card: once for the names, once for the standings."""
    read: list[object] = []
    past_games = Table.past_games

    def counted(table: Table, *asked: Any) -> Any:
        read.append(asked)
        return past_games(table, *asked)

    screen.tap("begin", game="smugglers", size=2)
    screen.tap("come", name="Zoe")
    monkeypatch.setattr(Table, "past_games", counted)
    assert screen.page().count("data-chip") > 3
    assert len(read) <= 2


@pytest.mark.slow
def test_a_night_of_twelve_robots_with_a_late_entry_a_no_show_an_amended_game_and_a_tie(screen: Screen) -> None:
    # A night takes the options of the last game: the short one.
    screen.stand.open(2, goal="short")
    screen.stand.table.close_game("put away")
    screen.tap("begin", game="smugglers", size=4)
    for name in TWELVE[:11]:
        screen.tap("come", name=name)
    turns: Counter[str] = Counter()
    wins: Counter[str] = Counter()
    newest: list[str] = []

    def game(seed: int) -> None:
        called = screen.called()
        assert len(called) == 4
        turns.update(called)
        assert screen.start().status_code == 200
        setup = screen.stand.table.snapshot().setup
        assert setup is not None
        assert [player.name for player in setup.players] == called
        newest[:] = screen.robots_play(seed)
        wins.update(newest)

    def told() -> dict[str, tuple[int, int]]:
        return {name: (won, played) for name, (_, won, played) in screen.standings().items()}

    game(1)
    game(2)
    # One is called and does not come; the next in turn moves up, and they come back later.
    absent = screen.called()[0]
    screen.tap("go", name=absent, missing=1)
    assert absent not in screen.called()
    assert len(screen.called()) == 4
    assert "did not come" in screen.page()
    game(3)
    # One comes late.
    screen.tap("come", name=TWELVE[11])
    screen.tap("come", name=absent)
    assert {absent, TWELVE[11]} & set(screen.called()), "who has had no turn is next"
    game(4)
    # The table amends the game that still shows: its last deed was another.
    assert screen.post("undo").status_code == 200
    assert sum(won for won, _ in told().values()) == 3, "the game is not over any more"
    wins.subtract(newest)
    wins.update(screen.robots_play(44))
    assert {name: won for name, (won, _) in told().items()} == {name: wins[name] for name in told()}
    game(5)
    game(6)
    standings = screen.standings()
    assert told() == {name: (wins[name], turns[name]) for name in TWELVE}
    stayed = [turns[name] for name in TWELVE[:11] if name != absent]
    assert max(stayed) - min(stayed) <= 1
    # Equal wins in equally many games share a place, and the next place counts them all.
    by_place = Counter(place for place, _, _ in standings.values())
    assert max(by_place.values()) > 1
    for place, won, played in standings.values():
        better = [one for one in standings.values() if (one[1], -one[2]) > (won, -played)]
        assert place == len(better) + 1
    league = screen.client.get("/league").text
    assert all(name in league for name in TWELVE)


def begun(screen: Screen, *names: str, size: int = 2) -> Screen:
    screen.tap("begin", game="smugglers", size=size)
    for name in names:
        screen.tap("come", name=name)
    return screen


def test_without_a_night_everybody_is_told_so_in_both_languages(screen: Screen) -> None:
    stranger = screen.stand.stranger()
    assert "No league night is on." in stranger.get("/night").text
    assert "Gerade ist kein Liga-Abend." in stranger.get("/night", headers={"Accept-Language": "de"}).text
    assert "No league night is on." in screen.tap("come", name="Ann").text


def test_the_touchscreen_says_how_another_kind_of_game_is_played(screen: Screen) -> None:
    begun(screen, "Ann", "Ben")
    assert "Playing something else? End this night" in screen.client.get("/night").text
    assert (
        "Etwas anderes spielen? Beendet diesen Abend"
        in screen.client.get("/night", headers={"Accept-Language": "de"}).text
    )
    assert "Playing something else?" not in screen.stand.stranger().get("/night").text


def test_everybody_sees_the_night_and_the_touchscreen_alone_runs_it(screen: Screen) -> None:
    begun(screen, "Ann", "Ben")
    stranger = screen.stand.stranger()
    page = stranger.get("/night").text
    assert "<b>Ann</b>" in page
    assert "<form" not in page
    for what in ("begin", "come", "go", "play", "end"):
        sent = stranger.post(f"/night/{what}", data={"name": "Zoe"}, headers={"Origin": "http://192.0.2.7"})
        assert sent.status_code == 403
    assert screen.called() == ["Ann", "Ben"]


def test_a_name_that_cannot_be_is_refused_and_one_twice_is_one_guest(screen: Screen) -> None:
    begun(screen, "Ann", "ann", "Ben")
    assert list(screen.standings()) == ["Ann", "Ben"]
    answer = screen.tap("come", name="x" * 40)
    assert answer.status_code == 422
    assert list(screen.standings()) == ["Ann", "Ben"]


def test_too_few_start_nothing(screen: Screen) -> None:
    begun(screen, "Ann")
    assert "Too few are here" in screen.page()
    assert "Too few guests are here" in screen.tap("play", after=1).text
    assert screen.stand.table.snapshot().game is None


def test_a_second_tap_and_a_restart_between_open_no_second_game(screen: Screen, tmp_path: Path) -> None:
    begun(screen, "Ann", "Ben", "Cleo")
    screen.tap("play", after=3)
    opened = screen.stand.table.snapshot().game_id
    screen.tap("play", after=3)
    assert screen.stand.table.snapshot().game_id == opened
    screen.stand.close()
    again = Screen(Stand(tmp_path))
    assert again.called() == ["Cleo", "Ann"], "Cleo has had no turn"
    again.stand.close()


def test_a_start_that_another_game_refused_succeeds_once_that_game_is_put_away(screen: Screen) -> None:
    begun(screen, "Ann", "Ben", "Cleo")
    screen.stand.open(2)
    assert "A game is still running" in screen.tap("play", after=3).text
    screen.post("games/close")
    called = screen.called()
    assert screen.tap("play", after=3).status_code == 200
    snapshot = screen.stand.table.snapshot()
    assert snapshot.setup is not None
    assert [player.name for player in snapshot.setup.players] == called
    screen.tap("play", after=3)
    assert screen.stand.table.snapshot().game_id == snapshot.game_id, "a second tap opens no second game"


def test_on_another_card_the_night_goes_on_from_a_backup(screen: Screen, tmp_path: Path) -> None:
    begun(screen, "Ann", "Ben", "Cleo")
    screen.tap("play", after=3)
    called = screen.called()
    back_up(tmp_path / "journal.sqlite3", tmp_path / "backup")
    screen.stand.close()
    card = tmp_path / "card"
    card.mkdir()
    shutil.copy2(tmp_path / "seal.key", card / "seal.key")
    assert put_back(tmp_path / "backup", card).evening
    again = Screen(Stand(card))
    assert again.called() == called
    assert list(again.standings()) == ["Ann", "Ben", "Cleo"]
    again.stand.close()


def test_a_plug_pulled_after_the_game_was_opened_and_before_the_night_knows_it(
    screen: Screen, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun(screen, "Ann", "Ben")

    def fails(*_: object) -> None:
        raise OSError("no space left")

    monkeypatch.setattr("appliance.journal.safekeeping.spared.write_alike", fails)
    assert screen.tap("play", after=2).status_code == 507
    opened = screen.stand.table.snapshot().game_id
    assert opened is not None
    monkeypatch.undo()
    screen.tap("play", after=2)
    assert screen.stand.table.snapshot().game_id == opened
    assert 'name="after" value="3"' in screen.page()


def test_guests_called_like_the_colours_of_their_seats_win_in_the_league(screen: Screen) -> None:
    screen.stand.open(2, goal="short")
    screen.stand.table.close_game("put away")
    begun(screen, "Gelb", "Green")
    screen.start()
    (winner,) = screen.robots_play(1)
    assert screen.standings()[winner] == (1, 1, 1)
    standings = screen.client.get("/league").text.partition("<tbody>")[2]
    assert re.findall(r'scope="row">(\w+)', standings)[0] == winner


def test_a_game_that_was_put_away_unfinished_is_played_again_by_the_same(screen: Screen) -> None:
    begun(screen, "Ann", "Ben", "Cleo")
    first = screen.called()
    screen.start()
    assert screen.called() != first
    screen.post("games/close")
    assert screen.called() == first


def test_the_night_leads_on_from_a_finished_game_and_from_the_lobby(screen: Screen) -> None:
    assert 'href="/night"' in screen.client.get("/kiosk").text
    begun(screen, "Ann", "Ben")
    wall = screen.stand.stranger().get("/wall").text
    assert 'href="/night"' in wall
    called = wall.partition('class="called-up"')[2].partition("</section>")[0]
    assert re.findall(r"<b>(.*?)</b>", called) == ["Ann", "Ben"], "who plays next is called"
    screen.start()
    screen.post("actions", action={"do": "leave", "seat": 0})
    assert "Next game of the night" in screen.client.get("/kiosk").text
    screen.end()
    assert "Next game of the night" not in screen.client.get("/kiosk").text


def test_the_night_goes_on_without_an_erased_guest(screen: Screen) -> None:
    screen.stand.open(2, goal="short")
    screen.stand.table.close_game("put away")
    begun(screen, "Ann", "Ben", "Cleo", "Dora")
    called = screen.called()
    screen.start()
    (winner,) = screen.robots_play(1)
    (other,) = set(called) - {winner}
    screen.post("games/close")
    screen.tap("go", name="Dora")
    screen.client.post("/host/unlock", data={"pin": "482913"})
    assert screen.client.post("/host/guests", data={"name": other}).status_code == 302
    assert other not in screen.stand.stranger().get("/night").text
    told = {name: (won, played) for name, (_, won, played) in screen.standings().items()}
    assert told == {winner: (1, 1), "Cleo": (0, 0), "Dora": (0, 0)}
    called = screen.called()
    assert sorted(called) == sorted([winner, "Cleo"])
    screen.start()
    snapshot = screen.stand.table.snapshot()
    assert snapshot.setup is not None
    assert [player.name for player in snapshot.setup.players] == called, "the next game is opened"


def test_a_guest_who_came_and_never_played_is_erased_and_may_come_again(screen: Screen) -> None:
    begun(screen, "Ann", "Ben", "Zed")
    screen.client.post("/host/unlock", data={"pin": "482913"})
    assert ">Zed<" in screen.client.get("/host/guests").text
    assert screen.client.post("/host/guests", data={"name": "zed"}).status_code == 302
    assert "Zed" not in screen.client.get("/host/guests").text + screen.page()
    screen.tap("come", name="Zed")
    assert list(screen.standings()) == ["Ann", "Ben", "Zed"]
