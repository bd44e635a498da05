"""One connection of the server, and the streams among them that have nothing to send."""

from __future__ import annotations

import contextlib
import select
import socket
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from waitress.channel import HTTPChannel
from waitress.task import WSGITask

from web.shares import whose
from web.streams import BEGIN, PUSH

DRAINED_BYTES = 8192
"""How much of what a stream's client sends is thrown away at once."""


class _Task(WSGITask):  # type: ignore[misc]  # waitress has no types
    """Answers one request, and lets a stream be written to by a thread that must not wait for its client."""

    def get_environment(self) -> dict[str, Any]:
        environ: dict[str, Any] = super().get_environment()
        environ[PUSH] = self._push
        environ[BEGIN] = self.channel.begin_stream
        return environ

    def _push(self, data: bytes) -> bool:
        return bool(self.channel.send_now(_chunk(data) if self.chunked_response else data))


@lru_cache(maxsize=8)
def _chunk(data: bytes) -> bytes:
    """Return `data` as a chunk of HTTP/1.1. What goes to many streams in turn is framed once."""
    return b"%X\r\n%b\r\n" % (len(data), data)


class Channel(HTTPChannel):  # type: ignore[misc]  # waitress has no types
    """One connection. While it carries a stream that was sent all there is, the server's loop has nothing to ask it.

    Waitress asks every channel at every turn of its loop, two turns a request: 200 streams cost more than the request.
    """

    task_class = _Task
    _resting = False
    """Whether it is among `RestingStreams`. Only the loop's thread changes it."""
    leaves = False
    """Whether it makes room for another connection. It is closed at the loop's next look."""
    gone: Callable[[], None] | None = None
    """Called when the client of a stream goes; None while no stream runs."""
    turn_over: Callable[[], None] | None = None
    """Called when the request that is under way becomes a stream."""

    def __init__(self, server: Any, connection: Any, address: Any, settings: Any, **more: Any) -> None:
        self.whose = whose(str(address[0]))
        """Whom the connection counts for."""
        super().__init__(server, connection, address, settings, **more)

    def service(self) -> None:
        """Answer one request."""
        super().service()
        self.gone = None
        self._wake()
        self.server.answered.set()

    def write_soon(self, data: Any) -> int:
        """Send `data` or leave it to the loop, from the request's own thread."""
        with self.outbuf_lock:
            self._wake()
            return int(super().write_soon(data))

    def begin_stream(self, gone: Callable[[], None]) -> None:
        """Call `gone` when the client goes. The request counts as a stream from now on."""
        self.gone = gone
        if self.turn_over is not None:
            self.turn_over()
        self._in_loop(self._rest)

    def readable(self) -> bool:
        """Return whether the loop shall look for what the client sends; of a stream, for its end."""
        return self.connected if self.gone is not None else bool(super().readable())

    def handle_read(self) -> None:
        """Take in what the client sent. While a stream runs it has nothing to say but that it goes."""
        if self.gone is None:
            super().handle_read()
            return
        with contextlib.suppress(OSError):
            self.recv(DRAINED_BYTES)

    def leave(self) -> None:
        """Let the client go. The loop closes the socket when it sees the end.

        Closed at once, its number would be that of the next connection, which the loop would then take what it saw of
        this one for.
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
        """Send what the client's socket takes, and leave the rest to the server's loop. False where it takes nothing.

        It does not go through waitress's buffers, which wake the loop for every channel.
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
        # The loop must not wait: who holds this lock may wait for the trigger's, which the loop holds now.
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
    """The streams that were sent all there is, which the server's loop asks as one: which clients have gone.

    The kernel keeps the list (`epoll_ctl(2)`, EPOLLRDHUP), so a turn of the loop costs the same with one and with 200.
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
        """Return whether the loop shall look for clients that went."""
        return True

    def writable(self) -> bool:
        """Return whether there is anything to send: never."""
        return False

    def handle_read_event(self) -> None:
        """Close the connections of clients that went."""
        for fd, _ in self._epoll.poll(0):
            self._channels[fd].handle_close()

    def close(self) -> None:
        """Forget them all."""
        self._asked.pop(self._epoll.fileno(), None)
        self._channels.clear()
        self._epoll.close()
