"""`smugglers calibrate camera`: the lens's intrinsics from the printed board, guided live or from files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from appliance.commands.calibrate.terminal import CalibrationTerminal
    from calibration.camera.intrinsics import BoardView


@click.command()
@click.argument("pictures", nargs=-1, metavar="[PICTURES...]", type=click.Path(path_type=Path))
@click.option("--out", type=click.Path(path_type=Path), help="Where to write; left out, where the table reads it.")
@click.option("--report", type=click.Path(path_type=Path), help="Also write a one-page report, as HTML and PNG.")
@click.option("--twin", is_flag=True, help="Try it with a simulated camera, board and hand.")
@click.option("--undo", "undo_last", is_flag=True, help="Restore the calibration before the last one.")
def command(pictures: tuple[Path, ...], out: Path | None, report: Path | None, twin: bool, undo_last: bool) -> None:
    """Find the lens's intrinsics with the ChArUco board (`smugglers calibrate sheets` prints it).

    Without PICTURES it guides you before the camera and takes them itself; Ctrl-C leaves everything as it is. From
    files: eight or more of one size, near and far, tilted, and in every corner of the picture.
    """
    from appliance.commands.calibrate.terminal import run

    def calibrate(terminal: CalibrationTerminal) -> bool:
        return _from_files(terminal, pictures, report) if pictures else _guided(terminal, report)

    run("camera", out, calibrate, report=report, twin=twin, undo=undo_last)


def _guided(terminal: CalibrationTerminal, report: Path | None) -> bool:
    from rich.live import Live

    from appliance.commands.calibrate.screen import camera_screen
    from appliance.guided_calibration.devices import follow_board
    from calibration.camera.guide import CameraGuide

    guide = CameraGuide()
    bench, console = terminal.bench(), terminal.console
    told = ""
    with Live(console=console, refresh_per_second=8, transient=True) as live:
        for state in follow_board(bench, guide):
            screen = camera_screen(state, terminal.words)
            live.update(screen)
            if not console.is_terminal and state.ask != told:
                console.print(screen)
                told = state.ask
    _finish(terminal, guide.views, report)
    return True


def _from_files(terminal: CalibrationTerminal, pictures: tuple[Path, ...], report: Path | None) -> bool:
    from calibration.camera.intrinsics import find_board
    from vision.observations import SightError

    views: list[BoardView] = []
    all_read = True
    for picture in pictures:
        try:
            view = find_board(str(picture), terminal.picture(picture))
        except SightError as error:
            all_read = False
            terminal.tell_failure(error)
            continue
        if view is None:
            terminal.say("no_board", path=picture)
        else:
            views.append(view)
    _finish(terminal, views, report)
    return all_read


def _finish(terminal: CalibrationTerminal, boards: Sequence[BoardView], report: Path | None) -> None:
    from calibration.save_results import keep_camera

    fit, judged, written = keep_camera(boards, terminal.out, report, terminal.words)
    for view in fit.views:
        line = "view" if view.used else "view_left_out"
        terminal.say(line, name=view.name, corners=view.corners, rms_px=view.rms_px)
    for name, value, error in fit.fitted:
        terminal.say("lens", name=name, value=value, error=error)
    terminal.say(
        "reprojection",
        rms_px=fit.camera.rms_px or 0.0,
        coverage_pct=100 * fit.coverage,
        tilt_deg=fit.tilt_deg,
        structure=fit.structure,
    )
    terminal.tell_verdict(judged, written)
