"""Live updates of all pages. A page is rendered once for all equal viewers."""

from __future__ import annotations

import logging
import secrets
import threading
import traceback
from bisect import insort
from collections import Counter
from collections.abc import Callable, Hashable, Iterator
from itertools import groupby
from operator import attrgetter
from typing import Protocol, get_args

import msgspec

from appliance.snapshot import Snapshot
from appliance.table.broadcast import Snapshots, followed
from hardware.readings import RollPlace
from web.doors.shares import OWN, StreamPlaces
from web.live.streams import Begin, Following, Page, Push, no_begin, no_push, turn_of
from web.words.viewer import Kind, Viewer

HEARTBEAT_S = 1.5
"""Interval of the heartbeat on streams. After 2.6 s without one a page says so (`SILENCE_MS` in live.js)."""
OWN_BEAT_S = 10.0
"""Interval of heartbeats from a stream's own thread if the server has no `Push`, to notice a client that has gone."""
_BEAT = b"event: beat\ndata: 1\n\n"
DRAWS_ROLLS: frozenset[Kind] = frozenset({"wall", "kiosk"})
"""The screens that draw the track."""
ROLL_WAIT_S = 60.0
"""Longest sleep of the thread that sends roll positions while nothing rolls."""
_log = logging.getLogger(__name__)
_json = msgspec.json.Encoder()


class RollSource(Protocol):
    """The sensor interface that live updates need (`appliance.sensing.roll_places.RollPlaces`)."""

    def wait_next(self, count: int, timeout_s: float) -> tuple[int, RollPlace] | None:
        """Return the newest place with a number above `count`, and that number; None after `timeout_s`."""
        ...

    def close(self) -> None:
        """End all waits."""
        ...


def roll_event(place: RollPlace) -> bytes:
    """Return the server-sent event of a roll position: lane, place, and the time when it was seen there."""
    told = {"lane": place.lane, "place": place.place, "t_s": round(place.t_s, 3)}
    return b"event: roll\ndata: " + _json.encode(told) + b"\n\n"


class Live:
    """Renders each viewer's regions once per version and streams those that changed.

    One thread encodes each change once and sends it to all streams in turn. A stream's own thread sends only its first
    page and what would block the sender. Waking one thread per screen costs more time than all the sending.

    :param render: returns the regions (name → HTML) of a viewer's page.
    :param page_of: returns an id of what a viewer's page belongs to. When it changes, their stream ends.
    :param speed: table seconds per real second (more than 1 in a demo).
    :param rolls: source of the roll positions.
    :param beside: returns the state beside the table that pages show. It is compared with each heartbeat.
    """

    def __init__(
        self,
        table: Snapshots,
        render: Callable[[Snapshot, Viewer], dict[str, str]],
        page_of: Callable[[Snapshot, Viewer], str],
        now_s: Callable[[], float],
        *,
        streams_most: int,
        speed: float = 1.0,
        rolls: RollSource | None = None,
        beside: Callable[[Snapshot], Hashable] = lambda snapshot: None,
    ) -> None:
        self._table = table
        self._render = render
        self._now_s = now_s
        self._speed = speed
        self._rolls = rolls
        self._beside = beside
        self._page_of = page_of
        # Versions count from the start of this process. The prefix distinguishes them from those of an earlier process.
        self._boot = secrets.token_hex(4)
        self._places = StreamPlaces(streams_most)
        self._refreshes = 0
        self._pages: dict[Viewer, Page] = {}
        self._rendering: dict[Viewer, threading.Lock] = {}
        self._lock = threading.Lock()
        self._closed = threading.Event()
        self._followings: list[Following] = []
        self._viewers: Counter[Viewer] = Counter()
        self._follower: threading.Thread | None = None

    def page(self, snapshot: Snapshot, viewer: Viewer) -> Page:
        """Return the viewer's page of `snapshot` or a newer one. It is rendered now if it is not cached."""
        known = self._pages.get(viewer)
        if known is not None and known.holds(snapshot.version, self._refreshes):
            return known
        with self._lock:
            rendering = self._rendering.setdefault(viewer, threading.Lock())
        with rendering:
            page = self._pages.get(viewer)
            # Read before rendering: a change during rendering may be missing on this page and then makes a new one.
            refreshes = self._refreshes
            if page is None or not page.holds(snapshot.version, refreshes):
                if page is not None and page.version > snapshot.version:
                    snapshot = self._table.snapshot()
                page_of = self._page_of(snapshot, viewer)
                regions = self._render(snapshot, viewer)
                page = Page(
                    snapshot.version,
                    refreshes,
                    page_of,
                    {name: _json.encode(html) for name, html in regions.items()},
                )
                self._pages[viewer] = page
            return page

    def refresh(self) -> None:
        """Render all pages again, because something outside the snapshot changed (the host's choices)."""
        with self._lock:
            self._refreshes += 1
        self._spread(self._table.snapshot())

    def reserve(self, who: str = OWN) -> bool:
        """Reserve a stream for `who` (`StreamPlaces`); `release` gives it back. Return False if none is left."""
        if self._closed.is_set() or not self._places.take(who):
            return False
        with self._lock:
            if self._follower is None:
                self._follower = threading.Thread(target=self._follow, name="live", daemon=True)
                self._follower.start()
                threading.Thread(target=self._beat, name="heartbeat", daemon=True).start()
                if self._rolls is not None:
                    threading.Thread(target=self._roll, args=(self._rolls,), name="rolls", daemon=True).start()
        return True

    def release(self, who: str = OWN) -> None:
        """Give a reserved stream back."""
        self._places.give_back(who)

    def streams(self) -> dict[str, int]:
        """Return the number of running streams by kind of viewer."""
        with self._lock:
            viewers = self._viewers.copy()
        return {kind: sum(many for viewer, many in viewers.items() if viewer.kind == kind) for kind in get_args(Kind)}

    def seats(self) -> frozenset[int]:
        """Return the seats whose phones have a running stream."""
        with self._lock:
            return frozenset(one.seat for one, many in self._viewers.items() if many and one.seat is not None)

    def stream(
        self,
        viewer: Viewer,
        last_id: str | None,
        push: Push = no_push,
        begin: Begin = no_begin,
        checked_for: str | None = None,
    ) -> Iterator[bytes]:
        """Yield server-sent events for `viewer` until the client disconnects or the server stops. Call `reserve` first.

        A client that reconnects with its last event id is not sent what it has. A slow client skips to the newest page.

        :param push: sends bytes to the client at once. It is called from another thread between two yields. It returns
            False if it would block.
        :param begin: see `BEGIN`.
        :param checked_for: the id (`page_of`) for which the viewer's access was checked. If the first page has another
            one, the stream sends no region and ends, and the client loads its page again. None: everybody may see it.
        """
        first = self._whole(self._table.snapshot(), viewer)
        if first is None:
            yield b"retry: 5000\n\n"
            return
        if checked_for not in (None, first.page_of):
            yield self._message(first, {})
            return
        yield b"retry: 1000\n\n" + self._message(first, {} if last_id == self._id(first) else first.regions)
        following = Following(viewer, first, push)
        with self._lock:
            insort(self._followings, following, key=turn_of)
            self._viewers[viewer] += 1
        own_beat_s = OWN_BEAT_S if push is no_push else None
        woken = False
        try:
            begin(following.leave)
            while not (self._closed.is_set() or following.ended or following.gone):
                following.bell.clear()
                page = self._whole(self._table.snapshot(), viewer)
                with following.turn:
                    news = self._news(following.has, page)
                    following.idle = not (news or woken)
                    if page is not None and news:
                        following.take(page)
                if following.idle:
                    following.bell.wait(own_beat_s)
                    woken = True
                else:
                    woken = False
                    yield news or _BEAT
        finally:
            with self._lock:
                self._followings.remove(following)
                self._viewers[viewer] -= 1

    def _spread(self, snapshot: Snapshot) -> None:
        """Send each viewer the changes of `snapshot`. If sending would block, wake the stream's own thread."""
        with self._lock:
            followings = list(self._followings)
        for viewer, equal in groupby(followings, key=attrgetter("viewer")):
            page = self._whole(snapshot, viewer)
            if page is None:
                continue
            made: dict[int, tuple[Page, bytes]] = {}  # keyed by id(); the value keeps the page alive
            for following in equal:
                with following.turn:
                    has = following.has
                    known = made.get(id(has))
                    if known is None:
                        known = made[id(has)] = has, self._news(has, page)
                    news = known[1]
                    if not news:
                        continue
                    if following.idle and following.push(news):
                        following.take(page)
                    if following.has is not page or following.ended:
                        following.bell.set()

    def _news(self, has: Page, page: Page | None) -> bytes:
        """Return the event that updates a viewer from page `has` to `page`; empty if nothing changed for them."""
        if page is None or page is has or not page.holds(has.version, has.refreshes):
            return b""
        if page.page_of != has.page_of:
            # Another game: the client loads its page again, which checks anew what this viewer may see.
            return self._message(page, {})
        changed = {name: html for name, html in page.regions.items() if has.regions.get(name) != html}
        return self._message(page, changed) if changed else b""

    def _whole(self, snapshot: Snapshot, viewer: Viewer) -> Page | None:
        """Return the page, or None if a template has a bug. Clients then keep the old page until the next version."""
        try:
            return self.page(snapshot, viewer)
        except Exception as error:
            # The exception's message is not logged, because it may quote a secret.
            where = "".join(traceback.format_tb(error.__traceback__)[-3:])
            _log.error("bug in the %s page of %s: %s\n%s", viewer.kind, snapshot.game, type(error).__name__, where)
            return None

    def close(self) -> None:
        """End every stream at once."""
        self._closed.set()
        if self._rolls is not None:
            self._rolls.close()
        with self._lock:
            followings = list(self._followings)
        for following in followings:
            following.bell.set()

    def _follow(self) -> None:
        """Send the table's snapshots to all streams until `close`."""
        for snapshot in followed(self._table, self._closed, after=0):
            self._spread(snapshot)

    def _beat(self) -> None:
        """Send every stream the heartbeat from one thread: waking a thread for each costs five times as much.

        If the send fails, the stream's own thread is woken. Its send then shows whether the client has gone.
        """
        beside: Hashable = None
        while not self._closed.wait(HEARTBEAT_S):
            with self._lock:
                followings = list(self._followings)
            for following in followings:
                with following.turn:
                    if following.idle and not following.push(_BEAT):
                        following.bell.set()
            if (now := self._beside(self._table.snapshot())) != beside:
                beside = now
                self.refresh()

    def _roll(self, rolls: RollSource) -> None:
        """Send roll positions to the screens that draw the track. A stream that is busy or would block misses them."""
        count = 0
        while not self._closed.is_set():
            told = rolls.wait_next(count, ROLL_WAIT_S)
            if told is None:
                continue
            count, place = told
            event = roll_event(place)
            with self._lock:
                screens = [one for one in self._followings if one.viewer.kind in DRAWS_ROLLS]
            for following in screens:
                with following.turn:
                    if following.idle:
                        following.push(event)

    def _id(self, page: Page) -> str:
        return f"{self._boot}.{page.version}.{page.refreshes}"

    def _message(self, page: Page, changed: dict[str, bytes]) -> bytes:
        now = {"now_s": self._now_s(), "speed": self._speed}
        head = {"version": page.version, "page_of": page.page_of, **now}
        body = b",".join(_json.encode(name) + b":" + html for name, html in changed.items())
        return b"".join(
            (
                f"id: {self._id(page)}\nevent: page\ndata: ".encode(),
                _json.encode(head)[:-1],
                b',"regions":{',
                body,
                b"}}\n\n",
            )
        )
