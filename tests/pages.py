"""The pages of any moment, whole, as a browser gets them; no server, no browser."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import msgspec

from appliance.snapshot import Snapshot
from appliance.words.catalogues import LANGUAGES
from hardware.clock import ManualClock
from tests.moments import NOW_S, Moment
from web.app import create_app
from web.pages.game_pages import has_hands
from web.routes.pages import live_page
from web.site import Site
from web.words.viewer import Kind

ASIDE_EVERY = 8
"""In how many steps the pages that depend on little of the game are looked at once."""


class Page(NamedTuple):
    """One page: who looks at what (`wall`, `kiosk`, `seat-2`, `hand-2`), in which language, and its HTML."""

    viewer: str
    language: str
    html: str


class Still:
    """What pages ask of a table, which stands still at one snapshot."""

    def __init__(self) -> None:
        self.now = Snapshot(version=0, game=None, setup=None, state=None, journal_seq=0, now_s=NOW_S)

    def snapshot(self) -> Snapshot:
        return self.now

    def offers(self) -> tuple[()]:
        """No history lies behind a snapshot, so no correction is likelier than another."""
        return ()


class Pages:
    """Renders the pages of moments by the application itself."""

    def __init__(self) -> None:
        self.table = Still()
        site = Site(secret_key=b"k" * 32, pin="482913", address="192.0.2.7")
        table: Any = self.table
        self.app = create_app(table, settings=site, clock=ManualClock(NOW_S))
        self.web = self.app.extensions["smugglers"]

    def know(self, **beside: Any) -> None:
        """Let the pages know this beside the game (fields of `BesideTheGame`)."""
        values = self.web.page_values
        values.beside = msgspec.structs.replace(values.beside, **beside)

    def phone(self, moment: Moment, seat: int, language: str) -> str:
        """Return the page of one seat at `moment`."""
        return self._live(moment, "seat", seat, language)

    def wall(self, moment: Moment, language: str) -> str:
        """Return the page of the wall at `moment`."""
        return self._live(moment, "wall", None, language)

    def kiosk(self, moment: Moment, language: str) -> str:
        """Return the page of the touchscreen at `moment`."""
        return self._live(moment, "kiosk", None, language)

    def _live(self, moment: Moment, kind: Kind, seat: int | None, language: str) -> str:
        self.table.now = moment.snapshot
        with self.app.test_request_context("/", headers={"Accept-Language": language}):
            return live_page(self.web, kind, seat)

    def _other(self, name: str, **values: int) -> str:
        html = self.app.view_functions[name](**values)
        assert isinstance(html, str), name
        return html

    def of(self, moment: Moment, languages: Sequence[str] = LANGUAGES) -> Iterator[Page]:
        """Yield every page of `moment`: the wall, the touchscreen with its hands, every seat; at times the rest."""
        snapshot = self.table.now = moment.snapshot
        assert snapshot.setup is not None
        assert snapshot.game is not None
        seats = range(len(snapshot.setup.players))
        live: list[tuple[Kind, int | None]] = [("wall", None), ("kiosk", None), *(("seat", seat) for seat in seats)]
        for language in languages:
            with self.app.test_request_context("/", headers={"Accept-Language": language}):
                for kind, seat in live:
                    yield Page(kind if seat is None else f"seat-{seat}", language, live_page(self.web, kind, seat))
                for name in ("kiosk.table", "kiosk.corrections") if moment.step % ASIDE_EVERY == 0 else ():
                    yield Page(name, language, self._other(name))
                for seat in seats if has_hands(snapshot.game) else ():
                    yield Page(f"hand-{seat}", language, self._other("kiosk.hand", seat=seat))
