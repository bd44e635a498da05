"""Sends one table's journal and status to its hub, through whatever fails on the way, in an asyncio loop."""

from __future__ import annotations

import asyncio
import logging
import random
from collections.abc import Callable
from typing import Any

from nats.aio.msg import Msg

from appliance.hub.envelopes import written_s
from appliance.hub.link.connection import ANSWER_S, Broker, connected, end
from appliance.hub.link.invitation import Invitation
from appliance.hub.outbox.progress import Progress
from appliance.hub.outbox.teller import Teller
from appliance.hub.report import Trouble
from appliance.hub.subjects import JOURNALS, inbox, last_of, numbered, seq_of, subject, written_of
from appliance.journal.journal_file import JournalError

BATCH = 64
"""Entries that wait for the broker's acknowledgement at once."""
PAUSE_S = 0.05
"""Between the batches of a backlog: a game that is played meanwhile has the processor."""
LOOK_S = 1.0
"""How often the journal is looked at for news."""
STALE_S, STALE_MOST_S = 15.0, 300.0
"""How long without word of what was stored until the broker is asked what it has: at first, and at most."""
REPORT_S, CHANGED_S = 60.0, 2.0
"""How often the status is said, and how often at most when it changes."""
AGAIN_S, AGAIN_MOST_S = 1.0, 300.0
"""The first pause before another try, and the longest. Half of each is chance: a hub's tables come back one by one."""
_log = logging.getLogger(__name__)

Say = Callable[[int, int, Trouble | None], bytes]
"""Makes a report of the newest entry, the newest stored one and what is wrong."""


class Sender:
    """One table's.

    :param report: makes what is said of the table now.
    :param changed: returns something that differs when the table stands otherwise than before.
    :param wanted: called with what the hub offers.
    :param troubled: called when the journal is not sent any more for a reason that people have to know, and when it is.
    """

    def __init__(
        self,
        invitation: Invitation,
        teller: Teller,
        progress: Progress,
        newest: Callable[[], int],
        report: Say,
        changed: Callable[[], Any],
        troubled: Callable[[Trouble | None], None] = lambda trouble: None,
        wanted: Callable[[bytes], None] = lambda said: None,
    ) -> None:
        self._to, self._teller, self.progress, self._newest = invitation, teller, progress, newest
        self._report, self._changed, self._troubled, self._wanted = report, changed, troubled, wanted
        self._stopping = asyncio.Event()
        self._trouble: Trouble | None = None
        self._failures = 0
        self._was_up: bool | None = None
        self.published = 0
        """Envelopes that the broker acknowledged."""

    async def run(self) -> None:
        """Send until `stop`."""
        while not self._stopping.is_set():
            try:
                await self._session()
            except JournalError:
                self._in_trouble("journal_unreadable")
            except Exception as error:
                # Whatever it is, a table that runs for months tries again. What an exception says may quote a secret.
                self._note(error)
            pause_s = min(AGAIN_S * 2 ** min(self._failures, 10), AGAIN_MOST_S)
            self._failures += 1
            await self._wait(pause_s * random.uniform(0.5, 1.0))
        self.progress.keep()

    def stop(self) -> None:
        """End `run`. Call it in the loop's thread."""
        self._stopping.set()

    async def _session(self) -> None:
        to = self._to
        broker, lost = await connected(to.host, to.port, to.seed, to.authority, inbox(to.table))
        try:
            await broker.subscribe(subject(to.table, "stored"), cb=self._hear)
            await broker.subscribe(subject(to.table, "wanted"), cb=self._hear_offer)
            await self._ask(broker)
            self._note(None)
            if self._trouble == "journal_unreadable":
                self._in_trouble(None)
            await self._send_on(broker, lost)
        finally:
            await end(broker)

    async def _send_on(self, broker: Broker, lost: asyncio.Event) -> None:
        loop = asyncio.get_running_loop()
        reported_s, reported, said_trouble = float("-inf"), None, self._trouble
        stale_s, stored, moved_s = STALE_S, self.progress.stored, loop.time()
        while not (lost.is_set() or self._stopping.is_set()):
            if self.progress.hub_knows_more:
                self._in_trouble("hub_knows_more")
            now_s, stands = loop.time(), self._changed()
            since_s = now_s - reported_s
            news = (stands, self._trouble) != (reported, said_trouble)
            if since_s >= REPORT_S or (news and since_s >= CHANGED_S):
                said = self._report(self._newest(), self.progress.stored, self._trouble)
                await broker.publish(subject(self._to.table, "status"), said)
                reported_s, reported, said_trouble = now_s, stands, self._trouble
            # A broker that takes no journal, because it is full, has heard how the table stands.
            more = await self._send(broker)
            self._failures = 0
            if self.progress.stored != stored or not self.progress.waiting:
                stale_s, stored, moved_s = STALE_S, self.progress.stored, now_s
            elif now_s - moved_s >= stale_s:
                await self._ask(broker)
                stale_s, moved_s = min(2 * stale_s, STALE_MOST_S), now_s
            if not more:
                await self._wait(LOOK_S, lost)

    async def _send(self, broker: Broker) -> bool:
        """Send the next entries; return whether there may be more."""
        sent, newest, rewinds = self.progress.sent, self._newest(), self.progress.rewinds
        if self.progress.hub_knows_more or sent >= newest:
            return False
        try:
            batch = list(self._teller.after(sent, BATCH))
        except JournalError:
            self._in_trouble("journal_unreadable")
            return False
        self._in_trouble(None)
        jetstream = broker.jetstream(timeout=ANSWER_S)
        acknowledged = [
            await jetstream.publish_async(
                subject(self._to.table, "journal"),
                told,
                wait_stall=ANSWER_S,
                stream=JOURNALS,
                headers=numbered(seq),
            )
            for seq, told in batch
        ]
        await asyncio.wait_for(asyncio.gather(*acknowledged), ANSWER_S)
        self.published += len(batch)
        # Meanwhile the hub may have said that it has less than before: then all from there on is sent again.
        if batch and self.progress.rewinds == rewinds:
            self.progress.sent = max(self.progress.sent, batch[-1][0])
        await self._wait(PAUSE_S)
        return True

    async def _ask(self, broker: Broker) -> None:
        """Ask what the broker still holds for the hub, and what the hub said last.

        In this order: a hub says `stored` before it lets the broker forget. What it says meanwhile is newer.
        """
        stored = self.progress.stored
        held = await self._last(broker, "journal")
        said = await self._last(broker, "stored")
        if said is not None and self.progress.stored == stored:
            self._take(said)
        if held is None:
            self.progress.broker_has(None)
        else:
            self.progress.broker_has(seq_of(held.headers), written_s(held.data))

    async def _last(self, broker: Broker, what: Any) -> Msg | None:
        answer = await broker.request(last_of(self._to.table, what), b"", timeout=ANSWER_S)
        status = (answer.headers or {}).get("Status")
        if status is None:
            return answer
        if status != "404":
            raise OSError(f"the broker answers {status}")
        return None

    async def _hear(self, message: Msg) -> None:
        self._take(message)

    async def _hear_offer(self, message: Msg) -> None:
        self._wanted(message.data)

    def _take(self, message: Msg) -> None:
        said = message.data
        if said.isdigit() and len(said) <= 15:
            try:
                self.progress.heard(int(said), written_of(message.headers))
            except JournalError:
                self._in_trouble("journal_unreadable")

    async def _wait(self, seconds: float, lost: asyncio.Event | None = None) -> None:
        """Wait, but not when this ends or the connection is lost."""
        ends = [asyncio.ensure_future(one.wait()) for one in (self._stopping, lost) if one is not None]
        await asyncio.wait(ends, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
        for one in ends:
            one.cancel()

    def _in_trouble(self, trouble: Trouble | None) -> None:
        if trouble != self._trouble:
            self._trouble = trouble
            self._troubled(trouble)
            if trouble is not None:
                _log.error("the journal is not sent to the hub: %s", trouble)

    def _note(self, error: BaseException | None) -> None:
        """Log each change once, without what is secret in the code."""
        is_up = error is None
        if is_up is self._was_up:
            return
        self._was_up = is_up
        if is_up:
            _log.info("the hub at %s is reached", self._to.host)
        else:
            _log.warning("the hub at %s cannot be reached (%s); it is tried again", self._to.host, type(error).__name__)
