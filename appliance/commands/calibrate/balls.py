"""`smugglers calibrate balls`: known balls on the pan teach the table its putties and its camera's bias."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from appliance.commands.calibrate.terminal import CalibrationTerminal
    from appliance.guided_calibration.devices import Bench
    from calibration.balls.fit import BallSeen, BallsFit, KnownBall
    from calibration.balls.guide import BallGuide
    from hardware.cameras.camera_model import CameraModel
    from hardware.rig import Rig


@click.command()
@click.argument("balls", nargs=-1, metavar="[BALL[=PICTURE]]...")
@click.option(
    "--camera",
    "camera_file",
    type=click.Path(path_type=Path),
    help="Camera file of `smugglers calibrate camera`; left out, the table's own.",
)
@click.option(
    "--rig",
    "rig_file",
    type=click.Path(path_type=Path),
    help="Rig file of `smugglers calibrate track` that is taught; left out, the table's own.",
)
@click.option("--out", type=click.Path(path_type=Path), help="Where to write; left out, where the table reads it.")
@click.option("--report", type=click.Path(path_type=Path), help="Also write a one-page report, as HTML and PNG.")
@click.option("--twin", is_flag=True, help="Try it over a simulated table, on which any ball you name lies at once.")
@click.option("--undo", "undo_last", is_flag=True, help="Restore the rig file as it was before the last calibration.")
def command(
    balls: tuple[str, ...],
    camera_file: Path | None,
    rig_file: Path | None,
    out: Path | None,
    report: Path | None,
    twin: bool,
    undo_last: bool,
) -> None:
    """Show the table its putties, and balls of known diameter that tell the camera's bias.

    BALL is a putty (orange), a diameter in mm (20.5), or both (orange:20.5); two sizes, far apart, are best. Each is
    asked for on the pan, or read from PICTURE. Without any BALL the four putties are asked for, one after the other.
    """
    from appliance.commands.calibrate.terminal import run
    from calibration.balls.fit import COLOURS, parse_ball
    from calibration.save_results import keep_balls

    def calibrate(terminal: CalibrationTerminal) -> bool:
        asked = [(parse_ball(text.partition("=")[0]), text.partition("=")[2]) for text in balls or COLOURS]
        camera, rig = terminal.lens_and_rig(camera_file, rig_file)
        fit, judged, written = keep_balls(
            _seen(terminal, asked, rig, camera), rig, terminal.out, report, terminal.words
        )
        _tell(terminal, fit)
        terminal.tell_verdict(judged, written)
        return True

    run("balls", out, calibrate, report=report, twin=twin, undo=undo_last)


def _seen(
    terminal: CalibrationTerminal, asked: list[tuple[KnownBall, str]], rig: Rig, camera: CameraModel
) -> list[BallSeen]:
    from calibration.balls.fit import ball_said
    from calibration.balls.guide import BallGuide

    guides = [BallGuide(known, rig, camera) for known, _ in asked]
    for guide, (_, picture) in zip(guides, asked, strict=True):
        if picture:
            image = terminal.picture(Path(picture))
            with terminal.about(Path(picture)):
                guide.measure(image)
    laid = [(number, guide) for number, guide in enumerate(guides, start=1) if not asked[number - 1][1]]
    if laid:
        bench = terminal.bench()
        bench.table_camera(rig).close()  # where there is none, nobody is asked to lay a ball
        for number, guide in laid:
            terminal.ask("lay_ball", number=number, ball=ball_said(guide.known, terminal.words))
            _watch(terminal, bench, rig, guide)
    return [guide.seen() for guide in guides]


def _watch(terminal: CalibrationTerminal, bench: Bench, rig: Rig, guide: BallGuide) -> None:
    from rich.live import Live

    from appliance.commands.calibrate.screen import ball_screen
    from appliance.guided_calibration.devices import follow_ball

    with Live(console=terminal.console, refresh_per_second=8, transient=True) as live:
        for state in follow_ball(bench, rig, guide):
            live.update(ball_screen(state, terminal.words))


def _tell(terminal: CalibrationTerminal, fit: BallsFit) -> None:
    from calibration.balls.fit import ball_said

    for ball in fit.balls:
        said = ball_said(ball.known, terminal.words)
        terminal.say("ball", ball=said, measured_mm=ball.measured_mm, left_mm=ball.left_mm)
    for putty in fit.rig.putties:
        terminal.say("putty", putty=putty.name, red=putty.red, blue=putty.blue)
