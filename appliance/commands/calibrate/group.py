"""`smugglers calibrate`: measures, sheets to print, camera, track, balls, scale."""

from __future__ import annotations

import click

from appliance.cli import LazyGroup


@click.group(
    cls=LazyGroup,
    lazy={
        "sheets": ("appliance.commands.calibrate.sheets", "Write all that is cut or laid as PDF, at 1:1."),
        "measures": ("appliance.commands.calibrate.measures", "Show or change the measures of your own table."),
        "camera": ("appliance.commands.calibrate.camera", "Find the lens's intrinsics from pictures of the board."),
        "track": ("appliance.commands.calibrate.track", "Find the camera's pose and the lanes from the markers."),
        "balls": ("appliance.commands.calibrate.balls", "Show the table its putties and balls of known diameter."),
        "scale": ("appliance.commands.calibrate.scale", "Find zero, span, noise and drift of the scale."),
    },
)
def command() -> None:
    """Calibrate the camera, the track, the balls or the scale; choose the measures, print the sheets."""
