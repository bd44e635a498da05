"""Whatever a game says, it can say in every language."""

from __future__ import annotations

import string
from random import Random

import msgspec
import pytest

from appliance.games.protocol import Action, Rejection
from appliance.words.catalogues import LANGUAGES, PLURALS
from tests.appliance.games.contract import play
from tests.appliance.games.contract.codes import codes_of, own_sentences, said_in, shared_files, words_of
from tests.appliance.games.contract.play import EVERY

every_game = pytest.mark.parametrize("name", EVERY)
every_language = pytest.mark.parametrize("language", LANGUAGES)


@every_game
@every_language
def test_every_listed_code_has_its_sentence(name: str, language: str) -> None:
    known = words_of(EVERY[name], language)
    for family, codes in codes_of(EVERY[name]).items():
        assert [code for code in sorted(codes) if f"{family}.{code}" not in known] == []


@every_game
def test_every_listed_code_is_said_and_has_the_only_words(name: str) -> None:
    """No code outlives what said it, neither in the list nor in the catalogues."""
    game = EVERY[name]
    listed, files = codes_of(game), [path for path in game.folder.rglob("*.py") if path.stem != "codes"]
    said = said_in([*files, *shared_files()])
    assert [code for codes in listed.values() for code in sorted(codes) if not said.fullmatch(code)] == []
    for family, codes in listed.items():
        worded = {
            code.removeprefix(f"{family}.")
            for code in own_sentences(game.folder / "words", "en")
            if code.startswith(f"{family}.")
        }
        assert {code.partition(".")[0] for code in worded} - codes == set()


@every_game
@pytest.mark.parametrize("folder", ["words", "pages/words"])
def test_the_languages_say_the_same_with_the_same_values(name: str, folder: str) -> None:
    english, *others = (own_sentences(EVERY[name].folder / folder, language) for language in LANGUAGES)
    english = unchanged_by_numbers(english)
    for other in map(unchanged_by_numbers, others):
        assert list(other) == list(english)
        for code, sentence in english.items():
            assert sentence.strip(), code
            assert other[code].strip(), code
            assert values_in(sentence) == values_in(other[code]), code


def unchanged_by_numbers(said: dict[str, str]) -> dict[str, str]:
    """Leave out the plural forms, of which languages have different ones."""
    return {
        code: sentence
        for code, sentence in said.items()
        if not ((form := code.rpartition("."))[2] in PLURALS and form[0] in said)
    }


def values_in(sentence: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(sentence) if name}


@pytest.mark.slow
@every_game
@every_language
def test_whatever_happens_and_is_asked_in_play_can_be_said(name: str, language: str) -> None:
    game, random = EVERY[name], Random(4)
    known, rules, asked = words_of(game, language), set(), set()
    for seed in range(3):
        played = play.play(game, seed)
        for step in played.steps:
            for one in step.happened:
                assert one.code in codes_of(game)["happening"]
                assert "{" not in known.say(f"happening.{one.code}", one.values, play.NAMES)
                rules.add(one.rule)
            asked |= {
                prompt.do for prompt in play.own_prompts(game, step.state, len(played.seats)) if prompt.chance != "must"
            }
            refused = game.rules.apply(step.state, misplaced(played, random))
            if isinstance(refused, Rejection):
                assert refused.code in codes_of(game)["rejection"]
                assert "{" not in known.say(f"rejection.{refused.code}", refused.values, play.NAMES)
                rules.add(refused.rule)
        outcome = game.rules.outcome(played.steps[-1].state)
        assert outcome is not None
        assert f"reason.{outcome.reason}" in known
    named = sorted(rule for rule in rules if rule is not None)
    assert [rule for rule in named if f"rule.{rule}" not in known] == []
    assert all(rule.startswith((f"{game.rule_prefix}-", "AP-")) for rule in named)
    if game.pages is not None:
        return  # its own pages word their buttons as they like
    codes = known.codes()
    assert [do for do in sorted(asked) if not any(c.startswith((f"ask.{do}", f"button.{do}")) for c in codes)] == []


def misplaced(played: play.Played, random: Random) -> Action:
    """Return an action of another moment, by whoever."""
    action = random.choice(played.actions)
    if not hasattr(action, "seat") or random.random() < 0.5:
        return action
    return msgspec.structs.replace(action, seat=random.randrange(-1, len(played.seats) + 1))


@every_game
@every_language
def test_the_game_its_options_and_its_rules_have_words(name: str, language: str) -> None:
    game = EVERY[name]
    known = words_of(game, language)
    assert f"game.{name}" in known
    assert any(code.startswith(f"rule.{game.rule_prefix}-") for code in known.codes())
    if game.pages is not None:
        return  # its own set-up page words its options as it likes
    for option in msgspec.structs.fields(game.rules.options_type):
        assert any(code.startswith(f"option.{option.name}") for code in known.codes()), option.name
