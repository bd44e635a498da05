"""A pause by the touchscreen: every screen says so, nobody is asked, and the game goes on where it was."""

from __future__ import annotations

from typing import Any

import pytest

from tests.web.rounds import opening
from tests.web.stand import Stand

EN, DE = "all clocks are stopped", "alle Uhren stehen"


def post(client: Any, path: str, **body: Any) -> int:
    return int(client.post(f"/api/v1/{path}", json={"id": f"p-{path}", **body}).status_code)


@pytest.fixture
def paused(stand: Stand) -> Stand:
    stand.open(2)
    stand.do(do="roll", seat=0, value=2)
    assert post(stand.kiosk(), "games/pause") == 200
    return stand


def test_every_screen_says_in_its_language_that_the_game_is_paused(paused: Stand) -> None:
    for client, path in ((paused.kiosk(), "/kiosk"), (paused.stranger(), "/wall"), (paused.phone(1), "/seat/1")):
        for language, said in (("en", EN), ("de", DE)):
            client.set_cookie("language", language)
            page = client.get(path).text
            assert 'class="paused"' in page, path
            assert said in page, path
            assert ("/api/v1/games/resume" in page) == (path == "/kiosk"), "the touchscreen alone lets it go on"


def test_nothing_can_be_done_until_it_goes_on(paused: Stand) -> None:
    phone = paused.phone(1)
    before = paused.table.snapshot().state
    answer = phone.post("/api/v1/actions", json={"id": "x", "action": {"do": "commit", "seat": 1, "seal": "0" * 64}})
    assert answer.status_code == 409
    assert "Go on" in answer.get_json()["message"]
    assert paused.table.snapshot().state == before
    assert post(phone, "games/resume") == 403
    status = phone.get("/api/v1/table").get_json()["game"]
    assert status["paused"]
    assert not any(seat["asked"] for seat in status["seats"])
    assert post(paused.kiosk(), "games/resume") == 200
    assert 'class="paused"' not in paused.stranger().get("/wall").text
    assert not paused.stranger().get("/api/v1/table").get_json()["game"]["paused"]
    paused.play(*opening({})[1:])


def test_the_touchscreen_s_table_page_pauses_and_lets_go_on(stand: Stand) -> None:
    stand.open(2)
    page = stand.kiosk().get("/kiosk/table").text
    assert "Pause the game" in page
    post(stand.kiosk(), "games/pause")
    page = stand.kiosk().get("/kiosk/table").text
    assert "Pause the game" not in page
    assert "games/resume" in page


def test_the_touchscreen_s_table_page_offers_to_leave_only_who_may(stand: Stand) -> None:
    stand.open(3)

    def offered() -> int:
        return stand.kiosk().get("/kiosk/table").text.count("Leaves the game")

    assert offered() == 3
    assert post(stand.kiosk(), "games/pause") == 200
    assert offered() == 0
    post(stand.kiosk(), "games/resume")
    stand.do(do="leave", seat=2)
    assert offered() == 2
    stand.do(do="leave", seat=1)
    assert offered() == 0, "the game is over"


def test_a_correction_that_a_phone_asked_for_waits_for_the_game_to_go_on(stand: Stand) -> None:
    stand.open(2)
    stand.play(*opening({}), {"do": "attempt", "seat": 0, "outcome": "stuck"})
    seq = stand.table.snapshot().correctable[0].seq
    phone, instead = stand.phone(1), {"do": "attempt", "seat": 0, "outcome": "passed"}
    assert post(phone, "corrections/ask", seat=1, seq=seq, action=instead) == 200
    post(stand.kiosk(), "games/pause")
    post(stand.kiosk(), "games/resume")
    assert "You have asked the table" in phone.get("/seat/1").text
    assert "asks for a correction" in stand.kiosk().get("/kiosk").text
