"""The pages round the games with something on each of them, as a screen gets them."""

from __future__ import annotations

import base64
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from appliance.games.catalogue import GAMES
from appliance.hub.store.database import Database, sqlite_url
from appliance.hub.store.migrate import migrate
from appliance.words.catalogues import LANGUAGES
from tests.pages import Page
from tests.web.evening.test_afterwards import own, show_finished
from tests.web.evening.test_last_evening import play
from tests.web.evening.test_league import WON_BY_SECOND
from tests.web.evening.test_league_night import Screen, begun
from tests.web.host.calibration_screen import CalibrationScreen
from tests.web.host.test_self_test_page import Checked
from tests.web.host.test_upkeep import Kept
from tests.web.hub.conftest import StandingHub
from tests.web.stand import PIN, Stand
from web.routes.first_start import STEPS

GUESTS = ("Ann", "Ben", "Cleo")
A_ROW = 3
IMAGE = re.compile(r'(?<=<img class="souvenir" )src="(/[^"]+)"')
"""The picture of a game that ended lies on the table, not in the page."""

Looks = Sequence[tuple[str, Any, str]]
"""On which kind of screen, by whose browser, which address."""


def shown(looks: Looks) -> Iterator[list[Page]]:
    """Yield the pages in rows, in each language."""
    for language in LANGUAGES:
        for at in range(0, len(looks), A_ROW):
            yield [
                Page(f"{kind}.{path}", language, _page(client, path, language))
                for kind, client, path in looks[at : at + A_ROW]
            ]


def _page(client: Any, path: str, language: str) -> str:
    answer = client.get(path, headers={"Accept-Language": language}, follow_redirects=True)
    assert answer.status_code in (200, 404), (path, answer.status_code)
    return IMAGE.sub(lambda found: _embedded(client, found[1]), str(answer.text))


def _embedded(client: Any, address: str) -> str:
    """Return the source of an image that this viewer's browser would load, within the page: it is shown later."""
    answer = client.get(address)
    assert answer.status_code == 200, (address, answer.status_code)
    return f'src="data:{answer.mimetype};base64,{base64.b64encode(answer.data).decode()}"'


def _evening(folder: Path) -> Iterator[list[Page]]:
    stand = Stand(folder)
    wall, phone = stand.stranger(), stand.stranger()
    yield from shown([("wall", wall, "/"), ("kiosk", stand.kiosk(), "/kiosk"), ("seat", phone, "/seats")])
    play(stand, WON_BY_SECOND, GUESTS)
    begun(Screen(stand), *GUESTS)
    paths = ("/night", "/league")
    yield from shown([(kind, stand.kiosk(), path) for path in paths for kind in ("wall", "kiosk", "seat")])
    show_finished(stand)
    yield from shown([(kind, own(stand.kiosk()), "/after") for kind in ("kiosk", "seat")])
    stand.close()


def _table(folder: Path) -> Iterator[list[Page]]:
    stand = Stand(folder)
    kiosk = stand.kiosk()
    setups = [("kiosk", kiosk, f"/kiosk/setup/{game}") for game in GAMES]
    more = [("kiosk", kiosk, path) for path in ("/kiosk/games", "/nowhere")]
    read = [(kind, kiosk, path) for path in ("/rules", "/privacy", "/language") for kind in ("kiosk", "seat")]
    yield from shown([*setups, *more, *read])
    stand.open(4)
    yield from shown([("kiosk", kiosk, f"/kiosk/{path}") for path in ("table", "corrections")])
    stand.close()


def _host(folder: Path) -> Iterator[list[Page]]:
    stand = Stand(folder, files_folder=folder / "files")
    host = own(stand.kiosk())
    yield from shown([("kiosk", host, "/host/unlock")])
    host.post("/host/unlock", data={"pin": PIN})
    paths = ("/host", "/host/guests", "/host/files", "/kept", *(f"/first/{step}" for step in STEPS))
    yield from shown([("kiosk", host, path) for path in paths])
    stand.close()
    checked = Checked(folder / "checked")
    checked.lay(0.0)
    yield from shown([("kiosk", checked.client, "/host/check")])
    checked.standing.stop()
    checked.stand.close()
    kept = Kept(folder / "kept", pin="")
    yield from shown([("kiosk", kept.own_screen(), "/host/support")])
    kept.stand.close()
    calibration = CalibrationScreen(folder / "calibration")
    yield from shown([("kiosk", calibration.host, "/host/calibration")])
    calibration.session.close()
    calibration.stand.close()


def _hub(folder: Path) -> Iterator[list[Page]]:
    database = Database(sqlite_url(folder / "hub.db"))
    migrate(database)
    database.close()
    hub = StandingHub(folder)
    for name, cafe in (("bay", "Anker"), ("pier", "Anker"), ("mole", "Central")):
        hub.table(name, cafe)
    hub.tables["mole"].played(("Ann", "Dee"), 0)
    hub.tables["bay"].goes_on(hub.tables["bay"].open(("Ann", "Bob", "Cleo", None)))
    hub.hears()
    hub.reports("bay")
    hub.reports("mole", scale="faulty")
    chain = hub.client("chain")
    paths = ("/", "/league", "/tables", "/accounts", "/guest")
    walls = [("wall", chain, "/wall?cafe=Anker"), ("wall", chain, "/league")]
    yield from shown([*walls, *((kind, chain, path) for path in paths for kind in ("kiosk", "seat"))])
    hub.database.close()


STANDING: dict[str, Callable[[Path], Iterator[list[Page]]]] = {
    "evening": _evening,
    "table": _table,
    "host": _host,
    "hub": _hub,
}
"""Sheets by their names; each gets an empty folder."""
