"""Somebody leaves while others are asked (SM-101): what waited for them goes on, what did not stays as it was."""

from __future__ import annotations

from typing import Any

import pytest

from appliance.games.protocol import Action, OneOf, Step
from appliance.games.smugglers.rules.actions import (
    Attempt,
    AttemptOutcome,
    Inspect,
    Leave,
    Open,
    Roll,
    Take,
    TimeUp,
    Weigh,
)
from appliance.games.smugglers.rules.rules import RULES
from appliance.games.smugglers.rules.state import State
from tests.appliance.games.smugglers.play import a_setup, folded
from tests.narrowed import of_kind

A, B, C, D = range(4)
SCULPTED: tuple[Action, ...] = (Roll(seat=A, value=1), TimeUp())


def rolled(*passed: bool) -> tuple[Action, ...]:
    """Everybody in turn is through at once, or stuck twice."""
    attempts: list[Action] = []
    for seat, through in enumerate(passed):
        outcomes: tuple[AttemptOutcome, ...] = ("passed",) if through else ("stuck", "stuck")
        attempts += [Attempt(seat=seat, outcome=outcome) for outcome in outcomes]
    return (*SCULPTED, *attempts)


ONE_THROUGH = (*rolled(True, False, False), Inspect(seat=A, target=B, guess="sweet"))
"""Three play, A alone is through and calls B's sphere sweet."""
TWO_THROUGH = (*rolled(True, True, False, False), Weigh(seat=A, mass_g=20.0), Weigh(seat=B, mass_g=19.0))
"""Four play, A sits in armchair 1, B in armchair 2."""
ORDERING = (
    *rolled(True, False, False, False),
    Inspect(seat=A, target=B, guess="sweet"),
    Open(seat=B, found=("sour",)),
    Open(seat=A, found=("sweet",)),
    Weigh(seat=C, mass_g=20.0),
    Weigh(seat=D, mass_g=19.0),
)
"""Four play, D's is the smaller of the two stuck spheres that nobody inspected."""


def asked(state: State) -> set[tuple[Any, str]]:
    return {(prompt.seat, prompt.do) for prompt in RULES.expects(state, None)}


@pytest.mark.parametrize(
    ("players", "actions", "leaver", "then"),
    [
        (3, SCULPTED, A, {(B, "attempt"), (B, "decline")}),
        (3, SCULPTED, C, {(A, "attempt"), (A, "decline")}),
        (3, (*SCULPTED, Attempt(seat=A, outcome="passed")), A, {(B, "attempt"), (B, "decline")}),
        (4, TWO_THROUGH[:-1], C, {(B, "weigh")}),
        (4, TWO_THROUGH, D, {(A, "inspect")}),
        (4, (*TWO_THROUGH, Inspect(seat=A, target=C, guess="bomb")), B, {(C, "open")}),
        (4, (*TWO_THROUGH, Inspect(seat=A, target=C, guess="bomb")), D, {(C, "open")}),
        (3, (*ONE_THROUGH, Open(seat=B, found=("sour",))), B, {(A, "open")}),
        (3, (*ONE_THROUGH, Open(seat=B, found=("sour",))), A, {(C, "open")}),
        (3, (*ONE_THROUGH, Open(seat=B, found=("bomb",))), C, {(B, "take")}),
        (3, (*ONE_THROUGH, Open(seat=B, found=("bomb",))), B, {(A, "open")}),
        (3, (*ONE_THROUGH, Open(seat=B, found=())), B, {(A, "take")}),
        (3, (*ONE_THROUGH, Open(seat=B, found=())), A, {(C, "open")}),
        (3, (*ONE_THROUGH, Open(seat=B, found=("sour",)), Open(seat=A, found=("bomb",))), A, {(C, "open")}),
        (
            3,
            (*ONE_THROUGH, Open(seat=B, found=("sour",)), Open(seat=A, found=("bomb",))),
            C,
            {(A, "take"), (A, "forgo")},
        ),
        (4, ORDERING, A, {(D, "order")}),
        (4, ORDERING, B, {(D, "order")}),
        (4, ORDERING, C, {(D, "open")}),
        (4, ORDERING, D, {(C, "open")}),
        (4, ORDERING[:-1], B, {(D, "weigh")}),
        (4, ORDERING[:-1], D, {(C, "open")}),
        (3, rolled(True, True, False), B, {(A, "inspect")}),
        (3, (*rolled(True, True, False), Weigh(seat=A, mass_g=20.0), Weigh(seat=B, mass_g=20.0)), A, {(B, "inspect")}),
    ],
)
def test_sm101_only_what_waited_for_the_leaver_goes_on(
    players: int, actions: tuple[Action, ...], leaver: int, then: set[tuple[Any, str]]
) -> None:
    assert asked(folded(a_setup(players), (*actions, Leave(seat=leaver)))) == then


@pytest.mark.parametrize(
    ("actions", "leavers"),
    [
        (rolled(True, False, False), [A]),
        ((*rolled(True, True, True, True), *(Weigh(seat=seat, mass_g=20.0 - seat) for seat in range(4))), [A, B]),
        ((*rolled(True, True, True, False), *(Weigh(seat=seat, mass_g=20.0 - seat) for seat in range(3))), [A, B]),
    ],
)
def test_sm101_with_an_empty_office_the_round_ends_and_it_is_said_why(
    actions: tuple[Action, ...], leavers: list[int]
) -> None:
    players = 1 + max(action.seat for action in actions if isinstance(action, Attempt))
    before = folded(a_setup(players), (*actions, *(Leave(seat=seat) for seat in leavers[:-1])))
    step = RULES.apply(before, Leave(seat=leavers[-1]))
    assert isinstance(step, Step)
    codes = [happening.code for happening in step.happened]
    assert "round_void" not in codes, "somebody got through"
    assert codes[-2:] == ["office_left", "round_started"]
    assert step.state.round == before.round + 1
    stayed = [seat for seat in range(players) if seat not in leavers]
    assert [step.state.players[seat].tokens for seat in stayed] == [before.players[seat].tokens for seat in stayed]


def test_sm101_the_inspection_of_who_is_left_counts_as_if_nobody_had_gone() -> None:
    actions = (*TWO_THROUGH, Inspect(seat=A, target=C, guess="sour"), Leave(seat=D), Open(seat=C, found=("sour",)))
    before, after = (folded(a_setup(4), actions[: len(actions) - k]) for k in (1, 0))
    assert after.players[A].tokens.sour == before.players[A].tokens.sour + 1
    assert after.players[C].tokens == before.players[C].tokens


def test_sm101_what_a_leaver_had_goes_to_the_box() -> None:
    """Three play, so the box holds one piece of each colour (SM-3); SM-87 OPT takes from it."""
    state = folded(a_setup(3, illegal_sack="piece"), (*SCULPTED, Leave(seat=C)))
    assert (state.pieces.sweet, state.pieces.sour, state.pieces.bomb) == (2, 2, 2)
    assert (state.box.sweet, state.box.sour) == (1, 0), "C, third from the oldest, had one sweet token (SM-10)"


def test_sm87_a_piece_taken_from_the_box_is_there_no_more() -> None:
    """Three play: the box holds one bomb. A takes it; at the next illegal sack there is none."""
    opened = (*ONE_THROUGH, Open(seat=B, found=()), Take(seat=A, token="bomb", source="box"))
    reveals = (Open(seat=A, found=("sweet",)), Open(seat=C, found=("sour",)))
    again = (
        Roll(seat=B, value=1),
        TimeUp(),
        *(Attempt(seat=seat, outcome="stuck") for seat in (B, B, C, C)),
        Attempt(seat=A, outcome="passed"),
        Inspect(seat=A, target=B, guess="sweet"),
        Open(seat=B, found=()),
    )
    state = folded(a_setup(3, illegal_sack="piece"), (*opened, *reveals, *again))
    assert state.players[A].usable_bombs == 2
    (prompt,) = RULES.expects(state, None)
    assert of_kind(OneOf, prompt.choices["token"]).values == ("sweet", "sour")
