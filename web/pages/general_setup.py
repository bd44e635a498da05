"""The fields of the general set-up page, derived from the type of a game's options."""

from __future__ import annotations

from typing import Any, Literal

import msgspec


class OptionField(msgspec.Struct, frozen=True, kw_only=True):
    """One option: `one` of `values`, or a whole `number` from `least` to `most` (None: the type sets no limit)."""

    name: str
    kind: Literal["one", "number"]
    default: Any
    values: tuple[Any, ...] = ()
    least: int | None = None
    most: int | None = None


FEW = 8
"""Largest range of whole numbers whose values are offered side by side. In a larger range the number is typed."""


def option_fields(options_type: Any) -> tuple[OptionField, ...]:
    """Return the fields for the options. An option of an unsupported type has no field and keeps its default."""
    told = msgspec.inspect.type_info(options_type)
    assert isinstance(told, msgspec.inspect.StructType), "options are a struct"
    asked = (_option_field(field) for field in told.fields)
    return tuple(one for one in asked if one is not None)


def _option_field(field: msgspec.inspect.Field) -> OptionField | None:
    name, kind, default = field.encode_name, field.type, field.default
    values: tuple[Any, ...] = ()
    if isinstance(kind, msgspec.inspect.UnionType):
        values = (None,) if any(isinstance(one, msgspec.inspect.NoneType) for one in kind.types) else ()
        others = [one for one in kind.types if not isinstance(one, msgspec.inspect.NoneType)]
        if len(others) != 1:
            return None
        (kind,) = others
    match kind:
        case msgspec.inspect.BoolType():
            return OptionField(name=name, kind="one", default=default, values=(*values, False, True))
        case msgspec.inspect.LiteralType(values=literals):
            in_order = tuple(dict.fromkeys((default, *literals)) if default in literals else literals)
            return OptionField(name=name, kind="one", default=default, values=(*values, *in_order))
        case msgspec.inspect.EnumType(cls=cls):
            return OptionField(name=name, kind="one", default=default, values=(*values, *(one.value for one in cls)))
        case msgspec.inspect.IntType():
            least = kind.ge if kind.ge is not None else None if kind.gt is None else kind.gt + 1
            most = kind.le if kind.le is not None else None if kind.lt is None else kind.lt - 1
            if least is not None and most is not None and most - least < FEW:
                return OptionField(name=name, kind="one", default=default, values=(*values, *range(least, most + 1)))
            return OptionField(name=name, kind="number", default=default, least=least or 0, most=most)
    return None
