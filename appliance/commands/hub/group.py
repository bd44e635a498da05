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
        "join": ("appliance.commands.hub.join", "Let this table belong to a hub, at the table itself."),
    },
)
def command() -> None:
    """Keep one league over many tables.

    `run`, `invite`, `revoke` and `tables` are for the hub's machine, `join` is for a table. docs/hub.md tells it all.
    """
