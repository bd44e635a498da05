"""What is kept of guests through another journal and another release."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from appliance.games.league.night import Came, Seated
from appliance.journal.safekeeping.evening import Night
from tests.web.stand import Stand
from web.evening.kept import EveningStore

NIGHT = Night(game="smugglers", size=2, started_s=0.0)


@pytest.mark.parametrize("night", [{"game": "chess", "size": 2}, {"game": "smugglers", "size": 99}])
def test_a_night_that_this_release_cannot_play_is_over(tmp_path: Path, night: dict[str, object]) -> None:
    kept = {"erased": {"ann": 7}, "night": {**night, "started_s": 1.0}}
    (tmp_path / "evening.json").write_text(json.dumps(kept), encoding="utf-8")
    store = EveningStore(tmp_path / "evening.json")
    assert store.kept.night is None
    assert store.is_erased("Ann", 7)


def test_with_an_older_journal_later_games_count_again(tmp_path: Path) -> None:
    store = EveningStore(tmp_path / "evening.json")
    store.erase("Ann", 5000)
    store.begin_night(NIGHT)
    store.happened(Came("Ben"), 0)
    store.seated(Seated(("Ben", "Cleo"), 4990))
    store.fit(3000)
    assert store.is_erased("Ann", 3000)
    assert not store.is_erased("Ann", 3001)
    assert store.kept.night is None


def test_a_game_has_its_seating_whatever_happened_meanwhile(tmp_path: Path) -> None:
    store = EveningStore(tmp_path / "evening.json")
    store.begin_night(NIGHT)
    seated = Seated(("Ann", "Ben"), 3)
    for event in (Came("Ann"), Came("Ben"), Came("Cleo")):
        assert store.kept.night is not None
        store.happened(event, len(store.kept.night.events))
    store.seated(seated)
    store.seated(seated)
    assert store.kept.night is not None
    assert store.kept.night.events.count(seated) == 1


def test_an_erased_name_is_told_to_no_program_any_more(tmp_path: Path) -> None:
    stand = Stand(tmp_path)
    web = stand.app.extensions["smugglers"]
    stand.open(2)
    web.feed.start()
    assert any("Ann" in str(event.values) for event in web.feed.after((-1, 0)).events)
    web.feed.forget()
    assert web.feed.after((-1, 0)) == (True, ())
    stand.close()


def test_a_referer_that_is_no_address_is_none(tmp_path: Path) -> None:
    stand = Stand(tmp_path)
    for path in ("/league", "/rules", "/privacy", "/language"):
        assert stand.stranger().get(path, headers={"Referer": "http://["}).status_code == 200, path
    stand.close()
