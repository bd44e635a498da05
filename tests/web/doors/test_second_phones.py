"""A seat belongs to one phone: its code works once, and a second phone needs a yes. What is taken back stays so."""

from __future__ import annotations

import html
import json
import re
from pathlib import Path
from typing import Any

import pytest

from hardware.clock import ManualClock
from tests.narrowed import of_kind
from tests.refused_writes import refused_writes
from tests.web.stand import ADDRESS, Stand
from web.app import create_app
from web.doors.phones import AGAIN_S, ASKED_FOR_S

HERE = {"Origin": f"http://{ADDRESS}"}


def let_go(client: Any, seat: int) -> None:
    assert client.post(f"/api/v1/seats/{seat}/let_go", json={"id": f"go-{seat}"}).status_code == 200


def restarted(stand: Stand) -> None:
    stand.app = create_app(stand.table, settings=stand.site, clock=stand.clock)


def moved(stand: Stand, phone: Any) -> Any:
    """Return the same phone after the appliance started anew."""
    again = stand.stranger()
    for seat in range(4):
        if (cookie := phone.get_cookie(f"seat-{seat}", domain=ADDRESS)) is not None:
            again.set_cookie(f"seat-{seat}", cookie.value)
    return again


def answers(page: str) -> list[dict[str, Any]]:
    """Return what the buttons of an open question send: yes, then no."""
    return [json.loads(html.unescape(sent)) for sent in re.findall(r"/admit\" data-send='([^']+)'", page)]


def asking(stand: Stand, seat: int = 1) -> Any:
    second = stand.stranger()
    answer = second.post(f"/seats/{seat}/ask", headers=HERE)
    assert answer.headers["Location"] == f"/seats/{seat}/asked"
    assert "has to say yes" in second.get(f"/seats/{seat}/asked").text
    return second


def test_a_code_works_once(stand: Stand) -> None:
    stand.open(2)
    code = stand.join_path(1)
    assert stand.stranger().get(code).status_code == 302
    assert stand.stranger().get(code).status_code == 409
    let_go(stand.kiosk(), 1)
    used = stand.stranger().get(code)
    assert used.status_code == 410
    assert "used before" in used.text
    assert stand.stranger().get(stand.join_path(1)).status_code == 302


def test_of_two_phones_that_scan_a_code_at_once_one_gets_the_seat(
    stand: Stand, monkeypatch: pytest.MonkeyPatch
) -> None:
    stand.open(2)
    code, phones = stand.join_path(1), stand.app.extensions["smugglers"].phones
    take, faster = phones.take, stand.stranger()
    answers = []

    def overtaken(*given: Any) -> Any:
        monkeypatch.setattr(phones, "take", take)
        answers.append(faster.get(code).status_code)
        return take(*given)

    monkeypatch.setattr(phones, "take", overtaken)
    slower = stand.stranger()
    assert (slower.get(code).status_code, answers) == (410, [302])
    assert (slower.get("/seat/1").status_code, faster.get("/seat/1").status_code) == (403, 200)


def test_whoever_only_looks_whether_a_code_leads_somewhere_does_not_use_it(stand: Stand) -> None:
    stand.open(2)
    code = stand.join_path(1)
    assert stand.stranger().head(code).status_code == 302
    assert stand.stranger().get(code).status_code == 302


def test_a_code_works_once_whatever_was_restarted_in_between(stand: Stand) -> None:
    stand.open(2)
    code = stand.join_path(1)
    phone = stand.stranger()
    assert phone.get(code).status_code == 302
    restarted(stand)
    assert stand.stranger().get(code).status_code == 409, "before the phone of the seat came back"
    assert moved(stand, phone).get("/seat/1").status_code == 200


def test_a_seat_taken_back_stays_taken_back_after_rejoins_and_restarts(stand: Stand) -> None:
    stand.open(2)
    phone = stand.phone(1)
    let_go(stand.kiosk(), 1)
    restarted(stand)
    lost = moved(stand, phone)
    assert lost.get("/seat/1").status_code == 403
    new = stand.stranger()
    assert new.get(stand.join_path(1)).status_code == 302
    told = lost.get("/seat/1")
    assert told.status_code == 403
    assert "played on the touchscreen now" in told.text
    act = {"id": "x", "action": {"do": "roll", "seat": 1, "value": 3}}
    assert lost.post("/api/v1/actions", json=act).status_code == 403
    assert lost.get("/live?kind=seat&seat=1").status_code == 403
    assert new.get("/seat/1").status_code == 200
    restarted(stand)
    assert moved(stand, lost).get("/seat/1").status_code == 403
    assert moved(stand, new).get("/seat/1").status_code == 200


def test_a_stream_of_a_phone_whose_seat_was_taken_back_shows_nothing_of_the_next_phone(stand: Stand) -> None:
    stand.open(2)
    live = stand.phone(1).get("/live?kind=seat&seat=1")
    next(live.iter_encoded())
    let_go(stand.kiosk(), 1)
    assert stand.stranger().get(stand.join_path(1)).status_code == 302
    stand.do(do="roll", seat=0, value=3)
    (last,) = list(live.response)
    assert b'"regions":{}' in last
    live.close()


def test_a_seats_file_that_was_lost_or_damaged_makes_no_earlier_code_or_phone_valid(stand: Stand) -> None:
    stand.open(2)
    code, other = stand.join_path(1), stand.join_path(0)
    phone = stand.stranger()
    phone.get(code)
    for damage in (b"", b"{", b"[]", b'{"start":1}', b'{"start":"\xc1bc"}'):
        assert stand.site.phones_file is not None
        stand.site.phones_file.write_bytes(damage)
        restarted(stand)
        assert stand.stranger().get(code).status_code == 410
        assert stand.stranger().get(other).status_code == 410
        assert moved(stand, phone).get("/seat/1").status_code == 403
    assert stand.stranger().get(stand.join_path(1)).status_code == 302


def test_the_file_is_its_owners_alone(stand: Stand) -> None:
    stand.open(2)
    stand.phone(0)
    assert stand.site.phones_file is not None
    assert stand.site.phones_file.stat().st_mode & 0o777 == 0o600


def test_a_full_disk_keeps_no_phone_from_its_seat(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "in the way").write_text("")
    stand = Stand(tmp_path, phones_file=tmp_path / "in the way" / "phones.json")
    stand.open(2)
    assert stand.phone(0).get("/seat/0").status_code == 200
    assert "cannot be kept" in caplog.text
    stand.close()


def test_a_seat_taken_while_the_disk_was_full_is_kept_once_there_is_room(stand: Stand) -> None:
    stand.open(2)
    with refused_writes(0):
        code = stand.join_path(1)
        phone = stand.stranger()
        assert phone.get(code).status_code == 302
    of_kind(ManualClock, stand.clock).advance_to(stand.clock.now_s() + AGAIN_S)
    assert stand.kiosk().get("/kiosk").status_code == 200
    restarted(stand)
    assert moved(stand, phone).get("/seat/1").status_code == 200
    assert stand.stranger().get(code).status_code == 409


def test_a_seat_given_back_while_the_disk_was_full_is_not_the_phones_after_a_restart(stand: Stand) -> None:
    stand.open(2)
    phone = stand.phone(1)
    with refused_writes(0):
        let_go(stand.kiosk(), 1)
    restarted(stand)
    assert moved(stand, phone).get("/seat/1").status_code == 403


@pytest.mark.parametrize("by", ["the first phone", "the touchscreen"])
def test_a_second_phone_plays_a_seat_after_the_yes_of_the_first_or_of_the_touchscreen(stand: Stand, by: str) -> None:
    stand.open(2)
    first, kiosk = stand.phone(1), stand.kiosk()
    assert answers(kiosk.get("/kiosk").text) == []
    assert "Play on this phone, too" in stand.stranger().get("/seats").text
    second = asking(stand)
    assert second.get("/seat/1").status_code == 403
    for page in (kiosk.get("/kiosk").text, first.get("/seat/1").text):
        assert "A second phone asks" in page
    assert "A second phone asks" not in stand.phone(0).get("/seat/0").text
    assert "A second phone asks" not in stand.stranger().get("/wall").text
    who, page = (first, "/seat/1") if by == "the first phone" else (kiosk, "/kiosk")
    yes, _ = answers(who.get(page).text)
    assert who.post("/api/v1/seats/1/admit", json={"id": "a", **yes}).status_code == 200
    assert "A second phone asks" not in kiosk.get("/kiosk").text
    assert second.get("/seats/1/asked").headers["Location"] == "/seat/1"
    assert second.get("/seat/1").status_code == 200
    assert first.get("/seat/1").status_code == 200
    stranger = stand.stranger()
    assert stranger.get("/seats/1/asked").status_code == 200, "the yes was for one phone"
    let_go(kiosk, 1)
    assert (first.get("/seat/1").status_code, second.get("/seat/1").status_code) == (403, 403)


def test_a_yes_that_was_not_used_ends_when_the_seat_is_taken_back(stand: Stand) -> None:
    stand.open(2)
    first, second = stand.phone(1), asking(stand)
    yes, _ = answers(first.get("/seat/1").text)
    assert first.post("/api/v1/seats/1/admit", json={"id": "a", **yes}).status_code == 200
    let_go(stand.kiosk(), 1)
    assert second.get("/seats/1/asked").headers.get("Location") != "/seat/1"
    assert second.get("/seat/1").status_code == 403
    new = stand.stranger()
    assert new.get(stand.join_path(1)).status_code == 302
    asking(stand)
    assert "A second phone asks" in new.get("/seat/1").text, "the next player is asked anew"


def test_a_second_phone_whose_seat_was_lost_on_its_way_gets_it_when_it_asks_again(stand: Stand) -> None:
    stand.open(2)
    first, second = stand.phone(1), asking(stand)
    yes, _ = answers(first.get("/seat/1").text)
    assert first.post("/api/v1/seats/1/admit", json={"id": "a", **yes}).status_code == 200
    assert second.get("/seats/1/asked").status_code == 302
    second.delete_cookie("seat-1", domain=ADDRESS)
    assert second.get("/seat/1").status_code == 403
    assert second.get("/seats/1/asked").headers["Location"] == "/seat/1"
    assert second.get("/seat/1").status_code == 200
    third = asking(stand)
    assert third.get("/seat/1").status_code == 403
    let_go(stand.kiosk(), 1)
    for phone in (first, second, third):
        phone.get("/seats/1/asked")
        assert phone.get("/seat/1").status_code == 403


def test_after_a_no_nobody_asks_for_a_minute(tmp_path: Path) -> None:
    clock = ManualClock(100.0)
    stand = Stand(tmp_path, clock)
    stand.open(2)
    first, second = stand.phone(1), asking(stand)
    assert stand.stranger().post("/seats/1/ask", headers=HERE).status_code == 429
    _, no = answers(first.get("/seat/1").text)
    assert first.post("/api/v1/seats/1/admit", json={"id": "a", **no}).status_code == 200
    assert "Nobody said yes" in second.get("/seats/1/asked").text
    assert stand.stranger().post("/seats/1/ask", headers=HERE).status_code == 429
    clock.advance_to(161.0)
    asking(stand)
    clock.advance_to(300.0)
    _, late = answers(first.get("/seat/1").text) or [{}, no]
    assert first.post("/api/v1/seats/1/admit", json={"id": "b", **late}).get_json()["code"] == "nobody_asks_for_seat"
    stand.close()


def test_a_yes_that_comes_too_late_is_not_for_the_phone_that_asked_since(tmp_path: Path) -> None:
    clock = ManualClock(100.0)
    stand = Stand(tmp_path, clock)
    stand.open(2)
    first = stand.phone(1)
    asking(stand)
    yes, _ = answers(first.get("/seat/1").text)
    clock.advance_to(100.0 + ASKED_FOR_S)
    since = asking(stand)
    assert first.post("/api/v1/seats/1/admit", json={"id": "a", **yes}).get_json()["code"] == "nobody_asks_for_seat"
    assert since.get("/seats/1/asked").status_code == 200
    assert since.get("/seat/1").status_code == 403
    stand.close()


def test_nobody_else_answers_and_nobody_asks_for_a_free_seat(stand: Stand) -> None:
    stand.open(3)
    stand.phone(1)
    assert stand.stranger().post("/seats/2/ask", headers=HERE).status_code == 404
    assert stand.stranger().post("/seats/9/ask", headers=HERE).status_code == 404
    second = asking(stand)
    yes, _ = answers(stand.kiosk().get("/kiosk").text)
    for client in (second, stand.phone(0), stand.stranger()):
        assert client.post("/api/v1/seats/1/admit", json={"id": "a", **yes}).status_code == 403
    other = stand.stranger()
    cookie = second.get_cookie("asker", domain=ADDRESS)
    assert cookie is not None
    other.set_cookie("asker", cookie.value[:-2] + "xx")
    assert stand.kiosk().post("/api/v1/seats/1/admit", json={"id": "a", **yes}).status_code == 200
    assert "Nobody said yes" in other.get("/seats/1/asked").text
    assert second.get("/seats/1/asked").status_code == 302
