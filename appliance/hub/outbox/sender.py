"""Sends one table's journal and status to its hub in an asyncio loop, and tries again after every failure."""

from __future__ import annotations

import asyncio
import logging
import random
from collections.abc import Callable
from typing import Any

from nats.aio.msg import Msg
from nats.js import JetStreamContext

from appliance.hub.envelopes import written_s
from appliance.hub.link.connection import ANSWER_S, Broker, connected, end
from appliance.hub.link.invitation import Invitation
from appliance.hub.outbox.progress import Progress
from appliance.hub.outbox.teller import Teller
from appliance.hub.report import Trouble
from appliance.hub.subjects import JOURNALS, inbox, last_of, numbered, seq_of, subject, written_of
from appliance.journal.journal_file import JournalError
from appliance.service.outside.untrusted import why_untrusted

BATCH = 64
"""Entries that wait for the broker's acknowledgement at the same time."""
PAUSE_S = 0.05
"""Pause between the batches of a backlog. It leaves the processor to a running game."""
LOOK_S = 1.0
"""Interval at which the journal is checked for new entries."""
STALE_S, STALE_MOST_S = 15.0, 300.0
"""Time without a `stored` message after which the broker is asked what it has: at first, and at most."""
REPORT_S, CHANGED_S = 60.0, 2.0
"""Interval of status reports, and the shortest interval when the status changes."""
AGAIN_S, AGAIN_MOST_S = 1.0, 300.0
"""First and longest pause before another try. Up to half of it is left out at random, to spread the tables of a hub."""
BRIEF_S = 30.0
"""A broker that ends sessions sooner is logged once, and tried at longer and longer pauses."""
_log = logging.getLogger(__name__)

Say = Callable[[int, int, Trouble | None], bytes]
"""Makes a report from the newest entry, the newest stored entry and the current trouble."""


class Sender:
    """Sends one table's journal and status.

    :param report: makes a status report.
    :param changed: returns a value that differs when the table's status has changed.
    :param wanted: called with each offer of the hub.
    :param troubled: called with the reason when the journal can no longer be sent, and with None when it can be again.
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
        self._brief = 0
        """Sessions in a row that were brief, with the current one until it has lasted `BRIEF_S`."""
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
                # A table runs for months, so it retries after any error. Only the error's type is logged, no secrets.
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
            if not self._brief:
                self._note(None)
            if self._trouble == "journal_unreadable":
                self._in_trouble(None)
            self._failures = self._brief
            self._brief += 1
            await self._send_on(broker, lost)
            if lost.is_set():
                raise ConnectionResetError
        finally:
            await end(broker)

    async def _send_on(self, broker: Broker, lost: asyncio.Event) -> None:
        loop = asyncio.get_running_loop()
        # One for the whole session: each takes a subscription for the replies to it, and the broker allows a few.
        jetstream = broker.jetstream(timeout=ANSWER_S)
        reported_s, reported, said_trouble = float("-inf"), None, self._trouble
        began_s = moved_s = loop.time()
        stale_s, stored = STALE_S, self.progress.stored
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
            # The journal comes after the status: a full broker refuses entries but still gets the status.
            more = await self._send(jetstream)
            if now_s - began_s >= BRIEF_S:
                self._failures = self._brief = 0
                self._note(None)
            if self.progress.stored != stored or not self.progress.waiting:
                stale_s, stored, moved_s = STALE_S, self.progress.stored, now_s
            elif now_s - moved_s >= stale_s:
                await self._ask(broker)
                stale_s, moved_s = min(2 * stale_s, STALE_MOST_S), now_s
            if not more:
                await self._wait(LOOK_S, lost)

    async def _send(self, jetstream: JetStreamContext) -> bool:
        """Send the next batch of entries. Return whether there may be more."""
        sent, newest, rewinds = self.progress.sent, self._newest(), self.progress.rewinds
        if self.progress.hub_knows_more or sent >= newest:
            return False
        try:
            batch = list(self._teller.after(sent, BATCH))
        except JournalError:
            self._in_trouble("journal_unreadable")
            return False
        self._in_trouble(None)
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
        # If the hub has reported fewer stored entries meanwhile, `sent` was set back and must stay there.
        if batch and self.progress.rewinds == rewinds:
            self.progress.sent = max(self.progress.sent, batch[-1][0])
        await self._wait(PAUSE_S)
        return True

    async def _ask(self, broker: Broker) -> None:
        """Ask which entry the broker holds as its newest, and then for the hub's last `stored` message.

        The order matters: a hub sends `stored` before it acknowledges entries. A `stored` message that arrives during
        the requests is newer and has precedence.
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
            else:
                # While entries are left to send, reading those decides.
                if self._trouble == "journal_unreadable" and self.progress.sent >= self._newest():
                    self._in_trouble(None)

    async def _wait(self, seconds: float, lost: asyncio.Event | None = None) -> None:
        """Wait for some seconds, or until `stop` is called or the connection is lost."""
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
        """Log each change between reachable and unreachable once, without the code's secret."""
        is_up = error is None
        if is_up is self._was_up:
            return
        self._was_up = is_up
        if is_up:
            _log.info("the hub at %s is reached", self._to.host)
        else:
            why = why_untrusted(error) or type(error).__name__
            _log.warning("the hub at %s cannot be reached (%s); it is tried again", self._to.host, why)
