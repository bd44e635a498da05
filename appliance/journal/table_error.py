"""The error of a table that cannot do what was asked. Its sentence is in the word catalogues."""

from __future__ import annotations


class TableError(Exception):
    """The table cannot do what was asked.

    :param code: stable. The sentence `error.<code>` of the word catalogues says what is wrong and what to do.
    :param values: the placeholders of that sentence.
    """

    def __init__(self, code: str, **values: object) -> None:
        super().__init__(code, values)
        self.code = code
        self.values = values
