"""The server's connections and threads, shared out by address: each has a share, and the touchscreen has its own."""

from __future__ import annotations

import contextlib
import select
import threading
from collections import Counter, OrderedDict, deque
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from waitress.channel import HTTPChannel
from waitress.server import TcpWSGIServer
from waitress.task import ThreadedTaskDispatcher, WSGITask

from web.live import BEGIN, PUSH
from web.shares import CONNECTIONS_KEPT, CONNECTIONS_OF_ONE, OWN, REQUESTS_OF_ONE, THREADS_KEPT, whose

ACCEPTED_AT_ONCE = 64
"""Connections taken in before the others are looked at again."""
DRAINED_BYTES = 8192


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
    gone: Callable[[], None] | None = None
    """Called when the client of a stream goes; None while no stream runs."""
    turn: Turn | None = None

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
        if self.turn is not None:
            self.turn.end()
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


class Turn:
    """One request, from its thread to its answer or to the stream that it becomes."""

    def __init__(self, dispatcher: FairDispatcher, channel: Channel) -> None:
        self._dispatcher, self._channel = dispatcher, channel
        self.whose = channel.whose
        self._ended = False

    def service(self) -> None:
        """Answer the request."""
        self._channel.turn = self
        try:
            self._channel.service()
        finally:
            self.end()

    def end(self) -> None:
        """Let the next request begin. Only the first call counts."""
        if not self._ended:
            self._ended = True
            self._dispatcher.ended(self.whose)

    def cancel(self) -> None:
        """Give the request up."""
        self._channel.cancel()


class _NewestFirst(threading.Condition):
    """Wakes the thread that began to wait last. In turn, each of hundreds would keep a used stack of its own."""

    def notify(self, n: int = 1) -> None:
        """Wake the `n` newest."""
        self._waiters.rotate(n)  # type: ignore[attr-defined]  # a deque, of which the first are woken
        super().notify(n)


class FairDispatcher(ThreadedTaskDispatcher):  # type: ignore[misc]  # waitress has no types
    """Gives threads to requests: to each address in turn, and to none more than its share. The others wait.

    A stream keeps its thread, but counts as no request once it began: `web.shares.StreamPlaces` bounds streams.

    :param streams_most: streams at once.
    :param spare: threads for everything else, at least 2.
    """

    def __init__(self, streams_most: int, spare: int) -> None:
        super().__init__()
        self.queue_cv = _NewestFirst(self.lock)
        self._spare = spare
        self._of_strangers = max(spare - THREADS_KEPT, 1)
        self._under_way: Counter[str] = Counter()
        self._waiting: OrderedDict[str, deque[Turn]] = OrderedDict()
        self.set_thread_count(streams_most + spare)

    def add_task(self, channel: Channel) -> None:
        """Let the next request of `channel` begin when it is its turn."""
        turn = Turn(self, channel)
        with self.lock:
            self._waiting.setdefault(turn.whose, deque()).append(turn)
            self._begin()

    def ended(self, who: str) -> None:
        """Note that a request of `who` ended."""
        with self.lock:
            self._under_way[who] -= 1
            if not self._under_way[who]:
                del self._under_way[who]
            self._begin()

    def shutdown(self, cancel_pending: bool = True, timeout: float = 5) -> bool:
        """End all threads; what waits is given up."""
        with self.lock:
            self._waiting.clear()
        return bool(super().shutdown(cancel_pending, timeout))

    def _begin(self) -> None:
        """Begin every request that may. The lock is held."""
        begun = True
        while begun:
            begun = False
            for who in list(self._waiting):
                if self._may_begin(who):
                    begun = True
                    turn = self._waiting[who].popleft()
                    self._waiting.move_to_end(who)
                    if not self._waiting[who]:
                        del self._waiting[who]
                    self._under_way[who] += 1
                    self.queue.append(turn)
                    self.queue_cv.notify()

    def _may_begin(self, who: str) -> bool:
        under_way = self._under_way.total()
        if who == OWN:
            return under_way < self._spare
        strangers = under_way - self._under_way[OWN]
        room = under_way < self._spare and strangers < self._of_strangers
        return room and self._under_way[who] < REQUESTS_OF_ONE


class FairServer(TcpWSGIServer):  # type: ignore[misc]  # waitress has no types
    """Takes connections in. A new one of an address that has its share takes the place of its longest idle one."""

    def __init__(self, *given: Any, **more: Any) -> None:
        self.answered = threading.Event()
        """Set once a request was answered."""
        super().__init__(*given, **more)
        self.resting = RestingStreams(self._map)

    def handle_accept(self) -> None:
        """Take in the connections that wait."""
        for _ in range(ACCEPTED_AT_ONCE):
            try:
                taken = self.accept()
                if taken is None:
                    return
                connection, address = taken
                self.set_socket_options(connection)
            except OSError:
                return
            if self._has_room(whose(str(address[0]))):
                Channel(self, connection, address, self.adj, map=self._map)
            else:
                connection.close()

    def _has_room(self, who: str) -> bool:
        if who == OWN:
            return True
        strangers = [one for one in self._channels() if one.whose != OWN]
        same = [one for one in strangers if one.whose == who]
        if len(same) >= CONNECTIONS_OF_ONE:
            return _one_leaves(same)
        if len(strangers) < self.adj.connection_limit - CONNECTIONS_KEPT:
            return True
        busiest, _ = Counter(one.whose for one in strangers).most_common(1)[0]
        return _one_leaves([one for one in strangers if one.whose == busiest])

    def _channels(self) -> list[Channel]:
        return list(self.active_channels.values())


def _one_leaves(channels: list[Channel]) -> bool:
    """Close the connection that has been idle longest. Return False where each has a request under way."""
    idle = [one for one in channels if not one.requests]
    if not idle:
        return False
    min(idle, key=lambda one: float(one.last_activity)).handle_close()
    return True
