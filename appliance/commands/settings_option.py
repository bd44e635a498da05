"""The option by which every command that reads settings takes a file of them."""

from __future__ import annotations

from pathlib import Path

import click

settings_option = click.option(
    "--settings", "settings_file", type=click.Path(path_type=Path), default=None, help="A settings file."
)
