"""The pages round the games, in either language: what axe finds, how large targets and type are."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from appliance.games.catalogue import GAMES
from appliance.words.catalogues import LANGUAGES
from tests.end_to_end.served import needs_browser
from tests.end_to_end.usable import JudgedScreens
from tests.pages import Page, Pages
from tests.web.stand import Stand
from web.routes.first_start import STEPS

pytestmark = [*needs_browser, pytest.mark.thorough]

SETUPS = tuple(f"/kiosk/setup/{game}" for game in GAMES)
KIOSK = ("/kiosk", *SETUPS, "/host/unlock", "/kiosk/games", "/nowhere", "/rules", "/privacy", "/language")
HOST = ("/host", *(f"/first/{step}" for step in STEPS))
WITH_A_GAME = ("/kiosk/table", "/kiosk/corrections", "/seats")
PHONE = ("/seats", "/seat/0", "/rules", "/privacy", "/language")


def faults_of(browser: Any, client: Any, kind: str, paths: tuple[str, ...]) -> dict[str, str]:
    screens, wrong = JudgedScreens(browser, Pages()), dict[str, str]()
    try:
        for language in LANGUAGES:
            for path in paths:
                page = client.get(path, headers={"Accept-Language": language}, follow_redirects=True).text
                for fault in screens.faults(Page(f"{kind}.{path}", language, page)):
                    wrong.setdefault(fault, f"{path} {language}")
    finally:
        screens.close()
    return wrong


@pytest.mark.parametrize("kind", ["kiosk", "seat"])
def test_the_pages_round_the_games_can_be_read_and_hit(browser: Any, tmp_path: Path, kind: str) -> None:
    stand = Stand(tmp_path)
    if kind == "kiosk":
        wrong = faults_of(browser, stand.kiosk(), kind, KIOSK)
        host = stand.kiosk()
        opened = host.post("/host/unlock", data={"pin": "482913"}, headers={"Origin": "http://localhost"})
        assert opened.status_code == 302
        wrong |= faults_of(browser, host, kind, HOST)
        stand.open(4)
        wrong |= faults_of(browser, stand.kiosk(), kind, WITH_A_GAME)
    else:
        wrong = faults_of(browser, stand.stranger(), kind, PHONE)
        stand.open(4)
        wrong |= faults_of(browser, stand.stranger(), kind, PHONE)
    stand.close()
    assert not wrong, "\n".join(f"{what} ({where})" for what, where in sorted(wrong.items()))
