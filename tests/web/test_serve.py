"""What leaves by one send of another thread: whole messages in order, whatever the client's socket takes at once."""

from __future__ import annotations

import socket
from types import SimpleNamespace

from waitress.adjustments import Adjustments

from web.connections import Channel


def test_a_message_that_a_slow_client_takes_in_parts_arrives_whole_and_later_ones_wait() -> None:
    ours, clients = socket.socketpair()
    ours.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4096)
    woken: list[bool] = []
    server = SimpleNamespace(active_channels={}, pull_trigger=lambda: woken.append(True))
    channel = Channel(server, ours, ("", 0), Adjustments(), map={})
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


def test_a_client_that_has_gone_is_left_to_its_own_thread() -> None:
    ours, clients = socket.socketpair()
    channel = Channel(SimpleNamespace(active_channels={}), ours, ("", 0), Adjustments(), map={})
    clients.close()
    assert not channel.send_now(b"anybody?")
    assert not channel.total_outbufs_len
    channel.close()
