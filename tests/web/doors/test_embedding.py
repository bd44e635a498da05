"""The scoreboard for other pages: in a frame only where the host allows it, without join codes, nothing to tap."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.narrowed import there
from tests.web.stand import Stand

CLUB = "https://club.example"


def ancestors(policy: str) -> str:
    return there(re.search(r"frame-ancestors ([^;]*)", policy))[1].strip()


@pytest.mark.parametrize("path", ["/widget", "/overlay", "/wall", "/kiosk", "/api/v1/table"])
def test_no_page_is_shown_in_a_frame_unless_the_host_allows_it(stand: Stand, path: str) -> None:
    headers = stand.stranger().get(path).headers
    assert ancestors(headers["Content-Security-Policy"]) == "'none'"
    assert headers["X-Frame-Options"] == "DENY"


def test_where_it_is_allowed_only_the_named_sites_show_only_these_pages(tmp_path: Path) -> None:
    stand = Stand(tmp_path, embed_origins=(CLUB, "http://192.0.2.40:8123"))
    guest = stand.stranger()
    for path in ("/widget", "/overlay"):
        headers = guest.get(path).headers
        assert ancestors(headers["Content-Security-Policy"]) == f"'self' {CLUB} http://192.0.2.40:8123"
        assert "X-Frame-Options" not in headers
        assert headers["Content-Security-Policy"].startswith("default-src 'none'")
    for path in ("/wall", "/kiosk", "/", "/host/unlock", "/widget/", "/api/v1/view"):
        headers = guest.get(path).headers
        assert ancestors(headers["Content-Security-Policy"]) == "'none'"
        assert headers["X-Frame-Options"] == "DENY"
    stand.close()


@pytest.mark.parametrize("path", ["/widget", "/overlay"])
def test_it_shows_the_players_and_no_join_code_and_nothing_to_tap(stand: Stand, path: str) -> None:
    stand.open(4)
    page, wall = stand.stranger().get(path).text, stand.stranger().get("/wall").text
    assert 'class="qr' in wall
    for name in ("Ann", "Ben", "Cleo", "Dan"):
        assert name in page
    body = page[page.index("<body") :]
    assert not re.search(r'class="qr|<a |<button|<form|data-send|/join/', body)


def test_without_a_game_the_overlay_shows_nothing(stand: Stand) -> None:
    page = stand.stranger().get("/overlay").text
    text = re.sub(r"<[^>]+>", " ", re.sub(r"<[^>]*\bhidden\b.*", "", page[page.index("<body") :]))
    assert text.split() == []
