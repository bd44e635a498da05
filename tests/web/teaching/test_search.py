"""The search for a sphere that is nowhere: a player wishes for it, the touchscreen leads it, people decide."""

from __future__ import annotations

import html
import re

import pytest

from appliance.games.catalogue import the_game
from hardware.readings import DeviceHealth, PassageSeen
from tests.markup import text_of
from tests.web.stand import Stand


def seen(stand: Stand) -> tuple[str, str]:
    """What touchscreen and wall say."""
    return text_of(stand.kiosk().get("/kiosk").text), text_of(stand.kiosk().get("/").text)


def press(client: object, name: str, number: int) -> int:
    answer = client.post("/api/v1/commands", json={"id": f"press-{number}", "name": name})  # type: ignore[attr-defined]
    return int(answer.status_code)


def test_a_phone_wishes_for_the_search_and_every_screen_says_where_to_look(stand: Stand) -> None:
    stand.open(2)
    stand.do(do="roll", seat=0, value=2)
    stand.do(do="time_up")
    phone, kiosk = stand.phone(1), stand.kiosk()
    assert "The sphere is nowhere" in text_of(phone.get("/seat/1").text)
    before = stand.table.snapshot().journal_seq
    assert press(stand.stranger(), "search", 1) == 403
    assert press(phone, "search", 2) == 200
    for screen in (*seen(stand), text_of(phone.get("/seat/1").text)):
        assert "Look at the fence" in screen
    assert press(phone, "search.on", 3) == 403, "the touchscreen leads it"
    assert press(kiosk, "search.on", 4) == 200
    assert press(kiosk, "search.on", 5) == 200
    here, wall = seen(stand)
    assert "on the floor" in wall
    assert "Found: it left the track" in here
    assert press(kiosk, "search.off", 6) == 200
    assert "The sphere is nowhere" in seen(stand)[0]
    assert stand.table.snapshot().journal_seq == before, "a search is no deed: nothing is written"
    view = the_game("smugglers").rules.view(stand.table.snapshot().state, None)
    assert [player.attempts for player in view.players] == [0, 0]


def test_what_is_found_counts_only_when_the_touchscreen_says_so(stand: Stand) -> None:
    stand.open(2)
    stand.do(do="roll", seat=0, value=2)
    stand.do(do="time_up")
    press(stand.kiosk(), "search", 1)
    page = stand.kiosk().get("/kiosk").data.decode()
    button = re.search(r"data-send='([^']+)'>Found: it touches the fence<", page)
    assert button is not None
    assert html.unescape(button.group(1)) == '{"do": "attempt", "outcome": "stuck", "seat": 0}'


def test_no_phone_keeps_the_touchscreen_from_a_verdict(stand: Stand) -> None:
    stand.open(2)
    stand.do(do="roll", seat=0, value=2)
    stand.do(do="time_up")
    phone, kiosk = stand.phone(1), stand.kiosk()
    assert press(phone, "search", 1) == 200
    page = html.unescape(kiosk.get("/kiosk").data.decode())
    for outcome in ("passed", "stuck", "astray", "disturbed"):
        assert f'{{"do": "attempt", "outcome": "{outcome}", "seat": 0}}' in page
    assert press(kiosk, "search.off", 2) == 200
    assert press(phone, "search", 3) == 409
    assert "At the fence?" not in seen(stand)[0]


@pytest.mark.slow
def test_an_open_question_is_decided_before_a_phone_may_wish_for_a_search(stand: Stand) -> None:
    stand.open(2)
    stand.do(do="roll", seat=0, value=2)
    stand.do(do="time_up")
    unclear = PassageSeen(
        t_s=101.0, started_s=100.5, crossed_s=None, colour=None, lane=None, outcome="unknown", confidence=0.2
    )
    stand.table.sense(DeviceHealth(t_s=100.0, device="camera", status="ok", code="camera_ok"))
    stand.table.sense(unclear)
    stand.table.step()
    phone, kiosk = stand.phone(1), stand.kiosk()
    assert press(phone, "search", 1) == 409
    assert "The sphere is nowhere" not in text_of(phone.get("/seat/1").text)
    assert "At the fence?" not in seen(stand)[0]
    assert press(kiosk, "search.begin", 2) == 200
    here = seen(stand)[0]
    assert "At the fence?" in here
    assert "The camera is not sure." in here, "the doubt stays in sight"
