"""Guests of a league night: who is there once, entered at two devices, or erased while it is on."""

from __future__ import annotations

from typing import Any

import pytest

from appliance.games.league.chain_night import chain_night
from appliance.hub.people import nights
from appliance.hub.people.guests import erase
from tests.web.hub.conftest import ORIGIN, StandingHub
from tests.web.hub.night import GUESTS, PATH, Night


@pytest.mark.parametrize(("language", "told"), [("en", "Ada is already here."), ("de", "Ada ist schon da.")])
def test_a_name_that_is_there_already_is_told(hub: StandingHub, language: str, told: str) -> None:
    night, asked = Night(hub), {"Accept-Language": language}
    night.tap(f"{PATH}/come", name="Ada")
    again = night.client.post(f"{PATH}/come", data={"name": " ada"}, headers=ORIGIN)
    assert (again.status_code, set(night.standings())) == (302, {"Ada"})
    assert told in night.client.get(again.location, headers=asked).text
    assert told not in night.client.get(PATH, headers=asked).text
    night.tap(f"{PATH}/go", name="Ada")
    assert told not in night.client.get(again.location, headers=asked).text
    back = night.client.post(f"{PATH}/come", data={"name": "ada"}, headers=ORIGIN)
    assert back.location == PATH


def test_guests_who_are_entered_on_two_devices_at_once_are_all_there(
    hub: StandingHub, monkeypatch: pytest.MonkeyPatch
) -> None:
    night, happened = Night(hub), nights.happened
    night.tap(f"{PATH}/come", name="Cay")

    def another_was_faster(*given: Any) -> bool:
        monkeypatch.setattr(nights, "happened", happened)
        night.tap(f"{PATH}/come", name="Bob")
        return happened(*given)

    for path, name in (("come", "Ann"), ("go", "Cay")):
        monkeypatch.setattr(nights, "happened", another_was_faster)
        night.tap(f"{PATH}/{path}", name=name)
    assert set(night.standings()) == {"Ann", "Bob", "Cay"}
    on = nights.night_of(hub.database, 1)
    assert on is not None
    assert {one.name for one in chain_night(on.events, (), size=6, least=2).standings if one.here} == {"Ann", "Bob"}


def test_a_night_goes_on_without_a_guest_whose_name_is_erased(hub: StandingHub) -> None:
    night = Night(hub)
    for name in ("Ann", *GUESTS[:5]):
        night.tap(f"{PATH}/come", name=name)
    ((table, guests),) = night.call().items()
    hub.tables[table].won(hub.tables[table].open(guests, "haulers"), guests.index(GUESTS[0]))
    hub.hears()
    hub.client("chain").post("/guest/erase", data={"name": "ANN"}, headers=ORIGIN)
    assert "Ann" not in night.page
    assert "This night is over" not in night.page
    assert {name: (won, played) for name, (_, won, played) in night.standings().items()} == {
        name: (name == GUESTS[0], 1) for name in GUESTS[:5]
    }
    with hub.database.read() as connection:
        assert "ann" not in repr(connection.exec_driver_sql("SELECT event FROM night_events").all()).lower()


def test_a_name_that_is_erased_while_guests_are_called_does_not_come_back(
    hub: StandingHub, monkeypatch: pytest.MonkeyPatch
) -> None:
    night, happened = Night(hub), nights.happened
    for name in ("Ann", *GUESTS[:5]):
        night.tap(f"{PATH}/come", name=name)

    def erased_meanwhile(*given: Any) -> bool:
        monkeypatch.setattr(nights, "happened", happened)
        erase(hub.database, "Ann", hub.now_s)
        return happened(*given)

    monkeypatch.setattr(nights, "happened", erased_meanwhile)
    night.call()
    assert ">Ann<" not in night.page
    assert sorted(night.call().popitem()[1]) == GUESTS[:5]
