"""Sentences on a terminal."""

from __future__ import annotations

import click

from appliance.words.wrapping import wrapped


def tell(sentence: str, *, err: bool = False) -> None:
    """Print a sentence, wrapped between words on a terminal.

    :param err: on standard error.
    """
    click.echo(wrapped(sentence, err=err), err=err)
