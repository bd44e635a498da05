"""`smugglers hub`: from one table to a café or a chain."""

from __future__ import annotations

import click

from appliance.cli import LazyGroup


@click.group(
    cls=LazyGroup,
    lazy={
        "run": ("appliance.commands.hub.run", "Run a hub on this machine: broker, database and pages."),
        "invite": ("appliance.commands.hub.invite", "Create a table's invitation, and print it with its QR code."),
        "revoke": ("appliance.commands.hub.revoke", "Revoke a table's key."),
        "tables": ("appliance.commands.hub.tables", "List the tables that were invited."),
        "rebuild": ("appliance.commands.hub.rebuild", "Rebuild the league from what the tables sent."),
        "password": ("appliance.commands.hub.password", "Set a new password for an account of the hub's pages."),
        "join": ("appliance.commands.hub.join", "Join this table to a hub. Run it at the table itself."),
    },
)
def command() -> None:
    """Keep one league for many tables.

    Run `join` at a table, and all other commands on the hub's machine. docs/hub.md describes hubs.
    """
