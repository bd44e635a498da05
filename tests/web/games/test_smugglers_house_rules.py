"""House rules of Smugglers: those that the set-up page offers can be played, others are refused with a sentence."""

from __future__ import annotations

import re
from typing import Any

import pytest

from appliance.games.smugglers import pages
from appliance.games.smugglers.rules.options import RANGES
from tests.web.stand import NAMES, Stand


def test_every_house_rule_that_is_offered_can_be_played() -> None:
    for option, values in pages.HOUSE_RULES.items():
        assert getattr(pages.STANDARD, option) in values
        if option in RANGES:
            least, most = RANGES[option]
            assert all(least <= value <= most for value in values)


def test_the_set_up_page_offers_no_tie_band_below_what_a_scale_can_tell_apart_sm_54() -> None:
    assert min(pages.HOUSE_RULES["tie_band_g"]) > 0


@pytest.mark.parametrize("language", ["en", "de"])
def test_the_set_up_page_offers_every_house_rule(stand: Stand, language: str) -> None:
    kiosk = stand.kiosk()
    kiosk.set_cookie("language", language)
    page = kiosk.get("/kiosk/setup/smugglers").text
    for option, values in pages.HOUSE_RULES.items():
        offered = re.findall(rf'data-option="{option}"[^>]* value="([^"]+)"( checked)?', page)
        assert [value for value, _ in offered] == [str(value) for value in values]
        assert [value for value, chosen in offered if chosen] == [
            str(values[values.index(getattr(pages.STANDARD, option))])
        ]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"tie_band_g": 11}, "“equally heavy up to a difference of so many grams” must be from 0 to 10"),
        ({"pass_limit_s": 2}, "must be from 3 to 10"),
        ({"illegal_sack": "piece"}, "With four players no piece is left in the box"),
    ],
)
def test_a_house_rule_that_cannot_be_played_is_refused_with_a_sentence(
    stand: Stand, options: dict[str, Any], said: str
) -> None:
    players = [
        {"name": name, "putty": putty} for name, putty in zip(NAMES, ("yellow", "pink", "green", "orange"), strict=True)
    ]
    body = {"id": "house", "game": "smugglers", "players": players, "options": options}
    answer = stand.kiosk().post("/api/v1/games?game=smugglers", json=body)
    assert answer.status_code == 409
    assert said in answer.get_json()["message"]
