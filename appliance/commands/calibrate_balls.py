"""`smugglers calibrate balls`: known balls on the pan teach the table its putties and its camera's bias."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from rich.console import Console

    from appliance.calibration_bench import Bench
    from calibration.ball_guide import BallGuide
    from calibration.balls import BallSeen, BallsFit, KnownBall
    from hardware.camera_model import CameraModel
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
    from appliance.bootstrap import read_settings
    from appliance.commands.verdicts import print_verdict
    from appliance.words import negotiate, words
    from calibration import store
    from calibration.balls import COLOURS, BallError, parse_ball
    from calibration.results import keep_balls
    from hardware.camera import CameraError
    from hardware.camera_model import CameraFileError, load_camera
    from hardware.rig import Rig, RigError, load_rig
    from hardware.twin.viewpoint import twin_camera
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
        asked = [(parse_ball(text.partition("=")[0]), text.partition("=")[2]) for text in balls or COLOURS]
        camera = twin_camera() if twin and camera_file is None else load_camera(camera_file or settings.camera_path)
        rig_path = rig_file or (None if twin or not settings.rig_path.exists() else settings.rig_path)
        rig = load_rig(rig_path) if rig_path is not None else Rig()
        speaker = words(negotiate([settings.language]))
        fit, judged, written = keep_balls(_seen(asked, rig, camera, twin), rig, out, report, speaker)
        _say(fit)
        print_verdict(judged, speaker)
        for path in written:
            click.echo(f"written {path}")
    except (KeyboardInterrupt, EOFError):
        click.echo(f"\naborted; {out} is as it was", err=True)
        sys.exit(1)
    except (BallError, SightError, CameraError, store.StoreError) as error:
        click.echo(f"smugglers calibrate balls: {error.code}: {error}", err=True)
        sys.exit(2)
    except (CameraFileError, RigError) as error:
        click.echo(f"smugglers calibrate balls: {error}", err=True)
        sys.exit(2)


def _seen(asked: list[tuple[KnownBall, str]], rig: Rig, camera: CameraModel, twin: bool) -> list[BallSeen]:
    from calibration.ball_guide import BallGuide
    from vision.look import load_picture

    seen: list[BallSeen] = []
    bench: Bench | None = None
    for known, picture in asked:
        guide = BallGuide(known, rig, camera)
        if picture:
            guide.keep(load_picture(Path(picture)))
        else:
            from rich.console import Console

            from appliance import bootstrap

            console = Console()
            if bench is None:
                console.print("[bold]Showing known balls.[/] Ctrl-C leaves everything as it is.")
                bench = bootstrap.build_bench(twin=twin)
            console.input(f"{len(seen) + 1}. Lay the ball on the pan: {known.label}. Then press Enter. ")
            _watch(bench, rig, guide, console)
        seen.append(guide.seen())
    return seen


def _watch(bench: Bench, rig: Rig, guide: BallGuide, console: Console) -> None:
    from rich.live import Live

    from appliance.calibration_bench import follow_ball
    from appliance.guide_screen import ball_screen

    with Live(console=console, refresh_per_second=8, transient=True) as live:
        for state in follow_ball(bench, rig, guide):
            live.update(ball_screen(state))


def _say(fit: BallsFit) -> None:
    for ball in fit.balls:
        click.echo(f"ball {ball.known.label:>14}  seen as {ball.measured_mm:.2f} mm, left over {ball.left_mm:+.3f} mm")
    for putty in fit.rig.putties:
        click.echo(f"putty {putty.name:<7} ln R/G {putty.red:+.2f}  ln B/G {putty.blue:+.2f}")
