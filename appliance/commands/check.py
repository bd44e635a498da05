"""`smugglers check`: the self-test."""

from __future__ import annotations

import contextlib
import logging
import sys
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click
import msgspec

from appliance.cli import AnsweringCommand, WrongUse
from appliance.commands.options import NumberRange, faults_of, json_option, settings_option
from appliance.commands.screen.told import tell

if TYPE_CHECKING:
    from appliance.devices.self_test import HealthCollector

_COLOURS = {"good": "green", "look": "yellow", "bad": "red"}


_STARTED_WITHIN_S = 120.0
"""Longest wait for the devices to start: on a busy processor they start slowly without being faulty."""


@click.command(cls=AnsweringCommand)
@click.option(
    "--twin", is_flag=True, help="Check the simulated table instead, to see the result of a table without faults."
)
@click.option(
    "--fault", "faults", multiple=True, help="With --twin: simulate this fault (`demo --fault list` lists all)."
)
@click.option(
    "--seconds",
    type=NumberRange(3, 120),
    default=8.0,
    show_default=True,
    help="Duration of the test, counted from when all devices have started.",
)
@json_option
@settings_option
def command(twin: bool, faults: tuple[str, ...], seconds: float, as_json: bool, settings_file: Path | None) -> None:
    """Test every sensor, and say what is wrong and how to repair it.

    Do not touch the table during the test. Leave the pan and the track empty, and keep hands out of the picture. The
    exit status is 0 when a game can be refereed without taps, 1 when something needs repair, and 2 when the test could
    not be made, as while a game is open.
    """
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from appliance.commands.settings_file import read_settings
    from appliance.composition import senses
    from appliance.devices.calibration_files import read_calibration, twin_calibration
    from appliance.devices.self_test import HealthCollector
    from appliance.devices.whole_self_test import WholeSelfTest
    from appliance.journal.open_game_check import refuse_if_game_open
    from appliance.words.catalogues import words_for

    if faults and not twin:
        raise WrongUse("fault_needs_twin")
    simulated = faults_of(faults)
    settings = read_settings(settings_file)
    refuse_if_game_open(settings)
    listener = HealthCollector()
    test = WholeSelfTest(settings, twin_calibration if twin else partial(read_calibration, settings), twin=twin)
    words = words_for(settings.language)
    parts = senses.build_senses(settings, listener, twin=twin, faults=simulated, tap=test.take)
    if not as_json:
        tell(words.say("check.testing", {"seconds": seconds}), err=True)
    # Ctrl-C, too, stops the devices: their threads abort an exit that does not.
    with _bugs_alone_logged(), contextlib.ExitStack() as started:
        for part in parts:
            started.callback(part.stop)
            part.start()
        _listen(listener, seconds)
    findings = test.findings(listener, words)
    if as_json:
        for finding in findings:
            click.echo(msgspec.json.encode(finding).decode())
    else:
        table = Table(box=None, pad_edge=False)
        for column in ("", words.say("check.column.part"), words.say("check.column.finding")):
            table.add_column(column, overflow="fold")  # a path that is cut short names no file
        for finding in findings:
            verdict = Text(words.say(f"check.verdict.{finding.verdict}"), style=_COLOURS[finding.verdict])
            named = finding.what.replace("'", "").replace(" ", "_")
            table.add_row(verdict, Text(words.say(f"check.part.{named}")), Text(finding.sentence))
        Console().print(table)
    sys.exit(any(finding.verdict == "bad" for finding in findings))


def _listen(listener: HealthCollector, seconds: float) -> None:
    """Wait until the devices have started, for two minutes at most, then listen for `seconds`."""
    begun_s = time.monotonic()
    while listener.awaited and time.monotonic() - begun_s < _STARTED_WITHIN_S:
        time.sleep(0.05)
    time.sleep(seconds)


@contextlib.contextmanager
def _bugs_alone_logged() -> Iterator[None]:
    """Keep what drivers log from the terminal, but for tracebacks: the findings say it, in the terminal's language."""
    handler = logging.StreamHandler()
    handler.addFilter(lambda record: bool(record.exc_info))
    log = logging.getLogger()
    log.addHandler(handler)
    try:
        yield
    finally:
        log.removeHandler(handler)
