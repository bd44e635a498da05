"""Options that several commands take, and what they refuse."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from appliance.cli import WrongUse

if TYPE_CHECKING:
    from hardware.twin.faults import FaultInterval

settings_option = click.option(
    "--settings", "settings_file", type=click.Path(path_type=Path), default=None, help="A settings file."
)
camera_option = click.option(
    "--camera",
    "camera_file",
    type=click.Path(path_type=Path),
    help="Camera file written by `smugglers calibrate camera`. Default: the table's own.",
)
first_rig_option = click.option(
    "--rig",
    "rig_file",
    type=click.Path(path_type=Path),
    help="Rig file to start from. Default: the table's own, or the standard rig if the table has none.",
)
out_option = click.option(
    "--out", type=click.Path(path_type=Path), help="Output file. Default: the file that the table reads."
)
report_option = click.option(
    "--report", type=click.Path(path_type=Path), help="Also write a one-page report, as HTML and PNG."
)
undo_option = click.option(
    "--undo", "undo_last", is_flag=True, help="Restore the calibration that the last one replaced."
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON object per line.")
database_option = click.option(
    "--database", default="", help="Database as postgresql://user:password@host/name. Default: the embedded SQLite."
)


class NumberRange(click.FloatRange):
    """A range that refuses `nan`, which click's own ranges accept."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the number."""
        number = super().convert(value, param, ctx)
        if not math.isfinite(number):
            self.fail(f"{value} is not a number.", param, ctx)
        return number


def faults_of(texts: Sequence[str]) -> tuple[FaultInterval, ...]:
    """Return the faults of the simulated table that the texts of `--fault` name.

    :raises WrongUse: a text names no fault, or its seconds cannot be read.
    """
    from hardware.twin.faults import FAULTS, FaultError, UnknownFaultError, parse_fault

    try:
        return tuple(map(parse_fault, texts))
    except FaultError as error:
        code = "no_fault" if isinstance(error, UnknownFaultError) else "fault_interval"
        raise WrongUse(code, faults=FAULTS) from None
