"""The settings of a command, whose language is that of its errors."""

from __future__ import annotations

import os
from pathlib import Path

from appliance.cli import Told, note_language
from appliance.service.load_settings import SettingsError, load_settings
from appliance.settings import Settings


def read_settings(path: Path | None) -> Settings:
    """Return the settings. The command tells its errors in their language.

    :raises Told: they are wrong; it says where, in their language as far as it could be read.
    """
    settings = load_settings(path, os.environ)
    if isinstance(settings, SettingsError):
        raise Told(f"{settings.message} [{settings.code}]", settings.language)
    note_language(settings.language)
    return settings
