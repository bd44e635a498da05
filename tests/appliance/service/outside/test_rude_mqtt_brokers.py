"""MQTT brokers that are none: another's certificate, a port of something else, one that ends every connection."""

from __future__ import annotations

import contextlib
import logging
import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from appliance.hub.broker.certificates import new_certificates
from appliance.service.outside import mqtt
from appliance.service.outside.home_assistant import Topics
from appliance.service.outside.mqtt import HomeTeller
from tests.patience import GIVEN_UP_S
from tests.web.stand import Stand

left_open_by_paho = pytest.mark.filterwarnings("ignore:unclosed <ssl.SSLSocket:ResourceWarning")
"""paho leaves the socket of a failed handshake to the garbage collector."""
PAHO_ENDS_S = 10.0  # paho may connect once more before it sees that it is to end
ACCEPTED = bytes([0x20, 2, 0, 0])
"""CONNACK: the broker takes the table as its client."""
PUBLISH, PING, PONG = 0x30, bytes([0xC0, 0]), bytes([0xD0, 0])
"""The heads of a message and of PINGREQ, which is answered by PINGRESP: no text has its bytes."""


@contextlib.contextmanager
def broker(times: int, answers: Callable[[socket.socket], None]) -> Iterator[tuple[int, threading.Event]]:
    """Take connections one after the other. Yield the port, and what is set after so many of them."""
    enough = threading.Event()
    with socket.create_server(("127.0.0.1", 0)) as listens:

        def serve() -> None:
            for _ in range(times):
                wire, _ = listens.accept()
                with wire, contextlib.suppress(OSError):
                    answers(wire)
            enough.set()

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        yield listens.getsockname()[1], enough
        thread.join(GIVEN_UP_S)


@contextlib.contextmanager
def teller(stand: Stand, scheme: str, port: int) -> Iterator[None]:
    told = HomeTeller(stand.table, f"{scheme}://127.0.0.1:{port}", Topics("x"), lambda: "", lambda at: (), "en")
    told.start()
    yield
    told.stop()
    for thread in threading.enumerate():
        if thread.name.startswith("paho"):
            thread.join(PAHO_ENDS_S)  # what it leaves open is not the next test's


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    monkeypatch.setattr(mqtt, "AGAIN_S", 0.01)
    monkeypatch.setattr(mqtt, "AGAIN_MOST_S", 0.02)
    caplog.set_level(logging.INFO)


def lines(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [one.getMessage() for one in caplog.records if one.name == mqtt.__name__]


def test_a_broker_that_ends_every_connection_is_told_of_once(stand: Stand, caplog: pytest.LogCaptureFixture) -> None:
    def greet_and_end(wire: socket.socket) -> None:
        wire.recv(1000)
        wire.sendall(ACCEPTED)
        wire.recv(1000)

    with broker(8, greet_and_end) as (port, enough), teller(stand, "mqtt", port):
        assert enough.wait(GIVEN_UP_S)
    told, lost = lines(caplog)
    assert told.endswith("is told of the table")
    assert "cannot be told of the table" in lost


@pytest.mark.parametrize("topic", [b"\xff\xfe", b"\xed\xa0\x80", b"a\0b", b"homeassistant/status"])
def test_a_message_of_any_topic_does_not_end_what_tells_the_broker(stand: Stand, topic: bytes) -> None:
    answered = threading.Event()

    def disturb(wire: socket.socket) -> None:
        wire.recv(1000)
        body = len(topic).to_bytes(2, "big") + topic + b"rubbish"
        wire.sendall(ACCEPTED + bytes([PUBLISH, len(body)]) + body + PING)
        told = b""
        while PONG not in told and (more := wire.recv(1000)):
            told += more
        if PONG in told:
            answered.set()

    with broker(1, disturb) as (port, _), teller(stand, "mqtt", port):
        assert answered.wait(GIVEN_UP_S), "what came after the message was read, so its thread goes on"


@left_open_by_paho
def test_a_broker_with_anothers_certificate_is_told_as_that(
    stand: Stand, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    _, certificate, key = new_certificates()
    (tmp_path / "chain.pem").write_bytes(certificate)
    (tmp_path / "key.pem").write_bytes(key)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(tmp_path / "chain.pem", tmp_path / "key.pem")

    def shake_hands(wire: socket.socket) -> None:
        context.wrap_socket(wire, server_side=True).recv(1000)

    with broker(3, shake_hands) as (port, enough), teller(stand, "mqtts", port):
        assert enough.wait(GIVEN_UP_S)
    (said,) = lines(caplog)
    assert "certificate" in said


@left_open_by_paho
def test_a_port_that_speaks_no_tls_is_told_as_that(stand: Stand, caplog: pytest.LogCaptureFixture) -> None:
    def refuse(wire: socket.socket) -> None:
        wire.recv(1000)
        wire.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")

    with broker(3, refuse) as (port, enough), teller(stand, "mqtts", port):
        assert enough.wait(GIVEN_UP_S)
    (said,) = lines(caplog)
    assert "SSL" in said
