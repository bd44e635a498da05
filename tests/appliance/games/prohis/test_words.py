"""Whatever happens when Prohis is played can be said, in every language."""

from __future__ import annotations

import re
from random import Random

import pytest

from appliance.games.catalogue import the_game
from appliance.games.game_words import words_of
from appliance.games.prohis.rules.rules import RULES
from appliance.games.protocol import Rejection
from appliance.words.catalogues import LANGUAGES
from tests.appliance.games.contract.codes import codes_of
from tests.appliance.games.prohis.play import any_setup, played
from tests.appliance.games.prohis.test_properties import anything

NAMES = ("Ann", "Ben", "Cem", "Dora", "Eve", "Finn")


@pytest.mark.parametrize("language", LANGUAGES)
def test_whatever_happens_in_play_can_be_said(language: str) -> None:
    known = words_of(language, "prohis")
    said = set()
    for seed in range(30):
        rng = Random(seed)
        for state, _, _, happened in played(any_setup(rng, physical=seed == 3), rng, 0.01):
            for happening in happened:
                sentence = known.say(f"happening.{happening.code}", happening.values, NAMES)
                assert "{" not in sentence
                assert not re.search(r"\b(illegal|lieutenant|captain|warehouse)\b", sentence) or language == "en"
                said.add(happening.code)
            step = RULES.apply(state, anything(state, rng))
            if isinstance(step, Rejection):
                assert "{" not in known.say(f"rejection.{step.code}", step.values, NAMES)
                assert f"rule.{step.rule}" in known
    at_set_up = {"players_sat_down", "real_cards_used"}
    rare = {"win_shared"}
    assert said | at_set_up | rare == codes_of(the_game("prohis"))["happening"]


def test_thousands_are_parted_as_each_language_does() -> None:
    said = [
        words_of(lang, "prohis").say("happening.game_won", {"winners": [0], "points": 57000}, ["Ann"])
        for lang in LANGUAGES
    ]
    assert said == ["Ann wins with 57,000.", "Ann gewinnt mit 57.000."]
