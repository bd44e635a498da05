"""`smugglers calibrate camera`: the lens's intrinsics from the printed board, guided live or from files."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from calibration.camera import BoardView
    from calibration.said import Speaker


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
    from appliance.bootstrap import read_settings
    from appliance.words import negotiate, words
    from calibration import store
    from calibration.camera import CameraFitError
    from hardware.camera import CameraError

    if twin and out is None:
        raise click.UsageError("--twin needs --out: the simulated lens is not this table's")
    try:
        settings = read_settings(None)
        out, speaker = out or settings.camera_path, words(negotiate([settings.language]))
        if undo_last:
            store.undo(out)
            click.echo(f"{out}: the calibration before the last one is back")
            return
        failed = _from_files(pictures, out, report, speaker) if pictures else _guided(out, report, speaker, twin)
    except KeyboardInterrupt:
        click.echo(f"\naborted; {out} is as it was", err=True)
        sys.exit(1)
    except (CameraFitError, CameraError, store.StoreError) as error:
        click.echo(f"smugglers calibrate camera: {error.code}: {error}", err=True)
        sys.exit(2)
    if failed:
        sys.exit(2)


def _guided(out: Path, report: Path | None, speaker: Speaker, twin: bool) -> bool:
    from rich.console import Console
    from rich.live import Live

    from appliance import bootstrap
    from appliance.calibration_bench import follow_board
    from appliance.guide_screen import camera_screen
    from calibration.camera_guide import CameraGuide

    guide = CameraGuide()
    console = Console()
    console.print("[bold]Calibrating the camera.[/] Ctrl-C leaves everything as it is.")
    told = ""
    with Live(console=console, refresh_per_second=8, transient=True) as live:
        for state in follow_board(bootstrap.build_bench(twin=twin), guide):
            live.update(camera_screen(state))
            if not console.is_terminal and state.ask != told:
                console.print(camera_screen(state))
                told = state.ask
    _finish(guide.views, out, report, speaker)
    return False


def _from_files(pictures: tuple[Path, ...], out: Path, report: Path | None, speaker: Speaker) -> bool:
    from calibration.camera import find_board
    from vision.look import load_picture
    from vision.observations import SightError

    views: list[BoardView] = []
    failed = False
    for picture in pictures:
        try:
            view = find_board(str(picture), load_picture(picture))
        except SightError as error:
            failed = True
            click.echo(f"smugglers calibrate camera: {picture}: {error.code}: {error}", err=True)
            continue
        if view is None:
            click.echo(f"{picture}  no board in sight; left out")
        else:
            views.append(view)
    _finish(views, out, report, speaker)
    return failed


def _finish(boards: Sequence[BoardView], out: Path, report: Path | None, speaker: Speaker) -> None:
    from appliance.commands.verdicts import print_verdict
    from calibration.results import keep_camera

    fit, judged, written = keep_camera(boards, out, report, speaker)
    for result in fit.views:
        note = "" if result.used else "  left out: fits much worse than the others"
        click.echo(f"{result.name}  {result.corners} corners  {result.rms_px:.3f} px{note}")
    camera = fit.camera
    values = (*camera.focal_px, *camera.centre_px, *camera.distortion)
    for name, value, spread in zip(
        ("fx px", "fy px", "cx px", "cy px", "k1", "k2", "p1", "p2", "k3"), values, fit.errors, strict=True
    ):
        click.echo(f"{name:6} {value:12.5g} ± {spread:.2g}")
    click.echo(
        f"reprojection {camera.rms_px:.3f} px; corners in {fit.coverage:.0%} of the picture; "
        f"tilts up to {fit.tilt_deg:.0f}°; distortion {fit.structure}"
    )
    print_verdict(judged, speaker)
    for path in written:
        click.echo(f"written {path}")
