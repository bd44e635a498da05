"""Turns open prompts into the controls of a page: rows of buttons, and forms.

Every answer is one that a prompt offers. Nothing here repeats a rule of a game.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Container, Sequence
from typing import Any, Literal

import msgspec

from appliance.games.protocol import AnyOrder, Choice, ManyOf, Number, OneOf, Prompt, SomeOf, Text

ControlKind = Literal["taps", "many", "some", "keypad", "text", "order", "form"]
_KINDS: dict[type[Choice], ControlKind] = {
    ManyOf: "many",
    SomeOf: "some",
    Number: "keypad",
    Text: "text",
    AnyOrder: "order",
    OneOf: "form",
}
Test = Callable[[Prompt], bool]


class Button(msgspec.Struct, frozen=True, kw_only=True):
    """One button. A tap sends the whole `action`.

    `field` and `value` are what the label shows. Both are None if the action has no field to choose.
    """

    action: dict[str, Any]
    field: str | None = None
    value: Any = None


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """Buttons of one row. They share the choices of the earlier fields: `given`, field → value."""

    given: dict[str, Any]
    buttons: tuple[Button, ...]


class Field(msgspec.Struct, frozen=True, kw_only=True):
    """One field of an action that is asked for."""

    name: str
    choice: Choice


class Control(msgspec.Struct, frozen=True, kw_only=True):
    """One way to answer.

    A control of the kind `taps` consists of `rows`. Every other kind asks for `fields`, in the order of the prompt, and
    adds them to `action`.

    - `many`: one field, a list that is put together. `some`: one field, cards of a hand.
    - `keypad`: one field, a number. `text`: one field, a text. `order`: one field, a permutation.
    - `form`: several fields of any kind, or one field with a choice of values.

    `private`: only the player at `seat` may see what it offers.
    """

    kind: ControlKind
    do: str
    seat: int | None
    rows: tuple[Row, ...] = ()
    action: dict[str, Any] = {}
    fields: tuple[Field, ...] = ()
    private: bool = False

    @property
    def field(self) -> str:
        """The name of the only field."""
        (only,) = self.fields
        return only.name

    @property
    def choice(self) -> Choice:
        """The choice of the only field."""
        (only,) = self.fields
        return only.choice


class Ask(msgspec.Struct, frozen=True, kw_only=True):
    """One open situation of one seat, and every way to answer it.

    `chance`: the appliance draws the answer when it is asked to. `at_the_table`: the table has more ways to answer than
    this page. `veiled`: only the player at `seat` may see the ways to answer.
    """

    prompt: str
    do: str
    seat: int | None
    controls: tuple[Control, ...]
    optional: bool
    chance: bool
    at_the_table: bool = False
    veiled: bool = False


def asks_of(
    prompts: Sequence[Prompt],
    *,
    by_phone: bool = False,
    public: Sequence[Prompt] | None = None,
    rows_most: int | None = None,
) -> tuple[Ask, ...]:
    """Group the open prompts by situation and seat. The order stays, but optional asks come last.

    :param by_phone: True leaves out what only the table can answer: weights, passages, dice.
    :param public: the open prompts as everybody sees them. A prompt with choices that is not among them is private.
        None: all of `prompts` are public.
    :param rows_most: largest number of rows of one prompt. A prompt with more rows becomes a form. None: no limit.
    """
    groups: dict[tuple[str, int | None], list[Prompt]] = {}
    for prompt in prompts:
        groups.setdefault((prompt.prompt, prompt.seat), []).append(prompt)
    known = prompts if public is None else public
    many = (lambda prompt: False) if rows_most is None else (lambda prompt: _row_count(prompt) > rows_most)
    asks = [
        _ask(name, seat, group, by_phone, lambda p: bool(p.choices) and p not in known, many)
        for (name, seat), group in groups.items()
    ]
    return tuple(sorted(asks, key=lambda ask: ask.optional))


def seats_asked(asks: Sequence[Ask], called: Container[int]) -> list[int]:
    """Return the seats of `asks`: those in `called`, or all of them if none of them is."""
    seats = [ask.seat for ask in asks if ask.seat is not None]
    return [seat for seat in seats if seat in called] or seats


def _ask(name: str, seat: int | None, group: Sequence[Prompt], by_phone: bool, private: Test, long: Test) -> Ask:
    controls: list[Control] = []
    offered = [prompt for prompt in group if not (by_phone and prompt.by == "table")]
    for do, same_deed in itertools.groupby(offered, key=lambda prompt: prompt.do):
        controls.extend(_controls(do, seat, tuple(same_deed), private, long))
    return Ask(
        prompt=name,
        do=group[0].do,
        seat=seat,
        controls=tuple(controls),
        optional=all(prompt.optional for prompt in group),
        chance=any(prompt.chance == "may" for prompt in group),
        at_the_table=by_phone and any(prompt.by == "table" and prompt.chance != "must" for prompt in group),
        veiled=any(prompt.veiled for prompt in group),
    )


def _controls(do: str, seat: int | None, prompts: Sequence[Prompt], private: Test, long: Test) -> list[Control]:
    base: dict[str, Any] = {"do": do, **({} if seat is None else {"seat": seat})}
    rows: list[Row] = []
    controls: list[Control] = []
    for prompt in prompts:
        if prompt.veiled or prompt.chance == "must":
            # Another player chooses this, or the appliance draws it.
            continue
        plain = all(isinstance(choice, OneOf) for choice in prompt.choices.values())
        if plain and not private(prompt) and not long(prompt):
            rows.extend(_rows(base, prompt))
        else:
            controls.append(_form(base, prompt, private(prompt)))
    if rows:
        controls.insert(0, Control(kind="taps", do=do, seat=seat, rows=tuple(rows), action=base))
    return controls


def _form(base: dict[str, Any], prompt: Prompt, private: bool) -> Control:
    """Ask for every open field. A field with a single value is filled in, unless the prompt is private."""
    single = {f: c.values[0] for f, c in prompt.choices.items() if isinstance(c, OneOf) and len(c.values) == 1}
    known = {} if private else single
    open_ones = tuple(Field(name=f, choice=c) for f, c in prompt.choices.items() if f not in known)
    kind = _KINDS[type(open_ones[0].choice)] if len(open_ones) == 1 else "form"
    action = {**base, **known}
    return Control(kind=kind, do=prompt.do, seat=prompt.seat, action=action, fields=open_ones, private=private)


def _row_count(prompt: Prompt) -> int:
    *earlier, _ = [len(choice.values) for choice in prompt.choices.values() if isinstance(choice, OneOf)] or [1]
    return math.prod(earlier)


def _rows(base: dict[str, Any], prompt: Prompt) -> list[Row]:
    """Return one row per combination of the earlier fields. Its buttons are the values of the last field."""
    fields = [(field, choice.values) for field, choice in prompt.choices.items() if isinstance(choice, OneOf)]
    if not fields:
        return [Row(given={}, buttons=(Button(action=base),))]
    *earlier, (last, values) = fields
    rows = []
    for combination in itertools.product(*(choices for _, choices in earlier)):
        given = dict(zip((field for field, _ in earlier), combination, strict=True))
        buttons = tuple(Button(action={**base, **given, last: value}, field=last, value=value) for value in values)
        rows.append(Row(given=given, buttons=buttons))
    return rows
