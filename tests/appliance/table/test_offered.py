"""What a page offers and what it does not: each kind of choice at its bounds, whose prompt it is, who may state it."""

from __future__ import annotations

from typing import Any

import pytest

from appliance.games.protocol import (
    Action,
    AnyOrder,
    Choice,
    ManyOf,
    Number,
    OneOf,
    Prompt,
    Rejection,
    SomeOf,
    Text,
)
from appliance.table.offered import contains, offers, refused_in_public, refused_to


class Pay(Action, frozen=True, tag="pay"):
    seat: int
    coins: int
    to: int | None = None


class Flip(Action, frozen=True, tag="flip"):
    heads: bool


class Leave(Action, frozen=True, tag="leave"):
    seat: int


def pay(seat: int | None = 1, **more: Any) -> Prompt:
    usual: dict[str, Any] = {"prompt": "pay", "do": "pay", "choices": {"coins": Number(1, 3, whole=True)}}
    return Prompt(seat=seat, **(usual | more))


def code(rejection: Rejection | None) -> str | None:
    return None if rejection is None else rejection.code


@pytest.mark.parametrize(
    ("choice", "among", "not_among"),
    [
        (OneOf((1, None)), [1, None], [2, "1"]),
        (ManyOf(("a", "b"), at_most=3, at_least=1), [["a"], ["a", "a", "b"]], [[], ["a"] * 4, ["a", "c"]]),
        (ManyOf(("a", "b"), 3, 1, most_each=(1, 2)), [["a", "b", "b"], ["b"]], [["a", "a"], ["b"] * 3, ["c"]]),
        (SomeOf((2, 2, 5), 1, 2), [[2], [2, 2], [5, 2]], [[], [5, 5], [2, 2, 5], [3]]),
        (SomeOf((2, 2, 5), 1, 2, but_not=((2, 5),)), [[2, 2]], [[2, 5], [5, 2]]),
        (Number(1, 3), [1, 2.5, 3], [0.999, 3.001]),
        (Number(1, 3, whole=True), [1, 3], [2.5, 0, 4]),
        (Text("[a-f]{2}"), ["af"], ["a", "abc", "ab\n", "xab"]),
        (AnyOrder(3), [[2, 0, 1]], [[0, 1], [0, 1, 1], [1, 2, 3]]),
    ],
    ids=lambda value: type(value).__name__ if not isinstance(value, list) else "",
)
def test_a_choice_has_the_values_that_it_lists_and_no_others(
    choice: Choice, among: list[Any], not_among: list[Any]
) -> None:
    assert [value for value in among if not contains(choice, value)] == []
    assert [value for value in not_among if contains(choice, value)] == []


def test_a_prompt_offers_its_own_action_of_its_own_seat_only() -> None:
    assert offers(pay(), Pay(seat=1, coins=3))
    assert not offers(pay(), Pay(seat=1, coins=4))
    assert not offers(pay(), Pay(seat=0, coins=3))
    assert not offers(pay(), Leave(seat=1))
    assert not offers(pay(veiled=True), Pay(seat=1, coins=3)), "others see no answers of a veiled prompt"


def test_a_field_that_a_prompt_does_not_ask_for_stays_as_it_is_by_default() -> None:
    assert not offers(pay(), Pay(seat=1, coins=3, to=0))
    assert offers(pay(choices={"coins": Number(1, 3), "to": OneOf((0,))}), Pay(seat=1, coins=3, to=0))
    assert not offers(pay(choices={}), Pay(seat=1, coins=3)), "a field without a default must be asked for"


def test_a_phone_does_what_its_own_page_offers() -> None:
    mine = Pay(seat=1, coins=3)
    assert code(refused_to(1, mine, None, [pay()])) is None
    assert code(refused_to(1, mine, "pay", [pay()])) is None
    assert code(refused_to(1, mine, "pay later", [pay()])) == "not_offered"
    assert code(refused_to(1, mine, None, [pay(0)])) == "not_offered"
    assert code(refused_to(0, mine, None, [pay()])) == "not_offered", "nobody pays from another's phone"


@pytest.mark.parametrize("seat", [1, None])
def test_no_phone_states_a_fact_of_the_table(seat: int | None) -> None:
    assert code(refused_to(1, Pay(seat=1, coins=3), None, [pay(seat=seat, by="table")])) == "said_by_the_table"


def test_no_phone_answers_for_the_table() -> None:
    flip = Prompt(prompt="flip", seat=None, do="flip", choices={"heads": OneOf((True, False))})
    assert offers(flip, Flip(heads=True))
    assert code(refused_to(1, Flip(heads=True), None, [flip])) == "not_offered"


def test_another_seat_s_fact_of_the_table_is_no_reason_to_name_to_this_one() -> None:
    others = pay(0, by="table")
    assert code(refused_to(1, Pay(seat=1, coins=3), None, [others])) == "not_offered"


def test_for_a_hand_that_nobody_sees_only_what_everybody_sees_is_done() -> None:
    assert code(refused_in_public(Pay(seat=1, coins=9), None, [pay(veiled=True)])) is None, "the rules answer"
    assert code(refused_in_public(Pay(seat=1, coins=9), "pay", [pay()])) is None
    assert code(refused_in_public(Pay(seat=1, coins=3), "pay later", [pay()])) == "prompt_closed"
    assert code(refused_in_public(Pay(seat=0, coins=3), None, [pay()])) == "not_offered"
    assert code(refused_in_public(Leave(seat=0), None, [pay()])) is None, "everybody may leave at any time"
