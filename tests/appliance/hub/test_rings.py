"""A release goes on only where the ring before is well, and stops at the first table that is not."""

from __future__ import annotations

import pytest

from appliance.hub.chain.rings import AWAY_MOST_S
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


def test_whoever_agrees_no_more_is_left_out_and_nobody_waits_for_them(chain: Chain) -> None:
    first = begun(chain)
    chain.says(first[0], takes=())
    chain.later(1)
    assert len(chain.offered()) == 2


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
    from appliance.hub.chain.tables_now import place_table

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
