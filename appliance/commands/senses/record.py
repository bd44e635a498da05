"""`smugglers record`: raw data of the sensors, with consent, into one bounded file."""

from __future__ import annotations

import contextlib
import shutil
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import click

from appliance.cli import FAILED, AnsweringCommand, WrongUse
from appliance.commands.options import NumberRange, settings_option
from appliance.commands.screen.told import tell

if TYPE_CHECKING:
    from appliance.sensing.recordings.recorder import Recorder
    from appliance.words.catalogues import Words
    from hardware.recording.recording_writer import RecordingWriter


@click.command(cls=AnsweringCommand)
@click.option("--out", type=click.Path(path_type=Path), required=True, help="Output file. Its name ends in .rec.")
@click.option("--seconds", type=NumberRange(min=1), help="Duration. Default: until Ctrl-C.")
@click.option(
    "--most-mb", type=click.IntRange(1, 20_000), default=500, show_default=True, help="Largest size of the file, in MB."
)
@click.option("--whole", is_flag=True, help="Record the whole picture, people included, instead of the track alone.")
@click.option(
    "--consent", is_flag=True, help="State that everybody in the picture has agreed; the command does not ask."
)
@click.option("--twin", is_flag=True, help="Record the simulated table, where simulated hands roll and weigh spheres.")
@settings_option
def command(
    out: Path,
    seconds: float | None,
    most_mb: int,
    whole: bool,
    consent: bool,
    twin: bool,
    settings_file: Path | None,
) -> None:
    """Record camera pictures, scale counts and beam edges into one file.

    `smugglers see` and `smugglers weigh --from` read the file. The command says what will be recorded, and asks for
    consent before it starts. It refuses to run while a game is open, and ends when one is opened. The exit status is 0
    when something was recorded, 1 when nobody agreed, and 2 when nothing could be recorded, as while a game is open, or
    when the file could not be written to its end. A file in which nothing was recorded is not left.
    """
    from appliance.commands.settings_file import read_settings
    from appliance.composition import senses
    from appliance.guided_calibration.errors import sentence
    from appliance.journal.open_game_check import game_is_open, refuse_if_game_open
    from appliance.service.stop_signals import too_late_to_stop
    from appliance.words.catalogues import words_for
    from appliance.words.errors import TableError
    from hardware.recording.recording_format import SUFFIX, SenseRecordingError
    from hardware.recording.recording_writer import check_place

    if out.suffix != SUFFIX:
        raise WrongUse("record_name", suffix=SUFFIX)
    settings = read_settings(settings_file)
    words = words_for(settings.language)
    try:
        check_place(out)
        if not twin:
            refuse_if_game_open(settings)
            senses.must_have_senses(settings)
    except SenseRecordingError as error:
        _refuse(error.code, sentence(error, words))
    agreed = words.say(f"record.consent.{'whole' if whole else 'track'}")
    tell(agreed)
    if not consent and not _agrees(words):
        tell(words.say("record.nothing"), err=True)
        sys.exit(1)
    try:
        writer, recorder = senses.build_recorder(settings, out, agreed, twin=twin, whole=whole, most_mb=most_mb)
        # Ctrl-C while the devices start, too, ends the recording: it holds what they sensed.
        started = False
        with contextlib.ExitStack() as opened:
            opened.callback(_close, recorder, writer)
            with contextlib.suppress(KeyboardInterrupt):
                for part in senses.build_recording(settings, recorder, twin=twin):
                    opened.callback(part.stop)
                    part.start()
                started = True
                _record(recorder, writer, seconds, lambda: not twin and game_is_open(settings), words)
            too_late_to_stop()
    except SenseRecordingError as error:
        _refuse(error.code, sentence(error, words))
    if writer.is_empty and not started:
        raise TableError("stopped")
    if writer.is_empty:
        _refuse("recording_empty", words.say("record.empty", {"path": out}))
    tally = recorder.tally
    facts = {"path": out, "frames": tally.frames, "counts": tally.counts, "edges": tally.edges}
    megabytes = tally.bytes_written / 1e6
    tell(words.say(f"record.ended.{writer.ended or 'stopped'}", {**facts, "megabytes": megabytes}))
    if tally.dropped:
        tell(words.say("record.dropped", {"dropped": tally.dropped}), err=True)
    if tally.frames == 0:
        tell(words.say("record.no_pictures"), err=True)


def _agrees(words: Words) -> bool:
    """Ask for consent. Ctrl-C is a no, and so is an input that is closed."""
    if sys.stdin is None:
        return False
    try:
        answer = click.prompt(words.say("record.ask"), default=words.say("record.no"))
    except click.Abort:
        click.echo("", err=True)
        return False
    return str(answer).strip().lower() == words.say("record.yes")


def _close(recorder: Recorder, writer: RecordingWriter) -> None:
    """Write what is queued and close the file. Delete it if nothing was recorded."""
    try:
        recorder.pump()
        writer.close()
    finally:
        if writer.is_empty:
            writer.path.unlink(missing_ok=True)


def _refuse(code: str, said: str) -> NoReturn:
    tell(f"smugglers record: {said} [{code}]", err=True)
    sys.exit(FAILED)


def _record(
    recorder: Recorder,
    writer: RecordingWriter,
    seconds: float | None,
    game_opened: Callable[[], bool],
    words: Words,
) -> None:
    """Write until the time is over, the file is full or a game is opened."""
    begun_s = asked_s = told_s = time.monotonic()
    shown = False
    try:
        while recorder.ended is None and (seconds is None or time.monotonic() - begun_s < seconds):
            time.sleep(0.02)
            recorder.pump()
            now_s = time.monotonic()
            if now_s - asked_s >= 1.0:
                asked_s = now_s
                if game_opened():
                    writer.close("game_opened")
            if now_s - told_s >= 1.0 and sys.stderr.isatty():
                told_s = now_s
                tally = recorder.tally
                lasted = {"lasted_s": now_s - begun_s, "frames": tally.frames, "megabytes": tally.bytes_written / 1e6}
                line = words.say("record.seeks" if tally.waiting else "record.goes_on", lasted)
                room = shutil.get_terminal_size().columns - 1  # a line that is wider would begin a new one each second
                click.echo(f"\r{line[:room]}", err=True, nl=False)
                shown = True
    finally:
        if shown:
            click.echo("", err=True)
