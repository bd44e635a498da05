"""What a calibration came to, printed."""

from __future__ import annotations

import click

from calibration.said import Speaker, Verdict, sentences


def print_verdict(judged: Verdict, speaker: Speaker) -> None:
    """Print the grade, and what there is to say of it in the speaker's language."""
    click.echo(f"verdict {judged.grade}")
    for sentence in sentences(judged, speaker):
        click.echo(f"  - {sentence}")
