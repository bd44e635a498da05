"""`smugglers see`: report what pictures or clips of the table show."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click
import msgspec

from appliance.commands.settings_option import settings_option

if TYPE_CHECKING:
    from vision.observations import Observation

KINDS = ("die", "sphere", "gems")


@click.command()
@click.argument("files", nargs=-1, required=True, metavar="FILE...", type=click.Path(path_type=Path))
@click.option(
    "--camera",
    "camera_file",
    type=click.Path(path_type=Path),
    help="Camera file written by `smugglers calibrate camera`.",
)
@click.option(
    "--rig", "rig_file", type=click.Path(path_type=Path), help="Rig file written by `smugglers calibrate track`."
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object per line instead of text.")
@click.option("--as", "close_up", type=click.Choice(KINDS), help="The files are close-ups of this object alone.")
@settings_option
def command(
    files: tuple[Path, ...],
    camera_file: Path | None,
    rig_file: Path | None,
    as_json: bool,
    close_up: str | None,
    settings_file: Path | None,
) -> None:
    """Report what pictures or clips of the table show: sphere on the pan, boss, die, gems; in clips, who passed.

    A folder stands for all pictures, clips and recordings in it and in the folders below it. Recordings (`smugglers
    record`) contain their own camera and rig; --camera and --rig replace them. A file that cannot be evaluated is named
    on stderr with the reason. The other files are still evaluated, and the exit status is 2. Refuses to run while a
    game is open, because players could measure spheres with it (SM-26).
    """
    from appliance.commands.settings_file import read_settings
    from appliance.journal.open_game_check import refuse_if_game_open
    from appliance.sensing.recordings.replay import is_recording, recorded_passages
    from hardware.cameras.camera_model import CameraFileError, load_camera
    from hardware.recording.recording_format import SenseRecordingError
    from hardware.recording.recording_reader import Recording
    from hardware.rig import Rig, RigError, load_rig
    from vision.observations import SightError
    from vision.observe_file import observe_close_up, observe_file

    if close_up is None and camera_file is None and not all(is_recording(file) for file in _unfolded(files)):
        raise click.UsageError("give --camera FILE (made by `smugglers calibrate camera`), or --as for close-ups")
    refuse_if_game_open(read_settings(settings_file))
    try:
        camera = load_camera(camera_file) if camera_file is not None else None
        rig = load_rig(rig_file) if rig_file is not None else None
    except (CameraFileError, RigError) as error:
        click.echo(f"smugglers see: {error.code}: {error}", err=True)
        sys.exit(2)
    failed = False
    for file in _unfolded(files):
        try:
            seen: Sequence[Observation]
            if is_recording(file):
                recording = Recording(file)
                seen = recorded_passages(recording, camera, rig)
                if recording.ended == "cut_short":
                    click.echo(f"smugglers see: {file}: cut short; this is what was whole", err=True)
            elif close_up is not None or camera is None:
                seen = observe_close_up(file, close_up)
            else:
                seen = observe_file(file, camera, rig or Rig())
        except (SightError, SenseRecordingError) as error:
            failed = True
            click.echo(f"smugglers see: {file}: {error.code}: {error}", err=True)
            continue
        for observation in seen:
            facts = {"file": str(file), **msgspec.to_builtins(observation)}
            click.echo(msgspec.json.encode(facts).decode() if as_json else _line(facts))
    if failed:
        sys.exit(2)


def _unfolded(files: Sequence[Path]) -> Iterator[Path]:
    from hardware.recording.recording_format import SUFFIX
    from hardware.regular_file import kind_of
    from vision.observe_file import CLIP_SUFFIXES, PICTURE_SUFFIXES

    known = PICTURE_SUFFIXES | CLIP_SUFFIXES | {SUFFIX}
    for file in files:
        inside = (
            sorted(path for path in file.rglob("*") if path.suffix.lower() in known)
            if kind_of(file) == "folder"
            else []
        )
        yield from inside or [file]


def _line(facts: dict[str, object]) -> str:
    name, kind = facts.pop("file"), facts.pop("kind")
    said = "  ".join(f"{key} {_short(value)}" for key, value in facts.items() if value is not None)
    return f"{name}  {kind}  {said}"


def _short(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.3f}"
    if isinstance(value, list | tuple):
        return "(" + ", ".join(_short(item) for item in value) + ")" if value else "none"
    return str(value)
