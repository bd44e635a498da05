"""Live updates of all pages: one thread sends each change to all streams."""

from __future__ import annotations

import logging
import threading
from bisect import insort
from collections import Counter
from collections.abc import Callable, Hashable, Iterator
from functools import partial
from itertools import groupby
from operator import attrgetter
from typing import Protocol, get_args

from appliance.snapshot import Snapshot
from appliance.table.broadcast import Snapshots, followed
from appliance.words.errors import where_raised
from hardware.readings import RollPlace
from web.doors.shares import OWN, StreamPlaces
from web.live.events import BEAT, PageEvents, roll_event
from web.live.rendered_pages import Page, RenderedPages
from web.live.streams import Begin, Following, Push, no_begin, no_push, turn_of
from web.words.viewer import Kind, Viewer

HEARTBEAT_S = 1.5
"""Interval of the heartbeat on streams. After 2.6 s without one a page says so (`SILENCE_MS` in live.js)."""
OWN_BEAT_S = 10.0
"""Interval of heartbeats from a stream's own thread if the server has no `Push`, to notice a client that has gone."""
DRAWS_ROLLS: frozenset[Kind] = frozenset({"wall", "kiosk"})
"""The screens that draw the track."""
ROLL_WAIT_S = 60.0
"""Longest sleep of the thread that sends roll positions while nothing rolls."""

_log = logging.getLogger(__name__)


class RollSource(Protocol):
    """The sensor interface that live updates need (`appliance.sensing.roll_places.RollPlaces`)."""

    def wait_next(self, count: int, timeout_s: float) -> tuple[int, RollPlace] | None:
        """Return the newest place with a number above `count`, and that number; None after `timeout_s`."""
        ...

    def close(self) -> None:
        """End all waits."""
        ...


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
        self.pages = RenderedPages(table, render, page_of)
        self._table = table
        self._events = PageEvents(now_s, speed)
        self._rolls = rolls
        self._beside = beside
        self._places = StreamPlaces(streams_most)
        self._lock = threading.Lock()
        self._closed = threading.Event()
        self._followings: list[Following] = []
        self._viewers: Counter[Viewer] = Counter()
        self._unstarted: list[tuple[str, Callable[[], None]]] = [("live", self._follow), ("heartbeat", self._beat)]
        """The names and the work of the threads that the first stream starts."""
        if rolls is not None:
            self._unstarted.append(("rolls", partial(self._roll, rolls)))

    def refresh(self) -> None:
        """Render all pages again, because something outside the snapshot changed (the host's choices)."""
        self.pages.outdate()
        self._spread(self._table.snapshot())

    def reserve(self, who: str = OWN) -> bool:
        """Reserve a stream for `who` (`StreamPlaces`); `release` gives it back. Return False if none is left, or no
        thread is.
        """
        if self._closed.is_set() or not self._places.take(who):
            return False
        try:
            with self._lock:
                while self._unstarted:
                    name, work = self._unstarted[0]
                    threading.Thread(target=work, name=name, daemon=True).start()
                    del self._unstarted[0]
        except RuntimeError:  # this process may have no more threads now: the client comes again
            self._places.give_back(who)
            return False
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
        first = self.pages.whole(self._table.snapshot(), viewer)
        if first is None:
            yield b"retry: 5000\n\n"
            return
        if checked_for not in (None, first.page_of):
            yield self._events.of(first, {})
            return
        yield b"retry: 1000\n\n" + self._events.of(first, {} if last_id == self._events.id_of(first) else first.regions)
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
                page = self.pages.whole(self._table.snapshot(), viewer)
                with following.turn:
                    news = self._events.news(following.has, page)
                    following.idle = not (news or woken)
                    if page is not None and news:
                        following.take(page)
                if following.idle:
                    following.bell.wait(own_beat_s)
                    woken = True
                else:
                    woken = False
                    yield news or BEAT
        finally:
            with self._lock:
                self._followings.remove(following)
                self._viewers[viewer] -= 1

    def _spread(self, snapshot: Snapshot) -> None:
        """Send each viewer the changes of `snapshot`. If sending would block, wake the stream's own thread."""
        with self._lock:
            followings = list(self._followings)
        for viewer, equal in groupby(followings, key=attrgetter("viewer")):
            page = self.pages.whole(snapshot, viewer)
            if page is None:
                continue
            made: dict[int, tuple[Page, bytes]] = {}  # keyed by id(); the value keeps the page alive
            for following in equal:
                with following.turn:
                    has = following.has
                    known = made.get(id(has))
                    if known is None:
                        known = made[id(has)] = has, self._events.news(has, page)
                    news = known[1]
                    if not news:
                        continue
                    if following.idle and following.pushed(news):
                        following.take(page)
                    if following.has is not page or following.ended:
                        following.bell.set()

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

        If the send fails, the stream's own thread is woken. Its send then shows whether the client has gone. A bug in
        the state beside the table does not end the heartbeat: without it every page says that it is offline.
        """
        beside: Hashable = None
        while not self._closed.wait(HEARTBEAT_S):
            with self._lock:
                followings = list(self._followings)
            for following in followings:
                with following.turn:
                    if following.idle and not following.pushed(BEAT):
                        following.bell.set()
            try:
                now = self._beside(self._table.snapshot())
            except Exception as bug:
                _log.error("%s; it is looked at again with the next heartbeat", where_raised(bug))
                continue
            if now != beside:
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
                        following.pushed(event)
