"""Releases and settings on a hub's pages: who may offer them, and what is told of them."""

from __future__ import annotations

import msgspec
import pytest

from appliance.hub.chain.rollouts import go_on, offers, settings_of
from appliance.hub.link.wanted import HouseSettings, Offered, decoded
from appliance.hub.report import Report, encoded
from appliance.hub.store.envelopes_kept import keep_status
from appliance.words.catalogues import LANGUAGES
from tests.markup import faults
from tests.web.hub.conftest import ORIGIN, StandingHub

HOUSE = {"language": "de", "quiet_from_h": "22", "quiet_until_h": "8", "dark_from_h": "24", "dark_until_h": "8"}


def said(name: str, now_s: float, offered: Offered | None = None) -> Report:
    return Report(
        table=name,
        wall_s=now_s,
        release="0.1.0",
        newest=0,
        stored=0,
        status=None,
        takes=("updates", "settings"),
        offered=offered,
    )


def agrees(hub: StandingHub, name: str, offered: Offered | None = None) -> None:
    keep_status(hub.database, {name: encoded(said(name, hub.now_s, offered))}, hub.now_s)


@pytest.fixture
def chain(hub: StandingHub) -> StandingHub:
    for name, cafe in (("bay", "Anker"), ("mole", "Central"), ("pier", "Central")):
        hub.table(name, cafe)
        agrees(hub, name)
    return hub


def post(hub: StandingHub, who: str | None, path: str, **form: str) -> int:
    return hub.client(who).post(path, data=form, headers=ORIGIN).status_code


def test_the_chain_begins_with_one_table_and_sees_where_it_stopped(chain: StandingHub) -> None:
    assert post(chain, "chain", "/offers/release", release="0.2.0", minutes="15") == 302
    assert set(offers(chain.database)) == {"bay"}
    client = chain.client()
    assert client.get("/offers").status_code == 401
    agrees(chain, "bay", Offered("0.2.0", "went_back"))
    go_on(chain.database, chain.now_s)
    assert offers(chain.database) == {}


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_page_says_each_step_in_every_language(chain: StandingHub, language: str) -> None:
    owner = chain.client("chain")
    owner.post("/offers/release", data={"release": "0.2.0", "minutes": "15"}, headers=ORIGIN)
    owner.set_cookie("language", language)
    pages = [owner.get("/offers").text]
    agrees(chain, "bay", Offered("0.2.0", "went_back"))
    go_on(chain.database, chain.now_s)
    pages.append(owner.get("/offers").text)
    assert [faults(page, "smugglers") for page in pages] == [[], []]
    first = {"en": "ring 1 of 3", "de": "Ring 1 von 3"}[language]
    stopped = {"en": "did not run at bay", "de": "an bay lief sie nicht"}[language]
    assert (first in pages[0], stopped in pages[1]) == (True, True)
    assert "hub.offers" not in pages[0] + pages[1]


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_page_names_who_is_left_out_and_who_cannot_be_read(chain: StandingHub, language: str) -> None:
    agrees(chain, "bay", Offered("0.2.0", "went_back"))
    owner = chain.client("chain")
    owner.post("/offers/release", data={"release": "0.2.0", "minutes": "15"}, headers=ORIGIN)
    owner.set_cookie("language", language)
    keep_status(chain.database, {"mole": b"?"}, chain.now_s)
    pages = [owner.get("/offers").text]
    agrees(chain, "mole")
    chain.now_s += 60
    keep_status(
        chain.database, {"mole": encoded(msgspec.structs.replace(said("mole", chain.now_s), takes=()))}, chain.now_s
    )
    go_on(chain.database, chain.now_s)
    pages.append(owner.get("/offers").text)
    assert [faults(page, "smugglers") for page in pages] == [[], []]
    left, lost, nobody = {
        "en": ("failed there before", "nothing that this hub can read", "no table of the ring of mole has it"),
        "de": ("ging diese Version schon schief", "nichts, was dieser Hub lesen kann", "kein Tisch im Ring von mole"),
    }[language]
    assert (left in pages[0], lost in pages[0], nobody in pages[1]) == (True, True, True)
    assert "hub.offers" not in pages[0] + pages[1]


def test_a_cafe_offers_settings_to_its_own_tables_alone(chain: StandingHub) -> None:
    assert post(chain, "Central", "/offers/release", release="0.2.0", minutes="15") == 403
    assert chain.client().post("/offers/house", data={"cafe": "Anker"}, headers=ORIGIN).status_code == 401


def test_a_cafes_settings_reach_its_tables(chain: StandingHub) -> None:
    client = chain.client("Central")
    assert client.post("/offers/house", data={**HOUSE, "cafe": "Anker"}, headers=ORIGIN).status_code == 403
    assert client.post("/offers/house", data={**HOUSE, "cafe": "Central"}, headers=ORIGIN).status_code == 302
    said = {name: decoded(one) for name, one in offers(chain.database).items()}
    assert set(said) == {"mole", "pier"}
    wanted = said["mole"]
    assert wanted is not None
    assert wanted.settings == HouseSettings(language="de", quiet_from_h=22, quiet_until_h=8)
    assert "Anker" not in client.get("/offers").text
    client.post("/offers/house", data={"cafe": "Central", "nothing": "1"}, headers=ORIGIN)
    assert offers(chain.database) == {}


@pytest.mark.parametrize(
    ("path", "form", "status", "said"),
    [
        ("release", {"release": "latest", "minutes": "15"}, 422, "That is not a version"),
        ("release", {"release": "0.2.0; reboot", "minutes": "15"}, 422, "That is not a version"),
        ("release", {"release": "0.2.0", "minutes": "0"}, 422, "That is not a version"),
        ("house", {**HOUSE, "quiet_from_h": "25"}, 422, "hour"),
        ("house", {**HOUSE, "language": "xx"}, 422, "language"),
        ("house", {**HOUSE, "language": "de\n"}, 422, "language"),
        ("house", {**HOUSE, "cafe": "Nowhere"}, 404, "nothing here"),
    ],
)
def test_what_is_entered_wrong_is_told_and_offered_to_nobody(
    chain: StandingHub, path: str, form: dict[str, str], status: int, said: str
) -> None:
    answer = chain.client("chain").post(f"/offers/{path}", data={"cafe": "", **form}, headers=ORIGIN)
    assert (answer.status_code, said in answer.text) == (status, True)
    assert (offers(chain.database), settings_of(chain.database)) == ({}, {})


def test_one_release_at_a_time_and_it_can_be_stopped(chain: StandingHub) -> None:
    owner = chain.client("chain")
    for status in (302, 409):
        answer = owner.post("/offers/release", data={"release": "0.2.0", "minutes": "5"}, headers=ORIGIN)
        assert answer.status_code == status
    assert owner.post("/offers/stop", headers=ORIGIN).status_code == 302
    assert offers(chain.database) == {}
    assert "stopped by hand" in owner.get("/offers").text
