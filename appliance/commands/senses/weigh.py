"""`smugglers weigh`: what lies on the pan, live or from a recording, one line per settled load."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TextIO

import click
import msgspec
from rich.console import Console
from rich.live import Live
from rich.text import Text

from appliance.commands.settings_option import settings_option
from appliance.devices.scale_session import LiveSample, follow, live_samples
from appliance.journal.open_game_check import refuse_if_game_open
from appliance.sensing.recordings.replay import is_recording, recorded_counts, recorded_scale
from appliance.words import words
from calibration.scale.count_recording import CountRecording, RecordingError, load_recording
from calibration.scale.noise import guess_model
from calibration.scale.verdict import stale_sentence
from hardware.readings import DeviceHealth, MassSettled
from hardware.recording.recording_format import SenseRecordingError
from hardware.recording.recording_reader import Recording
from hardware.scale.load_cell import LoadCellError
from hardware.scale.scale_model import ScaleError, ScaleModel, load_scale
from hardware.scale.weighing import ScaleReading, Weigher

Sample = tuple[float, float]


@click.command()
@click.option(
    "--from",
    "recording",
    type=click.Path(path_type=Path),
    help="Recording to weigh: CSV (t_s,counts or t_s,grams), or .rec. Default: the scale itself.",
)
@click.option(
    "--scale",
    type=click.Path(path_type=Path),
    help="The scale.toml written by `calibrate scale`. Default for live weighing: the table's own.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object per line.")
@settings_option
def command(recording: Path | None, scale: Path | None, as_json: bool, settings_file: Path | None) -> None:
    """Weigh, live or from a recording: one line per settled load (t_s, mass_g, sd_g, samples).

    A CSV of counts needs --scale. A CSV of grams and a .rec do not need it. Warnings about the scale are printed on
    stderr. Refuses to run while a game is open, because players could measure spheres with it (SM-26).
    """
    from appliance.commands.settings_file import read_settings

    settings = read_settings(settings_file)
    refuse_if_game_open(settings)
    try:
        if recording is not None:
            counts, model = load_counts(recording)
            weigh_recording(counts, load_scale(scale) if scale else model, as_json)
        else:
            model = load_scale(scale or settings.scale_path)
            if (stale := stale_sentence(model)) is not None:
                click.echo(f"smugglers weigh: {stale}", err=True)
            weigh_live(live_samples(settings), model, as_json, Console())
    except KeyboardInterrupt:
        click.echo("stopped", err=True)
    except LoadCellError as error:
        refuse(error.code, str(error), as_json)
    except (RecordingError, SenseRecordingError, ScaleError) as error:
        refuse(error.code, str(error), as_json, getattr(error, "line", 0))


def load_counts(path: Path) -> tuple[CountRecording, ScaleModel | None]:
    """Return the samples of a recording of either kind, and the scale's calibration where it holds one.

    :raises RecordingError: the CSV cannot be used.
    :raises SenseRecordingError: the recording of `smugglers record` cannot be used.
    """
    if not is_recording(path):
        return load_recording(path), None
    senses = Recording(path)
    counts, model = recorded_counts(senses), recorded_scale(senses)
    if senses.ended == "cut_short":
        click.echo(f"smugglers weigh: {path}: cut short; this is what was whole", err=True)
    return counts, model


def refuse(code: str, message: str, as_json: bool, line: int = 0) -> None:
    """Say one clear sentence on stderr and end with exit status 2."""
    if as_json:
        place = {"line": line} if line else {}
        click.echo(msgspec.json.encode({"code": code, "message": message, **place}), err=True)
    else:
        click.echo(f"smugglers weigh: {message} [{code}]", err=True)
    sys.exit(2)


def weigh_recording(recording: CountRecording, model: ScaleModel | None, as_json: bool) -> None:
    """Print every load that settles in a recording.

    :raises ScaleError: counts without a scale, or too few samples to guess the noise of grams.
    """
    if recording.unit == "counts":
        if model is None:
            message = f"{recording.name} holds counts; give --scale with the scale.toml of that scale"
            raise ScaleError("scale_missing", message)
        weigher = Weigher(model)
    else:
        try:
            weigher = Weigher(guess_model(recording))
        except ValueError as error:
            raise RecordingError("recording_too_short", f"{recording.name}: {error}") from None
    known = list(readings(weigher, zip(recording.t_s, recording.values, strict=True)))
    print_readings(known, as_json)
    if not any(isinstance(reading, MassSettled) for reading in known):
        nothing = f"{recording.name}: no load settled"
        click.echo(msgspec.json.encode({"message": nothing}) if as_json else f"smugglers weigh: {nothing}", err=True)


def readings(weigher: Weigher, samples: Iterable[Sample]) -> Iterator[ScaleReading]:
    """Yield what becomes known from stamped samples."""
    for t_s, value in samples:
        yield from weigher.feed(t_s, value)


def print_readings(known: Iterable[ScaleReading], as_json: bool, out: TextIO | None = None) -> None:
    """Print loads on stdout and faults on stderr."""
    for reading in known:
        if isinstance(reading, MassSettled):
            click.echo(line_of(reading, as_json), file=out)
        elif isinstance(reading, DeviceHealth) and reading.code != "scale_ok":
            said = words("en").say(f"health.{reading.code}")
            click.echo(f"{reading.t_s:.1f} s: scale: {said} [{reading.code}]", err=True)


def line_of(reading: MassSettled, as_json: bool) -> str:
    """Return one settled load as a line: JSON, or words."""
    if as_json:
        fields = {
            "t_s": round(reading.t_s, 3),
            "mass_g": round(reading.mass_g, 4),
            "sd_g": round(reading.sd_g, 5),
            "samples": reading.samples,
        }
        return msgspec.json.encode(fields).decode()
    return f"t_s {reading.t_s:.2f}  mass_g {reading.mass_g:.3f}  sd_g {reading.sd_g:.3f}  samples {reading.samples}"


def weigh_live(samples: Iterable[LiveSample], model: ScaleModel, as_json: bool, console: Console) -> None:
    """Weigh from live samples until they end; on a terminal a line shows the present reading."""
    weigher = Weigher(model)
    with contextlib.ExitStack() as stack:
        live = None
        if console.is_terminal and not as_json:
            live = stack.enter_context(Live(console=console, transient=True, auto_refresh=False))
        for _, known in follow(weigher, samples):
            print_readings(known, as_json)
            if live is not None:
                live.update(_present(weigher), refresh=True)


def _present(weigher: Weigher) -> Text:
    reading = "–" if weigher.live_g is None else f"{weigher.live_g:+9.3f} g"
    return Text.assemble((reading, "bold"), f"   {weigher.phase:<9} zero {weigher.zero_g:+.3f} g   Ctrl-C ends")
