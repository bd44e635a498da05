"""`smugglers weigh`: what lies on the pan, live or from a recording, one line per settled load."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NoReturn

import click
import msgspec
from rich.console import Console
from rich.text import Text

from appliance.cli import FAILED
from appliance.commands.options import json_option, settings_option
from appliance.commands.screen.live_screen import LiveScreen
from appliance.commands.screen.told import tell
from appliance.devices.scale_session import LiveSample, follow, live_samples
from appliance.guided_calibration.errors import sentence
from appliance.journal.open_game_check import refuse_if_game_open
from appliance.sensing.recordings.replay import is_recording, recorded_counts, recorded_scale
from appliance.words.catalogues import Words, words_for
from calibration.scale.count_recording import LEAST_SAMPLES, CountRecording, RecordingError, load_recording
from calibration.scale.noise import guess_model
from calibration.scale.verdict import stale_message
from hardware.files.regular_file import is_missing
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
@json_option
@settings_option
def command(recording: Path | None, scale: Path | None, as_json: bool, settings_file: Path | None) -> None:
    """Weigh, live or from a recording: one line per settled load (t_s, mass_g, sd_g, samples).

    A CSV of counts needs --scale. A CSV of grams and a .rec do not need it. Warnings about the scale are printed on
    stderr. Refuses to run while a game is open, because players could measure spheres with it (SM-26).
    """
    from appliance.commands.settings_file import read_settings

    settings = read_settings(settings_file)
    refuse_if_game_open(settings)
    output = Output(words_for(settings.language), as_json)
    try:
        if recording is not None:
            counts, model = load_counts(recording, output)
            weigh_recording(counts, load_scale(scale) if scale else model, output)
        else:
            model = own_scale(settings.scale_path) if scale is None else load_scale(scale)
            if (stale := stale_message(model)) is not None:
                output.remark(output.words.say(stale.code, stale.values))
            try:
                weigh_live(live_samples(settings), model, output, Console())
            except KeyboardInterrupt:
                tell(output.words.say("weigh.stopped"), err=True)
    except (LoadCellError, RecordingError, SenseRecordingError, ScaleError) as error:
        output.refuse(error)


class Output:
    """What the command prints, in one language.

    :param as_json: print each load as one JSON object. What is said on stderr are sentences in any case.
    """

    def __init__(self, words: Words, as_json: bool) -> None:
        self.words, self.as_json = words, as_json

    def remark(self, said: str) -> None:
        """Print a sentence on stderr."""
        tell(f"smugglers weigh: {said}", err=True)

    def refuse(self, error: LoadCellError | RecordingError | SenseRecordingError | ScaleError) -> NoReturn:
        """Print one clear sentence on stderr and end with exit status 2."""
        self.remark(f"{sentence(error, self.words)} [{error.code}]")
        sys.exit(FAILED)

    def readings(self, known: Iterable[ScaleReading]) -> None:
        """Print loads on stdout and faults on stderr."""
        for reading in known:
            if isinstance(reading, MassSettled):
                click.echo(line_of(reading, self.as_json))
            elif isinstance(reading, DeviceHealth) and reading.code != "scale_ok":
                said = self.words.say(f"health.{reading.code}")
                fault = self.words.say("weigh.fault", {"t_s": reading.t_s, "said": said})
                tell(f"{fault} [{reading.code}]", err=True)

    def present(self, weigher: Weigher) -> Text:
        """Return the present reading, for a terminal."""
        number = self.words.number
        live_g = weigher.live_g
        reading = "–" if live_g is None else f"{number(live_g, '+9.3f')} g"
        phase = self.words.say(f"weigh.phase.{'unread' if live_g is None else weigher.phase}")
        rest = self.words.say("weigh.present", {"phase": f"{phase:<9}", "zero_g": weigher.zero_g})
        return Text.assemble((reading, "bold"), f"   {rest}")


def own_scale(path: Path) -> ScaleModel:
    """Return the calibration of the table's own scale.

    :raises ScaleError: `scale_not_calibrated`, or as `load_scale`.
    """
    if is_missing(path):
        message = f"the scale was never calibrated ({path} is missing); run `smugglers calibrate scale`"
        raise ScaleError("scale_not_calibrated", message, path=str(path))
    return load_scale(path)


def load_counts(path: Path, output: Output) -> tuple[CountRecording, ScaleModel | None]:
    """Return the samples of a recording of either kind, and the scale's calibration where it holds one.

    :raises RecordingError: the CSV cannot be used.
    :raises SenseRecordingError: the recording of `smugglers record` cannot be used.
    """
    if not is_recording(path):
        return load_recording(path), None
    senses = Recording(path)
    counts, model = recorded_counts(senses), recorded_scale(senses)
    if senses.ended == "cut_short":
        output.remark(output.words.say("senses.cut_short", {"path": path}))
    return counts, model


def weigh_recording(recording: CountRecording, model: ScaleModel | None, output: Output) -> None:
    """Print every load that settles in a recording.

    :raises ScaleError: counts without a scale.
    :raises RecordingError: too few samples to guess the noise of grams.
    """
    if recording.unit == "counts":
        if model is None:
            message = f"{recording.name} holds counts; give --scale with the scale.toml of that scale"
            raise ScaleError("scale_missing", message, path=recording.name)
        weigher = Weigher(model)
    else:
        try:
            weigher = Weigher(guess_model(recording))
        except ValueError as error:
            raise RecordingError(
                "recording_too_short", f"{recording.name}: {error}", label=recording.name, samples=LEAST_SAMPLES
            ) from None
    known = list(readings(weigher, zip(recording.t_s, recording.values, strict=True)))
    output.readings(known)
    if not any(isinstance(reading, MassSettled) for reading in known):
        output.remark(output.words.say("weigh.nothing", {"path": recording.name}))


def readings(weigher: Weigher, samples: Iterable[Sample]) -> Iterator[ScaleReading]:
    """Yield what becomes known from stamped samples."""
    for t_s, value in samples:
        yield from weigher.feed(t_s, value)


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


def weigh_live(samples: Iterable[LiveSample], model: ScaleModel, output: Output, console: Console) -> None:
    """Weigh from live samples until they end; on a terminal a line shows the present reading."""
    weigher = Weigher(model)
    with contextlib.ExitStack() as stack:
        live = None
        if console.is_terminal and not output.as_json:
            live = LiveScreen(console=console, transient=True, auto_refresh=False)
            stack.callback(live.stop)
            live.start()
        for _, known in follow(weigher, samples):
            output.readings(known)
            if live is not None:
                live.update(output.present(weigher), refresh=True)
