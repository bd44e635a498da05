"""What a hub may change at a table: nothing until its owner agrees on the host's page, with a PIN for releases."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from appliance.hub.link.wanted import HouseSettings
from appliance.service.machine.machine import Machine
from tests.web.machine_asked import HERE, STATE, Asked, host
from tests.web.stand import Stand
from web.hubs_house import HubsHouse

CHOICES = {
    "language": "auto",
    "dim_after_s": "180",
    "live_picture": "on",
    "quiet_from_h": "24",
    "quiet_until_h": "8",
    "dark_from_h": "24",
    "dark_until_h": "8",
}


@pytest.fixture
def stand(tmp_path: Path, asked: Asked) -> Iterator[Stand]:
    (tmp_path / "table").mkdir()
    stand = Stand(tmp_path / "table", machine=Machine(asked.folder), tells_hub=True)
    yield stand
    stand.close()


def house(stand: Stand) -> HubsHouse:
    return HubsHouse(stand.app.extensions["smugglers"])


def agree(stand: Stand, *what: str) -> None:
    form = {**CHOICES, **dict.fromkeys(what, "on")}
    assert host(stand).post("/host", data=form, headers=HERE).status_code == 302


def test_a_hub_may_nothing_until_the_owner_agrees(stand: Stand) -> None:
    assert house(stand).takes() == ()
    page = host(stand).get("/host").text
    assert ("The hub may install releases" in page, "The hub may set language" in page) == (True, True)
    agree(stand, "hub_updates")
    assert house(stand).takes() == ("updates",)
    agree(stand, "hub_settings")
    assert house(stand).takes() == ("settings",)
    agree(stand)
    assert house(stand).takes() == ()


def test_a_table_without_a_hub_is_not_asked(tmp_path: Path) -> None:
    (tmp_path / "alone").mkdir()
    stand = Stand(tmp_path / "alone")
    assert "hub may" not in host(stand).get("/host").text
    stand.close()


def test_a_release_comes_from_the_tables_own_source_alone(stand: Stand, asked: Asked) -> None:
    agree(stand, "hub_updates")
    asked.answer = {"problem": ""}
    assert house(stand).install("0.2.0") == ""
    assert asked.asks[-2:] == [
        {"type": "updates", "refresh": True},
        {"type": "install", "source": "apt", "version": "0.2.0", "sha256": ""},
    ]
    asked.answer = {"problem": "update_gone"}
    assert house(stand).install("0.2.0") == "gone"
    asked.answer = {"problem": "update_refused"}
    assert house(stand).install("0.2.0") == "refused"
    (asked.folder / "socket").unlink()
    assert house(stand).install("0.2.0") == "refused"


def test_settings_of_the_hub_leave_the_rest_alone(stand: Stand) -> None:
    agree(stand, "hub_settings")
    house(stand).change(HouseSettings(language="de", dark_from_h=23, dark_until_h=7))
    page = host(stand).get("/host").text
    assert '<html lang="de"' in page
    choices = stand.app.extensions["smugglers"].host.choices
    assert (choices.hub_settings, choices.dark_from_h, choices.dim_after_s) == (True, 23, 180)


def test_settings_that_the_table_cannot_use_are_refused(stand: Stand) -> None:
    agree(stand, "hub_settings")
    before = stand.app.extensions["smugglers"].host.choices
    assert not house(stand).change(HouseSettings(language="de\n"))
    assert stand.app.extensions["smugglers"].host.choices == before


def test_a_host_who_takes_the_consent_back_meanwhile_wins(stand: Stand) -> None:
    agree(stand, "hub_settings")
    hubs = house(stand)
    assert hubs.takes() == ("settings",)
    agree(stand)
    assert not hubs.change(HouseSettings(language="de"))
    choices = stand.app.extensions["smugglers"].host.choices
    assert (choices.hub_settings, choices.language) == (False, "auto")


@pytest.mark.parametrize("at_utc", ["1970-01-01T00:03:00Z", "2099-01-01T00:00:00Z", "no time"])
def test_an_update_that_seems_to_run_at_another_time_is_asked_for(stand: Stand, asked: Asked, at_utc: str) -> None:
    """The clock of a board without a battery is behind after a power cut, and ahead once the network has set it."""
    note = {"version": "1.2.0", "result": "running", "at_utc": at_utc}
    (asked.folder / "update.json").write_text(json.dumps(note))
    asked.answer = {"problem": "", "updates": {**STATE, "last": {**note, "result": "failed"}}}
    last = house(stand).last_update()
    assert last is not None
    assert last.result == "failed"


def test_while_a_game_is_played_the_table_is_not_free(stand: Stand) -> None:
    assert house(stand).is_free()
    stand.open(2)
    assert not house(stand).is_free()
