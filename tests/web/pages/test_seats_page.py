"""Where a phone finds its seat: what the page offers is no more than what everybody can scan off the wall."""

from __future__ import annotations

import re

import pytest

from tests.web.stand import Stand


def joins(page: str) -> list[str]:
    return re.findall(r'href="(/join/[^"]+)"', page)


def test_without_a_game_the_page_says_so(stand: Stand) -> None:
    page = stand.stranger().get("/seats").text
    assert "No game is open" in page
    assert joins(page) == []


def test_a_free_seat_is_joined_by_a_tap_while_the_wall_shows_its_code(stand: Stand) -> None:
    stand.open(3)
    phone = stand.stranger()
    page = phone.get("/seats").text
    assert [page.index(name) for name in ("Ann", "Ben", "Cleo")] == sorted(map(page.index, ("Ann", "Ben", "Cleo")))
    links = joins(page)
    assert len(links) == 3
    assert phone.get(links[1]).headers["Location"] == "/seat/1"
    assert phone.get("/seat/1").status_code == 200
    assert 'href="/seat/1"' in phone.get("/seats").text


@pytest.mark.slow
def test_the_code_of_a_seat_that_a_phone_plays_is_on_no_page(stand: Stand) -> None:
    stand.open(2)
    svg, link = (stand.keys.join_code_svg(stand.app.extensions["smugglers"].seat_here(0)), "/join/")
    assert svg in stand.stranger().get("/wall").text
    taken = joins(stand.stranger().get("/seats").text)[0]
    stand.phone(0)
    for client in (stand.stranger(), stand.kiosk(), stand.phone(1)):
        for path in ("/", "/wall", "/seats", "/kiosk", "/kiosk/table"):
            text = client.get(path).text
            assert svg not in text, path
            assert taken not in text, path
    assert "Played on a phone" in stand.stranger().get("/seats").text
    # Given back, it can be taken again, by another code.
    stand.kiosk().post("/api/v1/seats/0/let_go", json={"id": "let-go-1"})
    assert link in stand.stranger().get("/seats").text
    now = stand.keys.join_code_svg(stand.app.extensions["smugglers"].seat_here(0))
    assert now != svg
    assert now in stand.kiosk().get("/kiosk/table").text


def test_a_seat_whose_code_is_not_on_the_wall_is_not_joined_by_a_tap(stand: Stand) -> None:
    stand.open(2)
    stand.do(do="roll", seat=0, value=3)
    page = stand.stranger().get("/seats").text
    assert joins(page) == []
    assert "touchscreen" in page


def test_where_every_seat_has_its_phone_the_page_tells_how_to_play_on_this_one_too(stand: Stand) -> None:
    stand.open(2)
    told = "To play on this one, too"
    stand.phone(0)
    stand.do(do="roll", seat=0, value=3)
    assert told not in stand.stranger().get("/seats").text
    stand.phone(1)
    page = stand.stranger().get("/seats").text
    assert told in page
    assert page.count("/ask") == 2


def test_where_the_host_wants_no_codes_on_the_wall_no_seat_is_joined_by_a_tap(stand: Stand) -> None:
    stand.open(2)
    web = stand.app.extensions["smugglers"]
    web.host.change(type(web.host.choices)(join_codes_on_wall=False))
    assert joins(stand.stranger().get("/seats").text) == []
