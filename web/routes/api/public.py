"""Public data for other programs, as JSON: the table's status, and a stream of events."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import msgspec
from flask import Response, request

from appliance.service.outside.events import START, EventId, PublicEvent, read_id
from appliance.service.outside.feed import Feed
from appliance.service.outside.table_status import TableStatus, status_of
from web.context import Web
from web.doors.shares import stream_of
from web.errors import Refused
from web.live.streams import BEGIN, Begin, no_begin
from web.routes.bodies import AfterQuery
from web.routes.operations import STREAM, ApiBlueprint

BEAT_S = 10.0
"""Interval of heartbeats on a stream without events."""
_BEAT = b": the table lives\n\n"
_HELLO = b"retry: 2000\n\n"
_MISSED = b"event: missed\ndata: {}\n\n"
_encode = msgspec.json.Encoder().encode


def blueprint(web: Web) -> ApiBlueprint:
    """Return the routes."""
    api = ApiBlueprint("public", __name__, description="What everybody may know, for other programs.")

    @api.operation("GET /table")
    def table() -> TableStatus:
        """Return how the table stands: the game, its players, whom it waits for, who won, and the sensors."""
        return status_of(web.table.snapshot())

    @api.operation("GET /events", streams=PublicEvent)
    def events(query: AfterQuery) -> Response:
        """Stream what happens as server-sent events: each is a PublicEvent, its id goes into Last-Event-ID.

        A stream that begins with an id goes on after it; one without begins with what happens next. The event `missed`
        says that there were more events than are kept: read the view again.
        """
        given_id = request.headers.get("Last-Event-ID") or query.after
        after = read_id(given_id)
        if given_id is not None and after is None:
            raise Refused(400, "malformed_request")
        who = stream_of(request.remote_addr or "", "wall", None)
        if not web.live.reserve(who):
            raise Refused(503, "too_many_watchers")
        web.feed.start()
        begin: Begin = request.environ.get(BEGIN, no_begin)
        response = Response(stream(web.feed, after, begin), mimetype=STREAM)
        # Not in the generator: a generator that never starts would keep its stream reserved.
        response.call_on_close(partial(web.live.release, who))
        return response

    return api


def stream(feed: Feed, after: EventId | None, begin: Begin = no_begin) -> Iterator[bytes]:
    """Yield server-sent events after `after` (None: from now on) until the client disconnects or the feed is closed.

    :param begin: see `web.live.streams.BEGIN`.
    """
    place = feed.newest if after is None else after
    gone = [False]

    def leave() -> None:
        gone[0] = True
        feed.wake()

    begin(leave)
    yield _HELLO
    if place > feed.newest:
        # The client has seen a later event than the journal has: an older journal was restored.
        place = START
    news = feed.after(place)
    while not (gone[0] or feed.is_closed):
        if news.missed:
            yield _MISSED
            place = max(place, feed.whole_after)
        for event in news.events:
            yield b"id: %b\ndata: %b\n\n" % (event.id.encode(), _encode(event))
            place = event.place
        if not (news.missed or news.events):
            yield _BEAT
        news = feed.wait_after(place, BEAT_S, lambda: gone[0])
