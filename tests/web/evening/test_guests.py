"""A new game begins with the guests, seats and options of the last one."""

from __future__ import annotations

import json
import re
from typing import Any

import msgspec
import pytest

from appliance.games.protocol import Player
from appliance.journal.journal_file import JournalError
from appliance.journal.past_games import PastGames
from appliance.snapshot import Accepted
from tests.web.evening.test_last_evening import WON_BY_B, play
from tests.web.stand import Stand


def offered(stand: Stand, game: str) -> tuple[list[str], dict[str, Any] | None, dict[str, Any]]:
    """Return the names that the keyboard offers, and the guests and options that set-up begins with."""
    page = stand.kiosk().get(f"/kiosk/setup/{game}").text
    found = re.search(r"data-guests='(.*?)' data-options='(.*?)'", page)
    names = re.findall(r"data-chip>([^<]+)</button>", page)
    return names, json.loads(found[1]) if found else None, json.loads(found[2]) if found else {}


def test_the_first_game_of_all_begins_with_nobody(stand: Stand) -> None:
    names, guests, options = offered(stand, "smugglers")
    assert len(names) == 12
    assert (guests, options) == (None, {})


def test_the_next_game_begins_with_the_guests_seats_and_options_of_the_last(stand: Stand) -> None:
    stand.open(3, goal="short")
    stand.do(do="leave", seat=2)
    stand.do(do="leave", seat=1)
    names, guests, options = offered(stand, "smugglers")
    assert names[:3] == ["Ann", "Ben", "Cleo"]
    assert guests is not None
    assert [(one["name"], one["putty"]) for one in guests["players"]] == [
        ("Ann", "yellow"),
        ("Ben", "pink"),
        ("Cleo", "green"),
    ]
    assert options["goal"] == "short"


def test_another_game_begins_with_the_same_guests_and_its_own_options(stand: Stand) -> None:
    stand.open(2, goal="short")
    stand.do(do="leave", seat=1)
    names, guests, options = offered(stand, "customs")
    assert names[:2] == ["Ann", "Ben"]
    assert guests is not None
    assert options == {}


def test_a_name_that_nobody_typed_is_neither_offered_nor_taken_along_to_another_game(stand: Stand) -> None:
    play(stand, WON_BY_B, ("Yellow", "Ben", "Orange"))
    names, guests, _ = offered(stand, "haulers")
    assert guests is not None
    assert [one["name"] for one in guests["players"]] == ["", "Ben", ""]
    assert names[0] == "Ben"
    assert not {"Yellow", "Orange"} & set(names)


def test_a_damaged_journal_does_not_stop_a_new_game(stand: Stand, monkeypatch: pytest.MonkeyPatch) -> None:
    def damaged(*_: object) -> None:
        raise JournalError("journal_damaged", stand.journal.path)

    monkeypatch.setattr(PastGames, "newest", damaged)
    assert stand.kiosk().get("/kiosk/setup/smugglers").status_code == 200


def test_a_game_that_others_played_elsewhere_brings_no_guests(stand: Stand) -> None:
    stand.open(2)
    stand.do(do="leave", seat=1)
    history = stand.table.history()
    assert isinstance(history, tuple)
    stand.table.close_game("closed")
    setup = msgspec.structs.replace(
        history[0], players=(Player(name="Zoe", putty="pink"), Player(name="Yan", putty="green"))
    )
    assert isinstance(stand.table.import_game(setup, history[1], "imported"), Accepted)
    assert offered(stand, "smugglers")[0][:2] == ["Ann", "Ben"]
