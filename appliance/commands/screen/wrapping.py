"""Wraps long sentences between words on a terminal; elsewhere they stay in one line."""

from __future__ import annotations

import shutil
import sys

import click


def wrapped(text: str, first: str = "", following: str = "") -> str:
    """Return a sentence as lines no wider than the terminal, begun with `first` and `following`."""
    if not sys.stdout.isatty():
        return first + text
    width = shutil.get_terminal_size().columns
    return click.wrap_text(text, width, initial_indent=first, subsequent_indent=following)
