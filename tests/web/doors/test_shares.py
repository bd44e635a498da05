"""One address takes neither all streams nor all connections nor all threads; the touchscreen and the players get in."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any, cast

import pytest
from waitress import wasyncore

from appliance.service.sender import is_own
from tests.patience import GIVEN_UP_S
from tests.refused_threads import refused
from tests.web.crowd import OTHER, OWN, STRANGER, connected, get, leave, served, status, stream
from tests.web.stand import Stand
from web.doors.shares import (
    CONNECTIONS_KEPT,
    CONNECTIONS_OF_ONE,
    REQUESTS_OF_ONE,
    STREAMS_OF_ONE_PLAYER,
    StreamPlaces,
    stream_of,
    whose,
)
from web.live.channel import Channel
from web.live.connections import FairDispatcher
from web.live.serve import Server

STREAMS = 40


@pytest.fixture
def table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Stand, int]]:
    with served(tmp_path, monkeypatch, streams_most=STREAMS) as there:
        yield there


def taken_by(port: int, source: str) -> list[Any]:
    """Open streams from one address until it is told that there are too many."""
    found = []
    while (answer := get(port, "/live?kind=wall", source)).status == 200:
        found.append(answer)
    with answer:
        assert answer.status == 503
        assert "Too many pages watch" in answer.read().decode()
    return found


def cookie_of(stand: Stand, seat: int) -> str:
    """Return what the browser of a phone that joined sends."""
    cookie = stand.phone(seat).get_cookie(f"seat-{seat}", domain="192.0.2.7")
    assert cookie is not None
    return f"seat-{seat}={cookie.value}"


def test_a_connection_is_not_blamed_for_another_that_had_to_leave_as_it_came(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The loop is stepped by hand: in one look it sees that one that must leave says something, and two that come."""
    monkeypatch.setattr("web.live.connections.CONNECTIONS_OF_ONE", 1)
    monkeypatch.setattr("web.doors.shares.is_own", lambda address: address == OWN)
    stand = Stand(tmp_path, port=0)
    server = Server(stand.app, stand.site, host=OWN)
    look = partial(wasyncore.poll2, 0.1, server._server._map)
    first = connected(server.port, STRANGER)
    look()
    first.sendall(b"G")
    connected(server.port, STRANGER)
    own = connected(server.port, OWN)
    for _ in range(3):
        look()
    own.setblocking(False)
    with pytest.raises(BlockingIOError):
        own.recv(1)
    first.settimeout(GIVEN_UP_S)
    with contextlib.suppress(ConnectionResetError):
        assert first.recv(1) == b"", "it had to leave"
    leave()
    server._close_all()
    stand.close()


def test_one_address_takes_a_quarter_of_the_streams(table: tuple[Stand, int]) -> None:
    _, port = table
    kept = [taken_by(port, STRANGER)]
    assert len(kept[0]) == STREAMS // 4
    kept.append(taken_by(port, OTHER))
    assert len(kept[1]) == STREAMS // 4


def test_when_strangers_have_all_streams_they_can_get_players_and_touchscreen_still_get_theirs(
    table: tuple[Stand, int],
) -> None:
    stand, port = table
    stand.open(2)
    cookie = cookie_of(stand, 1)
    kept: list[Any] = [taken_by(port, f"127.0.9.{number}") for number in range(1, 9)]
    assert sum(map(len, kept)) == STREAMS - STREAMS // 6
    # The player's phone is behind the same router as one of the strangers.
    kept.append(stream(port, "127.0.9.1", "kind=seat&seat=1", Cookie=cookie))
    kept.append(stream(port, OWN, "kind=kiosk"))
    kept.append(stream(port, OWN))


def test_a_phone_takes_no_more_streams_than_a_browser_has_and_the_touchscreen_is_kept_one() -> None:
    places = StreamPlaces(STREAMS)
    phones = [stream_of("192.0.2.9", "seat", seat) for seat in range(8)]
    taken = {one: sum(places.take(one) for _ in range(STREAMS)) for one in phones}
    assert taken[phones[0]] == STREAMS_OF_ONE_PLAYER
    assert sum(taken.values()) == STREAMS - 1
    assert not places.take(whose("192.0.2.77"))
    assert places.take(whose("127.0.0.1"))
    assert not places.take(whose("127.0.0.1")), "there are no more"
    places.give_back(phones[0])
    assert places.take(whose("::1"))


def test_what_an_address_counts_for() -> None:
    assert whose("192.0.2.1") != whose("192.0.2.2")
    assert whose("2001:db8::1") == whose("2001:db8::ffff:1:2") != whose("2001:db8:0:1::1")
    assert whose("fe80::1%eth0") == whose("fe80::2")
    assert whose("::ffff:127.0.0.1") == whose("::1") == whose("127.0.0.1")
    assert whose("::ffff:192.0.2.1") == whose("192.0.2.1")
    assert is_own("::ffff:127.0.0.1")
    assert not is_own("::ffff:192.0.2.1")


def test_a_strangers_idle_connections_make_room_for_its_own_and_for_nobody_elses_harm(table: tuple[Stand, int]) -> None:
    _, port = table
    phone = connected(port, OTHER)
    idle = [connected(port, STRANGER) for _ in range(CONNECTIONS_OF_ONE + 30)]
    assert status(port, "/wall", STRANGER) == 200, "the newest connection is served"
    closed = [one for one in idle if gone(one)]
    assert len(closed) == 31
    assert closed == idle[:31], "those that said nothing for longest"
    phone.sendall(b"GET /wall HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
    assert phone.recv(15) == b"HTTP/1.1 200 OK"
    assert status(port, "/kiosk") == 200


def gone(there: Any) -> bool:
    there.setblocking(False)
    try:
        return bool(there.recv(1) == b"")
    except BlockingIOError:
        return False


@pytest.mark.slow
def test_when_strangers_hold_all_connections_that_they_can_the_touchscreen_still_gets_one(
    table: tuple[Stand, int],
) -> None:
    _, port = table
    idle = [connected(port, f"127.0.9.{number % 200 + 1}") for number in range(300)]
    assert status(port, "/kiosk") == 200
    assert status(port, "/wall", "127.0.8.8") == 200, "another guest gets in for one of the busiest address"
    assert sum(not gone(one) for one in idle) < 2 * STREAMS + 100


def test_where_strangers_have_no_room_left_the_busiest_address_makes_it(table: tuple[Stand, int]) -> None:
    _, port = table
    single = [connected(port, f"127.0.9.{number + 20}") for number in range(40)]
    many = [connected(port, STRANGER) for _ in range(2 * STREAMS + 100 - CONNECTIONS_KEPT - len(single))]
    assert not any(map(gone, many))
    assert status(port, "/wall", OTHER) == 200
    assert [one for one in many if gone(one)] == many[:1]
    assert not any(map(gone, single))


def test_clients_that_send_on_and_do_not_read_keep_nobody_behind_their_address_from_a_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("web.live.serve.VANISHED_AFTER_MS", 3_600_000)
    with served(tmp_path, monkeypatch, streams_most=STREAMS) as (_, port):
        for _ in range(REQUESTS_OF_ONE):
            there = connected(port, STRANGER)
            there.sendall(b"GET /api/v1/openapi.json HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n" * 100)
        # While these sockets still take something, pages are answered in between.
        assert {status(port, "/wall", STRANGER) for _ in range(100)} == {200}


class Asked:
    """A request under way until it is let go."""

    def __init__(self, who: str, began: list[str]) -> None:
        self.whose, self._began = who, began
        self.turn_over: Any = None
        self.may_end, self.has_ended = threading.Event(), threading.Event()

    def service(self) -> None:
        self._began.append(self.whose)
        assert self.may_end.wait(GIVEN_UP_S)
        self.has_ended.set()


@pytest.fixture
def requests() -> Iterator[tuple[FairDispatcher, list[str]]]:
    dispatcher = FairDispatcher(4, 12)
    yield dispatcher, []
    dispatcher.shutdown(timeout=0.1)


def asked(there: tuple[FairDispatcher, list[str]], who: str, times: int) -> list[Asked]:
    dispatcher, began = there
    found = [Asked(who, began) for _ in range(times)]
    for one in found:
        dispatcher.add_task(cast(Channel, one))
    return found


def until(there: tuple[FairDispatcher, list[str]], number: int) -> list[str]:
    while len(there[1]) < number:
        threading.Event().wait(0)
    return there[1]


def test_an_address_has_so_many_requests_under_way_and_the_others_take_turns(
    requests: tuple[FairDispatcher, list[str]],
) -> None:
    many = asked(requests, "a", 50)
    assert until(requests, REQUESTS_OF_ONE) == ["a"] * REQUESTS_OF_ONE
    few = asked(requests, "b", 3)
    until(requests, REQUESTS_OF_ONE + 2)
    own = asked(requests, "own", 4)
    began = until(requests, REQUESTS_OF_ONE + 6)
    assert (began.count("a"), began.count("b"), began.count("own")) == (6, 2, 4), "8 threads for strangers, 4 kept"
    # One after the other: of two threads that go on at once, either may come to its request first.
    for number, one in enumerate(many[:2], start=len(began) + 1):
        one.may_end.set()
        until(requests, number)
    for one in [*many, *few, *own]:
        one.may_end.set()
    for one in [*many, *few, *own]:
        assert one.has_ended.wait(GIVEN_UP_S)
    assert "b" in began[12:14], "its turn comes before the forty that wait behind the other address"


def test_a_request_that_became_a_stream_counts_as_no_request(requests: tuple[FairDispatcher, list[str]]) -> None:
    first = asked(requests, "a", REQUESTS_OF_ONE)
    until(requests, REQUESTS_OF_ONE)
    more = asked(requests, "a", 1)
    first[0].turn_over()
    until(requests, REQUESTS_OF_ONE + 1)
    for one in [*first, *more]:
        one.may_end.set()
    for one in [*first, *more]:
        assert one.has_ended.wait(GIVEN_UP_S)


class Quick(Asked):
    """A request that is answered at once by a thread that is noted."""

    def __init__(self, who: str, names: set[str]) -> None:
        super().__init__(who, [])
        self._names = names

    def service(self) -> None:
        self._names.add(threading.current_thread().name)
        self.has_ended.set()


def test_requests_one_after_the_other_are_answered_by_a_few_threads() -> None:
    """A thread costs a start some time, and keeps what its stack grew to: of 52, few shall be started."""
    dispatcher, names = FairDispatcher(40, 12), set[str]()
    assert not dispatcher.threads, "before the first request"
    for _ in range(200):
        dispatcher.add_task(cast(Channel, one := Quick("a", names)))
        assert one.has_ended.wait(GIVEN_UP_S)
    started = len(dispatcher.threads)
    dispatcher.shutdown(timeout=0.1)
    assert len(names) <= started <= 26


def test_if_no_other_thread_can_be_started_requests_wait_for_the_threads_there_are(
    requests: tuple[FairDispatcher, list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    dispatcher, _ = requests
    first = asked(requests, "a", 1)
    until(requests, 1)

    monkeypatch.setattr(dispatcher, "start_new_thread", refused)
    more = asked(requests, "b", 3)
    for one in [*first, *more]:
        one.may_end.set()
    for one in [*first, *more]:
        assert one.has_ended.wait(GIVEN_UP_S)


def handles() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


def test_clients_that_go_leave_no_handle_and_no_place_behind(
    table: tuple[Stand, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing is sent to them meanwhile: it is their going itself that is noticed."""
    for beat in ("HEARTBEAT_S", "OWN_BEAT_S"):
        monkeypatch.setattr(f"web.live.updates.{beat}", 2 * GIVEN_UP_S)
    stand, port = table
    before = handles()
    streams = [stream(port, OWN) for _ in range(STREAMS)]
    assert status(port, "/live?kind=wall") == 503
    for one in streams:
        one.close()
    while handles() > before:
        threading.Event().wait(0)
    places = stand.app.extensions["smugglers"].live._places
    while places._taken:
        threading.Event().wait(0)
    assert len([stream(port, OWN) for _ in range(STREAMS)]) == STREAMS


def test_readers_of_events_that_go_leave_no_place_behind(
    table: tuple[Stand, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("web.routes.api.public.BEAT_S", 2 * GIVEN_UP_S)
    stand, port = table
    readers = [get(port, "/api/v1/events", OWN) for _ in range(STREAMS)]
    assert {reader.status for reader in readers} == {200}
    assert status(port, "/api/v1/events") == 503
    assert status(port, "/live?kind=wall") == 503
    for reader in readers:
        reader.close()
    places = stand.app.extensions["smugglers"].live._places
    while places._taken:
        threading.Event().wait(0)
    assert get(port, "/api/v1/events", OWN).status == 200


def test_a_body_of_a_hundred_megabytes_is_refused_before_it_is_taken_in(table: tuple[Stand, int]) -> None:
    _, port = table
    there = connected(port, STRANGER)
    there.sendall(b"POST /kiosk/games HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 100000000\r\n\r\n")
    assert there.recv(12) == b"HTTP/1.1 413"
    chunked = connected(port, STRANGER)
    chunked.sendall(b"POST /kiosk/games HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\n")
    try:
        for _ in range(2000):
            chunked.sendall(b"10000\r\n" + b"x" * 0x10000 + b"\r\n")
    except (BrokenPipeError, ConnectionResetError):
        pass
    else:
        pytest.fail("100 MB were taken in")
    assert status(port, "/kiosk") == 200
