"""Corrections that are offered tell nobody what lies in hands and piles: two games that differ in it get the same."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from random import Random
from typing import Any

from appliance.games.catalogue import the_game
from appliance.games.protocol import Action, Rejection, Setup, Step
from appliance.snapshot import Deed, Offer
from appliance.table.game.corrections import OF_ONE_DEED, mixed, offers
from tests.appliance.games.plays import begun, play_of
from tests.narrowed import of_kind

AT_MOST = 3
EVERY = 9
STEPS = 250


def offered(game: str, setup: Setup, actions: Sequence[Action]) -> Iterator[tuple[Offer, ...]]:
    """Yield what is offered after every few of `actions`."""
    found, history = the_game(game), begun(setup)
    for number, action in enumerate(actions, 2):
        step = found.rules.apply(history.state, action)
        assert not isinstance(step, Rejection), (action, step)
        history.act(number, action, step)
        if number % EVERY == 0:
            yield offers(history, {}, {}, AT_MOST)


def random_game(game: str, seed: int, **options: Any) -> tuple[Setup, tuple[Action, ...]]:
    play = play_of(game)
    setup = play.a_setup(3, **options)
    return setup, tuple(action for _, action, *_ in islice(play.played(setup, Random(seed)), STEPS))


def test_what_haulers_offers_depends_on_nothing_hidden() -> None:
    game, found = "haulers", the_game("haulers")
    assert found.anonymise is not None
    deeds = set()
    for seed in range(3):
        setup, actions = random_game(game, seed, dice="real")
        anew = found.anonymise()(found.rules, setup, actions)
        assert anew is not None
        assert anew != actions
        for one, other in zip(offered(game, setup, actions), offered(game, setup, anew), strict=True):
            assert one == other
            deeds |= {str(offer.deed.action["do"]) for offer in one}
    assert deeds, "nothing was ever offered"


def test_a_die_of_haulers_that_was_read_wrongly_is_offered_with_the_next_face() -> None:
    setup, actions = random_game("haulers", 1, dice="real")
    rolls = [number for number, action in enumerate(actions, 1) if str(action).startswith("Roll(")]
    found, history = the_game("haulers"), begun(setup)
    for number, action in enumerate(actions[: rolls[0]], 2):
        history.act(number, action, of_kind(Step, found.rules.apply(history.state, action)))
    first = offers(history, {}, {}, AT_MOST)[0]
    was, instead = first.deed.action, first.action
    assert instead is not None
    apart = [abs(was[die] - instead[die]) for die in ("die_1", "die_2")]
    assert sorted(apart) == [0, 1]


def test_a_deed_with_many_other_squares_leaves_room_for_the_other_deeds() -> None:
    def offer(seq: int, number: int) -> Offer:
        deed = Deed(seq=seq, action={"do": "build"}, happened=())
        return Offer(seq=seq, deed=deed, action={"at": number}, instead=deed, sets_aside=0)

    squares, earlier = [offer(9, number) for number in range(12)], [offer(8, 0), offer(7, 0)]
    assert mixed([*squares, *earlier], 5) == (*squares[:OF_ONE_DEED], *earlier)
    assert mixed([*squares, *earlier], 6) == (*squares[: OF_ONE_DEED + 1], *earlier)
    assert mixed(squares, 8) == tuple(squares[:8]), "nothing else to offer"
