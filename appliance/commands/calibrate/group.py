"""`smugglers calibrate`: measures, sheets to print, camera, track, balls, scale."""

from __future__ import annotations

import click

from appliance.cli import LazyGroup


@click.group(
    cls=LazyGroup,
    lazy={
        "sheets": (
            "appliance.commands.calibrate.sheets",
            "Write the sheets to cut out or lay on the table, as PDF at 1:1.",
        ),
        "measures": ("appliance.commands.calibrate.measures", "Show or change the dimensions of your own table."),
        "camera": ("appliance.commands.calibrate.camera", "Measure the lens's intrinsics in pictures of the board."),
        "track": ("appliance.commands.calibrate.track", "Measure the camera's pose, the markers and the lanes."),
        "balls": (
            "appliance.commands.calibrate.balls",
            "Measure the putties' colours and the camera's bias with balls.",
        ),
        "scale": ("appliance.commands.calibrate.scale", "Measure zero, span, noise and drift of the scale."),
    },
)
def command() -> None:
    """Calibrate camera, track, balls and scale; set the table's dimensions; write the sheets to print."""
