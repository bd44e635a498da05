"""A browser that runs no scripts: a page on which taps need one says so, and other pages do not."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from appliance.games.catalogue import GAMES
from appliance.words.catalogues import words_for
from tests.web.evening.test_league_night import Screen, begun
from tests.web.stand import Stand

NEEDS_SCRIPT = re.compile(r"<[^>]* (?:inert|data-api|data-chance|data-digit|data-preview|data-do)[ =>]|id=\"editor\"")
TOLD = f'<noscript><p class="remark">{words_for("en").say("connection.no_script")}</p></noscript>'


def told_where_needed(page: str) -> bool:
    """Check that the page tells what it needs once, where it needs it; return whether it does."""
    needed = NEEDS_SCRIPT.search(page) is not None
    assert page.count(TOLD) == needed, page
    return needed


@pytest.mark.parametrize("path", ["/host/unlock", *(f"/kiosk/setup/{game}" for game in GAMES)])
def test_a_page_whose_taps_need_a_script_says_so(stand: Stand, path: str) -> None:
    assert told_where_needed(stand.kiosk().get(path).text)


@pytest.mark.parametrize("path", ["/kiosk", "/kiosk/table", "/kiosk/corrections", "/seat/0"])
def test_a_page_of_the_open_game_says_so(stand: Stand, path: str) -> None:
    stand.open(3)
    viewer = stand.phone(0) if path.startswith("/seat") else stand.kiosk()
    assert told_where_needed(viewer.get(path).text)


def test_the_preview_of_a_correction_and_what_a_phone_may_ask_for_say_so(stand: Stand) -> None:
    stand.open(3)
    stand.do(do="roll", seat=0, value=3)
    (deed,) = stand.table.snapshot().correctable
    assert told_where_needed(stand.kiosk().get(f"/kiosk/corrections/{deed.seq}?action=null").text)
    assert told_where_needed(stand.phone(0).get("/seat/0/object").text)


def test_a_night_says_so_where_guests_come_in_alone(stand: Stand) -> None:
    begun(Screen(stand), "Ann", "Ben", "Cleo")
    assert told_where_needed(stand.kiosk().get("/night").text)
    assert not told_where_needed(stand.stranger().get("/night").text)


def test_the_first_choice_of_a_pin_says_so(tmp_path: Path) -> None:
    stand = Stand(tmp_path, pin="", owner_file=tmp_path / "owner.json")
    choice = stand.kiosk().get("/first/pin").text
    stand.close()
    assert told_where_needed(choice)


def test_the_editor_of_maps_says_so(tmp_path: Path) -> None:
    stand = Stand(tmp_path, files_folder=tmp_path / "files")
    editor = stand.host().get("/host/files/haulers/home").text
    stand.close()
    assert told_where_needed(editor)


@pytest.mark.parametrize("path", ["/rules", "/privacy", "/language", "/league", "/kept", "/kiosk/games", "/host/check"])
def test_a_page_that_works_without_scripts_does_not(stand: Stand, path: str) -> None:
    assert not told_where_needed(stand.host().get(path).text)
