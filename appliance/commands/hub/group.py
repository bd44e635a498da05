"""`smugglers hub`: from one table to a café or a chain."""

from __future__ import annotations

import click

from appliance.cli import LazyGroup


@click.group(
    cls=LazyGroup,
    lazy={
        "run": ("appliance.commands.hub.run", "Run a hub on this machine: broker, database and pages."),
        "invite": ("appliance.commands.hub.invite", "Make a table's invitation, and print it with its QR code."),
        "revoke": ("appliance.commands.hub.revoke", "Take a table's key away."),
        "tables": ("appliance.commands.hub.tables", "List the tables that were invited."),
        "rebuild": ("appliance.commands.hub.rebuild", "Fold the league anew from what tables sent."),
        "password": ("appliance.commands.hub.password", "Give an account of the hub's pages a new password."),
        "join": ("appliance.commands.hub.join", "Let this table belong to a hub, at the table itself."),
    },
)
def command() -> None:
    """Keep one league over many tables.

    `join` is for a table, all others are for the hub's machine. docs/hub.md tells it all.
    """
