"""One stream of live updates: what its viewer has, and how the server lets others send on it."""

from __future__ import annotations

import threading
from collections.abc import Callable

import msgspec

from web.viewer import Kind, Viewer

Push = Callable[[bytes], bool]
PUSH = "smugglers.push"
"""Where a request's WSGI environment has its `Push`, if the server has one."""
Begin = Callable[[Callable[[], None]], None]
BEGIN = "smugglers.begin"
"""Where it has its `Begin`: called with what is to be done when the client goes."""
_ORDER: dict[Kind, int] = {"seat": 0, "kiosk": 1, "wall": 2}
"""Streams of players get a change before those of spectators."""


def no_push(data: bytes) -> bool:
    """Leave all sending to the stream's own thread."""
    return False


def no_begin(gone: Callable[[], None]) -> None:
    """Leave it to the stream's own thread to notice that the client has gone."""


class Page(msgspec.Struct, frozen=True):
    """One viewer's page at one version: its shape (which game, so which regions) and each region, encoded once.

    `refreshes`: how often something beside the table had changed before the page was rendered.
    """

    version: int
    refreshes: int
    shape: str
    regions: dict[str, bytes]

    def holds(self, version: int, refreshes: int) -> bool:
        """Return whether nothing that came until then is missing on the page."""
        return self.version >= version and self.refreshes >= refreshes


class Following:
    """One stream, and the page that its viewer has now.

    :param push: see `Live.stream`.
    """

    def __init__(self, viewer: Viewer, has: Page, push: Push) -> None:
        self.viewer, self.has, self.push = viewer, has, push
        self.turn = threading.Lock()
        self.idle = False
        """Whether the stream's own thread has nothing under way, so that another may send."""
        self.bell = threading.Event()
        """Wakes the stream's own thread."""
        self.ended = False
        self.gone = False
        """Whether the client has gone."""

    def leave(self) -> None:
        """End the stream of a client that has gone."""
        self.gone = True
        self.bell.set()

    def take(self, page: Page) -> None:
        """Note `page` as sent. A page of another game is the last one of this stream."""
        self.ended = page.shape != self.has.shape
        self.has = page


def turn_of(following: Following) -> int:
    """Return the place of a stream among those that get a change."""
    return _ORDER[following.viewer.kind]
