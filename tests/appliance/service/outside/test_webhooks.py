"""Webhooks: each public event arrives once, signed; a receiver that is dead, slow or wrong holds up nobody else."""

from __future__ import annotations

import contextlib
import hashlib
import hmac
import json
import queue
import socket
import socketserver
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from appliance.service.outside.feed import Feed
from appliance.service.outside.posting import NotDelivered, Target, post
from appliance.service.outside.webhooks import Webhook
from tests.patience import GIVEN_UP_S
from tests.ports import free_port
from tests.refused_threads import refused
from tests.web.event_streams import followed, told
from tests.web.rounds import opening, ranking
from tests.web.stand import Stand

SECRET = "a secret of the café"
SHORT_S = 0.3
OK = b"HTTP/1.1 204 No Content\r\n\r\n"


class Request(NamedTuple):
    line: str
    headers: dict[str, str]
    body: bytes

    @property
    def event(self) -> dict[str, Any]:
        return dict(json.loads(self.body))


class Receiver:
    """A server on a real socket that reads a request and then does what `answer` does."""

    def __init__(self, answer: Callable[[socket.socket, int], None]) -> None:
        self.requests: queue.Queue[Request] = queue.Queue()
        self.over = threading.Event()
        receiver = self

        class Handler(socketserver.StreamRequestHandler):
            def handle(self) -> None:
                line = self.rfile.readline().decode().strip()
                lines = iter(lambda: self.rfile.readline().decode().strip(), "")
                headers = dict(each.split(": ", 1) for each in lines)
                if "Content-Length" not in headers:
                    return  # the table hung up before it had sent its request
                request = Request(line, headers, self.rfile.read(int(headers["Content-Length"])))
                receiver.count += 1
                number = receiver.count
                receiver.requests.put(request)
                answer(self.connection, number)

        self.count = 0
        self._server = socketserver.ThreadingTCPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}/hook?room=7"

    def next(self) -> Request:
        return self.requests.get(timeout=GIVEN_UP_S)

    def close(self) -> None:
        self.over.set()
        self._server.shutdown()
        self._server.server_close()


@pytest.fixture
def receivers() -> Iterator[Callable[[Callable[[socket.socket, int], None]], Receiver]]:
    made: list[Receiver] = []

    def make(answer: Callable[[socket.socket, int], None]) -> Receiver:
        made.append(Receiver(answer))
        return made[-1]

    yield make
    for one in made:
        one.close()


class Told:
    """A table whose events go to one receiver."""

    def __init__(self, folder: Path, url: str, **webhook: Any) -> None:
        self.stand = Stand(folder)
        self.feed = Feed(self.stand.table, kept=webhook.pop("kept", 1000))
        usual: dict[str, Any] = {"pauses_s": (0.01,), "within_s": GIVEN_UP_S}
        self.webhook = Webhook(self.feed, url, SECRET, **(usual | webhook))
        self.webhook.start()

    def close(self) -> None:
        self.webhook.stop()
        self.feed.close()
        self.stand.close()
        self.webhook._thread.join(GIVEN_UP_S)
        assert not self.webhook._thread.is_alive()


Receivers = Callable[[Callable[[socket.socket, int], None]], Receiver]


def well(connection: socket.socket, number: int) -> None:
    connection.sendall(OK)


def test_every_event_arrives_once_in_order_with_a_signature_that_anybody_can_check(
    tmp_path: Path, receivers: Receivers
) -> None:
    receiver = receivers(well)
    table = Told(tmp_path, receiver.url)
    table.stand.open(4)
    table.stand.play(*opening({1: "bomb"}))
    followed(table.feed, table.stand)
    heard = told(table.feed)
    got = [receiver.next() for _ in heard]
    assert [request.event["id"] for request in got] == [event["id"] for event in heard]
    for request in got:
        assert request.line == "POST /hook?room=7 HTTP/1.1"
        digest = hmac.new(SECRET.encode(), request.body, hashlib.sha256).hexdigest()
        assert request.headers["X-Hub-Signature-256"] == f"sha256={digest}"
        assert request.headers["X-Smugglers-Event"] == request.event["id"]
        assert request.headers["X-Smugglers-Missed"] == "false"
    table.close()
    assert receiver.requests.empty()


def test_a_receiver_that_answers_500_gets_the_event_again_until_it_takes_it(
    tmp_path: Path, receivers: Receivers, caplog: pytest.LogCaptureFixture
) -> None:
    def at_the_third(connection: socket.socket, number: int) -> None:
        connection.sendall(OK if number >= 3 else b"HTTP/1.1 500 No\r\n\r\n71.83 g")

    receiver = receivers(at_the_third)
    table = Told(tmp_path, receiver.url)
    table.stand.open(2)
    followed(table.feed, table.stand)
    first, *_ = told(table.feed)
    assert [receiver.next().event["id"] for _ in range(3)] == [first["id"]] * 3
    assert receiver.next().event["id"] != first["id"]
    table.close()
    assert caplog.text.count("takes no event") == 1
    assert "works again" in caplog.text
    assert "it answered 500" in caplog.text
    assert "room=7" not in caplog.text
    assert "71.83" not in caplog.text


def hang(connection: socket.socket, number: int) -> None:
    connection.recv(1)


def dribble(connection: socket.socket, number: int) -> None:
    """Send a byte of an endless head whenever the last one was taken, until the table hangs up."""
    silent = threading.Event()
    with contextlib.suppress(OSError):
        connection.sendall(b"HTTP/1.1 200 OK\r\nX: ")
        while not silent.wait(SHORT_S / 10):
            connection.sendall(b"x")


def flood(connection: socket.socket, number: int) -> None:
    with contextlib.suppress(OSError):
        connection.sendall(b"HTTP/1.1 " + b"9" * 10_000_000)


def redirect(connection: socket.socket, number: int) -> None:
    connection.sendall(b"HTTP/1.1 307 Elsewhere\r\nLocation: http://127.0.0.1:1/\r\n\r\n")


def cut(connection: socket.socket, number: int) -> None:
    connection.close()


@pytest.mark.slow
@pytest.mark.parametrize("rude", [hang, dribble, flood, redirect, cut])
def test_a_rude_receiver_is_given_up_and_the_next_event_is_tried(
    tmp_path: Path, receivers: Receivers, rude: Callable[[socket.socket, int], None]
) -> None:
    receiver = receivers(rude)
    # Only who says nothing more is waited for; whoever answers badly is given up at once.
    within_s = SHORT_S if rude in (hang, dribble) else GIVEN_UP_S
    table = Told(tmp_path, receiver.url, within_s=within_s, tries=2)
    table.stand.open(2)
    table.stand.play({"do": "roll", "seat": 0, "value": 3})
    followed(table.feed, table.stand)
    heard = told(table.feed)
    got = [receiver.next() for _ in range(5)]
    assert [request.event["id"] for request in got] == [heard[number]["id"] for number in (0, 0, 1, 1, 2)]
    assert got[2].headers["X-Smugglers-Missed"] == "true"
    table.close()


def test_a_receiver_that_is_not_there_holds_up_neither_the_table_nor_another_receiver(
    tmp_path: Path, receivers: Receivers
) -> None:
    receiver = receivers(well)
    table = Told(tmp_path, f"http://127.0.0.1:{free_port()}/", pauses_s=(GIVEN_UP_S,))
    other = Webhook(table.feed, receiver.url, SECRET, within_s=GIVEN_UP_S)
    other.start()
    table.stand.open(4)
    table.stand.play(*opening({}))
    followed(table.feed, table.stand)
    heard = told(table.feed)
    assert [receiver.next().event["id"] for _ in heard] == [event["id"] for event in heard]
    other.stop()
    table.close()


def test_a_receiver_that_was_away_for_long_is_told_that_it_missed_events(tmp_path: Path, receivers: Receivers) -> None:
    go = threading.Event()

    def late(connection: socket.socket, number: int) -> None:
        go.wait(GIVEN_UP_S)
        connection.sendall(OK)

    receiver = receivers(late)
    table = Told(tmp_path, receiver.url, kept=6)
    table.stand.open(4)
    first = receiver.next()
    table.stand.play(*opening({1: "bomb"}), *ranking({}))
    followed(table.feed, table.stand)
    go.set()
    kept = [event["id"] for event in told(table.feed) if event["event"] == "message"]
    got = [receiver.next() for _ in kept]
    assert first.event["kind"] == "game_opened"
    assert [request.event["id"] for request in got] == kept
    assert [request.headers["X-Smugglers-Missed"] for request in got] == ["true", *["false"] * 5]
    table.close()


def test_a_process_without_a_free_thread_sends_when_it_has_one_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, receivers: Receivers
) -> None:
    start, refusals = threading.Timer.start, iter((True, True))

    def limited(timer: threading.Timer) -> None:
        if next(refusals, False):
            refused()
        start(timer)

    monkeypatch.setattr(threading.Timer, "start", limited)
    receiver = receivers(well)
    table = Told(tmp_path, receiver.url)
    table.stand.open(2)
    table.stand.do(do="roll", seat=0, value=3)
    assert [receiver.next().event["kind"] for _ in range(2)] == ["game_opened", "happening"]
    table.close()


def test_a_feed_that_found_no_free_thread_follows_once_it_is_asked_again(
    stand: Stand, monkeypatch: pytest.MonkeyPatch
) -> None:
    stand.open(2)
    feed = Feed(stand.table)
    with monkeypatch.context() as limited:
        limited.setattr(threading.Thread, "start", refused)
        with pytest.raises(RuntimeError):
            feed.start()
    feed.start()
    stand.do(do="roll", seat=0, value=3)
    followed(feed, stand)
    first, *more = told(feed)
    assert first["kind"] == "game_opened"
    assert more, "what happened after the second start"
    ids = [event["id"] for event in (first, *more)]
    assert len(ids) == len(set(ids)), "nothing twice"
    feed.close()


def test_a_name_that_leads_to_this_machine_is_not_served(monkeypatch: pytest.MonkeyPatch, receivers: Receivers) -> None:
    receiver = receivers(well)
    port = Target.of(receiver.url).port
    there = [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("127.0.0.1", port))]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *asked, **more: there)
    with pytest.raises(NotDelivered, match="this machine itself"):
        post(Target.of(f"http://rebound.example:{port}/"), b"{}", {}, GIVEN_UP_S)
    assert receiver.requests.empty()
    post(Target.of(f"http://localhost:{port}/"), b"{}", {}, GIVEN_UP_S)


def test_a_name_that_leads_to_this_machine_s_own_address_of_the_network_is_not_served(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asking:
        try:
            asking.connect(("192.0.2.1", 9))  # nothing is sent
        except OSError:
            pytest.skip("this machine is in no network")
        own = asking.getsockname()[0]
    with socket.create_server((own, 0)) as receiver:
        there = [(socket.AF_INET, socket.SOCK_STREAM, 6, "", receiver.getsockname())]
        monkeypatch.setattr(socket, "getaddrinfo", lambda *asked, **more: there)
        with pytest.raises(NotDelivered, match="this machine itself"):
            post(Target.of("http://rebound.example/"), b"{}", {}, GIVEN_UP_S)


def test_a_receiver_of_https_that_speaks_none_is_not_delivered(receivers: Receivers) -> None:
    """A server that says nothing during the handshake is cut off, too."""
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"https://127.0.0.1:{silent.getsockname()[1]}/"
        with pytest.raises(NotDelivered):
            post(Target.of(url), b"{}", {}, SHORT_S)
