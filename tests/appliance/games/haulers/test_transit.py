"""Whoever rolls a 7 hears which transit card it brings, and what comes of it (TR-60)."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from appliance.games.game_words import words_of
from appliance.games.haulers.rules.actions import Drive, Roll
from appliance.games.haulers.rules.rules import RULES
from appliance.games.haulers.rules.state import State
from appliance.games.protocol import Step
from tests.appliance.games.haulers.little_land import little_land
from tests.appliance.games.haulers.staged import A, after, at_turn, with_player

TYRE = {"title": {"en": "Flat tyre", "de": "Reifenpanne"}, "effect": "breakdown"}
POLICE = {"title": {"en": "Police on the road", "de": "Polizei auf der Straße"}, "effect": "police"}
SAND = {"title": {"en": "Sand in the engine", "de": "Sand im Getriebe"}, "effect": "sabotage"}
TOLL = {"title": {"en": "Toll road", "de": "Mautstraße"}, "effect": "money", "dollars": -300}


def driving(card: dict[str, Any]) -> State:
    """A is about to roll two dice for the truck; `card` is the only transit card."""
    state = at_turn(edition=little_land(transit=[card]), transit=True)
    state = msgspec.structs.replace(state, transit_pile=(0,), transit_discards=())
    return after(state, Drive(seat=A, dice=2))


def heard(state: State, language: str) -> list[str]:
    """Return what is told after A rolls 3 and 4."""
    step = RULES.apply(state, Roll(seat=A, die_1=3, die_2=4))
    assert isinstance(step, Step)
    words = words_of(language, "haulers")
    return [words.say(f"happening.{one.code}", one.values, ("Ann", "Ben")) for one in step.happened][1:]


@pytest.mark.parametrize(
    ("language", "told"),
    [
        ("en", ["A 7! Ann draws a transit card: Flat tyre.", "Ann goes no further in this move."]),
        ("de", ["Eine 7! Ann zieht eine Transitkarte: Reifenpanne.", "Ann fährt in diesem Zug nicht weiter."]),
    ],
)
def test_a_card_that_ends_the_move_is_named_and_the_end_is_told(language: str, told: list[str]) -> None:
    assert heard(driving(TYRE), language) == told


@pytest.mark.parametrize("card", [POLICE, SAND], ids=["nothing on board", "nobody has turbo"])
def test_a_card_that_concerns_nobody_now_is_told_to_change_nothing(card: dict[str, Any]) -> None:
    assert heard(driving(card), "en") == [
        f"A 7! Ann draws a transit card: {card['title']['en']}.",
        "That changes nothing now.",
    ]


def test_a_toll_of_somebody_without_money_changes_nothing() -> None:
    poor = with_player(driving(TOLL), A, cash=0)
    assert heard(poor, "de") == ["Eine 7! Ann zieht eine Transitkarte: Mautstraße.", "Das ändert gerade nichts."]
    assert heard(driving(TOLL), "de")[1:] == ["Ann zahlt 300\N{NO-BREAK SPACE}$."]
