"""`smugglers calibrate camera`: the lens's intrinsics from pictures of the printed board."""

from __future__ import annotations

import sys
from pathlib import Path

import click


@click.command()
@click.argument("pictures", nargs=-1, metavar="PICTURES...", type=click.Path(path_type=Path))
@click.option("--out", type=click.Path(path_type=Path), default=Path("camera.toml"), show_default=True)
@click.option("--undo", "undo_last", is_flag=True, help="Restore the calibration before the last one.")
def command(pictures: tuple[Path, ...], out: Path, undo_last: bool) -> None:
    """Find the lens's intrinsics from pictures of the ChArUco board (`smugglers calibrate sheets` prints it).

    Take eight or more at one size: near and far, tilted, and in every corner of the picture.
    """
    from calibration import store
    from calibration.camera import BoardView, CameraFitError, find_board, fit_camera, to_toml
    from vision.look import load_picture
    from vision.observations import SightError

    if not pictures and not undo_last:
        raise click.UsageError("give pictures of the board (`smugglers calibrate sheets` prints it)")
    failed = False
    try:
        if undo_last:
            store.undo(out)
            click.echo(f"{out}: the calibration before the last one is back")
            return
        views: list[BoardView] = []
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
        fit = fit_camera(views)
        store.write(out, to_toml(fit.camera))
    except (CameraFitError, store.StoreError) as error:
        click.echo(f"smugglers calibrate camera: {error.code}: {error}", err=True)
        sys.exit(2)
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
    click.echo(f"verdict {fit.grade}: {fit.advice}")
    click.echo(f"written {out}")
    if failed:
        sys.exit(2)
