"""The hub's client of the broker: it pulls the tables' messages and tells tables what is stored.

Several hubs may pull at once. Each message goes to one of them, and to another one if that one dies before `done`.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import logging
import threading
from collections.abc import Coroutine, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

from nats.aio.msg import Msg
from nats.js.api import (
    AckPolicy,
    ConsumerConfig,
    DiscardPolicy,
    RetentionPolicy,
    StorageType,
    StreamConfig,
)
from nats.js.client import JetStreamContext
from nats.js.errors import NotFoundError

from appliance.hub.envelopes import MOST_BYTES
from appliance.hub.link.connection import ANSWER_S, FAILURES, Broker, connected, end, end_all
from appliance.hub.subjects import JOURNALS, STORED, every, seq_of, subject, table_of, written
from hardware.clock import ended

CONSUMER = "hub"
JOURNALS_BYTES = 3 * 2**30
"""Most bytes that wait for the hub on the broker's disk. If it is full, tables wait; their journals keep everything."""
OF_A_TABLE = 1000
"""Most waiting messages of one table. If all have the largest size, they take a sixth of `JOURNALS_BYTES`."""
ASKED_FOR = 64
PULLED_BYTES = 16 * 2**20
"""`ASKED_FOR` messages are requested at once, until a batch has so many bytes. A message may have half a mebibyte."""
MORE_WAIT_S = 0.05
"""Longest wait for further messages of a batch."""
WORKED_ON_S = 20
"""How long a hub may work on pulled messages before another hub gets them."""
WORKED_ON_MOST = 8192
FORGETS_IDS_S = 0.1
"""The broker's window for recognising duplicates by message id: the shortest that it accepts. Genuine tables send no
ids; the database always recognises repeated entries."""
HEADERS_BYTES = 4096
_Answer = TypeVar("_Answer")
_log = logging.getLogger(__name__)


class BrokerAwayError(Exception):
    """The broker cannot be reached or has failed; try again. After `close` it is always raised."""


class Pulled(NamedTuple):
    """One message: the table whose key sent it, its claimed entry number, and its undecoded bytes."""

    table: str
    seq: int
    data: bytes
    message: Msg


class BrokerMessages:
    """One connection, made on demand and made again after it was lost. Thread-safe.

    :param seed: the hub's own.
    :param authority: the certificate that signed the broker's, as DER.
    """

    def __init__(self, host: str, port: int, seed: str, authority: bytes) -> None:
        self._to = (host, port, seed, authority)
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="broker messages", daemon=True)
        self._thread.start()
        self._link: tuple[Broker, asyncio.Event, JetStreamContext.PullSubscription] | None = None
        self._linking = asyncio.Lock()
        self._is_open = True
        self._opening = threading.Lock()
        """Held while work is submitted to the loop. `close` ends all work that was submitted; none is afterwards."""
        self._statuses: dict[str, bytes] = {}
        self._why = ""

    def pull(self, at_most: int, wait_s: float) -> list[Pulled]:
        """Return the next messages; none if none arrived within `wait_s` seconds.

        :raises BrokerAwayError: the broker is unreachable.
        """
        return self._wait_for(self._pull(at_most, wait_s), wait_s)

    def statuses(self) -> dict[str, bytes]:
        """Return the newest report of each table that sent one since the last call."""
        return self._wait_for(self._take_statuses(), 0)

    def stored(self, newest: Mapping[str, int], written_s: Mapping[str, float]) -> None:
        """Tell tables the entry up to which the database has committed everything, and when that was written.

        :raises BrokerAwayError: the broker is unreachable.
        """
        self._wait_for(self._stored(newest, written_s), 0)

    def wanted(self, offers: Mapping[str, bytes]) -> None:
        """Tell tables what the hub offers them.

        :raises BrokerAwayError: the broker is unreachable.
        """
        self._wait_for(self._wanted(offers), 0)

    def done(self, pulled: Sequence[Pulled]) -> None:
        """Acknowledge messages, after their tables were told that they are stored.

        :raises BrokerAwayError: the broker is unreachable.
        """
        self._wait_for(self._done(pulled), 0)

    def waiting(self) -> int:
        """Return the number of messages that the broker holds for the hub: not yet pulled, or not yet `done`.

        :raises BrokerAwayError: the broker is unreachable.
        """
        return self._wait_for(self._waiting(), 0)

    def close(self) -> None:
        """Close the connection. Calls that wait in other threads raise `BrokerAwayError`."""
        with self._opening:
            if not self._is_open:
                return
            self._is_open = False
        asyncio.run_coroutine_threadsafe(self._end(), self._loop).result(3 * ANSWER_S)
        self._loop.call_soon_threadsafe(self._loop.stop)
        ended(self._thread, ANSWER_S)
        self._loop.close()

    def _wait_for(self, work: Coroutine[Any, Any, _Answer], wait_s: float) -> _Answer:
        try:
            future = self._begun(work)
            return future.result(wait_s + 3 * ANSWER_S)
        except concurrent.futures.CancelledError:
            raise BrokerAwayError("closed") from None
        except FAILURES as error:
            future.cancel()
            self._note(type(error).__name__)
            self._begun(self._close()).result(ANSWER_S)
            raise BrokerAwayError(type(error).__name__) from None

    def _begun(self, work: Coroutine[Any, Any, _Answer]) -> concurrent.futures.Future[_Answer]:
        with self._opening:
            if self._is_open:
                return asyncio.run_coroutine_threadsafe(work, self._loop)
        work.close()
        raise BrokerAwayError("closed")

    def _note(self, why: str) -> None:
        """Log once why there is no connection."""
        if why != self._why:
            self._why = why
            _log.warning("there is no connection to the broker that works (%s); another is made", why)

    # -- coroutines, in the loop's thread ------------------------------------------------------------------------

    async def _pull(self, at_most: int, wait_s: float) -> list[Pulled]:
        _, consumer = await self._linked()
        found: list[Pulled] = []
        size = 0
        # A request limits messages, not bytes, and the broker sends all requested messages at once.
        while len(found) < at_most and size < PULLED_BYTES:
            asked = min(ASKED_FOR, at_most - len(found))
            try:
                messages = await consumer.fetch(asked, timeout=MORE_WAIT_S if found else wait_s)
            except TimeoutError:
                # nats-py raises its own TimeoutError or Python's, depending on where the time ran out. Pings detect a
                # dead connection.
                break
            found += [_pulled(message) for message in messages]
            size += sum(len(message.data) for message in messages)
            if len(messages) < asked:
                break
        return found

    async def _take_statuses(self) -> dict[str, bytes]:
        taken, self._statuses = self._statuses, {}
        return taken

    async def _stored(self, newest: Mapping[str, int], written_s: Mapping[str, float]) -> None:
        broker, _ = await self._linked()
        for table, seq in newest.items():
            await broker.publish(subject(table, "stored"), b"%d" % seq, headers=written(written_s.get(table)))
        await broker.flush(int(ANSWER_S))

    async def _wanted(self, offers: Mapping[str, bytes]) -> None:
        broker, _ = await self._linked()
        for table, said in offers.items():
            await broker.publish(subject(table, "wanted"), said)
        await broker.flush(int(ANSWER_S))

    async def _done(self, pulled: Sequence[Pulled]) -> None:
        broker, _ = await self._linked()
        for one in pulled:
            await one.message.ack()
        await broker.flush(int(ANSWER_S))

    async def _waiting(self) -> int:
        broker, _ = await self._linked()
        return int((await broker.jetstream(timeout=ANSWER_S).stream_info(JOURNALS)).state.messages)

    async def _said(self, message: Msg) -> None:
        self._statuses[table_of(message.subject)] = message.data

    async def _linked(self) -> tuple[Broker, JetStreamContext.PullSubscription]:
        async with self._linking:
            if self._link is None or self._link[1].is_set():
                await self._close()
                broker, lost = await connected(*self._to, "_INBOX_hub")
                try:
                    self._link = broker, lost, await self._subscribed(broker)
                except BaseException:
                    await end(broker)
                    raise
                self._why = ""
            return self._link[0], self._link[2]

    async def _subscribed(self, broker: Broker) -> JetStreamContext.PullSubscription:
        jetstream = broker.jetstream(timeout=ANSWER_S)
        for stream in _streams():
            await _made(jetstream, stream)
        await jetstream.add_consumer(JOURNALS, _consumer())
        consumer = await jetstream.pull_subscribe_bind(CONSUMER, JOURNALS)
        await broker.subscribe(every("status"), cb=self._said)
        return consumer

    async def _end(self) -> None:
        # Before Python 3.12 `asyncio.wait_for` loses a cancellation that arrives together with the awaited result. A
        # connection that was being made is then established, and the second pass ends it.
        for _ in range(2):
            await self._close()
            await end_all()

    async def _close(self) -> None:
        link, self._link = self._link, None
        if link is not None:
            await end(link[0])


def _pulled(message: Msg) -> Pulled:
    said = seq_of(message.headers)
    return Pulled(table_of(message.subject), 0 if said is None else said, message.data, message)


def _consumer() -> ConsumerConfig:
    return ConsumerConfig(
        durable_name=CONSUMER,
        ack_policy=AckPolicy.EXPLICIT,
        ack_wait=WORKED_ON_S,
        max_ack_pending=WORKED_ON_MOST,
        max_waiting=64,
    )


def _streams() -> tuple[StreamConfig, ...]:
    journals = StreamConfig(
        name=JOURNALS,
        subjects=[every("journal")],
        # Acknowledged messages are deleted. If the broker holds none of a table, everything it received is stored.
        retention=RetentionPolicy.WORK_QUEUE,
        storage=StorageType.FILE,
        discard=DiscardPolicy.NEW,
        discard_new_per_subject=True,
        max_bytes=JOURNALS_BYTES,
        max_msgs_per_subject=OF_A_TABLE,
        max_msg_size=MOST_BYTES + HEADERS_BYTES,
        duplicate_window=FORGETS_IDS_S,
        allow_direct=True,
    )
    stored = StreamConfig(
        name=STORED, subjects=[every("stored")], storage=StorageType.FILE, max_msgs_per_subject=1, allow_direct=True
    )
    return journals, stored


async def _made(jetstream: JetStreamContext, stream: StreamConfig) -> None:
    try:
        await jetstream.stream_info(str(stream.name))
    except NotFoundError:
        await jetstream.add_stream(stream)
    else:
        await jetstream.update_stream(stream)
