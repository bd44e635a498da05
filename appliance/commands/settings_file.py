"""The settings of a command, and in which language it says what cannot be done."""

from __future__ import annotations

import os
from pathlib import Path

import click

from appliance.service.load_settings import SettingsError, load_settings
from appliance.settings import Settings


def read_settings(path: Path | None) -> Settings:
    """Return the settings; their language is noted in what a command's contexts share (`click.Context.meta`).

    :raises click.ClickException: they are wrong; the message says where, in their language as far as it could be read.
    """
    settings = load_settings(path, os.environ)
    if isinstance(settings, SettingsError):
        raise click.ClickException(f"{settings.message} [{settings.code}]")
    context = click.get_current_context(silent=True)
    if context is not None:
        context.meta["language"] = settings.language
    return settings
