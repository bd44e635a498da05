"""`smugglers hub password`: a new password for an account."""

from __future__ import annotations

from pathlib import Path

import click

from appliance.commands.options import database_option, settings_option
from appliance.words.errors import TableError


@click.command()
@click.argument("name")
@database_option
@settings_option
def command(name: str, database: str, settings_file: Path | None) -> None:
    """Set a new password for the account NAME, and print it once. Its signed-in browsers are signed out."""
    import secrets

    from appliance.commands.hub.opened import opened

    with opened(settings_file, database) as kept:
        from appliance.hub.people.accounts import Accounts

        password = secrets.token_urlsafe(12)
        if not Accounts(kept).set_password(name, password):
            raise TableError("hub_no_such_account", name=name)
        click.echo(password)
