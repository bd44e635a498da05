"""`smugglers calibrate track`: the camera's pose, the markers and the lanes from a picture of the empty table."""

from __future__ import annotations

import sys
from pathlib import Path

import click


@click.command()
@click.argument("pictures", nargs=-1, metavar="PICTURE...", type=click.Path(path_type=Path))
@click.option(
    "--camera", "camera_file", type=click.Path(path_type=Path), default=Path("camera.toml"), show_default=True
)
@click.option(
    "--rig", "rig_file", type=click.Path(path_type=Path), help="Rig file to start from; else the standard rig."
)
@click.option("--out", type=click.Path(path_type=Path), default=Path("rig.toml"), show_default=True)
@click.option("--undo", "undo_last", is_flag=True, help="Restore the calibration before the last one.")
def command(pictures: tuple[Path, ...], camera_file: Path, rig_file: Path | None, out: Path, undo_last: bool) -> None:
    """Find where markers and lanes really are, from pictures of the empty table with all markers in sight."""
    from calibration import store
    from calibration.track import fit_track, to_toml
    from hardware.rig import Rig, RigError, load_rig
    from vision.camera_model import CameraFileError, load_camera
    from vision.look import load_picture
    from vision.observations import SightError

    if not pictures and not undo_last:
        raise click.UsageError("give a picture of the empty table with all markers in sight")
    try:
        if undo_last:
            store.undo(out)
            click.echo(f"{out}: the calibration before the last one is back")
            return
        camera = load_camera(camera_file)
        rig = load_rig(rig_file) if rig_file is not None else Rig()
        fit = fit_track([load_picture(picture) for picture in pictures], rig, camera)
        store.write(out, to_toml(fit.rig))
    except SightError as error:
        click.echo(f"smugglers calibrate track: {error.code}: {error}", err=True)
        sys.exit(2)
    except (CameraFileError, RigError) as error:
        click.echo(f"smugglers calibrate track: {error}", err=True)
        sys.exit(2)
    except store.StoreError as error:
        click.echo(f"smugglers calibrate track: {error.code}: {error}", err=True)
        sys.exit(2)
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
    click.echo(f"verdict {fit.verdict}")
    click.echo(f"written {out}")
