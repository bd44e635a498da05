"""Renders each viewer's regions once per version of the table, for all equal viewers, and keeps the newest page."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable

import msgspec

from appliance.snapshot import Snapshot
from appliance.table.broadcast import Snapshots
from appliance.words.errors import way_to
from web.words.viewer import Viewer

_log = logging.getLogger(__name__)
_json = msgspec.json.Encoder()


class Page(msgspec.Struct, frozen=True):
    """One viewer's page at one version: each region, encoded once.

    `refreshes`: the number of changes outside the table's snapshot before the page was rendered.
    `page_of`: what the page belongs to (`PageRenderer.page_of`).
    """

    version: int
    refreshes: int
    page_of: str
    regions: dict[str, bytes]

    def holds(self, version: int, refreshes: int) -> bool:
        """Return whether the page is at least as new as this version and this number of refreshes."""
        return self.version >= version and self.refreshes >= refreshes


class RenderedPages:
    """The newest page of each viewer.

    :param render: returns the regions (name → HTML) of a viewer's page.
    :param page_of: returns an id of what a viewer's page belongs to.
    """

    def __init__(
        self,
        table: Snapshots,
        render: Callable[[Snapshot, Viewer], dict[str, str]],
        page_of: Callable[[Snapshot, Viewer], str],
    ) -> None:
        self._table = table
        self._render = render
        self._page_of = page_of
        self._refreshes = 0
        self._pages: dict[Viewer, Page] = {}
        self._rendering: dict[Viewer, threading.Lock] = {}
        self._lock = threading.Lock()

    def outdate(self) -> None:
        """Render every page again when it is asked for, because something outside the snapshot changed."""
        with self._lock:
            self._refreshes += 1

    def of(self, snapshot: Snapshot, viewer: Viewer) -> Page:
        """Return the viewer's page of `snapshot` or a newer one. It is rendered now if it is not known."""
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
                regions = {name: _json.encode(html) for name, html in self._render(snapshot, viewer).items()}
                page = self._pages[viewer] = Page(snapshot.version, refreshes, page_of, regions)
            return page

    def whole(self, snapshot: Snapshot, viewer: Viewer) -> Page | None:
        """Return the page as `of` does, or None if a template has a bug. It is logged."""
        try:
            return self.of(snapshot, viewer)
        except Exception as bug:
            _log.error("bug in the %s page of %s: %s", viewer.kind, snapshot.game, way_to(bug))
            return None
