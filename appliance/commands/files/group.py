"""`smugglers files`: the maps, cards and tariffs that an owner wrote down from the box."""

from __future__ import annotations

import click

from appliance.cli import LazyGroup


@click.group(
    cls=LazyGroup,
    lazy={
        "check": ("appliance.commands.files.check", "Report what a file contains, or its errors and where they are."),
        "example": ("appliance.commands.files.example", "Print an example file to start from."),
    },
)
def command() -> None:
    """Check the files in which you wrote down the maps, cards and tariffs of your game box.

    Start from `smugglers files example GAME`, put your file into the folder of the setting files_dir, check it, and
    choose it on the set-up page of its game. docs/games/haulers.md and docs/games/customs.md tell what to write.
    """
