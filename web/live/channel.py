"""One connection of the server, and the set of idle streams: those without unsent data."""

from __future__ import annotations

import contextlib
import select
import socket
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from waitress.channel import HTTPChannel
from waitress.parser import HTTPRequestParser, ParsingError
from waitress.task import WSGITask
from waitress.utilities import BadRequest

from web.doors.shares import whose
from web.live.streams import BEGIN, PUSH

TLS_HANDSHAKE = b"\x16"
"""The first byte of a client that speaks TLS (RFC 8446, 5.1). No request begins with it."""
DRAINED_BYTES = 8192
"""Bytes that are read from a stream's client at once. They are discarded."""


class _Request(HTTPRequestParser):  # type: ignore[misc]  # waitress has no types
    """Reads one request. One that cannot be read is answered with status 400."""

    def received(self, data: bytes) -> int:
        """Read more of the request. A browser that tries https first fails at once, and does not wait for an answer."""
        if self.body_rcv is None and (self.header_plus + data).startswith(TLS_HANDSHAKE):
            self.parse_header(b"GET / HTTP/1.0\r\n")
            self.error = BadRequest("This server speaks HTTP without TLS.")
            self.completed = True
            return len(data)
        return int(super().received(data))

    def parse_header(self, header_plus: bytes) -> None:
        """Read the first line and the headers.

        :raises ParsingError: if they cannot be read. Waitress leaves some addresses and numbers to the standard
            library, whose errors would end the connection without an answer and be logged as a bug.
        """
        try:
            super().parse_header(header_plus)
        except ValueError:
            raise ParsingError("This request cannot be read.") from None


class _Task(WSGITask):  # type: ignore[misc]  # waitress has no types
    """Answers one request. Another thread, which must not block on the client, can write to its stream."""

    def get_environment(self) -> dict[str, Any]:
        environ: dict[str, Any] = super().get_environment()
        environ[PUSH] = self._push
        environ[BEGIN] = self.channel.begin_stream
        return environ

    def _push(self, data: bytes) -> bool:
        return bool(self.channel.send_now(_chunk(data) if self.chunked_response else data))


@lru_cache(maxsize=8)
def _chunk(data: bytes) -> bytes:
    """Return `data` as a chunk of HTTP/1.1. The cache frames data for many streams once."""
    return b"%X\r\n%b\r\n" % (len(data), data)


class Channel(HTTPChannel):  # type: ignore[misc]  # waitress has no types
    """One connection. While it carries a stream without unsent data, the server's loop does not poll it.

    Waitress polls every channel on every turn of its loop, and a request takes two turns. Polling 200 streams would
    cost more than the request.
    """

    parser_class = _Request
    task_class = _Task
    _resting = False
    """Whether it is in `RestingStreams`. Only the loop's thread changes it."""
    leaves = False
    """Whether it has to make room for another connection. The loop closes it on its next turn."""
    gone: Callable[[], None] | None = None
    """Called when the client of a stream disconnects; None while no stream runs."""
    turn_over: Callable[[], None] | None = None
    """Called when the current request becomes a stream."""

    def __init__(self, server: Any, connection: Any, address: Any, settings: Any, **more: Any) -> None:
        self.whose = whose(str(address[0]))
        """The key that the connection counts for (`web.doors.shares.whose`)."""
        super().__init__(server, connection, address, settings, **more)

    def service(self) -> None:
        """Answer one request."""
        super().service()
        self.gone = None
        self._wake()
        self.server.answered.set()

    def write_soon(self, data: Any) -> int:
        """Send `data` or leave it to the loop. Called from the request's own thread."""
        with self.outbuf_lock:
            self._wake()
            return int(super().write_soon(data))

    def _flush_outbufs_below_high_watermark(self) -> None:
        """Wait until the client has read, but end the connection of one that sends further requests and does not read.

        Waiting keeps a thread, and one of the requests of everybody behind the same address.
        """
        if len(self.requests) < 2:
            super()._flush_outbufs_below_high_watermark()
            return
        with self.outbuf_lock:
            self._flush_exception(self._flush_some, do_close=False)
            reads = self.total_outbufs_len <= self.adj.outbuf_high_watermark
        if not reads:
            self.leave()

    def begin_stream(self, gone: Callable[[], None]) -> None:
        """Call `gone` when the client disconnects. The request counts as a stream from now on."""
        self.gone = gone
        if self.turn_over is not None:
            self.turn_over()
        self._in_loop(self._rest)

    def readable(self) -> bool:
        """Return whether the loop has to poll for input. A stream is polled only to notice its end."""
        return self.connected if self.gone is not None else bool(super().readable())

    def handle_read(self) -> None:
        """Read the client's input. While a stream runs, input is discarded; only the disconnect matters."""
        if self.gone is None:
            super().handle_read()
            return
        with contextlib.suppress(OSError):
            self.recv(DRAINED_BYTES)

    def handle_write(self) -> None:
        """Send what waits, unless the client's end was seen in the same turn of the loop: the socket is closed then."""
        if self.connected:
            super().handle_write()

    def leave(self) -> None:
        """Shut the connection down. The loop closes the socket when it sees the end.

        If the socket were closed here, the next connection could get its file descriptor. The loop would then apply
        the poll result of this connection to the new one.
        """
        self.leaves = True
        with contextlib.suppress(OSError):
            self.socket.shutdown(socket.SHUT_RDWR)

    def handle_close(self) -> None:
        """Close the connection, and end its stream at once."""
        self._rejoin()
        super().handle_close()
        if self.gone is not None:
            self.gone()

    def send_now(self, data: bytes) -> bool:
        """Send what the client's socket accepts and leave the rest to the loop. Return False if nothing is sent.

        This bypasses waitress's buffers, which would wake the loop for every channel.
        """
        with self.outbuf_lock:
            if self.total_outbufs_len or not self.connected:
                return False  # earlier data still waits for the client, or the client has gone
            try:
                sent = self.socket.send(data)
            except OSError:
                return False  # the stream's own thread waits for the client, or notices that it has gone
            if sent < len(data):
                self.outbufs[-1].append(data[sent:])
                self.current_outbuf_count += len(data) - sent
                self.total_outbufs_len += len(data) - sent
                self._in_loop(self._rejoin)
            elif not self._resting:
                self._in_loop(self._rest)
        return True

    def _wake(self) -> None:
        if self._resting:
            self._in_loop(self._rejoin)

    def _in_loop(self, deed: Callable[[], None]) -> None:
        with contextlib.suppress(OSError):  # the server has stopped, and its trigger is closed
            self.server.trigger.pull_trigger(deed)

    def _rest(self) -> None:
        # Do not block: the holder of this lock may be waiting for the trigger's lock, which the loop holds now.
        if self._resting or not self.outbuf_lock.acquire(blocking=False):
            return
        try:
            if self.connected and self.gone is not None and not self.writable():
                self._resting = True
                self.server.resting.add(self)
        finally:
            self.outbuf_lock.release()

    def _rejoin(self) -> None:
        if self._resting:
            self._resting = False
            self.server.resting.remove(self)


class RestingStreams:
    """The streams without unsent data. The server's loop polls them as one object, for disconnected clients.

    The kernel keeps the list (`epoll_ctl(2)`, EPOLLRDHUP), so a turn of the loop costs the same with 1 and 200 streams.
    """

    accepting = False

    def __init__(self, asked: dict[int, Any]) -> None:
        self._asked = asked
        self._epoll = select.epoll()
        self._channels: dict[int, Channel] = {}
        asked[self._epoll.fileno()] = self

    def add(self, channel: Channel) -> None:
        """Take a channel over from the loop."""
        fd = channel.socket.fileno()
        self._channels[fd] = channel
        self._asked.pop(fd, None)
        self._epoll.register(fd, select.EPOLLRDHUP)

    def remove(self, channel: Channel) -> None:
        """Give a channel back to the loop."""
        fd = channel.socket.fileno()
        del self._channels[fd]
        self._asked[fd] = channel
        self._epoll.unregister(fd)

    def readable(self) -> bool:
        """Return True: the loop always polls for disconnected clients."""
        return True

    def writable(self) -> bool:
        """Return False: there is never anything to send."""
        return False

    def handle_read_event(self) -> None:
        """Close the connections of clients that have disconnected."""
        for fd, _ in self._epoll.poll(0):
            self._channels[fd].handle_close()

    def close(self) -> None:
        """Remove all streams and close the epoll object."""
        self._asked.pop(self._epoll.fileno(), None)
        self._channels.clear()
        self._epoll.close()
