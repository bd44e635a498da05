"""Every address of the table at once: a stranger, and a player's phone, may do what stands here and nothing else.

A new address that answers either of them fails here until it is named.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NoReturn

import pytest
from werkzeug.routing import Rule

from appliance.devices.calibration_files import twin_calibration
from appliance.devices.whole_self_test import WholeSelfTest
from appliance.service.machine.machine import Machine
from appliance.service.standing_self_test import StandingSelfTest
from appliance.service.upkeep.upkeep import Upkeep
from appliance.settings import Settings
from appliance.words.catalogues import words_for
from tests.web.stand import ADDRESS, Elsewhere, Stand
from web.app import create_app
from web.context import SeatControl

SEAT, OTHERS = 1, 0
EVERYBODYS = {
    "GET /", "GET /wall", "GET /widget", "GET /overlay", "GET /seats", "GET /seats/<int:seat>/asked",
    "POST /seats/<int:seat>/ask", "GET /live", "GET /live/picture.jpg", "GET /rules", "GET /privacy", "GET /language",
    "GET /language/<language>", "GET /static/<path:filename>", "GET /host/unlock", "POST /host/lock", "GET /league",
    "GET /league/figures", "GET /night", "GET /api/v1/view", "GET /api/v1/table", "GET /api/v1/events",
    "GET /api/v1/openapi.json",
}  # fmt: skip
"""What answers whoever comes along. To ask for a seat gives nobody one."""
ANY_PLAYERS = EVERYBODYS | {"GET /kept"}
"""What answers the phone of any seat: the rolls that its party keeps, besides."""
A_PLAYERS = ANY_PLAYERS | {
    "GET /seat/<int:seat>", "GET /seat/<int:seat>/object", "POST /api/v1/actions",
    "POST /api/v1/corrections/refuse", "PUT /api/v1/seats/<int:seat>/lessons", "PUT /api/v1/seats/<int:seat>/control",
    "POST /api/v1/seats/<int:seat>/hands", "POST /api/v1/seats/<int:seat>/let_go",
}  # fmt: skip
"""What answers the phone of a seat, of its own seat."""
LAST = frozenset({"POST /api/v1/seats/<int:seat>/let_go"})
"""After this a phone holds its seat no more."""
GIVEN = {
    "seat": SEAT, "number": 1, "seq": 2, "name": "haulers", "file": "box", "filename": "live.js", "language": "de",
    "kind": "track", "code": "abcdef", "token": "abcdef",
}  # fmt: skip
FORM = {
    "pin": "000000", "game": "smugglers", "size": "2", "file": "box", "name": "Zed", "language": "de", "seat": "1",
    "ssid": "Harbour", "password": "k7m3pq9xwz", "on": "yes", "after": "0", "version": "9.9", "live_picture": "on",
}  # fmt: skip
API: dict[str, dict[str, Any]] = {
    "actions": {"action": {"do": "commit", "seat": SEAT, "seal": "0" * 64}, "prompt": None},
    "chance": {"prompt": "roll:0", "seat": OTHERS},
    "pending/object": {"pending": "1"},
    "pending/confirm": {"pending": "1"},
    "replays/watch": {"number": None},
    "amendments/preview": {"seq": 2, "action": None},
    "amendments": {"seq": 2, "action": None},
    "corrections/ask": {"seat": SEAT, "seq": 2, "action": None},
    "corrections/refuse": {"seat": SEAT},
    "commands": {"name": "search"},
    "practice": {"on": True},
    "games": {"game": "smugglers", "players": [{"name": "Zed"}, {"name": "Yan"}], "options": {}},
    "house_rules": {"game": "smugglers", "name": "mine", "options": None},
    "replays/<int:number>/kept": {"seat": SEAT, "yes": True},
    "seats/<int:seat>/control": {"by": "person"},
    "seats/<int:seat>/lessons": {"on": True},
    "seats/<int:seat>/admit": {"asker": "nobody", "yes": True},
}
WITHOUT_ID = {
    "practice", "house_rules", "amendments/preview", "replays/<int:number>/kept", "seats/<int:seat>/control",
    "seats/<int:seat>/lessons",
}  # fmt: skip


class Reached:
    """What nobody may reach: a calibration, or the machine below the table."""

    def __getattr__(self, name: str) -> NoReturn:
        raise AssertionError(f"a stranger reached {name}")


class House:
    """A table with all of its pages, a game of two on two phones in it."""

    def __init__(self, folder: Path) -> None:
        (folder / "files").mkdir()
        machine = Machine(folder / "machine")
        self.stand = Stand(folder, files_folder=folder / "files", machine=machine, owner_file=folder / "owner.json")
        settings = Settings(data_dir=str(folder))
        test = WholeSelfTest(settings, twin_calibration, twin=True, serving=True)
        self.asked: list[object] = []
        self.app = create_app(
            self.stand.table,
            settings=self.stand.site,
            clock=self.stand.clock,
            seat_control=SeatControl(lambda seat: "person", lambda *asked: self.asked.append(asked)),
            calibration_session=Reached(),  # type: ignore[arg-type]
            rolls=self.stand.rolls,
            self_test=StandingSelfTest(test, self.stand.table.snapshot, words_for("en"), listens_s=0.0),
            upkeep=Upkeep(settings, folder, self.stand.table, self.stand.journal),
        )
        self.stand.app, self.folder = self.app, folder
        self.stand.open(2)
        self.stand.do(do="roll", seat=OTHERS, value=3)
        self.phones = [self.stand.phone(seat) for seat in (OTHERS, SEAT)]

    def doors(self) -> Iterator[tuple[str, str, str]]:
        """Yield every address: method and rule, the method, and the address with something in its places."""
        for rule in self.app.url_map.iter_rules():
            for method in sorted((rule.methods or set()) & {"GET", "POST", "PUT", "PATCH", "DELETE"}):
                yield f"{method} {rule}", method, filled(rule)

    def close(self) -> None:
        self.app.extensions["smugglers"].feed.close()
        self.stand.close()


def filled(rule: Rule) -> str:
    built = rule.build({name: GIVEN.get(name, "no") for name in rule.arguments})
    assert built is not None, rule
    return str(built[1])


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    house = House(tmp_path)
    yield house
    house.close()


def opened_to(house: House, client: Any, but: frozenset[str] = frozenset()) -> set[str]:
    """Go to every address but some. Return those that gave something else than a refusal or the way to the PIN."""
    found = set[str]()
    for door, method, path in house.doors():
        if door in but:
            continue
        given: dict[str, Any] = {"data": FORM}
        if method != "GET":
            given["headers"] = {"Origin": f"http://{ADDRESS}"}
        if path.startswith("/api/") and method != "GET":
            what = door.split("/api/v1/", 1)[1]
            given = {"json": ({} if what in WITHOUT_ID else {"id": f"door-{len(found)}-{what}"}) | API.get(what, {})}
        if method == "GET":
            given = {}
        answer = client.open(path, method=method, buffered=False, **given)
        to_the_pin = answer.status_code == 302 and answer.headers["Location"].startswith("/host/unlock")
        assert answer.status_code < 500, door
        assert answer.status_code not in (400, 405, 413, 415), f"{door} is not asked as a browser asks it"
        assert answer.status_code != 422, f"{door} is not asked as a browser asks it"
        if answer.status_code < 400 and not to_the_pin:
            found.add(door)
        answer.close()
    return found


def kept(house: House) -> tuple[Any, ...]:
    """Return what nobody may have changed: the journal, and the files beside it."""
    files = {path: path.read_bytes() for path in house.folder.rglob("*.json") if path.name != "phones.json"}
    return house.stand.table.snapshot().journal_seq, house.stand.journal.last_seq(), files, house.asked


@pytest.mark.slow
def test_a_stranger_comes_through_these_doors_and_no_other_and_changes_nothing(house: House) -> None:
    before = kept(house)
    stranger = Elsewhere(house.app, house.app.response_class, use_cookies=True)
    assert opened_to(house, stranger) == EVERYBODYS
    assert kept(house) == before


def test_a_phone_does_so_much_for_its_own_seat(house: House) -> None:
    assert opened_to(house, house.phones[SEAT], LAST) == A_PLAYERS - LAST
    assert opened_to(house, house.phones[SEAT]) >= LAST


def test_a_phone_does_nothing_for_another_seat(house: House) -> None:
    before = kept(house)
    assert opened_to(house, house.phones[OTHERS]) == ANY_PLAYERS
    assert kept(house) == before
