"""How a table tells that something went wrong: people by a code, its log by the place.

The sentence of a code is in the word catalogues. What a bug says is left out: that may quote a secret.
"""

from __future__ import annotations

from traceback import extract_tb


class TableError(Exception):
    """The table cannot do what was asked.

    :param code: stable. The sentence `error.<code>` of the word catalogues says what is wrong and what to do.
    :param values: the placeholders of that sentence.
    """

    def __init__(self, code: str, **values: object) -> None:
        super().__init__(code, values)
        self.code = code
        self.values = values


def where_raised(bug: BaseException) -> str:
    """Return what was raised and where, on one line."""
    where = extract_tb(bug.__traceback__)[-1]
    return f"{type(bug).__name__} at {where.filename}:{where.lineno}"


def way_to(bug: BaseException) -> str:
    """Return what was raised, and on the lines that follow the calls that led there, without their words."""
    frames = extract_tb(bug.__traceback__)
    return "\n".join([type(bug).__name__, *(f"{one.filename}:{one.lineno} in {one.name}" for one in frames)])
