"""`smugglers calibrate balls`: known balls on the pan teach the table its putties and its camera's bias."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from appliance.commands.options import camera_option, out_option, report_option, settings_option

if TYPE_CHECKING:
    from appliance.commands.calibrate.terminal import CalibrationTerminal
    from calibration.balls.fit import BallSeen, KnownBall
    from hardware.cameras.camera_model import CameraModel
    from hardware.rig import Rig


@click.command()
@click.argument("balls", nargs=-1, metavar="[BALL[=PICTURE]]...")
@camera_option
@click.option(
    "--rig",
    "rig_file",
    type=click.Path(path_type=Path),
    help="Rig file of `smugglers calibrate track` that receives the result. Default: the table's own.",
)
@out_option
@report_option
@click.option("--twin", is_flag=True, help="Use a simulated table. It puts any ball you name on its pan.")
@click.option("--undo", "undo_last", is_flag=True, help="Restore the rig file that the last calibration replaced.")
@settings_option
def command(
    balls: tuple[str, ...],
    camera_file: Path | None,
    rig_file: Path | None,
    out: Path | None,
    report: Path | None,
    twin: bool,
    undo_last: bool,
    settings_file: Path | None,
) -> None:
    """Measure the colours of the putties, and the camera's bias with balls of known diameter.

    BALL is a putty (orange), a diameter in mm (20.5), or both (orange:20.5). Two sizes that are far apart are best. A
    ball with a PICTURE is read from it. For every other ball, you are asked to put it on the pan. Without any BALL you
    are asked for the four putties, one after the other.
    """
    from appliance.commands.calibrate.terminal import open_terminal
    from appliance.guided_calibration.results import store_balls
    from calibration.balls.fit import parse_ball
    from hardware.readings import PUTTY_COLOURS

    terminal = open_terminal("balls", out, settings_file, twin=twin)
    if undo_last:
        terminal.undo(balls, report)
        return
    with terminal.calibrating(report, from_files=any("=" in ball for ball in balls)):
        asked = [(parse_ball(text.partition("=")[0]), text.partition("=")[2]) for text in balls or PUTTY_COLOURS]
        camera, rig = terminal.lens(camera_file), terminal.rig(rig_file)
        seen = _seen(terminal, asked, rig, camera)
        terminal.tell(store_balls(seen, rig, terminal.places(report)))


def _seen(
    terminal: CalibrationTerminal, asked: list[tuple[KnownBall, str]], rig: Rig, camera: CameraModel
) -> list[BallSeen]:
    """Measure the balls in their pictures, then those without one on the pan; return them in the order asked."""
    from appliance.guided_calibration.procedures import balls_on_the_pan
    from calibration.balls.guide import BallGuide

    pictured: list[BallSeen] = []
    for known, picture in asked:
        if picture:
            guide = BallGuide(known, rig, camera)
            image = terminal.picture(Path(picture))
            with terminal.about(Path(picture)):
                guide.measure(image)
            pictured.append(guide.seen())
    laid: Sequence[BallSeen] = ()
    if len(pictured) < len(asked):
        devices = terminal.devices()
        with terminal.dialogue([known for known, picture in asked if not picture]) as dialogue:
            laid = balls_on_the_pan(dialogue, devices, rig, camera)
    from_pictures, from_pan = iter(pictured), iter(laid)
    return [next(from_pictures if picture else from_pan) for _, picture in asked]
