"""Whatever happens when Haulers is played can be said, in every language."""

from __future__ import annotations

from itertools import islice
from random import Random

import pytest

from appliance.games.game_words import words_of
from appliance.words.catalogues import LANGUAGES
from tests.appliance.games.haulers.play import VARIANTS, a_setup, played

NAMES = ("Ann", "Ben", "Cem", "Dora", "Eve", "Finn")


@pytest.mark.slow
@pytest.mark.parametrize("language", LANGUAGES)
def test_whatever_happens_in_play_can_be_said(language: str) -> None:
    known = words_of(language, "haulers")
    said = set()
    for seed, options in enumerate(VARIANTS):
        for _, _, _, happened in islice(played(a_setup(3, **options), Random(seed)), 2500):
            for happening in happened:
                sentence = known.say(f"happening.{happening.code}", happening.values, NAMES)
                assert "{" not in sentence
                assert happening.to is None
                assert f"rule.{happening.rule}" in known
                said.add(happening.code)
    assert len(said) > 60
