"""A phone asks for a correction; the touchscreen grants it or refuses."""

from __future__ import annotations

import html
import re
from pathlib import Path
from typing import Any

import pytest

from tests.markup import sends_of, text_of
from tests.narrowed import there
from tests.patience import GIVEN_UP_S
from tests.web.doors.test_phones import opened
from tests.web.rounds import opening
from tests.web.stand import Stand


def asked(stand: Stand, seat: int = 1, nth: int = 0, name: str = "ask-1") -> Any:
    """Let the phone of `seat` ask for the correction that its page offers in that place."""
    phone = stand.phone(seat)
    page = html.unescape(phone.get(f"/seat/{seat}/object").text)
    sent = sends_of(page)[nth]
    return phone.post("/api/v1/corrections/ask", json=sent | {"id": name})


def at_the_second_roll(stand: Stand) -> None:
    stand.open(2)
    stand.play(*opening({}), {"do": "attempt", "seat": 0, "outcome": "stuck"})


@pytest.mark.parametrize(("language", "said"), [("en", "asks for a correction"), ("de", "bittet um eine Korrektur")])
def test_a_phone_asks_with_one_tap_and_the_touchscreen_grants(stand: Stand, language: str, said: str) -> None:
    at_the_second_roll(stand)
    kiosk = stand.kiosk()
    kiosk.set_cookie("language", language)
    assert asked(stand).status_code == 200
    assert stand.table.snapshot().state.players[0].attempts == 1, "asking changes nothing"
    page = html.unescape(kiosk.get("/kiosk").text)
    assert said in page
    address = re.search(r'href="(/kiosk/corrections/\d+\?action=[^"]+)"', page)
    assert address is not None
    preview = html.unescape(kiosk.get(address[1]).text)
    granted = sends_of(preview)[0]
    assert kiosk.post("/api/v1/amendments", json=granted | {"id": "grant-1"}).status_code == 200
    assert [line.kind for line in stand.table.snapshot().log].count("amended") == 1, "announced once"
    assert stand.table.snapshot().correctable[0].action["outcome"] == "passed"
    assert said not in html.unescape(kiosk.get("/kiosk").text)


def test_only_the_touchscreen_grants_and_only_who_plays_a_seat_asks_for_it(stand: Stand) -> None:
    at_the_second_roll(stand)
    seq = stand.table.snapshot().correctable[0].seq
    wish = {"id": "ask-1", "seat": 0, "seq": seq, "action": {"do": "attempt", "seat": 0, "outcome": "passed"}}
    assert stand.stranger().post("/api/v1/corrections/ask", json=wish).status_code == 403
    assert stand.phone(1).post("/api/v1/corrections/ask", json=wish).status_code == 403
    assert (
        stand.phone(1).post("/api/v1/amendments", json={key: wish[key] for key in ("id", "seq", "action")}).status_code
        == 403
    )
    assert stand.stranger().get("/seat/1/object").status_code == 403
    other = wish | {"seat": 1, "action": {"do": "roll", "seat": 0, "value": 9}}
    refused = stand.phone(1).post("/api/v1/corrections/ask", json=other)
    assert (refused.status_code, there(refused.json)["code"]) == (409, "not_offered")


def test_what_is_asked_for_is_seen_by_who_asks_and_taken_back_or_refused(stand: Stand) -> None:
    at_the_second_roll(stand)
    asked(stand)
    assert "You have asked the table" in stand.phone(1).get("/seat/1").text
    assert "You have asked the table" not in stand.phone(0).get("/seat/0").text
    asked(stand, nth=1, name="ask-2")
    assert len(stand.table.snapshot().asked) == 1, "the newer wish replaces the older one"
    assert stand.phone(0).post("/api/v1/corrections/refuse", json={"id": "no-0", "seat": 1}).status_code == 403
    assert stand.kiosk().post("/api/v1/corrections/refuse", json={"id": "no-1", "seat": 1}).status_code == 200
    assert stand.table.snapshot().asked == ()
    asked(stand, name="ask-3")
    stand.phone(1).post("/api/v1/corrections/refuse", json={"id": "no-2", "seat": 1})
    assert stand.table.snapshot().asked == ()


def test_what_is_asked_for_outlives_a_bug_of_the_referee(stand: Stand, monkeypatch: pytest.MonkeyPatch) -> None:
    at_the_second_roll(stand)
    asked(stand)
    before = stand.table.snapshot()
    stand.table.start()

    def trip(*_: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr("appliance.table.game.open_game.OpenGame.command", trip)
    with pytest.raises(ZeroDivisionError):
        stand.table.command("turn_hourglass", "turn-1")
    assert stand.table.wait_newer(before.version, GIVEN_UP_S) is not None
    assert stand.table.snapshot().asked == before.asked


def test_the_likeliest_stands_first_at_the_touchscreen(stand: Stand) -> None:
    at_the_second_roll(stand)
    page = text_of(html.unescape(stand.kiosk().get("/kiosk/corrections").text))
    offered = page[page.index("Most likely meant") :]
    assert offered.index("Ann’s sphere is stuck") < offered.index("Ann’s sphere is through")


def test_a_game_that_says_nothing_of_mistakes_offers_none(tmp_path: Path) -> None:
    stand = Stand(tmp_path)
    opened(stand, "open-1", "customs")
    assert stand.table.offers() == ()
    assert "Most likely meant" not in stand.kiosk().get("/kiosk/corrections").text
    stand.close()
