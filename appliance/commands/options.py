"""Options that several commands take, and the numbers that options take."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import click

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


class NumberRange(click.FloatRange):
    """A range that refuses `nan`, which click's own ranges accept."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the number."""
        number = super().convert(value, param, ctx)
        if not math.isfinite(number):
            self.fail(f"{value} is not a number.", param, ctx)
        return number
