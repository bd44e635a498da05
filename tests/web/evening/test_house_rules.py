"""House rules that were saved by name."""

from __future__ import annotations

import json
import re
from html import unescape
from pathlib import Path
from typing import Any

import pytest

from tests.appliance.games.customs.play import TARIFF
from tests.web.stand import Stand

GERMAN = {"Accept-Language": "de"}


def put(stand: Stand, name: str, options: dict[str, Any] | None, game: str = "smugglers") -> Any:
    return stand.kiosk().put("/api/v1/house_rules", json={"game": game, "name": name, "options": options})


def saved(stand: Stand, game: str = "smugglers") -> dict[str, Any]:
    page = stand.kiosk().get(f"/kiosk/setup/{game}").text
    found = re.findall(r"data-rules='(.*?)'>★ (.*?)</button>", page)
    return {unescape(name): json.loads(unescape(options)) for options, name in found}


def test_they_are_offered_at_set_up_of_their_game_and_after_a_restart(stand: Stand, tmp_path: Path) -> None:
    assert put(stand, "Friday", {"goal": "short", "tie_band_g": 0.3}).status_code == 200
    assert saved(stand) == {"Friday": {"goal": "short", "tie_band_g": 0.3}}
    assert saved(stand, "prohis") == {}
    stand.close()
    again = Stand(tmp_path)
    assert list(saved(again)) == ["Friday"]
    again.close()


def test_a_name_that_is_saved_again_is_replaced_and_one_can_be_forgotten(stand: Stand) -> None:
    put(stand, "Friday", {"goal": "short"})
    put(stand, "friday", {"goal": "full"})
    assert saved(stand) == {"friday": {"goal": "full"}}
    put(stand, "Friday", None)
    assert saved(stand) == {}


@pytest.mark.parametrize(
    ("name", "options"),
    [("x" * 30, {}), (" ", {}), ("Bad", {"goal": "endless"}), ("Bad", {"chess": 1}), ("Bad", {"boss_lane": 99})],
)
def test_what_no_game_would_take_is_refused_with_a_sentence(stand: Stand, name: str, options: dict[str, Any]) -> None:
    answer = put(stand, name, options)
    assert answer.status_code == 422
    assert len(answer.json["message"]) > 10
    assert saved(stand) == {}


def test_there_are_only_so_many_and_a_sentence_says_so(stand: Stand) -> None:
    for number in range(6):
        assert put(stand, f"Rules {number}", {}).status_code == 200
    answer = put(stand, "One more", {})
    assert (answer.status_code, answer.json["code"]) == (409, "rules_full")
    assert "Forget one first" in answer.json["message"]
    assert put(stand, "Rules 1", {"goal": "short"}).status_code == 200


def test_only_the_touchscreen_saves_them(stand: Stand) -> None:
    body = {"game": "smugglers", "name": "Mine", "options": {}}
    assert stand.stranger().put("/api/v1/house_rules", json=body).status_code == 403


def test_a_night_is_played_by_them(stand: Stand) -> None:
    put(stand, "Friday", {"goal": "short"})
    kiosk = stand.kiosk()
    kiosk.environ_base["HTTP_ORIGIN"] = "http://localhost"
    assert "Friday" in kiosk.get("/night").text
    kiosk.post("/night/begin", data={"game": "smugglers", "size": 2, "rules": "Friday"})
    for name in ("Ann", "Ben"):
        kiosk.post("/night/come", data={"name": name})
    kiosk.post("/night/play", data={"after": 2})
    setup = stand.table.snapshot().setup
    assert setup is not None
    assert setup.options["goal"] == "short"


def test_a_night_of_a_game_that_lacks_its_tariff_leads_to_set_up_and_begins_once_rules_are_saved(stand: Stand) -> None:
    kiosk = stand.kiosk()
    kiosk.environ_base["HTTP_ORIGIN"] = "http://localhost"
    refused = kiosk.post("/night/begin", data={"game": "customs", "size": 3, "rules": ""})
    assert refused.status_code == 409
    assert "not complete" in refused.text
    assert re.search(r'href="/kiosk/setup/customs">Set up the game<', refused.text)
    assert "unvollständig" in kiosk.post("/night/begin", data={"game": "customs", "size": 3}, headers=GERMAN).text
    assert "Begin a night of" in kiosk.get("/night").text, "no night has begun"
    assert put(stand, "Our box", {"tariff": TARIFF, "money": 10_000}, "customs").status_code == 200
    assert kiosk.post("/night/begin", data={"game": "customs", "size": 3, "rules": "Our box"}).status_code == 302
    for name in ("Ann", "Ben", "Cleo"):
        kiosk.post("/night/come", data={"name": name})
    assert kiosk.post("/night/play", data={"after": 3}).headers["Location"] == "/kiosk"
    assert stand.table.snapshot().game == "customs"
