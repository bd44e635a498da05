"""The code of the first start and the PIN: who gets in with them, and what outlives damage and starts."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from werkzeug.wrappers import Response

from appliance.journal.safekeeping.choices import OwnersChoices, write_owners
from tests.patience import GIVEN_UP_S
from tests.web.host.first_start import code
from tests.web.stand import Stand
from web.doors.owner import Owner


def test_from_another_machine_the_code_lets_the_owner_in_until_there_is_a_pin(
    fresh: Callable[[], Stand], tmp_path: Path
) -> None:
    stand = fresh()
    owner, other = stand.stranger(), stand.stranger()
    origin = {"Origin": "http://192.0.2.7"}
    assert other.get("/first/language").location.startswith("/host/unlock")
    assert other.post("/first/pin", data={"pin": "1234"}, headers=origin).status_code == 403
    wrong = other.get("/first/code/wrong")
    assert wrong.status_code == 403
    assert "/host/unlock" not in wrong.text, "there is no PIN to enter"
    link = f"/first/code/{code(tmp_path)}"
    assert owner.get(link).status_code == 302
    assert owner.get("/first/language").status_code == 200
    assert owner.post("/first/pin", data={"pin": "7391"}, headers=origin).location == "/first/sensors"
    assert owner.get("/first/sensors").status_code == 200, "who set the PIN is in"
    late = other.get(link)
    assert late.status_code == 403
    assert 'href="/host/unlock?back=/first">Enter the PIN' in late.text
    assert not (tmp_path / "first-start.code").exists()


def test_the_code_is_the_same_after_a_start_and_readable_by_the_table_alone(
    fresh: Callable[[], Stand], tmp_path: Path
) -> None:
    fresh()
    first = code(tmp_path)
    assert len(first) >= 12
    fresh()
    assert code(tmp_path) == first
    assert (tmp_path / "first-start.code").stat().st_mode & 0o777 == 0o600


def flipped(file: Path, place: int) -> None:
    """Turn the highest bit of one byte: what was UTF-8 is none any more."""
    content = bytearray(file.read_bytes())
    content[place] ^= 0x80
    file.write_bytes(bytes(content))


def test_a_damaged_code_is_made_anew(fresh: Callable[[], Stand], tmp_path: Path) -> None:
    fresh()
    file = tmp_path / "first-start.code"
    for damage in (lambda: flipped(file, 3), lambda: file.write_bytes(b"")):
        damage()
        assert fresh().stranger().get(f"/first/code/{code(tmp_path)}").status_code == 302


@pytest.mark.parametrize("place", [3, 20, 120])
def test_the_pin_outlives_damage_of_the_owners_file(fresh: Callable[[], Stand], tmp_path: Path, place: int) -> None:
    fresh().kiosk().post("/first/pin", data={"pin": "7391"}, headers={"Origin": "http://localhost"})
    flipped(tmp_path / "owner.json", place)
    stand = fresh()
    assert stand.kiosk().get("/host").location.startswith("/host/unlock")
    stranger, there = stand.stranger(), {"Origin": "http://192.0.2.7"}
    assert stranger.post("/host/unlock", data={"pin": "7392"}, headers=there).status_code == 403
    assert stranger.post("/host/unlock", data={"pin": "7391"}, headers=there).status_code == 302


@pytest.mark.parametrize("place", [3, 20, 120])
def test_an_owners_file_that_is_damaged_with_its_spare_stops_no_table_and_lets_no_stranger_in(
    fresh: Callable[[], Stand], tmp_path: Path, place: int
) -> None:
    fresh().kiosk().post("/first/pin", data={"pin": "7391"}, headers={"Origin": "http://localhost"})
    for file in (tmp_path / "owner.json", tmp_path / "copy" / "owner.json"):
        flipped(file, place)
    stranger = fresh().stranger()
    assert stranger.get("/").status_code == 200
    there = {"Origin": "http://192.0.2.7"}
    assert stranger.post("/host/unlock", data={"pin": "7391"}, headers=there).status_code == 403
    assert stranger.get("/host").location.startswith("/host/unlock")


def test_who_forgot_the_pin_removes_both_files_and_chooses_another(fresh: Callable[[], Stand], tmp_path: Path) -> None:
    fresh().kiosk().post("/first/pin", data={"pin": "7391"}, headers={"Origin": "http://localhost"})
    for file in (tmp_path / "owner.json", tmp_path / "copy" / "owner.json"):
        file.unlink()
    kiosk = fresh().kiosk()
    assert kiosk.post("/first/pin", data={"pin": "2468"}, headers={"Origin": "http://localhost"}).status_code == 302
    there = {"Origin": "http://192.0.2.7"}
    assert fresh().stranger().post("/host/unlock", data={"pin": "7391"}, headers=there).status_code == 403
    assert fresh().stranger().post("/host/unlock", data={"pin": "2468"}, headers=there).status_code == 302


def test_codes_cannot_be_tried_without_end(fresh: Callable[[], Stand]) -> None:
    stranger = fresh().stranger()
    assert [stranger.get(f"/first/code/try-{n}").status_code for n in range(6)] == [403] * 5 + [429]


def test_codes_that_are_tried_where_there_is_none_lock_no_pin(fresh: Callable[[], Stand]) -> None:
    stand = fresh()
    stand.kiosk().post("/first/pin", data={"pin": "7391"}, headers={"Origin": "http://localhost"})
    stranger = stand.stranger()
    assert [stranger.get(f"/first/code/try-{n}").status_code for n in range(6)] == [403] * 6
    there = {"Origin": "http://192.0.2.7"}
    assert stranger.post("/host/unlock", data={"pin": "7391"}, headers=there).status_code == 302


def test_pages_of_other_sites_use_up_nobody_s_tries_of_the_code(fresh: Callable[[], Stand], tmp_path: Path) -> None:
    owner = fresh().stranger()
    for number in range(6):
        answer = owner.get(f"/first/code/try-{number}", headers={"Sec-Fetch-Site": "cross-site"})
        assert answer.status_code == 403
        assert "That came from another page" in answer.text
    assert owner.get(f"/first/code/{code(tmp_path)}").status_code == 302


def test_a_pin_chosen_here_opens_the_kiosk_elsewhere_and_outlives_a_start(
    fresh: Callable[[], Stand], tmp_path: Path
) -> None:
    local = {"Origin": "http://localhost"}
    fresh().kiosk().post("/first/pin", data={"pin": "7391"}, headers=local)
    assert "7391" not in (tmp_path / "owner.json").read_text()
    stranger = fresh().stranger()
    there = {"Origin": "http://192.0.2.7"}
    assert stranger.post("/host/unlock", data={"pin": "7392"}, headers=there).status_code == 403
    assert stranger.post("/host/unlock", data={"pin": "7391"}, headers=there).status_code == 302
    assert stranger.get("/kiosk").status_code == 200


def test_a_new_pin_ends_the_kiosks_that_knew_the_old_one(fresh: Callable[[], Stand]) -> None:
    stand = fresh()
    origin = {"Origin": "http://localhost"}
    first = stand.kiosk()
    first.post("/first/pin", data={"pin": "7391"}, headers=origin)
    second = stand.kiosk()
    second.post("/host/unlock", data={"pin": "7391"}, headers=origin)
    assert second.get("/host").status_code == 200
    first.post("/first/pin", data={"pin": "884422"}, headers=origin)
    assert second.get("/host").status_code == 302
    assert first.get("/host").status_code == 200


@pytest.mark.parametrize("pin", ["", "123", "1234567890123", "12a4", "١٢٣٤"])
def test_what_is_no_pin_is_refused(fresh: Callable[[], Stand], pin: str) -> None:
    answer = fresh().kiosk().post("/first/pin", data={"pin": pin}, headers={"Origin": "http://localhost"})
    assert answer.status_code == 422
    assert "4 to 12 digits" in answer.text


def test_a_pin_of_the_settings_stays(fresh: Callable[..., Stand]) -> None:
    stand = fresh(pin="482913")
    kiosk, origin = stand.kiosk(), {"Origin": "http://localhost"}
    kiosk.post("/host/unlock", data={"pin": "482913"}, headers=origin)
    assert "SMUGGLERS_HOST_PIN" in kiosk.get("/first/pin").text
    assert kiosk.post("/first/pin", data={"pin": "1111"}, headers=origin).status_code == 422


class _Door:
    """A lock that says when somebody waits at it."""

    def __init__(self) -> None:
        self.reached, self._lock = threading.Semaphore(0), threading.Lock()

    def __enter__(self) -> None:
        self.reached.release()
        self._lock.acquire()

    def __exit__(self, *_: object) -> None:
        self._lock.release()


def test_a_pin_that_is_set_while_another_page_ends_the_first_start_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    owner, door = Owner(tmp_path / "owner.json", ""), _Door()
    other_page = threading.Thread(target=owner.finish)

    def slow_card(file: Path, choices: OwnersChoices) -> None:
        if other_page.ident is None:
            assert door.reached.acquire(timeout=GIVEN_UP_S)  # by this page
            other_page.start()
            assert door.reached.acquire(timeout=GIVEN_UP_S)
        write_owners(file, choices)

    monkeypatch.setattr(owner, "_lock", door)
    monkeypatch.setattr("web.doors.owner.write_owners", slow_card)
    assert owner.set_pin("7391") == ""
    other_page.join(GIVEN_UP_S)
    again = Owner(tmp_path / "owner.json", "")
    assert again.pin_matches("7391")
    assert again.done


def test_without_a_code_and_without_a_pin_nothing_that_is_entered_is_right(tmp_path: Path) -> None:
    owner = Owner(tmp_path / "owner.json", "")
    assert not owner.pin_matches("")
    owner.set_pin("7391")
    assert owner.code == ""
    assert not owner.code_matches("")


def test_without_a_pin_no_cookie_makes_a_kiosk_of_another_machine(fresh: Callable[[], Stand]) -> None:
    stand = fresh()
    elsewhere, response = stand.stranger(), Response()
    stand.keys.open_kiosk(response)
    name, _, value = response.headers["Set-Cookie"].partition(";")[0].partition("=")
    elsewhere.set_cookie(name, value)
    assert elsewhere.get("/kiosk").status_code == 302
