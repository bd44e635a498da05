"""The search for a sphere that is nowhere: a player wishes for it, the touchscreen leads it, people decide."""

from __future__ import annotations

import html
import re

from appliance.games.catalogue import the_game
from tests.web.stand import Stand


def words(page: bytes) -> str:
    return html.unescape(re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", page.decode())))


def seen(stand: Stand) -> tuple[str, str]:
    """What touchscreen and wall say."""
    return words(stand.kiosk().get("/kiosk").data), words(stand.kiosk().get("/").data)


def press(client: object, name: str, number: int) -> int:
    answer = client.post("/api/v1/commands", json={"id": f"press-{number}", "name": name})  # type: ignore[attr-defined]
    return int(answer.status_code)


def test_a_phone_wishes_for_the_search_and_every_screen_says_where_to_look(stand: Stand) -> None:
    stand.open(2)
    stand.do(do="roll", seat=0, value=2)
    stand.do(do="time_up")
    phone, kiosk = stand.phone(1), stand.kiosk()
    assert "The sphere is nowhere" in words(phone.get("/seat/1").data)
    before = stand.table.snapshot().journal_seq
    assert press(stand.stranger(), "search", 1) == 403
    assert press(phone, "search", 2) == 200
    for screen in (*seen(stand), words(phone.get("/seat/1").data)):
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
