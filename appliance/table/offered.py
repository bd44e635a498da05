"""Checks whether an open prompt offers an action. A seat may submit only what its own page offers (DESIGN §6)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from functools import cache
from typing import Any

import msgspec

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
    tag_of,
)
from appliance.table.codes import reject


def refused_to(seat: int, action: Action, named: str | None, prompts: Iterable[Prompt]) -> Rejection | None:
    """Return why the page of `seat` does not offer `action`, or None where it does.

    Codes: `said_by_the_table` (facts such as a weight, a passage or a die, which no phone may state) and `not_offered`.

    :param named: the prompt that the seat answers; None: any prompt of the seat.
    :param prompts: the open prompts as the seat sees them.
    """
    asked = [p for p in prompts if p.do == tag_of(action) and p.seat in (seat, None) and named in (None, p.prompt)]
    if any(p.seat == seat and p.by == "seat" and offers(p, action) for p in asked):
        return None
    return reject("said_by_the_table" if any(p.by == "table" for p in asked) else "not_offered", "")


def refused_in_public(action: Action, named: str | None, prompts: Iterable[Prompt]) -> Rejection | None:
    """Return why nobody may do `action` for a seat whose hand they do not see, or None where they may.

    What no public prompt lists depends on the hand: an answer of the rules would tell of it. Leaving is never listed.

    :param named: the prompt that is answered; None: any.
    :param prompts: the open prompts as everybody sees them.
    """
    asked = list(prompts)
    if named is not None and all(prompt.prompt != named for prompt in asked):
        return reject("prompt_closed", "", {"prompt": named})
    seat, do = getattr(action, "seat", None), tag_of(action)
    if do == "leave" or any((prompt.seat, prompt.do) == (seat, do) for prompt in asked):
        return None
    return reject("not_offered", "")


def offers(prompt: Prompt, action: Action) -> bool:
    """Return whether `action` is an answer that `prompt` offers: same `do` and seat, values among its choices."""
    if prompt.veiled or prompt.do != tag_of(action) or prompt.seat != getattr(action, "seat", None):
        return False
    for field in _fields(type(action)):
        value = getattr(action, field.name)
        choice = prompt.choices.get(field.name)
        if choice is None:
            if field.name != "seat" and (field.required or value != field.default):
                return False
        elif not contains(choice, value):
            return False
    return True


@cache
def _fields(kind: type[Action]) -> tuple[msgspec.structs.FieldInfo, ...]:
    return msgspec.structs.fields(kind)


def contains(choice: Choice, value: Any) -> bool:
    """Return whether `value` is among the values of `choice`."""
    match choice:
        case OneOf(values):
            return value in values
        case ManyOf(at_most=at_most, at_least=at_least, most=most):
            return at_least <= len(value) <= at_most and Counter(value) <= Counter(most)
        case SomeOf(values, at_least, at_most, but_not):
            enough = at_least <= len(value) <= at_most
            return enough and not Counter(value) - Counter(values) and tuple(sorted(value)) not in but_not
        case Number(least, most, whole=whole):
            return least <= value <= most and not (whole and value != int(value))
        case Text(pattern):
            return re.fullmatch(pattern, value) is not None
        case AnyOrder(count):
            return sorted(value) == list(range(count))
