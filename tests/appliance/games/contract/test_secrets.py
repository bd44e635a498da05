"""Nobody learns what is another's: shown byte by byte on games that differ in secrets only.

Two cards of a shuffle change places, a secret number changes by next to nothing, another secret value is chosen: where
everybody still sees the same game, an export without consent must be the same file, and no more seats than the owner of
the secret and one other may see a difference.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from random import Random
from types import MappingProxyType
from typing import Any

import msgspec
import pytest

from appliance.games.catalogue import added
from appliance.games.game import Game
from appliance.games.protocol import Action, AnyOrder, Number, OneOf, Prompt, Rejection, SomeOf, Step, tag_of
from appliance.journal.archive import Archive, import_entries
from appliance.journal.journal import Journal
from appliance.journal.safekeeping.keys import seal_key
from appliance.journal.transcript import share_transcript
from tests.appliance.games.contract import play
from tests.appliance.games.contract.play import EVERY, Played
from tests.narrowed import of_kind
from tests.porters_game.rules.actions import Hide
from tests.porters_game.rules.rules import PortersRules

pytestmark = pytest.mark.slow

every_game = pytest.mark.parametrize("name", EVERY)
SLIGHTLY = 1e-7
TRIES, ENOUGH = 300, 8
"""Changes that are tried at most, and games of equal story that are enough."""


@dataclass(frozen=True)
class Twin:
    """The same game with one secret changed: that of action number `at`. `steps` are those after it."""

    at: int
    actions: tuple[Action, ...]
    steps: tuple[Step[Any], ...]


def secrets_in(played: Played) -> list[int]:
    """Return the numbers of the actions that hold a secret."""
    return [at for at, action in enumerate(played.actions) if tag_of(action) in played.game.rules.secret_fields]


def prompt_of(played: Played, at: int) -> Prompt | None:
    """Return the prompt that an action answered, as its own seat saw it."""
    action = played.actions[at]
    prompts = play.own_prompts(played.game, played.steps[at].state, len(played.seats))
    seat = getattr(action, "seat", None)
    return next((one for one in prompts if (one.do, one.seat) == (tag_of(action), seat)), None)


def changed(played: Played, at: int, random: Random) -> Action | None:
    """Return an action like the one at `at` with another secret in it; None where there is nothing else to choose."""
    action, prompt = played.actions[at], prompt_of(played, at)
    fields = played.game.rules.secret_fields[tag_of(action)]
    if prompt is None:
        return None
    field = random.choice(sorted(fields & prompt.choices.keys()) or [""])
    old: Any = getattr(action, field, None)
    match prompt.choices.get(field):
        case Number(least, most):
            inwards = 1 if old < (least + most) / 2 else -1
            return msgspec.structs.replace(action, **{field: old * (1 + inwards * SLIGHTLY)})
        case AnyOrder(count):
            order = list(old)
            one, other = random.sample(range(count), 2) if count > 1 else (0, 0)
            order[one], order[other] = order[other], order[one]
            return msgspec.structs.replace(action, **{field: tuple(order)})
        case OneOf(values):
            return msgspec.structs.replace(action, **{field: random.choice(values)})
        case SomeOf(values):
            return msgspec.structs.replace(action, **{field: tuple(random.sample(values, len(old)))})
        case _:
            return None


def twins(played: Played, random: Random) -> Iterator[Twin]:
    """Yield games with one other secret in which everybody sees the same at every step."""
    secret = secrets_in(played)
    told = [play.told(played.game, step, None) for step in played.steps]
    found = 0
    for _ in range(TRIES if secret else 0):
        at = random.choice(secret)
        action = changed(played, at, random)
        if action is None or action == played.actions[at]:
            continue
        actions = (*played.actions[:at], action, *played.actions[at + 1 :])
        steps: list[Step[Any]] = []
        state = played.steps[at].state
        for number in range(at, len(actions)):
            step = played.game.rules.apply(state, actions[number])
            if isinstance(step, Rejection) or play.told(played.game, step, None) != told[number + 1]:
                break
            steps.append(step)
            state = step.state
        else:
            yield Twin(at, actions, tuple(steps))
            found += 1
            if found == ENOUGH:
                return


def seeing(played: Played, twin: Twin) -> set[int]:
    """Return the seats that are told anything else in the twin."""
    pairs = list(zip(played.steps[twin.at + 1 :], twin.steps, strict=True))
    told = partial(play.told, played.game)
    return {seat for seat in played.seats if any(told(one, seat) != told(other, seat) for one, other in pairs)}


def check_views(game: Game, seed: int) -> None:
    """Fail where anybody is told of a secret that is not theirs."""
    random, played = Random(seed), play.play(game, seed)
    for at in secrets_in(played):
        for field in game.rules.secret_fields[tag_of(played.actions[at])]:
            if (prompt := prompt_of(played, at)) and isinstance(prompt.choices.get(field), Number):
                # A number that differs by nothing that could count must not show at all, but to its owner.
                action = changed(played, at, random)
                assert action is not None
                state = played.steps[at].state
                one, other = (of_kind(Step, game.rules.apply(state, act)) for act in (played.actions[at], action))
                for viewer in {None, *played.seats} - {getattr(action, "seat", None)}:
                    assert play.told(game, one, viewer) == play.told(game, other, viewer), (field, viewer)
    found = list(twins(played, random))
    assert bool(found) == bool(secrets_in(played)), "every change of a secret shows to everybody"
    for twin in found:
        assert len(seeing(played, twin)) <= 2, played.actions[twin.at]
    for step in played.steps[:: max(1, len(played.steps) // 100)]:
        for viewer in (None, *played.seats):
            for prompt in game.rules.expects(step.state, viewer):
                assert not (prompt.veiled and prompt.choices), "a veiled prompt shows no choices"
                assert prompt.seat != viewer or not prompt.veiled


def check_anonymise(game: Game, seed: int) -> None:
    """Fail where an export without consent tells another game, or more than everybody saw."""
    assert game.anonymise is not None
    anonymise = game.anonymise()
    random, played = Random(seed), play.play(game, seed)
    exported = anonymise(game.rules, played.setup, played.actions)
    assert exported is not None
    steps = play.refold(played, exported)
    assert not isinstance(steps, Rejection), steps
    assert list(play.story(game, steps)) == list(play.story(game, played.steps))
    for was, now in zip(played.actions, exported, strict=True):
        secret = dict.fromkeys(game.rules.secret_fields.get(tag_of(was), ()), None)
        assert {**msgspec.to_builtins(was), **secret} == {**msgspec.to_builtins(now), **secret}
    for twin in twins(played, random):
        assert anonymise(game.rules, played.setup, twin.actions) == exported, played.actions[twin.at]


def check_anonymise_of_games(game: Game, seeds: range) -> None:
    for seed in seeds:
        check_anonymise(game, seed)


@every_game
@pytest.mark.parametrize("seed", range(2))
def test_nobody_is_told_of_a_secret_that_is_not_theirs(name: str, seed: int) -> None:
    check_views(EVERY[name], seed)


@every_game
@pytest.mark.parametrize("seed", range(2))
def test_stand_ins_tell_the_same_public_game_and_nothing_else(name: str, seed: int) -> None:
    game = EVERY[name]
    if not game.rules.secret_fields:
        pytest.skip("this game has no secrets")
    if game.anonymise is None:
        pytest.skip("this game is exported with everyone's consent only")
    check_anonymise(game, seed)


# -- the suite bites


class ShowsLoads(PortersRules):
    def view(self, state: Any, seat: int | None) -> Any:
        view = super().view(state, seat)
        return msgspec.structs.replace(view, own_load_g=state.loads[0])


class TellsLoads(PortersRules):
    def apply(self, state: Any, action: Action) -> Any:
        step = super().apply(state, action)
        if isinstance(step, Rejection):
            return step
        heard = tuple(msgspec.structs.replace(one, values={**one.values, "of": state.loads}) for one in step.happened)
        return msgspec.structs.replace(step, happened=heard)


@pytest.mark.parametrize("rules", [ShowsLoads(), TellsLoads()], ids=lambda rules: type(rules).__name__)
def test_a_game_that_shows_a_secret_is_found(rules: PortersRules) -> None:
    with pytest.raises(AssertionError):
        check_views(replace(EVERY["porters"], rules=rules), 1)


def true_loads(rules: Any, setup: Any, actions: Any) -> Any:
    return tuple(actions)


def equal_loads(rules: Any, setup: Any, actions: Any) -> Any:
    return tuple(msgspec.structs.replace(one, mass_g=5.0) if tag_of(one) == "hide" else one for one in actions)


@pytest.mark.parametrize("anonymise", [true_loads, equal_loads])
def test_stand_ins_that_are_the_truth_or_another_game_are_found(anonymise: Any) -> None:
    game = replace(EVERY["porters"], anonymise=lambda: anonymise)
    with pytest.raises(AssertionError):
        check_anonymise_of_games(game, range(6))


# -- safe by default


def archive_of(game: Game, played: Played, folder: Path) -> tuple[Journal, Archive, int]:
    journal = Journal(folder / "journal.sqlite3", seal_key(folder)[0])
    imported = import_entries(played.setup, played.actions, "client", "own-", lambda name: game)
    assert not isinstance(imported, Rejection)
    number = journal.append(None, imported[1], game.rules.secret_fields)[0]
    return journal, Archive(journal, lambda name: game), number


def test_a_game_with_secrets_and_no_stand_ins_is_exported_with_everyones_consent_only(tmp_path: Path) -> None:
    game = replace(EVERY["porters"], anonymise=None)
    played = play.play(game, 3)
    journal, archive, number = archive_of(game, played, tmp_path)
    with added(game):
        refused = archive.transcript(number, consent=False)
        whole = archive.transcript(number, consent=True)
        assert isinstance(share_transcript(played.setup, played.actions, consent=False), Rejection)
    journal.close()
    assert isinstance(refused, Rejection)
    assert refused.code == "no_stand_ins"
    masses = [str(of_kind(Hide, action).mass_g) for action in played.actions if tag_of(action) == "hide"]
    assert masses
    assert isinstance(whole, str)
    assert all(mass in whole for mass in masses)


def test_a_game_for_which_no_stand_ins_were_found_is_exported_with_everyones_consent_only() -> None:
    played = play.play(EVERY["porters"], 3)
    with added(replace(played.game, anonymise=lambda: lambda rules, setup, actions: None)):
        refused = share_transcript(played.setup, played.actions, consent=False)
    assert isinstance(refused, Rejection)
    assert refused.code == "no_stand_ins"


class Open(PortersRules):
    secret_fields: Mapping[str, frozenset[str]] = MappingProxyType({})


def test_a_game_without_secrets_is_exported_as_it_is(tmp_path: Path) -> None:
    game = replace(EVERY["porters"], rules=Open(), anonymise=None)
    played = play.play(game, 3)
    journal, archive, number = archive_of(game, played, tmp_path)
    with added(game):
        assert archive.transcript(number, consent=False) == archive.transcript(number, consent=True)
    journal.close()
