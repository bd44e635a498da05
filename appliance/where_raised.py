"""How a bug is logged: what was raised and where. What it says is left out, because that may quote a secret."""

from __future__ import annotations

from traceback import extract_tb, format_tb


def where_raised(error: BaseException) -> str:
    """Return what was raised and where, on one line."""
    where = extract_tb(error.__traceback__)[-1]
    return f"{type(error).__name__} at {where.filename}:{where.lineno}"


def way_to(error: BaseException) -> str:
    """Return what was raised, and on the lines that follow the calls that led there."""
    return f"{type(error).__name__}\n{''.join(format_tb(error.__traceback__))}"
