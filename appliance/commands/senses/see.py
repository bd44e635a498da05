"""`smugglers see`: report what pictures or clips of the table show."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import click
import msgspec

from appliance.cli import FAILED
from appliance.commands.options import camera_option, json_option, settings_option
from appliance.commands.screen.told import tell

if TYPE_CHECKING:
    from appliance.settings import Settings
    from appliance.words.catalogues import Words
    from hardware.cameras.camera_model import CameraModel
    from hardware.rig import Rig
    from vision.observations import Observation

KINDS = ("die", "sphere", "gems")


@click.command()
@click.argument("files", nargs=-1, required=True, metavar="FILE...", type=click.Path(path_type=Path))
@camera_option
@click.option(
    "--rig",
    "rig_file",
    type=click.Path(path_type=Path),
    help="Rig file written by `smugglers calibrate track`. Default: the table's own, or the standard rig if the table "
    "has none.",
)
@json_option
@click.option(
    "--as", "close_up", type=click.Choice(KINDS), help="The files are close-up pictures of this object alone."
)
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
    from appliance.guided_calibration.errors import sentence
    from appliance.journal.open_game_check import refuse_if_game_open
    from appliance.sensing.recordings.replay import is_recording
    from appliance.words.catalogues import words_for
    from hardware.cameras.camera_model import CameraFileError
    from hardware.files.regular_file import is_missing, unfolded
    from hardware.recording.recording_format import SUFFIX, SenseRecordingError
    from hardware.rig_file import RigError
    from vision.observations import SightError
    from vision.observe_file import CLIP_SUFFIXES, PICTURE_SUFFIXES

    settings = read_settings(settings_file)
    refuse_if_game_open(settings)
    words = words_for(settings.language)
    paths = list(unfolded(files, PICTURE_SUFFIXES | CLIP_SUFFIXES | {SUFFIX}))
    of_the_table = close_up is None and not all(is_recording(path) for path in paths)
    if of_the_table and camera_file is None and is_missing(settings.camera_path):
        _tell("camera_missing", words.say("see.camera_missing", {"path": settings.camera_path}))
        sys.exit(FAILED)
    try:
        measured = _measured(settings, camera_file, rig_file, of_the_table=of_the_table)
    except (CameraFileError, RigError) as error:
        _tell(error.code, sentence(error, words))
        sys.exit(FAILED)
    failed = False
    for path in paths:
        try:
            seen = _observed(path, close_up, measured, words)
        except (SightError, SenseRecordingError) as error:
            failed = True
            said = sentence(error, words, path=path)
            _tell(error.code, said if said.startswith(f"{path}: ") else f"{path}: {said}")
            continue
        for observation in seen:
            facts = {"file": str(path), **msgspec.to_builtins(observation)}
            click.echo(msgspec.json.encode(facts).decode() if as_json else _line(facts))
    if failed:
        sys.exit(FAILED)


class _Measured(NamedTuple):
    """The camera and the rig that were given, which replace a recording's own; and those of the table, if needed."""

    camera: CameraModel | None
    rig: Rig | None
    table: tuple[CameraModel, Rig] | None


def _measured(settings: Settings, camera_file: Path | None, rig_file: Path | None, *, of_the_table: bool) -> _Measured:
    """Read the camera and the rig.

    :raises CameraFileError: the camera cannot be read.
    :raises RigError: the rig cannot be read.
    """
    from appliance.devices.calibration_files import own_rig
    from hardware.cameras.camera_model import load_camera
    from hardware.rig_file import load_rig

    camera = load_camera(camera_file) if camera_file is not None else None
    rig = load_rig(rig_file) if rig_file is not None else None
    table = (camera or load_camera(settings.camera_path), rig or own_rig(settings)) if of_the_table else None
    return _Measured(camera, rig, table)


def _observed(path: Path, close_up: str | None, measured: _Measured, words: Words) -> Sequence[Observation]:
    """Return what a file shows; say so if it is a recording that was cut short.

    :raises SightError: the file cannot be evaluated.
    :raises SenseRecordingError: the recording cannot be evaluated.
    """
    from appliance.sensing.recordings.replay import is_recording, recorded_passages
    from hardware.recording.recording_reader import Recording
    from vision.observe_file import CLIP_SUFFIXES, NotACloseUp, observe_close_up, observe_file

    if close_up is not None and (is_recording(path) or path.suffix.lower() in CLIP_SUFFIXES):
        raise NotACloseUp("--as is for pictures; leave it out for clips and recordings, or give a picture")
    if not is_recording(path):
        return observe_close_up(path, close_up) if measured.table is None else observe_file(path, *measured.table)
    recording = Recording(path)
    seen = recorded_passages(recording, measured.camera, measured.rig)
    if recording.ended == "cut_short":
        tell(f"smugglers see: {words.say('senses.cut_short', {'path': path})}", err=True)
    return seen


def _tell(code: str, sentence: str) -> None:
    tell(f"smugglers see: {sentence} [{code}]", err=True)


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
