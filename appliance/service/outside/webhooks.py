"""Webhooks: each public event is posted as JSON to the receivers in the settings. No game waits for a receiver."""

from __future__ import annotations

import hashlib
import hmac
import logging
import threading
from collections.abc import Sequence

import msgspec

from appliance.service.outside.events import EventId, PublicEvent
from appliance.service.outside.feed import Feed
from appliance.service.outside.posting import NotDelivered, Target, post

WITHIN_S = 10.0
"""How long a receiver may take to connect, and again to answer."""
PAUSES_S = (1.0, 5.0, 30.0, 60.0)
"""Pauses after consecutive failures; the last value is used for all later ones."""
TRIES = 6
"""How often one event is tried before it is given up."""
WAIT_S = 60.0
SIGNATURE = "X-Hub-Signature-256"
_encode = msgspec.json.Encoder().encode
_log = logging.getLogger(__name__)


def signed(secret: str, body: bytes) -> str:
    """Return the signature of `body`, as GitHub's webhooks write it: HMAC-SHA256 (RFC 2104), in hexadecimal digits."""
    return "sha256=" + hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()


class Webhook:
    """One receiver, served by a thread of its own. Events that it has not accepted yet are kept only in the feed.

    :param secret: signs each body.
    """

    def __init__(
        self,
        feed: Feed,
        url: str,
        secret: str,
        *,
        within_s: float = WITHIN_S,
        pauses_s: Sequence[float] = PAUSES_S,
        tries: int = TRIES,
    ) -> None:
        self._feed, self._secret, self._target = feed, secret, Target.of(url)
        self._within_s, self._pauses_s, self._tries = within_s, pauses_s, tries
        self._failures = 0
        self._missed = False
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._serve, name="webhook", daemon=True)
        self._place: EventId | None = None

    def start(self) -> None:
        """Send what happens from now on."""
        self._feed.start()
        self._place = self._feed.newest
        self._thread.start()

    def stop(self) -> None:
        """Send no more. A running request ends at its time limit at the latest."""
        self._stopping.set()
        self._feed.wake()

    def _serve(self) -> None:
        place = self._place or self._feed.newest
        while not (self._stopping.is_set() or self._feed.is_closed):
            news = self._feed.wait_after(place, WAIT_S, self._stopping.is_set)
            if news.missed:
                self._missed = True
                place = max(place, self._feed.whole_after)
            if news.events:
                # Send one, then ask the feed again: its kept events may have changed meanwhile.
                self._deliver(news.events[0])
                place = news.events[0].place

    def _deliver(self, event: PublicEvent) -> None:
        body = _encode(event)
        headers = {
            "Content-Type": "application/json",
            "User-Agent": "smugglers-table",
            "X-Smugglers-Event": event.id,
            "X-Smugglers-Missed": "true" if self._missed else "false",
            SIGNATURE: signed(self._secret, body),
        }
        for _ in range(self._tries):
            try:
                post(self._target, body, headers, self._within_s)
            except NotDelivered as why:
                self._note(why)
                if self._stopping.wait(self._pauses_s[min(self._failures, len(self._pauses_s)) - 1]):
                    return
            else:
                self._note(None)
                return
        self._missed = True

    def _note(self, why: NotDelivered | None) -> None:
        """Log when the receiver fails or works again. Its address may hold a secret: only its host is named."""
        if why is None:
            if self._failures:
                _log.warning("the webhook at %s works again", self._target.host)
            self._failures, self._missed = 0, False
            return
        self._failures += 1
        if self._failures == 1:
            _log.warning("the webhook at %s takes no event (%s); it is tried again", self._target.host, why)


class Webhooks:
    """All receivers in the settings.

    :param urls: the addresses of the receivers.
    """

    def __init__(self, feed: Feed, urls: Sequence[str], secret: str) -> None:
        self._all = [Webhook(feed, url, secret) for url in urls]

    def start(self) -> None:
        """Begin to send."""
        for webhook in self._all:
            webhook.start()

    def stop(self) -> None:
        """Send no more."""
        for webhook in self._all:
            webhook.stop()
