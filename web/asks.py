"""From open prompts to what a person can tap. No rule is re-derived: every answer is one that a prompt offers."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from typing import Any, Literal

import msgspec

from appliance.games.protocol import AnyOrder, Choice, ManyOf, Number, OneOf, Prompt, SomeOf, Text

Kind = Literal["taps", "many", "some", "keypad", "text", "order", "form"]
_KINDS: dict[type[Choice], Kind] = {
    ManyOf: "many",
    SomeOf: "some",
    Number: "keypad",
    Text: "text",
    AnyOrder: "order",
    OneOf: "form",
}
Test = Callable[[Prompt], bool]


class Button(msgspec.Struct, frozen=True, kw_only=True):
    """One tap: the whole `action` it sends. `field` and `value` name what it stands for; both None for a plain deed."""

    action: dict[str, Any]
    field: str | None = None
    value: Any = None


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """Buttons that share earlier choices (`given`: field → value), such as everything to be said to one player."""

    given: dict[str, Any]
    buttons: tuple[Button, ...]


class Field(msgspec.Struct, frozen=True, kw_only=True):
    """One field of an action that is asked for."""

    name: str
    choice: Choice


class Control(msgspec.Struct, frozen=True, kw_only=True):
    """One way to answer.

    `taps` are rows of buttons. All others fill in `fields`, in the order in which the prompt names them, on top of
    `action`: one field as `many` (a list to put together), `some` (cards out of a hand), `keypad` (a number), `text`,
    or `order` (a shuffle); several of whatever kinds as `form`. `private`: what it offers is for its seat's eyes only.
    """

    kind: Kind
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
        """What the only field can be."""
        (only,) = self.fields
        return only.choice


class Ask(msgspec.Struct, frozen=True, kw_only=True):
    """One open situation, for the seats that may answer it, and every way to answer. `chance` offers a fair draw.

    `at_the_table`: there are ways to answer that a phone lacks. `veiled`: what can be answered only its seat may see.
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
    """Group the open prompts by situation and seat, in their order; optional ones last.

    :param by_phone: leaves out the ways to answer that only the table has: weights, passages, dice.
    :param public: the open prompts as everybody sees them; one that is not among them is private. None: `prompts` are.
    :param rows_most: choices that would take more rows of taps are asked one field after the other. None: none are.
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
            # Somebody else's choice, or nobody's.
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
    """Ask for every field that is still open. What has one value only is known already, where it may be seen."""
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
    """The last field is what the buttons say; every combination of the earlier ones is a row of its own."""
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
