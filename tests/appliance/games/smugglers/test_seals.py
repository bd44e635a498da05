"""Sealed commits: kept while the hourglass runs, shown after the opening, never a consequence (RULES §1.13, AP-3)."""

from __future__ import annotations

import hashlib

import msgspec
import pytest

from appliance.games.protocol import Action, Rejection, Step
from appliance.games.smugglers.rules.actions import (
    Attempt,
    Commit,
    Found,
    Inspect,
    Open,
    Piece,
    Roll,
    Take,
    TimeUp,
    Unseal,
)
from appliance.games.smugglers.rules.rules import RULES
from appliance.games.smugglers.rules.state import State
from tests.appliance.games.smugglers.play import a_setup, started
from tests.narrowed import of_kind, there

SALT = "0f" * 16


def seal(piece: str, salt: str = SALT) -> str:
    return hashlib.sha256(bytes.fromhex(salt) + piece.encode("ascii")).hexdigest()


def after(state: State, *actions: Action) -> State:
    for action in actions:
        step = RULES.apply(state, action)
        assert isinstance(step, Step), step
        state = step.state
    return state


def refusal(step: Step[State] | Rejection) -> str:
    return of_kind(Rejection, step).code


def sculpting() -> State:
    return after(started(a_setup(2)), Roll(seat=0, value=1))


def opened(*sealed: str, found: tuple[Found, ...] = ("sour",)) -> State:
    """A (seat 0) sealed, in this order, was stuck, and is opened by B's inspection, wrongly called a bomb."""
    state = after(sculpting(), *(Commit(seat=0, seal=each) for each in sealed), TimeUp())
    stuck = Attempt(seat=0, outcome="stuck")
    state = after(state, stuck, stuck, Attempt(seat=1, outcome="passed"), Inspect(seat=1, target=0, guess="bomb"))
    return after(state, Open(seat=0, found=found))


def shown(state: State, piece: Piece, salt: str = SALT) -> str:
    step = RULES.apply(state, Unseal(seat=0, piece=piece, salt=salt))
    assert isinstance(step, Step), step
    return step.happened[0].code


def test_a_true_seal_holds() -> None:
    assert shown(opened(seal("sour")), "sour") == "seal_held"


@pytest.mark.parametrize(
    ("sealed", "piece", "salt"),
    [
        ("sweet", "sweet", SALT),  # another piece than was found
        ("sweet", "sour", SALT),  # the found piece, but not what was sealed
        ("sour", "sour", "1f" * 16),  # another salt
    ],
)
def test_anything_else_differs(sealed: str, piece: Piece, salt: str) -> None:
    assert shown(opened(seal(sealed)), piece, salt) == "seal_differed"


def test_the_last_seal_counts() -> None:
    assert shown(opened(seal("sweet"), seal("sour")), "sour") == "seal_held"


def test_an_illegal_sack_never_holds() -> None:
    assert shown(opened(seal("sour"), found=("sour", "sweet")), "sour") == "seal_differed"


def test_sealing_ends_with_the_hourglass_sm_27() -> None:
    state = after(sculpting(), TimeUp())
    assert RULES.apply(state, Commit(seat=0, seal=seal("sour"))) == Rejection("sealing_closed", "SM-27", {"seat": 0})


def test_the_blind_roll_comes_too_late_for_a_seal() -> None:
    state = after(started(a_setup(2)), Roll(seat=0, value=6), TimeUp())
    assert refusal(RULES.apply(state, Commit(seat=0, seal=seal("sour")))) == "sealing_closed"


@pytest.mark.parametrize("bad", ["", "0" * 63, "0" * 65, "G" * 64, "A" * 64, "0" * 64 + "\n", "é" * 64])
def test_a_seal_has_a_form(bad: str) -> None:
    assert refusal(RULES.apply(sculpting(), Commit(seat=0, seal=bad))) == "no_such_seal"


@pytest.mark.parametrize("bad", ["", "0" * 31, "0" * 33, "g" * 32, "0" * 32 + "\n"])
def test_a_salt_has_a_form(bad: str) -> None:
    assert refusal(RULES.apply(opened(seal("sour")), Unseal(seat=0, piece="sour", salt=bad))) == "no_such_salt"


def test_a_seal_is_shown_once_and_only_after_the_opening() -> None:
    sealed = after(sculpting(), Commit(seat=0, seal=seal("sour")))
    show = Unseal(seat=0, piece="sour", salt=SALT)
    assert refusal(RULES.apply(sealed, show)) == "nothing_to_unseal"
    assert refusal(RULES.apply(after(opened(seal("sour")), show), show)) == "nothing_to_unseal"
    assert refusal(RULES.apply(opened(), show)) == "nothing_to_unseal"


def test_a_seal_can_still_be_shown_in_the_next_round_and_belongs_to_its_own() -> None:
    state = after(opened(seal("sour")), Open(seat=1, found=()))
    assert state.round == 2
    asked = [prompt for prompt in RULES.expects(state, None) if prompt.do == "unseal"]
    assert [(prompt.prompt, prompt.optional) for prompt in asked] == [("r1.unseal.seat0", True)]
    assert shown(state, "sour") == "seal_held"


def test_a_seal_of_a_void_round_is_forgotten() -> None:
    state = after(sculpting(), Commit(seat=0, seal=seal("sour")), TimeUp())
    state = after(state, *(Attempt(seat=seat, outcome="stuck") for seat in (0, 0, 1, 1)))
    assert state.round == 2
    assert seal("sour").encode() not in msgspec.json.encode(state)


def test_everybody_sees_that_there_is_a_seal_and_nobody_what_it_is() -> None:
    state = after(sculpting(), Commit(seat=0, seal=seal("sour")))
    for seat in (None, 0, 1):
        view = RULES.view(state, seat)
        assert [player.sealed for player in view.players] == [True, False]
        assert seal("sour").encode() not in msgspec.json.encode(view)


def test_the_last_seal_can_be_shown_when_the_game_is_over() -> None:
    state = after(started(a_setup(2, goal="short")), Roll(seat=0, value=1))
    for number in range(1, 5):
        starter = state.start
        state = after(state, Commit(seat=0, seal=seal("sweet")), TimeUp())
        passed, stuck = Attempt(seat=0, outcome="passed"), Attempt(seat=1, outcome="stuck")
        state = after(state, *((passed, stuck, stuck) if starter == 0 else (stuck, stuck, passed)))
        state = after(state, Inspect(seat=0, target=1, guess="sour"), Open(seat=1, found=()))
        state = after(state, Take(seat=0, token="sour", source="supply"))
        if number < 4:
            state = after(state, Open(seat=0, found=()))
            state = after(state, Roll(seat=state.start, value=1))
    state = after(state, Open(seat=0, found=("sour",)))
    assert there(RULES.outcome(state)).reason == "five_sour"
    assert RULES.expects(state, None) == ()
    over = RULES.view(state, None)
    assert shown(state, "sweet") == "seal_differed"
    assert RULES.view(after(state, Unseal(seat=0, piece="sweet", salt=SALT)), None) == over
