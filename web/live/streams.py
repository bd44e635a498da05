"""One stream of live updates: the page that its viewer has, and the hooks through which other threads send on it."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable

from appliance.words.errors import where_raised
from web.live.rendered_pages import Page
from web.words.viewer import Kind, Viewer

Push = Callable[[bytes], bool]
PUSH = "smugglers.push"
"""The key of the `Push` in a request's WSGI environment, if the server provides one."""
Begin = Callable[[Callable[[], None]], None]
BEGIN = "smugglers.begin"
"""The key of the `Begin` there. It is called with the function to call when the client disconnects."""
_log = logging.getLogger(__name__)
_ORDER: dict[Kind, int] = {"seat": 0, "kiosk": 1, "wall": 2}
"""Streams of players get a change before those of spectators."""


def no_push(data: bytes) -> bool:
    """Return False: the stream's own thread does all sending."""
    return False


def no_begin(gone: Callable[[], None]) -> None:
    """Do nothing: the stream's own thread notices that the client has gone."""


class Following:
    """One stream, and the page that its viewer has now.

    :param push: see `Live.stream`.
    """

    def __init__(self, viewer: Viewer, has: Page, push: Push) -> None:
        self.viewer, self.has, self._push = viewer, has, push
        self.turn = threading.Lock()
        self.idle = False
        """Whether the stream's own thread is not sending, so that another thread may send."""
        self.bell = threading.Event()
        """Wakes the stream's own thread."""
        self.ended = False
        self.gone = False
        """Whether the client has gone."""

    def pushed(self, data: bytes) -> bool:
        """Push `data`. A bug in it is logged and counts as a send that would block, so that other streams go on."""
        try:
            return self._push(data)
        except Exception as bug:
            _log.error("%s; the stream's own thread sends what was not sent", where_raised(bug))
            return False

    def leave(self) -> None:
        """End the stream of a client that has gone."""
        self.gone = True
        self.bell.set()

    def take(self, page: Page) -> None:
        """Note `page` as sent. A page of another game is the last one of this stream."""
        self.ended = page.page_of != self.has.page_of
        self.has = page


def turn_of(following: Following) -> tuple[int, int, str]:
    """Return the sort key of a stream in the order in which streams get a change. Equal viewers are neighbours."""
    viewer = following.viewer
    return _ORDER[viewer.kind], -1 if viewer.seat is None else viewer.seat, viewer.language
