"""The server's connections and threads, shared out by address: each has a share, and the touchscreen has its own."""

from __future__ import annotations

import threading
from collections import Counter, OrderedDict, deque
from typing import Any

from waitress.server import TcpWSGIServer
from waitress.task import ThreadedTaskDispatcher

from web.channel import Channel, RestingStreams
from web.shares import CONNECTIONS_KEPT, CONNECTIONS_OF_ONE, OWN, REQUESTS_OF_ONE, THREADS_KEPT, whose

ACCEPTED_AT_ONCE = 64
"""Connections taken in before the others are looked at again."""


class Turn:
    """One request, from its thread to its answer or to the stream that it becomes."""

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
        return [one for one in self.active_channels.values() if not one.leaves]


def _one_leaves(channels: list[Channel]) -> bool:
    """Let the connection go that has been idle longest. Return False where each has a request under way."""
    idle = [one for one in channels if not one.requests]
    if not idle:
        return False
    min(idle, key=lambda one: float(one.last_activity)).leave()
    return True
