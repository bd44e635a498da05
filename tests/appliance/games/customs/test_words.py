"""Whatever happens when Customs is played can be said, in every language."""

from __future__ import annotations

from random import Random

import pytest

from appliance.games.customs.rules.cards import CARDS
from appliance.games.customs.rules.rules import RULES
from appliance.games.game_words import words_of
from appliance.games.protocol import Rejection
from appliance.words.catalogues import LANGUAGES
from tests.appliance.games.customs.play import played
from tests.appliance.games.customs.test_properties import anything, setup_of

NAMES = ("Ann", "Ben", "Cem", "Dora", "Eli", "Fay")


@pytest.mark.parametrize("language", LANGUAGES)
def test_whatever_happens_in_play_can_be_said(language: str) -> None:
    known = words_of(language, "customs")
    said = set()
    everything = anything(range(-1, 6))
    for seed in range(40):
        rng = Random(seed)
        for state, _, _, happened in played(setup_of(seed), rng, 0.005):
            for happening in happened:
                sentence = known.say(f"happening.{happening.code}", happening.values, NAMES)
                assert "{" not in sentence
                said.add(happening.code)
            step = RULES.apply(state, rng.choice(everything))
            if isinstance(step, Rejection):
                assert "{" not in known.say(f"rejection.{step.code}", step.values, NAMES)
                assert f"rule.{step.rule}" in known
    assert len(said) > 28


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_card_has_a_long_and_a_short_name(language: str) -> None:
    known = words_of(language, "customs")
    assert all(f"card.{card}" in known and f"card.short.{card}" in known for card in CARDS)


def test_a_hand_is_told_in_words() -> None:
    english = words_of("en", "customs")
    told = english.say("happening.hand_opened", {"seat": 1, "cards": ["wine", "crown"]}, NAMES)
    assert told == "In the suitcase of Ben: wine, the Crown."


def test_thousands_of_pounds_are_parted_as_each_language_does() -> None:
    paid = {"seat": 0, "target": 1, "amount": 4130}
    said = [words_of(language, "customs").say("happening.paid", paid, NAMES) for language in LANGUAGES]
    assert said == ["Ann pays Ben £4,130.", "Ann zahlt Ben £4.130."]
