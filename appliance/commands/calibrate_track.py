"""`smugglers calibrate track`: the camera's pose, the markers and the lanes, guided before the camera or from files."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from calibration.live import Image
    from calibration.track import TrackFit
    from hardware.rig import Rig


@click.command()
@click.argument("pictures", nargs=-1, metavar="[PICTURE...]", type=click.Path(path_type=Path))
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
    help="Rig file to start from; left out, the table's own, and before there is one the standard rig.",
)
@click.option(
    "--hole",
    "holes",
    multiple=True,
    metavar="LANE=MM",
    help="A hole as callipers measure it, such as 3=36.2; it counts for more than the printed circle.",
)
@click.option("--out", type=click.Path(path_type=Path), help="Where to write; left out, where the table reads it.")
@click.option("--report", type=click.Path(path_type=Path), help="Also write a one-page report, as HTML and PNG.")
@click.option("--twin", is_flag=True, help="Try it over a simulated table.")
@click.option("--undo", "undo_last", is_flag=True, help="Restore the calibration before the last one.")
def command(
    pictures: tuple[Path, ...],
    camera_file: Path | None,
    rig_file: Path | None,
    holes: tuple[str, ...],
    out: Path | None,
    report: Path | None,
    twin: bool,
    undo_last: bool,
) -> None:
    """Find where markers and lanes really are, on the empty table with all markers in sight.

    Without PICTURE it guides you before the camera and takes the pictures itself; Ctrl-C leaves everything as it is.
    """
    from appliance.bootstrap import read_settings
    from appliance.commands.verdicts import print_verdict
    from appliance.words import negotiate, words
    from calibration import store
    from calibration.results import keep_track
    from hardware.camera import CameraError
    from hardware.camera_model import CameraFileError, load_camera
    from hardware.rig import Rig, RigError, load_rig
    from hardware.twin.viewpoint import twin_camera
    from vision.look import load_picture
    from vision.observations import SightError

    if twin and out is None:
        raise click.UsageError("--twin needs --out: the simulated table is not this one")
    try:
        settings = read_settings(None)
        out = out or settings.rig_path
        if undo_last:
            store.undo(out)
            click.echo(f"{out}: the calibration before the last one is back")
            return
        camera = twin_camera() if twin and camera_file is None else load_camera(camera_file or settings.camera_path)
        holes_mm = dict(_hole(text) for text in holes)
        rig_path = rig_file or (None if twin or not settings.rig_path.exists() else settings.rig_path)
        rig = load_rig(rig_path) if rig_path is not None else Rig()
        images = [load_picture(picture) for picture in pictures] if pictures else _guided(rig, twin)
        speaker = words(negotiate([settings.language]))
        fit, judged, written = keep_track(images, rig, camera, out, report, speaker, holes_mm)
        _say(fit)
        print_verdict(judged, speaker)
        for path in written:
            click.echo(f"written {path}")
    except KeyboardInterrupt:
        click.echo(f"\naborted; {out} is as it was", err=True)
        sys.exit(1)
    except (SightError, CameraError, store.StoreError) as error:
        click.echo(f"smugglers calibrate track: {error.code}: {error}", err=True)
        sys.exit(2)
    except (CameraFileError, RigError) as error:
        click.echo(f"smugglers calibrate track: {error}", err=True)
        sys.exit(2)


def _hole(text: str) -> tuple[int, float]:
    found = re.fullmatch(r"([1-7])=(\d{2}(?:\.\d{1,2})?)", text.strip())
    if found is None:
        raise click.UsageError(f"--hole {text!r}: write the lane, 1 to 7, and its hole in mm, such as 3=36.2")
    return int(found[1]), float(found[2])


def _guided(rig: Rig, twin: bool) -> list[Image]:
    from rich.console import Console
    from rich.live import Live

    from appliance import bootstrap
    from appliance.calibration_bench import follow_table
    from appliance.guide_screen import track_screen
    from calibration.track_guide import TrackGuide

    guide = TrackGuide(rig)
    console = Console()
    console.print("[bold]Calibrating the track.[/] Ctrl-C leaves everything as it is.")
    told = ""
    with Live(console=console, refresh_per_second=8, transient=True) as live:
        for state in follow_table(bootstrap.build_bench(twin=twin), rig, guide):
            live.update(track_screen(state))
            if not console.is_terminal and state.ask != told:
                console.print(track_screen(state))
                told = state.ask
    return list(guide.pictures)


def _say(fit: TrackFit) -> None:
    x, y, z = fit.camera_position_mm
    click.echo(f"camera at x {x:.1f}, y {y:.1f}, z {z:.1f} mm; reprojection {fit.rms_px:.3f} px")
    for marker in fit.markers:
        dx, dy = marker.moved_mm
        click.echo(
            f"marker {marker.id}  off by {dx:+.2f}, {dy:+.2f} mm and {marker.turned_deg:+.2f}°  {marker.rms_px:.3f} px"
        )
    for lane in fit.lanes:
        if lane.x_mm is None:
            click.echo(f"lane {lane.number}  no circle found")
        else:
            click.echo(
                f"lane {lane.number}  x {lane.x_mm:+.2f} mm  circle {lane.diameter_mm:.2f} mm  "
                f"rim scatter {lane.scatter_mm:.2f} mm"
            )
