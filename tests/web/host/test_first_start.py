"""The first start: who is led, what each step settles, and that no step is a dead end."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from appliance.service.machine.asks import (
    AccessPoint,
    Done,
    Join,
    MachineState,
    OpenAccessPoint,
    Problem,
    RolledBack,
    Touchscreen,
    Wifi,
)
from appliance.words.catalogues import LANGUAGES, words_for
from hardware.readings import DeviceHealth, Status
from tests.web.host.first_start import READY, Told
from tests.web.stand import Stand
from web.routes.first_start import STEPS

STATES = {
    "ready": READY,
    "own": MachineState(touchscreen="on", network="ready", own=AccessPoint("Smugglers", "k7m3pq9xwz")),
    "nothing": MachineState(touchscreen="not_installed", network="no_network_manager"),
    "no adapter": MachineState(touchscreen="off", network="no_wifi"),
}
PROBLEMS = [
    "wifi_refused",
    "access_point_refused",
    "not_a_wifi_name",
    "not_a_wifi_password",
    "no_network_manager",
    "no_wifi",
    "no_touchscreen",
    "touchscreen_refused",
    "malformed_ask",
    "machine_silent",
    "not_from_package",
    "not_saved",
    "first_start_code",
    "pin_in_settings",
    "not_a_pin",
]


def test_the_own_screen_is_led_once(fresh: Callable[[], Stand]) -> None:
    stand = fresh()
    page = stand.kiosk().get("/kiosk", follow_redirects=True)
    assert page.request.path == "/first/language"
    assert stand.kiosk().post("/first/ready", headers={"Origin": "http://localhost"}).location == "/kiosk"
    assert stand.kiosk().get("/kiosk").status_code == 200
    assert fresh().kiosk().get("/kiosk").status_code == 200, "also after the next start"


def test_who_only_plays_is_not_led(fresh: Callable[[], Stand]) -> None:
    stand = fresh()
    assert stand.stranger().get("/").status_code == 200
    stand.open()
    assert stand.kiosk().get("/kiosk").status_code == 200, "a game that is open goes on"


def test_a_table_not_from_the_package_leads_nobody(fresh: Callable[..., Stand]) -> None:
    assert fresh(machine=None).kiosk().get("/kiosk").status_code == 200


def test_every_step_leads_to_the_next_and_back(fresh: Callable[[], Stand]) -> None:
    kiosk = fresh().kiosk()
    for before, step, after in zip((None, *STEPS), STEPS, (*STEPS[1:], None), strict=False):
        text = kiosk.get(f"/first/{step}").text
        assert before is None or f'href="/first/{before}"' in text
        assert after is None or f'href="/first/{after}"' in text
    assert kiosk.get("/first/nonsense").status_code == 404


def test_a_password_that_was_refused_is_mended_and_not_typed_again(fresh: Callable[[], Stand], machine: Told) -> None:
    kiosk = fresh().kiosk()
    two = (Wifi("Harbour", 80, True, True), Wifi("Quay", 60, True, False))
    machine.done = Done("wifi_refused", msgspec.structs.replace(READY, wifis=two))
    given = {"ssid": "Quay", "password": 'k7m "pq9<xwz'}
    page = kiosk.post("/first/network/join", data=given, headers={"Origin": "http://localhost"}).text
    assert re.search(r'value="Quay" checked', page)
    assert f'name="password" value="{html.escape(given["password"]).replace("&quot;", "&#34;")}"' in page


def test_a_password_that_is_too_long_is_refused_in_words_and_not_cut(fresh: Callable[[], Stand], machine: Told) -> None:
    kiosk = fresh().kiosk()
    machine.done = Done("not_a_wifi_password", READY)
    assert "maxlength" not in kiosk.get("/first/network").text, "a browser cuts what is pasted"
    given = {"ssid": "Quay", "password": "k7m3pq9xwz" * 7}
    page = kiosk.post("/first/network/join", data=given, headers={"Origin": "http://localhost"}).text
    assert f'name="password" value="{given["password"]}"' in page


def test_a_wifi_that_needs_no_password_says_so(fresh: Callable[[], Stand], machine: Told) -> None:
    two = (Wifi("Harbour", 80, True, False), Wifi("Quay", 60, False, False))
    machine.done = Done("", msgspec.structs.replace(READY, wifis=two))
    page = fresh().kiosk().get("/first/network").text
    assert "Harbour (80 %)" in page
    assert "Quay (60 %, no password)" in page


def test_the_language_holds_for_all_who_chose_none(fresh: Callable[[], Stand]) -> None:
    stand = fresh()
    stand.kiosk().post("/first/language", data={"language": "de"}, headers={"Origin": "http://localhost"})
    assert '<html lang="de">' in stand.stranger().get("/rules").text


def test_what_the_owner_chooses_is_asked_of_the_machine(fresh: Callable[[], Stand], machine: Told) -> None:
    kiosk, origin = fresh().kiosk(), {"Origin": "http://localhost"}
    kiosk.post("/first/touchscreen", data={"on": "yes"}, headers=origin)
    kiosk.post("/first/network/join", data={"ssid": "Harbour", "password": "secret-harbour"}, headers=origin)
    kiosk.post("/first/network/own", headers=origin)
    on, join, own = machine.asked
    assert (on, join) == (Touchscreen(True), Join("Harbour", "secret-harbour"))
    assert isinstance(own, OpenAccessPoint)
    assert re.fullmatch("[a-z2-9]{10}", own.password)


def test_one_code_joins_the_wifi_and_one_the_seat(fresh: Callable[[], Stand], machine: Told) -> None:
    kiosk = fresh().kiosk()
    assert kiosk.get("/first/network").text.count('class="qr"') == 1
    machine.done = Done("", STATES["own"])
    assert kiosk.get("/first/network").text.count('class="qr"') == 2


@pytest.mark.slow
@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize("language", ["en", "de"])
def test_every_step_has_words_in_every_state(
    fresh: Callable[[], Stand], machine: Told, state: str, language: str
) -> None:
    kiosk = fresh().kiosk()
    kiosk.set_cookie("language", language)
    machine.done = Done("", STATES[state])
    for step in STEPS:
        text = kiosk.get(f"/first/{step}").text
        assert f'<html lang="{language}">' in text
        assert not re.search(r">\s*(first|rejection)\.[a-z_.]+", text)


@pytest.mark.slow
@pytest.mark.parametrize("problem", PROBLEMS)
def test_every_problem_says_what_to_do(fresh: Callable[[], Stand], machine: Told, problem: Problem) -> None:
    for language in ("en", "de"):
        assert f"rejection.{problem}" in words_for(language)
    machine.done = Done(problem)
    answer = fresh().kiosk().post("/first/network/own", headers={"Origin": "http://localhost"})
    assert answer.status_code == 422
    assert 'role="alert"' in answer.text


def test_an_upgrade_that_was_taken_back_is_told(fresh: Callable[[], Stand], machine: Told, tmp_path: Path) -> None:
    kiosk = fresh().kiosk()
    assert "1.1.0" not in kiosk.get("/kiosk/table").text
    note = RolledBack("1.1.0", "1.0.0", "2026-11-22T12:00:00Z")
    (tmp_path / "rolled-back.json").write_text(json.dumps({f: getattr(note, f) for f in note.__struct_fields__}))
    for page in ("/kiosk/table", "/host", "/first/ready"):
        text = kiosk.get(page).text
        assert "1.1.0" in text
        assert "kept beside it" not in text
    (tmp_path / "rolled-back.json").write_text(
        '{"failed": "1.1.0", "runs": "1.0.0", "at_utc": "2026-11-22T12:00:00Z", "older_calibration": true}'
    )
    assert "cannot read the calibration that 1.1.0 stored" in kiosk.get("/host").text


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_sensors_page_says_how_to_tell_that_there_are_no_beams_and_knows_it_then(
    fresh: Callable[[], Stand], language: str
) -> None:
    stand, say = fresh(), words_for(language).say

    def page(code: str, status: Status) -> str:
        stand.table.sense(DeviceHealth(t_s=1.0, device="beams", status=status, code=code))
        stand.table.step()
        return stand.kiosk().get("/first/sensors", headers={"Accept-Language": language}).text

    assert say("first.sensors.no_beams") in page("beams_ok", "ok")
    without = page("beams_off", "absent")
    assert say("health.beams_off") in without
    assert say("first.sensors.no_beams") not in without


@pytest.mark.parametrize(
    ("address", "link"),
    [
        ("192.0.2.7", "http://192.0.2.7:8080"),
        ("fd00::5", "http://[fd00::5]:8080"),
        ("127.0.0.1", ""),
        ("::1", ""),
        ("localhost", ""),
    ],
)
def test_the_network_page_offers_phones_no_address_that_is_their_own(
    fresh: Callable[..., Stand], address: str, link: str
) -> None:
    page = fresh(address=address).kiosk().get("/first/network").text
    assert re.findall(r"<span>(http://[^<]*)</span>", page) == ([link] if link else [])
