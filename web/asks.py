"""From open prompts to what a person can tap. No rule is re-derived: every button is a choice that a prompt offers."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any, Literal

import msgspec

from appliance.games.protocol import Choice, ManyOf, Number, OneOf, Prompt, SomeOf, Text

Kind = Literal["taps", "many", "some", "keypad", "sealed"]
_KINDS: dict[type[Choice], Kind] = {ManyOf: "many", SomeOf: "some", Number: "keypad"}


class Button(msgspec.Struct, frozen=True, kw_only=True):
    """One tap: the whole `action` it sends. `field` and `value` name what it stands for; both None for a plain deed."""

    action: dict[str, Any]
    field: str | None = None
    value: Any = None


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """Buttons that share earlier choices (`given`: field → value), such as everything to be said to one player."""

    given: dict[str, Any]
    buttons: tuple[Button, ...]


class Control(msgspec.Struct, frozen=True, kw_only=True):
    """One way to answer: `taps` (rows of buttons), `many` (a list to put together), `some` (cards out of a hand),
    `keypad` (a number), `sealed` (texts that only the phone's own script can fill in)."""

    kind: Kind
    do: str
    seat: int | None
    rows: tuple[Row, ...] = ()
    action: dict[str, Any] = {}
    field: str = ""
    choice: Choice | None = None


class Ask(msgspec.Struct, frozen=True, kw_only=True):
    """One open situation, for the seats that may answer it, and every way to answer. `chance` offers a fair draw.

    `at_the_table`: there are ways to answer that a phone lacks.
    """

    prompt: str
    do: str
    seat: int | None
    controls: tuple[Control, ...]
    optional: bool
    chance: bool
    at_the_table: bool = False


def asks_of(prompts: Sequence[Prompt], *, by_phone: bool = False) -> tuple[Ask, ...]:
    """Group the open prompts by situation and seat, in their order; optional ones last.

    :param by_phone: leaves out the ways to answer that only the table has: weights, passages, dice.
    """
    groups: dict[tuple[str, int | None], list[Prompt]] = {}
    for prompt in prompts:
        groups.setdefault((prompt.prompt, prompt.seat), []).append(prompt)
    asks = [_ask(name, seat, group, by_phone) for (name, seat), group in groups.items()]
    return tuple(sorted(asks, key=lambda ask: ask.optional))


def _ask(name: str, seat: int | None, group: Sequence[Prompt], by_phone: bool) -> Ask:
    controls: list[Control] = []
    offered = [prompt for prompt in group if not (by_phone and prompt.by == "table")]
    for do, same_deed in itertools.groupby(offered, key=lambda prompt: prompt.do):
        controls.extend(_controls(do, seat, tuple(same_deed)))
    return Ask(
        prompt=name,
        do=group[0].do,
        seat=seat,
        controls=tuple(controls),
        optional=all(prompt.optional for prompt in group),
        chance=any(prompt.chance == "may" for prompt in group),
        at_the_table=by_phone and any(prompt.by == "table" and prompt.chance != "must" for prompt in group),
    )


def _controls(do: str, seat: int | None, prompts: Sequence[Prompt]) -> list[Control]:
    who = {} if seat is None else {"seat": seat}
    base: dict[str, Any] = {"do": do, **who}
    rows: list[Row] = []
    controls: list[Control] = []
    for prompt in prompts:
        if prompt.veiled or prompt.chance == "must":
            # Somebody else's choice, or nobody's.
            continue
        kinds = {field: choice for field, choice in prompt.choices.items() if not isinstance(choice, OneOf)}
        if not kinds:
            rows.extend(_rows(base, prompt))
        elif any(isinstance(choice, Text) for choice in kinds.values()):
            controls.append(Control(kind="sealed", do=do, seat=seat, action=base))
        else:
            field, choice = next(iter(kinds.items()))
            fixed = {f: c.values[0] for f, c in prompt.choices.items() if isinstance(c, OneOf)}
            if kind := _KINDS.get(type(choice)):
                action = {**base, **fixed}
                controls.append(Control(kind=kind, do=do, seat=seat, action=action, field=field, choice=choice))
    if rows:
        controls.insert(0, Control(kind="taps", do=do, seat=seat, rows=tuple(rows), action=base))
    return controls


def _rows(base: dict[str, Any], prompt: Prompt) -> list[Row]:
    """The last field is what the buttons say; every combination of the earlier ones is a row of its own."""
    fields = [(field, choice.values) for field, choice in prompt.choices.items() if isinstance(choice, OneOf)]
    if not fields:
        return [Row(given={}, buttons=(Button(action=base),))]
    fields.sort(key=lambda named: named[0] in ("guess", "token", "value", "outcome"))
    *earlier, (last, values) = fields
    rows = []
    for combination in itertools.product(*(choices for _, choices in earlier)):
        given = dict(zip((field for field, _ in earlier), combination, strict=True))
        buttons = tuple(Button(action={**base, **given, last: value}, field=last, value=value) for value in values)
        rows.append(Row(given=given, buttons=buttons))
    return rows
