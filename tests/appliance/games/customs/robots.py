"""Whole games among robots, without a table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random

from appliance.games.customs.robot import Robot
from appliance.games.customs.rules.rules import RULES
from appliance.games.customs.rules.state import State
from appliance.games.protocol import Action, Setup, Step
from tests.appliance.games.customs.play import answered, started


def robots_played(
    setup: Setup, skills: Sequence[str], seed: int, most: int = 5_000, first: type[Robot] = Robot
) -> Iterator[tuple[State, Action, State]]:
    """Yield every step of a game: before, action, after. Chance is drawn by `seed`; seat 0 is a `first`."""
    rng = Random(seed)
    robots = [(Robot if seat else first)(seat, skill, seed) for seat, skill in enumerate(skills)]
    state = started(setup)
    for _ in range(most):
        if RULES.outcome(state) is not None:
            return
        public = RULES.expects(state, None)
        if public[0].chance == "must":
            action = answered(public[0], rng)
        else:
            seat = next(prompt.seat for prompt in public if not prompt.optional)
            assert seat is not None
            view = RULES.view(state, seat)
            chosen = robots[seat].choose(view, view.expects)
            assert chosen is not None
            prompt, action = chosen
            assert prompt in view.expects
        step = RULES.apply(state, action)
        assert isinstance(step, Step), (action, step)
        yield state, action, step.state
        state = step.state
    raise AssertionError("the game does not end")
