"""Live updates: every viewer's page follows the table, rendered once for all equal viewers."""

from __future__ import annotations

import logging
import secrets
import threading
import traceback
from collections.abc import Callable, Iterator
from typing import Protocol

import msgspec

from appliance.broadcast import Broadcast
from appliance.snapshot import Snapshot
from web.viewer import Viewer

HEARTBEAT_S = 10.0
"""How often a stream says that it lives; pages give one up after twice and a half of it (`SILENCE_MS` in live.js)."""
FOLLOW_S = 1.0
TABLE_GONE_S = 0.02
"""A stopped table answers at once that nothing is new; this keeps the follower from spinning then."""
_log = logging.getLogger(__name__)
_json = msgspec.json.Encoder()


class Table(Protocol):
    """What live updates need of the table."""

    def snapshot(self) -> Snapshot:
        """Return the newest snapshot."""
        ...

    def wait_newer(self, version: int, timeout_s: float) -> Snapshot | None:
        """Return a snapshot newer than `version`, or None after `timeout_s`."""
        ...


class Page(msgspec.Struct, frozen=True):
    """One viewer's page at one version: its shape (which game, so which regions) and each region, encoded once."""

    version: int
    shape: str
    regions: dict[str, bytes]


class Live:
    """Renders each viewer's regions once per version and streams those that changed.

    :param render: returns the shape and the regions (name → HTML) of a viewer's page.
    :param speed: how many of the table's seconds pass in one of the viewer's (more than 1 in a demo).
    """

    def __init__(
        self,
        table: Table,
        render: Callable[[Snapshot, Viewer], tuple[str, dict[str, str]]],
        now_s: Callable[[], float],
        *,
        streams_most: int,
        speed: float = 1.0,
    ) -> None:
        self._table = table
        self._render = render
        self._now_s = now_s
        self._speed = speed
        # A version counts from the start of this process: the page must not take an old one for its own.
        self._boot = secrets.token_hex(4)
        self._places = threading.Semaphore(streams_most)
        self._pages: dict[Viewer, Page] = {}
        self._rendering: dict[Viewer, threading.Lock] = {}
        self._lock = threading.Lock()
        self._closed = threading.Event()
        self._updates: Broadcast[tuple[int, Snapshot]] = Broadcast()
        self._turn = 0
        self._follower: threading.Thread | None = None

    def page(self, snapshot: Snapshot, viewer: Viewer) -> Page:
        """Return the viewer's page of `snapshot`, rendered now or by whoever asked first."""
        with self._lock:
            rendering = self._rendering.setdefault(viewer, threading.Lock())
        with rendering:
            page = self._pages.get(viewer)
            if page is None or page.version < snapshot.version:
                shape, regions = self._render(snapshot, viewer)
                page = Page(
                    snapshot.version,
                    f"{shape}.{snapshot.game_id}",
                    {name: _json.encode(html) for name, html in regions.items()},
                )
                self._pages[viewer] = page
            return page

    def refresh(self) -> None:
        """Show everybody a page rendered anew: something besides the table changed (the host's choices)."""
        with self._lock:
            self._pages.clear()
        self._publish(self._table.snapshot())

    def reserve(self) -> bool:
        """Take a stream's place, or say that all are taken. Give it back with `release`."""
        if self._closed.is_set() or not self._places.acquire(blocking=False):
            return False
        with self._lock:
            if self._follower is None:
                self._follower = threading.Thread(target=self._follow, name="live", daemon=True)
                self._follower.start()
        return True

    def release(self) -> None:
        """Give a stream's place back."""
        self._places.release()

    def stream(self, viewer: Viewer, last_id: str | None) -> Iterator[bytes]:
        """Yield server-sent events for `viewer` until the client or the server goes. Call `reserve` first.

        A client that comes back with the id it saw last is sent nothing that it has; a slow one skips to the newest.
        """
        first = self._whole(self._table.snapshot(), viewer)
        if first is None:
            yield b"retry: 5000\n\n"
            return
        yield b"retry: 1000\n\n" + self._message(first, {} if last_id == self._id(first) else first.regions)
        sent, turn = first.regions, 0
        while not self._closed.is_set():
            update = self._updates.wait_newer(turn, HEARTBEAT_S)
            if update is None:
                yield b"event: beat\ndata: 1\n\n"
                continue
            turn, snapshot = update
            page = self._whole(snapshot, viewer)
            if page is None:
                continue
            if page.shape != first.shape:
                # Another game: what this viewer may see is asked anew, by the page that it loads again.
                yield self._message(page, {})
                return
            changed = {name: html for name, html in page.regions.items() if sent.get(name) != html}
            if changed:
                yield self._message(page, changed)
            sent = page.regions

    def _whole(self, snapshot: Snapshot, viewer: Viewer) -> Page | None:
        """Return the page, or None where a template has a bug: what was shown stays until the next version."""
        try:
            return self.page(snapshot, viewer)
        except Exception as error:
            # Its message stays out of the log: it may quote a secret.
            where = "".join(traceback.format_tb(error.__traceback__)[-3:])
            _log.error("bug in the %s page of %s: %s\n%s", viewer.kind, snapshot.game, type(error).__name__, where)
            return None

    def close(self) -> None:
        """End every stream at once."""
        self._closed.set()
        self._updates.close()

    def _follow(self) -> None:
        """Pass the table's snapshots on, so that closing the web ends its streams without the table's help."""
        version = 0
        while not self._closed.is_set():
            snapshot = self._table.wait_newer(version, FOLLOW_S)
            if snapshot is None:
                self._closed.wait(TABLE_GONE_S)
                continue
            version = snapshot.version
            self._publish(snapshot)

    def _publish(self, snapshot: Snapshot) -> None:
        with self._lock:
            self._turn += 1
            self._updates.publish(self._turn, (self._turn, snapshot))

    def _id(self, page: Page) -> str:
        return f"{self._boot}.{page.version}"

    def _message(self, page: Page, changed: dict[str, bytes]) -> bytes:
        now = {"now_s": self._now_s(), "speed": self._speed}
        head = {"version": page.version, "shape": page.shape, **now}
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
