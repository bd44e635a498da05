"""Reading streams of events to the end of what there is."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from appliance.service.outside.events import START, EventId
from appliance.service.outside.feed import Feed
from tests.web.stand import Stand
from web.routes.api.public import stream


def read(messages: Iterator[bytes]) -> Iterator[dict[str, Any]]:
    """Yield what a browser's EventSource would make of a stream."""
    for message in messages:
        fields = dict(line.split(": ", 1) for line in message.decode().splitlines() if line and line[0] != ":")
        if "data" in fields:
            yield {"id": fields.get("id"), "event": fields.get("event", "message"), **json.loads(fields["data"])}


def followed(feed: Feed, stand: Stand) -> None:
    """Wait until the feed has taken the newest snapshot."""
    while feed._last is None or feed._last.version < stand.table.snapshot().version:
        feed.wait_after(feed.newest, 0.01)


def sent(feed: Feed, after: EventId = START) -> list[bytes]:
    """Return all that a stream that begins after `after` is sent until it has nothing more."""
    seen = []
    for message in stream(feed, after):
        if message.startswith(b":"):
            break
        seen.append(message)
        if f"id: {feed.newest}\n".encode() in message:
            break
    return seen


def told(feed: Feed, after: EventId | None = START) -> list[dict[str, Any]]:
    """Return the events of that stream."""
    return list(read(iter(sent(feed, after or START))))
