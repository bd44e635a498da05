"""What a test knows of a value and its type does not say: asserted, so that a fault shows what came instead."""

from __future__ import annotations

from typing import TypeVar

T = TypeVar("T")


def there(value: T | None) -> T:
    """Return a value that must be there."""
    assert value is not None
    return value


def of_kind(kind: type[T], value: object) -> T:
    """Return a value that must be of this kind."""
    assert isinstance(value, kind), value
    return value
