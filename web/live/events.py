"""The server-sent events of a stream, as bytes: pages, heartbeats, roll positions."""

from __future__ import annotations

import secrets
from collections.abc import Callable

import msgspec

from hardware.readings import RollPlace
from web.live.rendered_pages import Page

BEAT = b"event: beat\ndata: 1\n\n"
"""The heartbeat."""
_json = msgspec.json.Encoder()


def roll_event(place: RollPlace) -> bytes:
    """Return the event of a roll position: lane, place, and the time when it was seen there."""
    told = {"lane": place.lane, "place": place.place, "t_s": round(place.t_s, 3)}
    return b"event: roll\ndata: " + _json.encode(told) + b"\n\n"


class PageEvents:
    """Encodes pages, each with the table's time.

    :param now_s: returns the time of the table, seconds.
    :param speed: table seconds per real second (more than 1 in a demo).
    """

    def __init__(self, now_s: Callable[[], float], speed: float) -> None:
        self._now_s = now_s
        self._speed = speed
        # Versions count from the start of this process. The prefix distinguishes them from those of an earlier process.
        self._boot = secrets.token_hex(4)

    def id_of(self, page: Page) -> str:
        """Return the id of the event that brings a viewer to `page`."""
        return f"{self._boot}.{page.version}.{page.refreshes}"

    def of(self, page: Page, changed: dict[str, bytes]) -> bytes:
        """Return the event that brings a viewer to `page`, which differs from theirs in the regions `changed`."""
        head = {"version": page.version, "page_of": page.page_of, "now_s": self._now_s(), "speed": self._speed}
        body = b",".join(_json.encode(name) + b":" + html for name, html in changed.items())
        return b"".join(
            (
                f"id: {self.id_of(page)}\nevent: page\ndata: ".encode(),
                _json.encode(head)[:-1],
                b',"regions":{',
                body,
                b"}}\n\n",
            )
        )

    def news(self, has: Page, page: Page | None) -> bytes:
        """Return the event that updates a viewer from page `has` to `page`; empty if nothing changed for them."""
        if page is None or page is has or not page.holds(has.version, has.refreshes):
            return b""
        if page.page_of != has.page_of:
            # Another game: the client loads its page again, which checks anew what this viewer may see.
            return self.of(page, {})
        changed = {name: html for name, html in page.regions.items() if has.regions.get(name) != html}
        return self.of(page, changed) if changed else b""
