"""A game that is amended long after changes the ratings of nearly everybody, and holds up neither worker nor table."""

from __future__ import annotations

import random

import pytest
from sqlalchemy import select

from appliance.hub.folds import ratings
from appliance.hub.folds.ratings import fold_ratings, fold_some_ratings
from appliance.hub.folds.rebuild import fingerprint, rebuild
from appliance.hub.folds.standings import standings_of
from appliance.hub.folds.tables import until_folded
from appliance.hub.store.database import Database, Work
from appliance.hub.store.envelopes_kept import store
from appliance.hub.store.schema import STANDINGS
from appliance.hub.worker import Worker
from tests.appliance.hub.chain import EVENING_S, SendingTable
from tests.appliance.hub.folds.test_folds import expected
from tests.appliance.hub.test_worker import Broker

NOW_S = EVENING_S + 1e6
GAMES = 40


@pytest.fixture(autouse=True)
def _little_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {"AT_ONCE": 7, "LEAST_OF_A_LEAGUE": 3, "_READ_AT_ONCE": 5}.items():
        monkeypatch.setattr(ratings, name, value)


def old_games(database: Database) -> tuple[SendingTable, int]:
    """A table with some weeks of games between few guests; return it and its first game."""
    bay, chance = SendingTable("bay"), random.Random(5)
    first = bay.open(("Ann", "Bob"))
    bay.won(first, 0)
    for _ in range(GAMES - 1):
        bay.played(chance.sample(("Ann", "Bob", "Cay", "Dee"), 2), 0)
    store(database, bay.sent, NOW_S)
    until_folded(database)
    fold_ratings(database)
    assert standings_of(database, "smugglers", "", most=9) == expected([bay], "smugglers")
    return bay, first


def test_it_is_counted_part_by_part_and_no_half_of_it_is_shown(database: Database) -> None:
    bay, first = old_games(database)
    before = standings_of(database, "smugglers", "", most=9)
    bay.amended(first, 1)
    store(database, bay.sent, NOW_S)
    until_folded(database)
    parts = 0
    while fold_some_ratings(database).goes_on:
        parts += 1
        assert sum(one.played for one in standings_of(database, "smugglers", "", most=9)) == 2 * GAMES
        if parts == 2:
            assert standings_of(database, "smugglers", "", most=9) == before
            # Meanwhile others play, and an older game of a table that was offline comes in.
            bay.played(("Eve", "Ann"), 0)
            late = SendingTable("late", EVENING_S - 9e5)
            late.played(("Bob", "Eve"), 1)
            store(database, [*bay.sent, *late.sent], NOW_S)
            until_folded(database)
    assert parts > 2 * GAMES // 7
    assert standings_of(database, "smugglers", "", most=9) == expected([bay, late], "smugglers")
    marks = fingerprint(database)
    rebuild(database)
    assert fingerprint(database) == marks


def test_an_evenings_messages_are_taken_between_the_parts(database: Database) -> None:
    bay, first = old_games(database)
    bay.amended(first, 1)
    calm = SendingTable("calm")
    calm.played(("Fay", "Gus"), 0)
    broker = Broker(bay.sent[-1:])
    worker = Worker(database, broker)
    worker.round()
    broker.waiting += calm.sent
    worker.round()
    assert broker.told["calm"] == len(calm.sent)
    assert standings_of(database, "smugglers", "", most=9) != expected([bay, calm], "smugglers"), "it is not through"
    for _ in range(2 * GAMES):
        worker.round()
    assert standings_of(database, "smugglers", "", most=9) == expected([bay, calm], "smugglers")


def test_who_rates_keeps_no_other_worker_waiting(database: Database) -> None:
    if database.is_sqlite:
        pytest.skip("there a writer is always alone")
    bay, first = old_games(database)
    bay.amended(first, 1)
    with database.write() as rating:
        database.alone(rating, Work.RATE)
        broker = Broker(bay.sent[-1:])
        Worker(database, broker).round()
        assert broker.told == {"bay": len(bay.sent)}
        with database.read() as connection:
            assert len(connection.execute(select(STANDINGS.c.guest)).all()) == 8, "it is left to whoever rates"
    fold_ratings(database)
    assert standings_of(database, "smugglers", "", most=9) == expected([bay], "smugglers")
