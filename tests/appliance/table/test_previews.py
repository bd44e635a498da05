"""What a correction would show before anybody confirms it tells nobody what lies hidden (AP-3, PR-37, CU-21, TR-20)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from random import Random
from typing import Any

import msgspec
import pytest

from appliance.games.catalogue import the_game
from appliance.games.protocol import Action, Rejection, Setup, tag_of
from appliance.table.game.corrections import answers
from tests.appliance.games.plays import begun, play_of

STEPS, EVERY, LOOKED_AT = 160, 7, 12


def previewed(game: str, setup: Setup, actions: Sequence[Action]) -> Iterator[tuple[Any, Any, Any]]:
    """Yield each correction that people can choose after every few of `actions`, and what it would show."""
    found, history = the_game(game), begun(setup)
    for number, action in enumerate(actions, 2):
        prompts = found.rules.expects(history.state, None)
        drawn = next((p.prompt for p in prompts if p.chance == "must" and p.do == tag_of(action)), "")
        step = found.rules.apply(history.state, action)
        assert not isinstance(step, Rejection), (action, step)
        history.act(number, action, step, drawn)
        for deed in history.correctable(LOOKED_AT) if number % EVERY == 0 else ():
            known = history.alternatives(deed.seq)
            if isinstance(known, Rejection):
                continue
            # A hidden value is never shown for a choice on the touchscreen.
            offered = [prompt for prompt in known.prompts if prompt.do not in found.rules.secret_fields]
            for instead in (*answers(offered), None):
                meant = None if instead is None else msgspec.convert(instead, found.rules.action_type)
                refold = history.refold(deed.seq, meant, in_public=True)
                told = refold if isinstance(refold, Rejection) else history.preview(refold)
                yield deed.action, instead, told


WITH_SECRETS = [
    ("smugglers", {}),
    ("prohis", {}),
    ("customs", {}),
    ("haulers", {"dice": "real", "transit": True}),
    ("haulers", {"dice": "real"}),
]


@pytest.mark.slow
@pytest.mark.parametrize(("game", "options"), WITH_SECRETS)
def test_a_preview_depends_on_nothing_hidden(game: str, options: dict[str, Any]) -> None:
    """Two games that differ in secrets alone have the same previews."""
    compare(game, options, range(3))


@pytest.mark.thorough
@pytest.mark.parametrize(("game", "options"), WITH_SECRETS)
def test_in_many_games_a_preview_depends_on_nothing_hidden(game: str, options: dict[str, Any]) -> None:
    compare(game, options, range(100, 112))


def compare(game: str, options: dict[str, Any], seeds: Iterable[int]) -> None:
    found, play = the_game(game), play_of(game)
    assert found.anonymise is not None
    covered = shown = 0
    for seed in seeds:
        setup = play.a_setup(4, **options)
        actions = tuple(action for _, action, *_ in islice(play.played(setup, Random(seed)), STEPS))
        anew = found.anonymise()(found.rules, setup, actions)
        assert anew is not None
        assert anew != actions
        for one, other in zip(previewed(game, setup, actions), previewed(game, setup, anew), strict=True):
            assert one == other
            covered += getattr(one[2], "covered", False)
            shown += not getattr(one[2], "covered", True)
    assert covered
    assert shown


MASSES_G = [(20.0, 17.9, 18.0, 21.0), (20.0, 17.0, 19.0, 21.0), (20.0, 19.0, 17.0, 21.0)]
"""Seat 3's sphere and seat 0's are the largest in all; the other two are alike, or one of them is larger."""


def test_sm54_another_attempt_after_the_ranking_shows_no_tie_and_no_order_of_other_spheres() -> None:
    found, shown = the_game("smugglers"), []
    setup = play_of("smugglers").a_setup(4)
    for masses_g in MASSES_G:
        history = begun(setup)
        deeds = [
            {"do": "roll", "seat": 0, "value": 3},
            {"do": "time_up"},
            *({"do": "attempt", "seat": seat, "outcome": "passed"} for seat in range(3)),
            {"do": "attempt", "seat": 3, "outcome": "stuck"},
            last := {"do": "attempt", "seat": 3, "outcome": "passed"},
            *({"do": "weigh", "seat": seat, "mass_g": mass_g} for seat, mass_g in enumerate(masses_g)),
        ]
        for number, deed in enumerate(deeds, 2):
            action = msgspec.convert(deed, found.rules.action_type)
            step = found.rules.apply(history.state, action)
            assert not isinstance(step, Rejection), (deed, step)
            history.act(number, action, step, "")
        stuck = msgspec.convert({"do": "attempt", "seat": 3, "outcome": "stuck"}, found.rules.action_type)
        refold = history.refold(deeds.index(last) + 2, stuck, in_public=True)
        assert not isinstance(refold, Rejection)
        shown.append(history.preview(refold))
    assert shown[0] == shown[1] == shown[2]
