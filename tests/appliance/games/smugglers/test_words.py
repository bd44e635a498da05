"""Whatever happens when Smugglers is played can be said, in every language."""

from __future__ import annotations

from random import Random

import pytest

from appliance.games.game_words import words_of
from appliance.games.protocol import Rejection
from appliance.games.smugglers.rules.rules import RULES
from appliance.games.smugglers.rules.set_up import PUTTIES
from appliance.words.catalogues import LANGUAGES
from tests.appliance.games.smugglers.play import a_setup, played
from tests.appliance.games.smugglers.test_properties import anything

NAMES = ("Ann", "Ben", "Cem", "Dora")


@pytest.mark.parametrize("language", LANGUAGES)
def test_whatever_happens_in_play_can_be_said(language: str) -> None:
    known = words_of(language, "smugglers")
    said = set()
    everything = anything(range(-1, 5))
    for seed in range(12):
        rng = Random(seed)
        setup = a_setup(2 + seed % 3, same_mass_check=seed % 2 == 0, goal="short" if seed % 4 == 0 else "full")
        for state, _, _, happened in played(setup, rng, 0.01):
            for happening in happened:
                sentence = known.say(f"happening.{happening.code}", happening.values, NAMES)
                assert "{" not in sentence
                assert happening.to is None
                said.add(happening.code)
            step = RULES.apply(state, rng.choice(everything))
            if isinstance(step, Rejection):
                assert "{" not in known.say(f"rejection.{step.code}", step.values, NAMES)
                assert f"rule.{step.rule}" in known
    assert len(said) > 35


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_putty_has_the_word_of_its_colour(language: str) -> None:
    known = words_of(language, "smugglers")
    assert all(f"colour.{putty}" in known for putty in PUTTIES)


@pytest.mark.parametrize("language", LANGUAGES)
def test_who_does_not_roll_may_never_have_rolled(language: str) -> None:
    """The same sentence stands for a first attempt that is not made (SM-47) and for a second (SM-36)."""
    sentence = words_of(language, "smugglers").say("happening.attempt_declined", {"seat": 2}, NAMES)
    assert sentence in ("Cem chooses not to roll.", "Cem verzichtet auf den Versuch.")


@pytest.mark.parametrize("language", LANGUAGES)
def test_spheres_are_weighed_in_start_order(language: str) -> None:
    """SM-55: clockwise from the starting player, as they are listed and called."""
    known = words_of(language, "smugglers")
    lists = [
        (state.start, happening)
        for seed in range(4)
        for state, _, _, happened in played(a_setup(4), Random(seed), 0.0)
        for happening in happened
        if happening.code == "weighing_began" and happening.rule == "SM-55"
    ]
    assert len(lists) > 3
    for start, happening in lists:
        seats = happening.values["seats"]
        assert list(seats) == sorted(seats, key=lambda seat: (seat - start) % 4)
        sentence = known.say("happening.weighing_began", happening.values, NAMES)
        assert "this order" in sentence or "dieser Reihenfolge" in sentence
