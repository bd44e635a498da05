"""`smugglers replay`: replay a transcript and print the game's public view."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import NoReturn

import click
import msgspec

from appliance.cli import FAILED
from appliance.commands.options import settings_option
from appliance.commands.settings_file import read_settings
from appliance.journal.transcript import TranscriptError, read_transcript, transcript_error
from appliance.words.catalogues import words_for


@click.command()
@click.argument("file", metavar="FILE", type=click.Path(allow_dash=True))
@settings_option
def command(file: str, settings_file: Path | None) -> None:
    """Replay the recorded game in FILE (- reads standard input) and print its public view as one JSON object.

    On a line that cannot be read, or that the rules refuse, it prints {"line", "code", "message"} on standard error
    and exits with status 2. Lines are counted from 1; the set-up is line 1.
    """
    words = words_for(read_settings(settings_file).language)
    if file == "-" and sys.stdin is None:
        _fail(TranscriptError(1, "unreadable_file", words.say("replay.no_input")))
    try:
        with click.open_file(file, "rb") as stream:
            transcript = read_transcript(stream, words.language)
    except OSError as error:
        _fail(transcript_error(1, "unreadable_file", words.language, reason=error.strerror))
    if isinstance(transcript, TranscriptError):
        _fail(transcript)
    click.echo(msgspec.json.encode(transcript.game.rules.view(transcript.state, None)))


def _fail(error: TranscriptError) -> NoReturn:
    """Print an error and exit. JSON escapes control characters up to 1F only, and a terminal heeds more."""
    said = msgspec.json.encode(error).decode()
    click.echo(re.sub(r"[\x7f-\x9f]", lambda found: f"\\u{ord(found[0]):04x}", said), err=True)
    sys.exit(FAILED)
