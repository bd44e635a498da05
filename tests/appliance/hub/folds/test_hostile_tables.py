"""Whatever a table with a stolen key sends is kept, and neither stops folding nor changes what others sent."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import msgspec
import pytest
from sqlalchemy import select, text, update

from appliance.games.protocol import Outcome
from appliance.hub.envelopes import MOST_BYTES, Corrected, Envelope, Happened, TheGame, Told
from appliance.hub.folds.folded_game import Erased, FoldedGame, fold
from appliance.hub.folds.ratings import fold_ratings
from appliance.hub.folds.rebuild import fingerprint, rebuild
from appliance.hub.folds.standings import standings_of
from appliance.hub.folds.tables import fold_new, until_folded
from appliance.hub.people.guests import erase
from appliance.hub.report import Report, encoded
from appliance.hub.store.database import Database
from appliance.hub.store.envelopes_kept import Arrived, keep_status, store
from appliance.hub.store.schema import ENVELOPES, FOLDED
from tests.appliance.hub.chain import EVENING_S, SendingTable, evening

OPENED = (
    '{{"table":{table},"seq":{seq},"game":{game},"wall_s":{wall_s},"outcome":{outcome},"body":{{"type":"opened",'
    '"kind":{kind},"players":{players},"seating":{seating},"told":[{{"code":"x","values":{{"a":{value}}}}}]}}}}'
)
SOUND = {
    "table": '"mallory"', "seq": "1", "game": "1", "wall_s": "1790000000", "outcome": "null", "kind": '"smugglers"',
    "players": '["Ann","Bob"]', "seating": "1", "value": "0",
}  # fmt: skip
CROWD = "[" + ",".join(['"A"'] * 500) + "]"
DEEP = ["[" * depth + "]" * depth for depth in (900, 950, 990, 5000)]
HOSTILE = [
    *({"table": name} for name in ('"bay"', '""', "null")),
    *({"seq": seq} for seq in ("2", "-1", "1e30")),
    *({"game": game} for game in ("-1", "9" * 30, "1.5")),
    *({"wall_s": wall_s} for wall_s in ("1e400", "-1e300", "1e18", "NaN")),
    *({"outcome": f'{{"winners":{seats},"reason":"x"}}'} for seats in ("[7]", "[-1]", "[0,0,0]", f"[{2**80}]")),
    *({"kind": kind} for kind in ('""', '"a\\u0000"', f'"{"k" * 300}"', '"<script>"')),
    *({"players": names} for names in ("[]", '["\\u0000"]', '["\\ud800"]', '["Ann","ann","ANN"]', CROWD)),
    *({"seating": seating} for seating in ("-1", "9" * 25)),
    *({"value": value} for value in ('"\\u0000"', '"\\ud800"', "9" * 400, *DEEP)),
]  # fmt: skip


END = (
    '{{"table":{table},"seq":2,"game":1,"wall_s":1790000060,"outcome":{{"winners":[0],"reason":"x"}},'
    '"body":{{"type":"closed"}}}}'
)


def test_it_folds_on(database: Database) -> None:
    bay = SendingTable("bay")
    bay.played(("Cay", "Dee"), 0)
    sent = bay.sent
    for number, other in enumerate(HOSTILE):
        name = f"mallory-{number}"
        own = {"table": f'"{name}"'}
        sent += [
            Arrived(name, 1, OPENED.format(**(SOUND | own | other)).encode()),
            Arrived(name, 2, END.format(**own).encode()),
        ]
    store(database, sent, EVENING_S)
    assert until_folded(database) == len(sent)
    fold_ratings(database)
    names = [one.name for one in standings_of(database, "smugglers", "", most=9)]
    assert [name for name in names if name in ("Cay", "Dee")] == ["Cay", "Dee"]
    erase(database, "Ann", EVENING_S + 1e7)
    fold_ratings(database)
    assert "Ann" not in [one.name for one in standings_of(database, "smugglers", "", most=9)]
    before = fingerprint(database)
    rebuild(database)
    assert fingerprint(database) == before


def test_envelopes_of_half_a_megabyte_are_folded_a_few_at_a_time(database: Database) -> None:
    sent = [Arrived("mallory", seq, b'{"x":[' + b"[]," * (MOST_BYTES // 3 - 9) + b"0]}") for seq in range(1, 41)]
    bay = SendingTable("bay")
    bay.played(("Cay", "Dee"), 0)
    store(database, [*sent, *bay.sent], EVENING_S)
    at_once = []
    while done := fold_new(database):
        at_once.append(done)
    assert sum(at_once) == 43
    assert max(at_once) * MOST_BYTES < 20 * 2**20


def test_what_pages_read_of_a_game_is_small_whatever_its_table_sends() -> None:
    long, crowd = "x" * 200_000, (0,) * 100_000
    outcomes = (Outcome((0,), long), Outcome(crowd, "points"), Outcome((0,), "points"))
    told = [
        Told(code=long),
        Told(code="x", rule=long),
        Told(code="x", values={"a": long}),
        Told(code="x", values={long: 1}),
        Told(code="x", values={"a": list(crowd)}),
        Told(code="sphere_passed", values={"seat": 0}),
    ]
    opened = TheGame(kind="smugglers", players=("Ann", "Bob"), seating=1, told=tuple(told[:3]))
    game = fold(None, Envelope(table="bay", seq=1, game=1, wall_s=0.0, body=opened))
    for outcome in outcomes:
        bodies = (
            Happened(told=tuple(told[3:])),
            Corrected(target=1, undone=False, told=tuple((1, (one,)) for one in told)),
            Happened(told=tuple(told[5:])),
        )
        for body in bodies:
            game = fold(game, Envelope(table="bay", seq=2, game=1, wall_s=0.0, body=body, outcome=outcome))
            assert game is not None
            assert len(msgspec.json.encode(game)) < 10_000
    assert game is not None
    assert (game.outcome, game.told[-1]) == (outcomes[-1], told[-1])


def test_an_envelope_that_a_fold_has_a_bug_for_stops_no_table(
    database: Database, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def with_a_bug(before: FoldedGame | None, envelope: Envelope, erased: Erased) -> FoldedGame | None:
        if (envelope.table, envelope.seq) == ("bay", 4):
            raise OverflowError(envelope)
        return fold(before, envelope, erased)

    bay, cellar = SendingTable("bay"), SendingTable("cellar")
    for _ in range(2):
        bay.played(("Ann", "Bob"), 0)
    cellar.played(("Cay", "Dee"), 0)
    bay.played(("Ann", "Eve"), 0)
    monkeypatch.setattr("appliance.hub.folds.tables.fold", with_a_bug)
    store(database, [*bay.sent, *cellar.sent], EVENING_S)
    assert until_folded(database) == len(bay.sent) + len(cellar.sent)
    fold_ratings(database)
    assert {one.name for one in standings_of(database, "smugglers", "", most=9)} == {"Ann", "Bob", "Cay", "Dee", "Eve"}
    with database.read() as connection:
        unread = connection.execute(select(FOLDED.c.unread).where(FOLDED.c.table_name == "bay"))
        assert unread.scalar_one() == 3, "the game that could not be opened, and what follows of it"
    assert "OverflowError" in caplog.text
    assert "Ann" not in caplog.text


@pytest.mark.slow
def test_a_name_that_is_erased_while_workers_fold_is_gone(database: Database) -> None:
    tables = evening(6, 60, seed=9)
    every = [one for table in tables for one in table.sent]
    erased, going = threading.Event(), threading.Event()

    def work() -> None:
        while not erased.is_set():
            going.set()
            fold_new(database)
            fold_ratings(database)

    with ThreadPoolExecutor(3) as workers:
        working = [workers.submit(work) for _ in range(3)]
        going.wait()
        for start in range(0, len(every), 40):
            store(database, every[start : start + 40], EVENING_S)
            if start == 120:
                erase(database, "Guest 3", EVENING_S + 1e7)
        erased.set()
        for one in working:
            one.result()
    until_folded(database)
    fold_ratings(database)
    with database.read() as connection:
        for table in ("games", "players", "results", "steps", "standings"):
            rows = repr(connection.execute(text(f"SELECT * FROM {table}")).all())
            assert '"Guest 3"' not in rows, table
            assert "'guest 3'" not in rows, table
            assert '"Guest 4"' in rows or "'guest 4'" in rows, table
        data = b"".join(bytes(row.data) for row in connection.execute(text("SELECT data FROM envelopes")))
    assert b'"Guest 3"' not in data
    assert b'"Guest 4"' in data


def test_a_table_whose_clock_is_ahead_does_not_bring_an_erased_name_back(database: Database) -> None:
    year_s = 365 * 86_400.0
    ahead = SendingTable("bay", EVENING_S + year_s)
    ahead.played(("Ann", "Bob", "Dee"), 1)
    erase(database, "Ann", EVENING_S + 3600)
    report = Report(table="bay", wall_s=EVENING_S + year_s + 3600, release="0.1.0", newest=3, stored=0, status=None)
    keep_status(database, {"bay": encoded(report)}, EVENING_S + 3600)
    # It was offline while the name was erased; what it played before comes now. What Ann plays afterwards is theirs.
    ahead.wall_s += 2 * 3600
    later = len(ahead.sent)
    ahead.played(("Ann", "Cay"), 1)
    store(database, ahead.sent[:later], EVENING_S + 3700)
    until_folded(database)
    fold_ratings(database)
    assert [one.name for one in standings_of(database, "smugglers", "", most=9)] == ["Bob", "Dee"]
    with database.read() as connection:
        kept = [bytes(data) for data in connection.execute(select(ENVELOPES.c.data)).scalars()]
    assert not any(b"Ann" in data for data in kept)
    store(database, ahead.sent[later:], EVENING_S + 3 * 3600)
    until_folded(database)
    fold_ratings(database)
    assert {one.name for one in standings_of(database, "smugglers", "", most=9)} == {"Ann", "Bob", "Cay", "Dee"}


DAY_S = 86_400.0
ERASED_S = EVENING_S + 3600


def says(database: Database, now_s: float, ahead_s: float) -> None:
    report = Report(table="bay", wall_s=now_s + ahead_s, release="0.1.0", newest=3, stored=0, status=None)
    keep_status(database, {"bay": encoded(report)}, now_s)


def folded(database: Database, table: SendingTable, now_s: float) -> bool:
    """Return whether Ann, who was erased, stands in the league after all that the table sent arrived."""
    store(database, table.sent, now_s)
    until_folded(database)
    fold_ratings(database)
    return "Ann" in [one.name for one in standings_of(database, "smugglers", "", most=9)]


@pytest.mark.parametrize("ahead_s", [7200.0, 40 * DAY_S, 1e11])
def test_a_clock_that_was_put_right_before_it_sends_brings_no_erased_name_back(
    database: Database, ahead_s: float
) -> None:
    bay = SendingTable("bay", EVENING_S + ahead_s)
    bay.played(("Ann", "Bob"), 1)
    erase(database, "Ann", ERASED_S)
    says(database, ERASED_S + 60, ahead_s=0.0)
    assert not folded(database, bay, ERASED_S + 60)


def test_a_clock_some_hours_ahead_brings_no_erased_name_back_after_a_night_offline(database: Database) -> None:
    bay = SendingTable("bay", EVENING_S + 7200)
    bay.played(("Ann", "Bob"), 1)
    erase(database, "Ann", ERASED_S)
    says(database, ERASED_S + 36_000, ahead_s=7200.0)
    assert not folded(database, bay, ERASED_S + 36_000)


@pytest.mark.parametrize(("opened_s", "stands"), [(EVENING_S, False), (ERASED_S + 3600, True)])
def test_what_an_older_release_kept_goes_by_its_tables_clock(database: Database, opened_s: float, stands: bool) -> None:
    bay = SendingTable("bay", opened_s)
    bay.played(("Ann", "Bob"), 1)
    store(database, bay.sent, ERASED_S + 7200)
    with database.write() as connection:
        connection.execute(update(ENVELOPES).values(arrived_s=None))
    erase(database, "Ann", ERASED_S)
    assert folded(database, bay, ERASED_S + 7200) is stands


@pytest.mark.parametrize("ahead_s", [5 * DAY_S, 1e11, 1e300])
def test_who_comes_back_keeps_games_that_a_table_played_before_its_clock_went_wrong(
    database: Database, ahead_s: float
) -> None:
    erase(database, "Ann", ERASED_S)
    bay = SendingTable("bay", ERASED_S + 2 * DAY_S)
    bay.played(("Ann", "Bob"), 1)
    now_s = ERASED_S + 4 * DAY_S
    says(database, now_s, ahead_s)
    assert folded(database, bay, now_s)


def test_a_report_of_today_takes_no_name_out_of_what_is_folded_anew(database: Database) -> None:
    erase(database, "Ann", ERASED_S)
    bay = SendingTable("bay", ERASED_S + 3600)
    bay.played(("Ann", "Bob"), 1)
    assert folded(database, bay, ERASED_S + 7200)
    says(database, ERASED_S + 9 * DAY_S, ahead_s=30 * DAY_S)
    rebuild(database)
    assert folded(database, bay, ERASED_S + 9 * DAY_S)
