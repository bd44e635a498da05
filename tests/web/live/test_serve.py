"""What leaves by one send of another thread: whole messages in order, whatever the client's socket takes at once."""

from __future__ import annotations

import contextlib
import socket
import struct
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
from waitress.adjustments import Adjustments
from waitress.wasyncore import poll2

from web.live.channel import Channel, RestingStreams


def _server(in_loop: Callable[[Callable[[], None]], None], asked: dict[int, Any] | None = None) -> SimpleNamespace:
    """What a channel needs of its server, whose loop asks all in `asked` and is told by `in_loop` what to do."""
    resting = RestingStreams({} if asked is None else asked)
    return SimpleNamespace(active_channels={}, trigger=SimpleNamespace(pull_trigger=in_loop), resting=resting)


def test_a_message_that_a_slow_client_takes_in_parts_arrives_whole_and_later_ones_wait() -> None:
    ours, clients = socket.socketpair()
    ours.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4096)
    woken: list[bool] = []
    channel = Channel(_server(lambda deed: woken.append(True)), ours, ("", 0), Adjustments(), map={})
    taken, number = b"", 0
    while channel.send_now(message := b"%d " % number * 300_000):
        taken, number = taken + message, number + 1
    assert number > 0, "an empty socket takes a message"
    assert woken, "the loop is told that the rest of a message waits"
    assert channel.writable()
    assert not channel.send_now(b"later"), "nothing overtakes the rest"
    clients.setblocking(False)
    arrived = b""
    while len(arrived) < len(taken):
        arrived += clients.recv(1 << 16)
        channel.handle_write()
    assert arrived == taken
    assert channel.send_now(b"later")
    assert clients.recv(1 << 16) == b"later"
    channel.close()
    clients.close()


def test_no_message_overtakes_the_rest_of_an_earlier_one_once_the_client_has_room_again() -> None:
    ours, clients = socket.socketpair()
    ours.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4096)
    clients.setblocking(False)
    channel = Channel(_server(lambda deed: None), ours, ("", 0), Adjustments(), map={})
    earlier = b"0123456789" * 100_000
    assert channel.send_now(earlier)
    arrived = b""
    with contextlib.suppress(BlockingIOError):
        while part := clients.recv(1 << 16):
            arrived += part
    assert 0 < len(arrived) < len(earlier), "the rest waits, and the client has room for it"
    assert not channel.send_now(b"later")
    while len(arrived) < len(earlier):
        channel.handle_write()
        arrived += clients.recv(1 << 16)
    assert arrived == earlier
    channel.close()
    clients.close()


@pytest.mark.parametrize("rests", [True, False])
def test_a_stream_is_told_when_its_connection_closes(rests: bool) -> None:
    ours, clients = socket.socketpair()
    deeds: list[Callable[[], None]] = []
    channel = Channel(_server(deeds.append), ours, ("", 0), Adjustments(), map={})
    gone: list[bool] = []
    channel.begin_stream(lambda: gone.append(True))
    while rests and deeds:
        deeds.pop(0)()
    assert not gone
    channel.handle_close()
    assert gone == [True]
    assert not channel.connected
    clients.close()


def test_a_stream_whose_client_goes_while_it_is_behind_leaves_no_traceback(caplog: pytest.LogCaptureFixture) -> None:
    """A phone that is switched off: its end and room for the rest of a message are seen in one turn of the loop."""
    with socket.create_server(("127.0.0.1", 0)) as listens:
        client = socket.create_connection(listens.getsockname())
        ours, _ = listens.accept()
    asked: dict[int, Any] = {}
    channel = Channel(_server(lambda deed: deed(), asked), ours, ("", 0), Adjustments(), map=asked)
    told: list[bool] = []
    channel.begin_stream(lambda: told.append(True))
    while channel.send_now(b"x" * 1000):
        pass
    client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    client.close()
    while not told:
        poll2(1.0, asked)
    channel.close()
    assert not caplog.records


def test_a_client_that_has_gone_is_left_to_its_own_thread() -> None:
    ours, clients = socket.socketpair()
    channel = Channel(_server(lambda deed: None), ours, ("", 0), Adjustments(), map={})
    clients.close()
    assert not channel.send_now(b"anybody?")
    assert not channel.total_outbufs_len
    channel.close()


def test_the_loop_asks_nothing_of_a_stream_that_was_sent_all_and_asks_again_when_something_waits() -> None:
    ours, clients = socket.socketpair()
    ours.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4096)
    asked: dict[int, Any] = {}
    deeds: list[Callable[[], None]] = []
    server = _server(deeds.append, asked)
    channel = Channel(server, ours, ("", 0), Adjustments(), map=asked)

    def asked_of_it() -> bool:
        while deeds:
            deeds.pop(0)()
        return channel in asked.values()

    gone: list[bool] = []
    channel.begin_stream(lambda: gone.append(True))
    assert not asked_of_it()
    assert channel.send_now(b"all of it")
    assert not asked_of_it()
    while channel.send_now(b"more than the client takes at once" * 1000):
        pass
    assert asked_of_it(), "the loop sends the rest"
    clients.setblocking(False)
    while channel.total_outbufs_len:
        clients.recv(1 << 16)
        channel.handle_write()
    assert channel.send_now(b"later")
    assert not asked_of_it()
    channel.write_soon(b"from the stream's own thread")
    assert asked_of_it()
    channel.handle_write()
    assert channel.send_now(b"all of it")
    assert not asked_of_it()
    server.resting.handle_read_event()
    assert not gone
    clients.close()
    server.resting.handle_read_event()
    assert gone, "the stream of a client that went ends while it rests"
    assert not asked_of_it()
    server.resting.close()
    assert not asked
