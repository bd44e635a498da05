"""How a hub logs a bug."""

from __future__ import annotations

from traceback import format_tb


def described(bug: BaseException) -> str:
    """Return what was raised and where, not what it says: that may quote a row that names guests."""
    return f"{type(bug).__name__}\n{''.join(format_tb(bug.__traceback__))}"
