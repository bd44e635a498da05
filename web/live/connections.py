"""Limits the server's connections and threads per address. A share of both is reserved for the touchscreen."""

from __future__ import annotations

import socket
import threading
from collections import Counter, OrderedDict, deque
from typing import Any

from waitress.adjustments import Adjustments
from waitress.server import TcpWSGIServer
from waitress.task import ThreadedTaskDispatcher

from appliance.service.sender import unmapped
from web.doors.shares import (
    CONNECTIONS_KEPT,
    CONNECTIONS_OF_ONE,
    OWN,
    REQUESTS_OF_ONE,
    THREADS_KEPT,
    whose,
)
from web.live.channel import Channel, RestingStreams

ACCEPTED_AT_ONCE = 64
"""Connections that are accepted before the loop polls the other sockets again."""


class Turn:
    """One request, from its start until it is answered or becomes a stream."""

    def __init__(self, dispatcher: FairDispatcher, channel: Channel) -> None:
        self._dispatcher, self._channel = dispatcher, channel
        self.whose = channel.whose
        self._ended = False

    def service(self) -> None:
        """Answer the request."""
        self._channel.turn_over = self.end
        try:
            self._channel.service()
        finally:
            self.end()

    def end(self) -> None:
        """Count the request as ended, so that the next one can begin. Only the first call has an effect."""
        if not self._ended:
            self._ended = True
            self._dispatcher.ended(self.whose)

    def cancel(self) -> None:
        """Cancel the request."""
        self._channel.cancel()


class _NewestFirst(threading.Condition):
    """Wakes the thread that began to wait last. In FIFO order, the stacks of hundreds of threads would stay in use."""

    def notify(self, n: int = 1) -> None:
        """Wake the `n` newest."""
        self._waiters.rotate(n)  # type: ignore[attr-defined]  # a deque, of which the first are woken
        super().notify(n)


class FairDispatcher(ThreadedTaskDispatcher):  # type: ignore[misc]  # waitress has no types
    """Assigns threads to requests. Addresses take turns, and none gets more than its share; further requests wait.

    A stream keeps its thread, but does not count as a request once it has begun: `web.doors.shares.StreamPlaces`
    limits it. A thread is started when a request needs it and none is idle; it stays.

    :param streams_most: most simultaneous streams.
    :param spare: threads for everything else, at least 2.
    """

    def __init__(self, streams_most: int, spare: int) -> None:
        super().__init__()
        self.queue_cv = _NewestFirst(self.lock)
        self._spare = spare
        self._of_strangers = max(spare - THREADS_KEPT, 1)
        self._under_way: Counter[str] = Counter()
        self._waiting: OrderedDict[str, deque[Turn]] = OrderedDict()
        self._threads_most = streams_most + spare

    def add_task(self, channel: Channel) -> None:
        """Queue the next request of `channel`."""
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
        """End all threads and drop the queued requests."""
        with self.lock:
            self._waiting.clear()
            self._threads_most = 0
        return bool(super().shutdown(cancel_pending, timeout))

    def _begin(self) -> None:
        """Begin every request that may begin. The caller holds the lock."""
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
                    self._add_thread()

    def _add_thread(self) -> None:
        """Start a thread if fewer are idle than requests are queued. The caller holds the lock."""
        number = len(self.threads)
        if number - self.active_count >= len(self.queue) or number >= self._threads_most:
            return
        try:
            self.start_new_thread(self.handler_thread, number)
        except RuntimeError:  # the system has no room for another thread: the request waits for one of these
            return
        self.threads.add(number)
        self.active_count += 1

    def _may_begin(self, who: str) -> bool:
        under_way = self._under_way.total()
        if who == OWN:
            return under_way < self._spare
        strangers = under_way - self._under_way[OWN]
        room = under_way < self._spare and strangers < self._of_strangers
        return room and self._under_way[who] < REQUESTS_OF_ONE


class FairServer(TcpWSGIServer):  # type: ignore[misc]  # waitress has no types
    """Accepts connections. At an address's limit, a new connection replaces the longest idle one of that address.

    At the limit of all strangers together, it replaces the longest idle one of the address with most connections.

    :param listening: the bound socket.
    """

    def __init__(self, app: Any, listening: socket.socket, dispatcher: FairDispatcher, settings: Adjustments) -> None:
        self.answered = threading.Event()
        """Set once a request has been answered."""
        info = (listening.family, listening.type, listening.proto, listening.getsockname())
        super().__init__(app, _sock=listening, dispatcher=dispatcher, adj=settings, sockinfo=info, bind_socket=False)
        self.resting = RestingStreams(self._map)

    def handle_accept(self) -> None:
        """Accept the waiting connections."""
        for _ in range(ACCEPTED_AT_ONCE):
            try:
                taken = self.accept()
                if taken is None:
                    return
                connection, (host, *more) = taken
                self.set_socket_options(connection)
            except OSError:
                return
            address = unmapped(str(host))
            if self._has_room(whose(address)):
                Channel(self, connection, (address, *more), self.adj, map=self._map)
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
        return [one for one in self.active_channels.values() if not one.leaves]


def _one_leaves(channels: list[Channel]) -> bool:
    """Shut down the connection that has been idle longest. Return False if each has a request under way."""
    idle = [one for one in channels if not one.requests]
    if not idle:
        return False
    min(idle, key=lambda one: float(one.last_activity)).leave()
    return True
