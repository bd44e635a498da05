"""What pages read of a hub does not grow with what was played before."""

from __future__ import annotations

import pytest

from appliance.games.league import chain_night as nights
from appliance.games.league.chain_night import Called, ChainEvent, TableGame, TableJoined, chain_night
from appliance.games.league.night import Came
from appliance.games.league.result import Result, name_key
from appliance.hub.chain.evening import GAMES_OF_A_TABLE, evening_of
from appliance.hub.chain.night_calls import GAMES_OF_A_NIGHT, games_at
from appliance.hub.chain.tables_now import tables_now
from appliance.hub.folds.ratings import fold_ratings
from appliance.hub.folds.standings import kinds_and_seasons
from appliance.hub.folds.tables import until_folded
from appliance.hub.store.database import Database
from appliance.hub.store.envelopes_kept import store
from tests.appliance.hub.chain import EVENING_S, SendingTable


def test_a_league_night_reads_of_each_table_what_came_after_its_own_calls(database: Database) -> None:
    old, new = SendingTable("old"), SendingTable("new")
    for _ in range(5):
        old.played(("Ann", "Bob"), 0)
    tonight = len(old.sent)
    old.played(("Ann", "Bob"), 0)
    new.played(("Cay", "Dee"), 0)
    store(database, [*old.sent, *new.sent], EVENING_S)
    until_folded(database)
    found = games_at(database, "smugglers", {"old": tonight, "new": 0})
    assert {(one.table, one.opened_seq) for one in found} == {("old", tonight + 1), ("new", 1)}
    many = {f"table-{number}": 0 for number in range(1500)}
    assert games_at(database, "smugglers", {**many, "new": 0})[0].table == "new"
    assert games_at(database, "smugglers", {}) == ()


def test_a_league_night_of_long_ago_reads_no_more_games_than_a_night_has(database: Database) -> None:
    bay = SendingTable("bay")
    for _ in range(GAMES_OF_A_NIGHT + 5):
        bay.open(("Ann", "Bob"))
        bay.open(("Ann", "Bob"), imported=True)
    store(database, bay.sent, EVENING_S)
    until_folded(database)
    found = games_at(database, "smugglers", {"bay": 2})
    assert sorted(one.opened_seq for one in found) == list(range(3, 2 * GAMES_OF_A_NIGHT + 3, 2))


def test_calls_to_which_nobody_came_do_not_look_at_every_name_of_every_game(monkeypatch: pytest.MonkeyPatch) -> None:
    calls, games = 60, 300
    events: list[ChainEvent] = [
        TableJoined("bay"),
        Came("Ann"),
        Came("Bob"),
        *(Called("bay", ("Ann", "Bob"), 0) for _ in range(calls)),
    ]
    played = [
        TableGame(
            table="bay",
            game=number,
            opened_seq=number,
            players=("Cay", "Dee"),
            is_open=False,
            result=Result(table="bay", seq=number, played_s=0.0, game="x", guests=("Cay", "Dee"), ranks=(1, 2)),
        )
        for number in range(1, games + 1)
    ]
    looked = 0

    def counted(name: str) -> str:
        nonlocal looked
        looked += 1
        return name_key(name)

    monkeypatch.setattr(nights, "name_key", counted)
    assert chain_night(events, played, size=2, least=2).tables[0].state == "called"
    assert looked <= 2 * games + 10 * calls


def test_of_many_open_games_of_a_table_the_newest_is_shown(database: Database) -> None:
    bay = SendingTable("bay")
    for name in ("Ann", "Bob", "Cay"):
        bay.open((name, "Dee"))
    closed = bay.open(("Eve", "Dee"))
    bay.put_away(closed)
    store(database, bay.sent, EVENING_S)
    until_folded(database)
    (table,) = tables_now(database, EVENING_S)
    assert table.game is not None
    assert (table.number, table.game.players) == (3, ("Cay", "Dee"))


def test_the_league_names_every_kind_and_season_that_has_results(database: Database) -> None:
    bay = SendingTable("bay")
    for kind, days in (("smugglers", 0), ("smugglers", 100), ("customs", 100), ("prohis", 0)):
        bay.wall_s = EVENING_S + days * 86_400
        for _ in range(3):
            bay.played(("Ann", "Bob", "Cay"), 0, kind=kind)
    store(database, bay.sent, EVENING_S)
    until_folded(database)
    fold_ratings(database)
    assert kinds_and_seasons(database) == {
        "customs": ("2026-Q4",),
        "prohis": ("2026-Q3",),
        "smugglers": ("2026-Q4", "2026-Q3"),
    }


def test_a_table_that_opens_games_without_end_does_not_fill_the_memory_of_whoever_looks_at_the_evening(
    database: Database,
) -> None:
    bay, mallory = SendingTable("bay"), SendingTable("mallory")
    for _ in range(3):
        bay.played(("Ann", "Bob"), 0)
    for number in range(GAMES_OF_A_TABLE + 50):
        mallory.wall_s = EVENING_S
        mallory.open((f"M{number}", "Dee"))
    store(database, [*bay.sent, *mallory.sent], EVENING_S)
    until_folded(database)
    seen = evening_of(database, EVENING_S + 3600)
    assert (seen.games, seen.won, seen.guests) == (GAMES_OF_A_TABLE + 3, 3, GAMES_OF_A_TABLE + 3)
