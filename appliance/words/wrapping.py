"""Wraps long sentences between words on a terminal; elsewhere they stay in one line."""

from __future__ import annotations

import shutil
import sys
import textwrap


def wrapped(text: str, first: str = "", following: str = "", *, err: bool = False) -> str:
    """Return a sentence as lines no wider than the terminal, begun with `first` and `following`.

    A word that is wider, such as a path, stays whole, so that it can be copied.

    :param err: it is for standard error.
    """
    stream = sys.stderr if err else sys.stdout
    if stream is None or not stream.isatty():
        return first + text
    lines = textwrap.wrap(
        text,
        shutil.get_terminal_size().columns,
        initial_indent=first,
        subsequent_indent=following,
        break_long_words=False,
        break_on_hyphens=False,
    )
    return "\n".join(lines) or first
