"""Every field of a prompt is asked for, whatever it is and whatever stands beside it."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

from appliance.games.protocol import AnyOrder, Choice, ManyOf, Number, OneOf, Prompt, SomeOf, Text
from web.words.asks import Control, asks_of

KINDS: dict[str, Choice] = {
    "one": OneOf(("a", "b")),
    "many": ManyOf(("a", "b"), 2),
    "some": SomeOf(("a", "a", "b"), 1, 2),
    "number": Number(0, 9),
    "text": Text("[a-z]+"),
    "order": AnyOrder(3),
}


def controls(choices: dict[str, Choice], **how: Any) -> tuple[Control, ...]:
    prompts = (Prompt(prompt="p", seat=1, do="deed", choices=choices),)
    (ask,) = asks_of(prompts, **how)
    return ask.controls


def asked(control: Control) -> list[str]:
    """The fields that a person fills in: those of a form, or those that a row of taps sends."""
    if control.kind == "taps":
        return list(dict.fromkeys(key for row in control.rows for b in row.buttons for key in b.action))[2:]
    return [field.name for field in control.fields]


@pytest.mark.parametrize("several", [1, 2, 3])
def test_every_combination_of_fields_is_asked_for_in_the_prompts_own_order(several: int) -> None:
    for kinds in itertools.product(KINDS, repeat=several):
        choices = {f"field{place}_{kind}": KINDS[kind] for place, kind in enumerate(kinds)}
        (control,) = controls(choices)
        assert asked(control) == list(choices), kinds
        assert control.action == {"do": "deed", "seat": 1}
        if control.kind != "taps":
            assert [field.choice for field in control.fields] == list(choices.values())


def test_a_choice_with_one_value_is_made_and_one_with_several_is_not() -> None:
    (control,) = controls({"place": OneOf(("hand",)), "card": OneOf(("legal",)), "number": Number(0, 9, whole=True)})
    assert control.kind == "keypad"
    assert control.field == "number"
    assert control.action == {"do": "deed", "seat": 1, "place": "hand", "card": "legal"}
    (form,) = controls({"kind": OneOf(("apple", "pear")), "amount": Number(1, 5)})
    assert form.kind == "form"
    assert "kind" not in form.action


def test_taps_say_the_last_field_and_send_the_whole_action() -> None:
    (control,) = controls({"who": OneOf((0, 2)), "what": OneOf(("x", "y"))})
    assert [row.given for row in control.rows] == [{"who": 0}, {"who": 2}]
    assert [b.value for row in control.rows for b in row.buttons] == ["x", "y", "x", "y"]
    assert control.rows[1].buttons[0].action == {"do": "deed", "seat": 1, "who": 2, "what": "x"}


def test_more_rows_than_a_page_draws_are_asked_one_field_after_the_other() -> None:
    dice: dict[str, Choice] = {f"die_{n}": OneOf((1, 2, 3, 4, 5, 6)) for n in range(3)}
    assert len(controls(dice)[0].rows) == 36
    (control,) = controls(dice, rows_most=6)
    assert asked(control) == list(dice)
    assert control.kind == "form"


def test_what_others_must_not_know_is_private_even_where_one_value_is_left() -> None:
    prompts = (Prompt(prompt="p", seat=1, do="deed", choices={"card": OneOf(("nine",))}),)
    veiled = (Prompt(prompt="p", seat=1, do="deed", veiled=True),)
    ((control,),) = (ask.controls for ask in asks_of(prompts, public=veiled))
    assert control.private
    assert asked(control) == ["card"]
    ((nothing,),) = ((ask.controls,) for ask in asks_of(veiled, public=veiled))
    assert nothing == ()
