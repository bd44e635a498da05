"""A release goes on only where the ring before is well, and stops at the first table that is not."""

from __future__ import annotations

import msgspec
import pytest

from appliance.hub.chain.rings import AWAY_MOST_S, step_of
from appliance.hub.chain.rollouts import begin, go_on, newest_rollout, offers, set_house, stop
from appliance.hub.link.wanted import Consent, HouseSettings, Offered, OfferState, decoded
from appliance.hub.report import Report, encoded
from appliance.hub.store.database import Database
from appliance.hub.store.envelopes_kept import keep_status
from appliance.service.outside.table_status import SensorStatus, TableStatus

WATCH_S = 600.0
OLD, NEW = "0.1.0", "0.2.0"
NAMES = tuple(f"table-{number:02}" for number in range(1, 13))


class Chain:
    """Tables that report, and a hub whose clock stands until it is moved."""

    def __init__(self, database: Database) -> None:
        self.database, self.now_s = database, 1_000_000.0
        for name in NAMES:
            self.says(name)

    def says(
        self,
        name: str,
        release: str = OLD,
        state: OfferState | None = None,
        takes: tuple[Consent, ...] = ("updates",),
        scale: str = "ok",
    ) -> None:
        sensor = SensorStatus(state=scale, codes=())  # type: ignore[arg-type]
        report = Report(
            table=name,
            wall_s=self.now_s,
            release=release,
            newest=0,
            stored=0,
            status=TableStatus(version=1, game=None, sensors={"scale": sensor}),
            takes=takes,
            offered=None if state is None else Offered(NEW, state),
        )
        keep_status(self.database, {name: encoded(report)}, self.now_s)

    def later(self, seconds: float, *names: str, release: str = NEW) -> None:
        """Let time pass; these tables are heard with the release meanwhile."""
        self.now_s += seconds
        for name in names:
            self.says(name, release)
        go_on(self.database, self.now_s)

    def offered(self) -> dict[str, str]:
        said = {name: decoded(one) for name, one in offers(self.database).items()}
        return {name: one.release for name, one in said.items() if one is not None and one.release}

    def stopped(self) -> tuple[str, str] | None:
        rollout, _ = newest_rollout(self.database)
        return None if rollout is None or rollout.stop is None else (rollout.stop.table, rollout.stop.why)


@pytest.fixture
def chain(database: Database) -> Chain:
    return Chain(database)


def begun(chain: Chain) -> tuple[str, ...]:
    assert begin(chain.database, NEW, WATCH_S, chain.now_s) is None
    (first,) = chain.offered()
    return (first,)


def test_first_one_table_then_some_then_all(chain: Chain) -> None:
    first = begun(chain)
    chain.later(60, *first)
    chain.later(WATCH_S - 1, *first)
    assert tuple(chain.offered()) == first
    chain.later(1, *first)
    some = tuple(chain.offered())
    assert len(some) == 2
    chain.later(60, *some)
    chain.later(WATCH_S, *some)
    assert tuple(chain.offered()) == NAMES
    chain.later(60, *NAMES)
    chain.later(WATCH_S, *NAMES)
    rollout, _ = newest_rollout(chain.database)
    assert rollout is not None
    assert (rollout.ended_s, rollout.stop, chain.offered()) == (chain.now_s, None, {})


@pytest.mark.parametrize("state", ["failed", "went_back", "gone", "refused"])
def test_what_fails_at_the_first_reaches_no_other(chain: Chain, state: OfferState) -> None:
    first = begun(chain)
    chain.says(first[0], OLD, state)
    chain.later(1)
    assert chain.stopped() == (first[0], state)
    assert chain.offered() == {}
    chain.later(10 * WATCH_S, *NAMES, release=OLD)
    assert chain.offered() == {}


def test_a_table_that_is_ill_or_away_after_it_stops_it(chain: Chain) -> None:
    first = begun(chain)
    chain.later(60, *first)
    chain.says(first[0], NEW, scale="faulty")
    chain.later(1)
    assert chain.stopped() == (first[0], "ill")
    chain.says(first[0])
    first = begun(chain)
    chain.says(first[0], OLD, "running")
    chain.later(AWAY_MOST_S)
    assert chain.stopped() is None
    chain.later(1)
    assert chain.stopped() == (first[0], "away")


def test_what_was_faulty_before_stops_nothing_and_is_not_the_first(chain: Chain) -> None:
    chain.says(NAMES[0], scale="faulty")
    assert begun(chain) == (NAMES[1],)


def to_the_last_ring(chain: Chain) -> tuple[str, ...]:
    first = begun(chain)
    chain.later(60, *first)
    chain.later(WATCH_S, *first)
    some = tuple(chain.offered())
    chain.later(60, *some)
    chain.later(WATCH_S, *some)
    assert tuple(chain.offered()) == NAMES
    return some


def test_whoever_agrees_no_more_is_left_out_and_nobody_waits_for_them(chain: Chain) -> None:
    to_the_last_ring(chain)
    chain.says(NAMES[-1], takes=())
    chain.later(60, *NAMES[:-1])
    chain.later(WATCH_S, *NAMES[:-1])
    assert (chain.stopped(), chain.offered()) == (None, {})


def test_a_ring_in_which_nobody_has_it_opens_no_other(chain: Chain) -> None:
    first = begun(chain)
    chain.says(first[0], takes=())
    chain.later(1)
    assert (chain.stopped(), chain.offered()) == ((first[0], "nobody"), {})


@pytest.mark.parametrize("before", ["at once", "after it was heard with it"])
def test_a_release_whose_reports_nobody_can_read_reaches_no_other(chain: Chain, before: str) -> None:
    first = begun(chain)
    if before != "at once":
        chain.later(60, *first)
    for _ in range(int(AWAY_MOST_S // 60) + 1):
        keep_status(chain.database, {first[0]: b'{"format":2}'}, chain.now_s)
        chain.later(60)
        assert set(chain.offered()) <= set(first)
    chain.later(60)
    assert (chain.stopped(), chain.offered()) == ((first[0], "away"), {})


def test_a_table_that_is_silent_after_one_report_is_not_well(chain: Chain) -> None:
    assert begin(chain.database, NEW, AWAY_MOST_S, chain.now_s) is None
    (first,) = chain.offered()
    chain.later(100, first)
    chain.later(10, first)
    chain.later(AWAY_MOST_S - 10)
    assert tuple(chain.offered()) == (first,)
    chain.later(11)
    assert chain.stopped() == (first, "away")


@pytest.mark.parametrize(
    ("release", "state", "scale", "why"), [(OLD, "went_back", "ok", "went_back"), (NEW, None, "faulty", "ill")]
)
def test_a_release_that_takes_the_consent_with_it_is_stopped_all_the_same(
    chain: Chain, release: str, state: OfferState | None, scale: str, why: str
) -> None:
    first = begun(chain)
    chain.says(first[0], OLD, "running")
    chain.later(1)
    chain.says(first[0], release, state, takes=(), scale=scale)
    chain.later(1)
    assert (chain.stopped(), chain.offered()) == ((first[0], why), {})


def test_installed_counts_only_where_another_release_runs(chain: Chain) -> None:
    first = begun(chain)
    for _ in range(int(AWAY_MOST_S // 60) + 1):
        chain.says(first[0], OLD, "installed")
        chain.later(60)
        assert set(chain.offered()) <= set(first)
    chain.later(60)
    assert chain.stopped() == (first[0], "went_back")


@pytest.mark.parametrize("running", [NEW, "0.10.0"])
def test_a_table_that_runs_it_or_a_newer_one_stops_nothing(chain: Chain, running: str) -> None:
    first = begun(chain)
    chain.says(first[0], running, "gone")
    chain.later(60)
    assert chain.stopped() is None
    chain.now_s += WATCH_S
    chain.says(first[0], running, "gone")
    chain.later(1)
    assert len(chain.offered()) == 2


def test_what_a_table_said_of_an_earlier_offer_does_not_stop_the_next(chain: Chain) -> None:
    first = begun(chain)
    chain.says(first[0], OLD, "gone")
    chain.later(1)
    assert chain.stopped() == (first[0], "gone")
    chain.now_s += 1
    begun(chain)
    # The answer that stands at the table is said again, until it asks its source again.
    for _ in range(10):
        chain.says(first[0], OLD, "gone")
        chain.later(60)
        assert chain.stopped() is None
    chain.says(first[0], OLD, "gone")
    chain.later(AWAY_MOST_S)
    assert chain.stopped() == (first[0], "gone")


def test_where_it_went_wrong_before_and_where_a_newer_one_runs_it_is_not_tried(chain: Chain) -> None:
    chain.says(NAMES[0], OLD, "went_back")
    chain.says(NAMES[1], OLD, "failed")
    chain.says(NAMES[2], "0.10.0")
    assert begun(chain) == (NAMES[3],)
    rollout, _ = newest_rollout(chain.database)
    assert rollout is not None
    assert rollout.left_out == {NAMES[0]: "failed_before", NAMES[1]: "failed_before", NAMES[2]: "newer"}
    assert not set(rollout.left_out) & {name for ring in rollout.rings for name in ring}


@pytest.mark.slow
def test_tables_that_are_not_reached_for_a_day_hold_up_nothing(chain: Chain) -> None:
    silent, heard = NAMES[:2], NAMES[2:]
    chain.now_s += 90 * 86_400
    for name in heard:
        chain.says(name)
    assert begun(chain) == heard[:1]
    for ring in (heard[:1], heard[:2], heard):
        chain.later(60, *ring)
        chain.later(WATCH_S, *ring)
    rollout, seen = newest_rollout(chain.database)
    assert rollout is not None
    assert rollout.ended_s is None
    for _ in range(150):
        chain.later(600, *heard)
    rollout, seen = newest_rollout(chain.database)
    assert rollout is not None
    assert (rollout.stop, rollout.ended_s is None) == (None, False)
    assert {step_of(rollout, name, seen[name], chain.now_s) for name in silent} == {"unreached"}
    assert {step_of(rollout, name, seen[name], chain.now_s) for name in heard} == {"well"}
    assert begin(chain.database, "0.3.0", WATCH_S, chain.now_s) is None


def test_one_at_a_time_and_only_where_somebody_agreed(chain: Chain) -> None:
    begun(chain)
    assert begin(chain.database, "0.3.0", WATCH_S, chain.now_s) == "rollout_on"
    stop(chain.database, chain.now_s)
    assert (chain.stopped(), chain.offered()) == (("", "by_hand"), {})
    for name in NAMES:
        chain.says(name, takes=("settings",))
    assert begin(chain.database, "0.3.0", WATCH_S, chain.now_s) == "rollout_no_tables"
    chain.says(NAMES[3])
    chain.now_s += 86_400
    assert begin(chain.database, "0.3.0", WATCH_S, chain.now_s) == "rollout_no_tables"


def test_settings_are_offered_to_the_tables_of_their_cafe(chain: Chain) -> None:
    from appliance.hub.chain.table_marks import place_table

    place_table(chain.database, NAMES[2], "", "Anker")
    set_house(chain.database, "Anker", HouseSettings(language="de", quiet_from_h=22, quiet_until_h=8))
    (offer,) = offers(chain.database).items()
    said = decoded(offer[1])
    assert said is not None
    assert (offer[0], said.release, said.settings) == (
        NAMES[2],
        "",
        HouseSettings(language="de", quiet_from_h=22, quiet_until_h=8),
    )
    set_house(chain.database, "Anker", None)
    assert offers(chain.database) == {}


def test_settings_that_no_table_would_take_are_offered_to_nobody_and_hold_up_nothing(chain: Chain) -> None:
    set_house(chain.database, "", HouseSettings(language="de\n"))
    assert offers(chain.database) == {}
    assert begun(chain) == NAMES[:1]


def test_the_report_of_a_table_that_knows_no_pause_is_read(chain: Chain) -> None:
    """Tables that were made before games could be paused say nothing of it."""
    game = {"id": 1, "name": "smugglers", "seats": [], "outcome": None}
    said = {
        "table": NAMES[0],
        "wall_s": chain.now_s,
        "release": OLD,
        "newest": 0,
        "stored": 0,
        "takes": ["updates"],
        "status": {"version": 1, "game": game, "sensors": {}},
    }
    keep_status(chain.database, {NAMES[0]: msgspec.json.encode(said)}, chain.now_s)
    _, seen = newest_rollout(chain.database)
    assert seen[NAMES[0]].release == OLD
