"""Who answers what in every recorded situation: facts are the table's, secrets their owner's (AP-1, AP-3, AP-8)."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import pytest

from appliance.games.catalogue import the_game
from tests.appliance.games.recordings import NAMES, heard

FACTS = {
    "smugglers": {"roll": "may", "tie_roll": "may", "time_up": "no", "weigh": "no", "attempt": "no"},
    "prohis": {"shuffle": "must", "start": "must", "end_play": "no"},
    "customs": {"appoint": "must", "shuffle": "must"},
    "haulers": {"shuffle": "must", "roll": "must"},
}
"""What the table says and no phone, and whether the appliance draws it (AP-5)."""
VEILED = {"prohis": {"convoy", "declare", "offer"}, "customs": {"discard", "lend"}}
"""Asked for all to see, with choices that tell a hand or money (PR-25, CU-45, CU-61)."""
UNSEEN = {"customs": {"repay"}, "haulers": {"start", "redraw"}}
"""Possible only with certain money or cards, so nobody else sees that it is."""
NOBODY_WAITS = {
    "smugglers": {"commit", "unseal"},
    "customs": {"repay"},
    "haulers": {"offer", "accept", "show_papers", "hand_over"},
}
"""What may be done and need not."""
CHECKED = {"offer", "accept", "show_papers"}
"""Of these (TR-31, TR-60) it is so for who is checked; the checker, and who is raided, has to say something."""


class Asked(NamedTuple):
    """What of a prompt says who answers it; `own`: as the one who is asked sees it."""

    do: str
    by: str
    chance: str
    optional: bool
    veiled: bool
    chosen: bool
    own: bool


@cache
def asked(game: str) -> frozenset[Asked]:
    """Return all that is asked in the recordings of a game."""
    rules = the_game(game).rules
    return frozenset(
        Asked(p.do, p.by, p.chance, p.optional, p.veiled, bool(p.choices), viewer is not None and viewer == p.seat)
        for name in NAMES[game]
        for state, _ in heard(game, name)
        for viewer in (None, *range(len(state.players)))
        for p in rules.expects(state, viewer)
    )


@pytest.mark.parametrize("game", FACTS)
def test_facts_are_said_by_the_table_and_decisions_by_seats(game: str) -> None:
    for one in asked(game):
        assert one.by == ("table" if one.do in FACTS[game] else "seat"), one
        assert one.chance == FACTS[game].get(one.do, "no"), one


@pytest.mark.parametrize("game", FACTS)
def test_choices_that_tell_a_secret_are_their_owners_alone(game: str) -> None:
    for one in asked(game):
        assert one.veiled == (one.do in VEILED.get(game, ()) and not one.own), one
        assert not (one.veiled and one.chosen), one
        assert one.own or one.do not in UNSEEN.get(game, ()), one


@pytest.mark.parametrize("game", FACTS)
def test_everybody_waits_for_all_but_what_need_not_be_done(game: str) -> None:
    free = NOBODY_WAITS.get(game, set())
    assert all(one.do in free for one in asked(game) if one.optional)
    assert all(one.optional for one in asked(game) if one.do in free - CHECKED)
